//! The text of a source → the headers that its `#include` lines name, and the paths that they may mean.

use std::borrow::Cow;

use super::readable::other_systems::compiled_here;
use super::systems::SYSTEMS;
use crate::sources::joined_path;
use crate::text_search::is_part_of_word;

/// The folder beside which projects keep their public headers.
const HEADERS: &str = "include";

/// Where a compiler may find what a source includes: beside the source, from the folders above it, and from a folder
/// `include` in one of these. Headers of the system are none of the repository.
pub(super) fn candidates(path: &str, source: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for header in headers(source) {
        let IncludedHeader::Quoted(name) = header else {
            continue;
        };
        let mut folder = path.rsplit_once('/').map(|(folder, _)| folder);
        loop {
            for below in ["", HEADERS] {
                let parts = folder
                    .into_iter()
                    .flat_map(|folder| folder.split('/'))
                    .chain([below])
                    .chain(name.split('/'));
                found.extend(joined_path(parts));
            }
            match folder {
                Some(inner) => folder = inner.rsplit_once('/').map(|(outer, _)| outer),
                None => break,
            }
        }
    }
    found
}

/// True for a source with a line such as `#line 1 "other.c"`.
pub(super) fn names_another_file(source: &[u8]) -> bool {
    let names = |line: &[u8]| {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else {
            return false;
        };
        let directive = directive.trim_ascii_start();
        let number = directive.strip_prefix(b"line").unwrap_or(directive).trim_ascii_start();
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && number[digits..].trim_ascii_start().starts_with(b"\"")
    };
    source.split(|&byte| byte == b'\n').any(names)
}

/// Folders of headers that come with the compiler and the system.
const FOLDERS_OF_SYSTEMS: [&str; 4] = [
    "/usr/include/c++/",
    "/usr/include/x86_64-linux-gnu/",
    "/usr/lib/gcc/",
    "/usr/lib/llvm",
];

/// The folder that holds headers of systems beside those of other libraries.
const SHARED_FOLDER: &str = "/usr/include/";

/// How the names of headers end that CMake makes to mark what a library exports.
const MADE_FOR_EXPORTS: &str = "_export.h";

/// True for the path of a header that comes with the compiler or the system.
pub(super) fn is_system_header(path: &str) -> bool {
    FOLDERS_OF_SYSTEMS.iter().any(|folder| path.starts_with(folder))
        || path.strip_prefix(SHARED_FOLDER).is_some_and(is_of_a_system)
}

/// True if every header that sources include is one of the project, or belongs to a compiler or a system. Of a header that a macro
/// names, this holds if it holds of all that the sources define the macro as.
pub(super) fn are_known(sources: &[&[u8]], is_of_project: &dyn Fn(&str) -> bool) -> bool {
    let compiled: Vec<Cow<'_, [u8]>> = sources.iter().map(|source| compiled_bytes(source)).collect();
    let is_known = |name: &str| is_of_a_system(name) || is_of_project(name);
    let is_named_by = |name: &str| {
        let mut definitions = compiled.iter().flat_map(|source| definitions(source, name)).peekable();
        definitions.peek().is_some() && definitions.all(|definition| definition.written().is_some_and(is_known))
    };
    compiled
        .iter()
        .flat_map(|source| headers(source))
        .all(|header| match header {
            IncludedHeader::Quoted(name) | IncludedHeader::Bracketed(name) => is_known(name),
            IncludedHeader::ByMacro(name) => is_named_by(name),
            IncludedHeader::Unwritten => false,
        })
}

fn compiled_bytes(source: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(source).map(compiled_here) {
        Ok(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        Ok(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(source),
    }
}

pub(super) fn is_of_a_system(name: &str) -> bool {
    let headers = &SYSTEMS.headers;
    let is_one_of = |names: &[String], name: &str| names.iter().any(|known| known == name);
    name.ends_with(MADE_FOR_EXPORTS)
        || headers.folders.iter().any(|folder| name.starts_with(folder.as_str()))
        || match name.strip_suffix(".h") {
            Some(plain) => is_one_of(&headers.c, plain) || plain.ends_with("intrin"),
            None => is_one_of(&headers.cpp, name),
        }
}

/// The header of an `#include` line.
pub(super) enum IncludedHeader<'s> {
    /// `"name"`.
    Quoted(&'s str),
    /// `<name>`.
    Bracketed(&'s str),
    /// A macro of this name does.
    ByMacro(&'s str),
    /// Something else does, such as a macro with arguments.
    Unwritten,
}

impl<'s> IncludedHeader<'s> {
    /// Its name, if it stands there.
    pub(super) fn written(&self) -> Option<&'s str> {
        match self {
            Self::Quoted(name) | Self::Bracketed(name) => Some(name),
            Self::ByMacro(_) | Self::Unwritten => None,
        }
    }
}

/// The headers that a source defines a macro as.
fn definitions<'s>(source: &'s [u8], name: &str) -> impl Iterator<Item = IncludedHeader<'s>> {
    source.split(|&byte| byte == b'\n').filter_map(move |line| {
        let definition = directive(line, b"define")?.trim_ascii_start();
        let value = definition.strip_prefix(name.as_bytes())?;
        (!value.first().is_some_and(is_part_of_word)).then(|| included(value))
    })
}

fn headers(source: &[u8]) -> impl Iterator<Item = IncludedHeader<'_>> {
    source.split(|&byte| byte == b'\n').filter_map(of_line)
}

fn of_line(line: &[u8]) -> Option<IncludedHeader<'_>> {
    directive(line, b"include").map(included)
}

/// The text of a line behind the word of its directive.
fn directive<'s>(line: &'s [u8], word: &[u8]) -> Option<&'s [u8]> {
    let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    directive.strip_prefix(word)
}

/// The header that a directive names behind its `include`.
pub(super) fn included(target: &[u8]) -> IncludedHeader<'_> {
    let target = target.trim_ascii_start();
    let between = |open: u8, close: u8| {
        let name = target.strip_prefix(&[open])?;
        std::str::from_utf8(&name[..memchr::memchr(close, name)?]).ok()
    };
    let quoted = between(b'"', b'"').map(IncludedHeader::Quoted);
    let written = quoted.or_else(|| between(b'<', b'>').map(IncludedHeader::Bracketed));
    let by_macro = || {
        let behind = target
            .iter()
            .position(|byte| !is_part_of_word(byte))
            .unwrap_or(target.len());
        let (name, rest) = target.split_at(behind);
        let is_alone = matches!(rest.trim_ascii_start(), [] | [b'/', b'/' | b'*', ..]);
        let name = std::str::from_utf8(name)
            .ok()
            .filter(|name| is_alone && !name.is_empty())?;
        Some(IncludedHeader::ByMacro(name))
    };
    written.or_else(by_macro).unwrap_or(IncludedHeader::Unwritten)
}

#[cfg(test)]
mod tests {
    use super::{are_known, candidates, is_system_header};

    #[test]
    fn headers_of_the_system_are_known_by_name() {
        let are_known = |line: &str| are_known(&[line.as_bytes()], &|_| false);
        for line in [
            "#include <limits>",
            "#  include <sys/stat.h> // modes",
            "#include <stdio.h>",
            "#define X <zlib.h>",
            "int a;",
        ] {
            assert!(are_known(line), "{line}");
        }
        for line in [
            "#include <gtest/gtest.h>",
            "#include <zlib.h>",
            "#include CONFIG",
            "#include <Eigen/Dense>",
            "#include <QString>",
        ] {
            assert!(!are_known(line), "{line}");
        }
        assert!(is_system_header("/usr/include/ctype.h") && !is_system_header("/usr/include/zlib.h"));
    }

    #[test]
    fn a_header_that_a_macro_names_is_known_if_all_that_the_macro_stands_for_is() {
        let are_known = |sources: &[&str]| {
            let sources: Vec<&[u8]> = sources.iter().map(|source| source.as_bytes()).collect();
            are_known(&sources, &|name| name == "config.h")
        };
        let includes = "#include CONFIG // which one\n";
        for defined in ["\"config.h\"", "<stdio.h>", "<stdio.h>\n#define CONFIG \"config.h\""] {
            assert!(
                are_known(&[includes, &format!("# define CONFIG {defined}\n")]),
                "{defined}"
            );
        }
        for defined in [
            "<zlib.h>",
            "\"config.h\"\n#define CONFIG <zlib.h>",
            "\"config.h\"\n#define CONFIG OTHER",
            "NAMED(config.h)",
        ] {
            assert!(
                !are_known(&[includes, &format!("#define CONFIG {defined}\n")]),
                "{defined}"
            );
        }
        assert!(!are_known(&[includes, "#define CONFIGURED \"config.h\"\n"]));
        assert!(!are_known(&["#include CONFIG(1)\n#define CONFIG \"config.h\"\n"]));
    }

    #[test]
    fn a_header_may_stand_beside_the_source_and_in_folders_for_headers() {
        let source = b"#include <stdio.h>\n#include \"sum.h\"\n  # include \"../a/b.h\" // b\n#define X \"no.h\"\n";
        let found = candidates("lib/src/sum.c", source);
        for path in [
            "lib/src/sum.h",
            "lib/include/sum.h",
            "include/sum.h",
            "sum.h",
            "lib/a/b.h",
            "a/b.h",
        ] {
            assert!(found.iter().any(|known| known == path), "{path} is not among {found:?}");
        }
        assert!(
            found
                .iter()
                .all(|path| path.ends_with("sum.h") || path.ends_with("a/b.h")),
            "{found:?}"
        );
    }
}
