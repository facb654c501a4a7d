//! A script of a build → the parts of it that may decide anything, and those that may lead to other files.
//!
//! Comments decide nothing. Of CMake the commands are told apart; a script that cannot be read counts whole.

mod cmake;

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::HashSet;

use crate::languages::language_of;
use crate::sources::{FileSource, file_name};
use cmake::CmakeCommand;

/// The script that CMake finds in a folder.
const LISTS_OF_CMAKE: &str = "CMakeLists.txt";

/// Names of scripts in which a line that begins with `#` is a comment, in lower case.
const NAMES: [&str; 6] = [
    "makefile",
    "gnumakefile",
    "meson.build",
    "meson.options",
    "meson_options.txt",
    "configure.ac",
];

/// The same by how their names end.
const ENDINGS: [&str; 7] = [".mk", ".mak", ".sh", ".bash", ".zsh", ".py", ".am"];

/// How the names of templates end.
const OF_TEMPLATES: &str = ".in";

/// Signs of a text in a script that goes over some lines, in which `#` begins no comment.
const LONG_TEXTS: [&[u8]; 3] = [b"<<", b"\"\"\"", b"'''"];

/// A script, as far as it was understood.
#[derive(Debug)]
pub(crate) enum BuildScript<'t> {
    /// One of CMake.
    Cmake(Vec<CmakeCommand<'t>>),
    /// A source in which a build fills places in.
    Template(&'t [u8]),
    /// Any other, without the lines that are comments.
    Text(Cow<'t, [u8]>),
}

/// True for a file that nothing but a build tool has a use for.
pub(crate) fn is_of_build_tool(path: &str) -> bool {
    let name = file_name(path).to_lowercase();
    is_of_cmake(&name) || NAMES.contains(&&*name)
}

/// True for the name of a script of CMake, in lower case.
fn is_of_cmake(name: &str) -> bool {
    name.eq_ignore_ascii_case(LISTS_OF_CMAKE) || cmake::ENDINGS.iter().any(|end| name.ends_with(end))
}

/// True if a file that a build reads decides something else in another version.
pub(crate) fn is_another_script(path: &str, then: &dyn FileSource, now: &dyn FileSource) -> bool {
    if then.id(path) == now.id(path) {
        return false;
    }
    let texts = then.bytes(path).zip(now.bytes(path));
    let is_same =
        |(then, now): (Arc<[u8]>, Arc<[u8]>)| BuildScript::read(path, &then).decides_as(&BuildScript::read(path, &now));
    !texts.is_some_and(is_same)
}

impl<'t> BuildScript<'t> {
    /// Reads a script.
    pub(crate) fn read(path: &str, text: &'t [u8]) -> Self {
        let name = file_name(path).to_lowercase();
        if is_of_cmake(&name) {
            let commands = std::str::from_utf8(text).ok().and_then(cmake::commands);
            return commands.map_or(Self::Text(Cow::Borrowed(text)), Self::Cmake);
        }
        let is_compiled =
            |source| language_of(source).is_some_and(|language| language.support().is_linked_into_programs());
        if name.strip_suffix(OF_TEMPLATES).is_some_and(is_compiled) {
            return Self::Template(text);
        }
        let has_comments = NAMES.contains(&&*name) || ENDINGS.iter().any(|end| name.ends_with(end));
        Self::Text(match has_comments {
            true => without_comments(text),
            false => Cow::Borrowed(text),
        })
    }

    /// True if another text of the script decides the same.
    fn decides_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Cmake(one), Self::Cmake(other)) => {
                let deciding = |commands: &'_ [CmakeCommand<'t>]| -> Vec<CmakeCommand<'t>> {
                    commands
                        .iter()
                        .filter(|command| !command.is_silent())
                        .cloned()
                        .collect()
                };
                deciding(one) == deciding(other)
            }
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Template(one), Self::Template(other)) => one == other,
            _ => false,
        }
    }

    /// The scripts that it runs in other folders, by their paths.
    pub(crate) fn scripts_below(&self, path: &str) -> Vec<String> {
        let Self::Cmake(commands) = self else {
            return Vec::new();
        };
        let folders = commands.iter().filter_map(CmakeCommand::subdirectory);
        folders.map(|folder| script_in(path, folder)).collect()
    }

    /// The text in which a file's name, or a part of it, leads to the file. `before` is the script at an earlier time, and
    /// `is_read` says whether the script at a path is read as well.
    pub(crate) fn leading_text(
        &self,
        path: &str,
        before: Option<&Self>,
        is_read: &dyn Fn(&str) -> bool,
    ) -> Cow<'_, [u8]> {
        let commands = match self {
            Self::Cmake(commands) => commands,
            Self::Template(text) => return Cow::Owned(directives(text)),
            Self::Text(text) => return Cow::Borrowed(text),
        };
        let known: HashSet<&CmakeCommand<'_>> = match before {
            Some(Self::Cmake(before)) => before.iter().filter(|command| command.is_outside_the_build()).collect(),
            Some(Self::Template(_) | Self::Text(_)) | None => HashSet::new(),
        };
        let leads_nowhere = |command: &CmakeCommand<'_>| {
            let is_done_already = known.contains(command);
            let is_read = |folder| is_read(&script_in(path, folder));
            command.is_silent() || is_done_already || command.subdirectory().is_some_and(is_read)
        };
        let leads = |command: &&CmakeCommand<'_>| !leads_nowhere(command);
        Cow::Owned(cmake::text_of(commands.iter().filter(leads)))
    }

    /// The text in which a pattern, or the name of a program that searches, leads to any file.
    pub(crate) fn expanding_text(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Cmake(commands) => Cow::Owned(cmake::text_of(commands.iter().filter(|command| command.may_expand()))),
            // A compiler takes `*` for no pattern.
            Self::Template(_) => Cow::Borrowed(&[]),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// The script of CMake in a folder below another script's.
fn script_in(path: &str, folder: &str) -> String {
    let own = path.rsplit_once('/').map(|(own, _)| own);
    let parts = own.into_iter().chain([folder.trim_start_matches("./"), LISTS_OF_CMAKE]);
    parts.collect::<Vec<_>>().join("/")
}

/// The lines by which a source takes in others.
fn directives(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let is_directive = |line: &&[u8]| line.trim_ascii_start().starts_with(b"#");
    lines.filter(is_directive).flatten().copied().collect()
}

/// The lines of a text that are no comments. A comment of make may go on in the next line.
fn without_comments(text: &[u8]) -> Cow<'_, [u8]> {
    if LONG_TEXTS.iter().any(|sign| memchr::memmem::find(text, sign).is_some()) {
        return Cow::Borrowed(text);
    }
    let is_comment = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"#") && !line.starts_with(b"#!") && !line.ends_with(b"\\")
    };
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    Cow::Owned(lines.filter(|line| !is_comment(line)).flatten().copied().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decide_alike(path: &str, one: &str, other: &str) -> bool {
        BuildScript::read(path, one.as_bytes()).decides_as(&BuildScript::read(path, other.as_bytes()))
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_decides_as_itself_with_a_comment(text in "[a-c#(){}\\[\\]\"\\\\ =@$*\n]{0,80}") {
            for path in ["CMakeLists.txt", "Makefile", "a.h.in", "a.cmake.in", "a.sh"] {
                let script = BuildScript::read(path, text.as_bytes());
                prop_assert!(script.decides_as(&BuildScript::read(path, text.as_bytes())));
                prop_assert!(script.leading_text(path, None, &|_| false).len() <= 4 * text.len() + 4);
                script.expanding_text();
            }
            let commands = BuildScript::read("CMakeLists.txt", text.as_bytes());
            if matches!(commands, BuildScript::Cmake(_)) {
                let more = format!("{text}\n# b(\n");
                prop_assert!(commands.decides_as(&BuildScript::read("CMakeLists.txt", more.as_bytes())));
                let more = format!("{text}\nb()\n");
                prop_assert!(!commands.decides_as(&BuildScript::read("CMakeLists.txt", more.as_bytes())));
            }
        }
    }

    #[test]
    fn comments_and_messages_decide_nothing() {
        let one = "# old\nproject(a)\nadd_library(a a.c)\n";
        for other in [
            "# new\nproject(a)\nadd_library(a a.c)\n",
            "project( a )\n\nADD_LIBRARY(a\n  a.c # the library\n)\n",
            "#[[ long\n]]project(a)\nadd_library(a #[=[ ) ]=] a.c)\nmessage(STATUS \"a)\")\n",
        ] {
            assert!(decide_alike("CMakeLists.txt", one, other), "{other}");
        }
        assert!(decide_alike("Makefile", "# old\na: b\n", "a: b\n  # new\n"));
    }

    #[test]
    fn all_else_decides() {
        let one = "project(a)\nadd_library(a a.c)\ninstall(TARGETS a)\n";
        for other in [
            "project(a)\nadd_library(a b.c)\ninstall(TARGETS a)\n",
            "add_library(a a.c)\nproject(a)\ninstall(TARGETS a)\n",
            "project(a)\nadd_library(a \"a.c\")\ninstall(TARGETS a)\n",
            "project(a)\nadd_library(a a.c)\n",
            "project(a)\nadd_library(a a.c)\ninstall(TARGETS a)\nset(CMAKE_C_FLAGS -O3)\n",
            "project(a)\nadd_library(a a.c)\ninstall(TARGETS a\n",
        ] {
            assert!(!decide_alike("cmake/a.cmake", one, other), "{other}");
        }
        assert!(
            !decide_alike("a.txt", "# old\n", "# new\n"),
            "nothing says that it is a comment"
        );
        assert!(!decide_alike("a.sh", "cat <<A\n# b\nA\n", "cat <<A\n# c\nA\n"));
        assert!(
            !decide_alike("Makefile", "# old\nA = 1\n", "# old \\\nA = 1\n"),
            "the comment goes on"
        );
    }
}
