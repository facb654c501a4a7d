//! The files that the commands of a build read, some of which changed since the sample → whether they may lead a command to a
//! file that it did not read then.
//!
//! Nobody here runs a script. It can lead to a file only by what it writes: the file's name, that of one of its folders, a
//! pattern, a name that it makes up, or the tool that finds the file by itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::build_scripts::BuildScript;
use crate::change::{is_found_by_a_tool, may_decide_a_build};
use crate::text_search::{holds_word, is_part_of_word, places_of};

/// Words of scripts that go through folders without a pattern.
const SEARCHES: [&str; 8] = ["find", "ls", "dir", "listdir", "scandir", "iterdir", "walk", "glob"];

/// Signs before a file's ending where the name before it is made up, or is any.
const ANY_NAME: &[u8] = b"})]%*?\"'`@";

/// Signs before a word that stands for another one.
const VARIABLE: &[u8] = b"$@%";

/// Programs that read the files of Bazel.
const BAZEL: [&str; 3] = ["bazel", "bazelisk", "blaze"];

/// Endings of files that a script names without them.
const WITHOUT_ENDING: [&str; 6] = ["cmake", "py", "pm", "rb", "lua", "m4"];

/// How the names of files end that a tool finds by itself, and the words that have it look for one.
const FOUND_BY: [(&str, &[&str]); 9] = [
    ("build.bazel", &BAZEL),
    ("module.bazel", &BAZEL),
    ("workspace.bazel", &BAZEL),
    ("workspace", &BAZEL),
    ("build.zig", &["zig"]),
    ("package.json", &["npm", "npx", "yarn", "pnpm", "node", "bun"]),
    ("makefile", &["make", "gmake", "MAKE"]),
    (
        "cmakelists.txt",
        &["cmake", "CMAKE_COMMAND", "add_subdirectory", "subdirs"],
    ),
    ("meson.build", &["meson", "subdir"]),
];

/// Scripts of which at least one is not as it was at the sample.
#[derive(Debug, Default)]
pub(super) struct LaterScripts {
    scripts: Vec<LaterScript>,
}

/// A script as it is now, by what may lead to a file.
#[derive(Debug)]
struct LaterScript {
    /// By its name, or a part of it.
    leading: Vec<u8>,
    /// True if it may lead to any file, as one of many.
    leads_anywhere: bool,
}

/// A text that the commands read, as it is now and as it was at the sample.
pub(super) struct ScriptTexts {
    pub(super) path: String,
    pub(super) now: Arc<[u8]>,
    pub(super) then: Option<Arc<[u8]>>,
}

impl LaterScripts {
    /// Of all texts that the commands read.
    pub(super) fn new(texts: &[ScriptTexts]) -> Self {
        let paths: BTreeSet<&str> = texts.iter().map(|text| &*text.path).collect();
        let script = |text: &ScriptTexts| {
            let now = BuildScript::read(&text.path, &text.now);
            let then = text.then.as_ref().map(|then| BuildScript::read(&text.path, then));
            let is_read = |path: &str| paths.contains(path);
            // Data that a script reads leads where it led before.
            let is_old_data = || !may_decide_a_build(&text.path) && text.then.as_ref() == Some(&text.now);
            let expands = || {
                let text = now.expanding_text();
                SEARCHES.into_iter().any(|word| holds_word(&text, word)) || has_pattern_for_anything(&text)
            };
            LaterScript {
                leading: now.leading_text(&text.path, then.as_ref(), &is_read).into_owned(),
                leads_anywhere: !is_old_data() && expands(),
            }
        };
        Self {
            scripts: texts.iter().map(script).collect(),
        }
    }

    /// True if one of the scripts may lead to a file.
    pub(super) fn may_lead_to(&self, path: &str) -> bool {
        self.scripts.iter().any(|script| script.leads_to(path))
    }
}

impl LaterScript {
    fn leads_to(&self, path: &str) -> bool {
        let text = &*self.leading;
        let names = |word: &str| !word.is_empty() && holds_word(text, word);
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
        let may_be_left_out = || ending.is_empty() || WITHOUT_ENDING.contains(&ending) || names(ending);
        self.leads_anywhere
            || names(file)
            || names(stem) && may_be_left_out()
            || package(stem, ending).is_some_and(names)
            || folders.split('/').any(|folder| names_folder(text, folder))
            || is_found(text, path, file)
            || !ending.is_empty() && makes_up_names(text, ending)
    }
}

/// True if a text names a folder otherwise than in the path of one file.
fn names_folder(text: &[u8], folder: &str) -> bool {
    let is_of_path = |byte: &&u8| is_part_of_word(byte) || b"./-+".contains(byte);
    let names_file = |path: &[u8]| {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        name.iter()
            .rposition(|&byte| byte == b'.')
            .is_some_and(|at| at + 1 < name.len())
    };
    !folder.is_empty()
        && places_of(text, folder).any(|at| {
            let behind = &text[at + folder.len()..];
            let length = behind.iter().take_while(is_of_path).count();
            let (path, rest) = behind.split_at(length);
            let goes_on = rest
                .first()
                .is_some_and(|sign| VARIABLE.contains(sign) || b"*?{[".contains(sign));
            !path.starts_with(b"/") && !path.starts_with(b".") || goes_on || !names_file(path)
        })
}

/// The package that `find_package` of CMake looks for in a file.
fn package<'f>(stem: &'f str, ending: &str) -> Option<&'f str> {
    let of_package = || {
        (stem.strip_prefix("Find"))
            .or_else(|| stem.strip_suffix("Config"))
            .or_else(|| stem.strip_suffix("-config"))
    };
    of_package().filter(|_| ending == "cmake")
}

/// True if a tool that a text may call finds a file by its name.
fn is_found(text: &[u8], path: &str, file: &str) -> bool {
    let file = file.to_lowercase();
    let found_by = FOUND_BY.iter().find(|(ending, _)| file.ends_with(ending));
    // The ending of another file is no program.
    let is_program = |word: &&str| places_of(text, word).any(|at| at == 0 || text[at - 1] != b'.');
    is_found_by_a_tool(path) && found_by.is_none_or(|(_, words)| words.iter().any(is_program))
}

/// True for `*` without an ending behind it.
fn has_pattern_for_anything(text: &[u8]) -> bool {
    memchr::memchr_iter(b'*', text).any(|at| text.get(at + 1) != Some(&b'.'))
}

/// True for names with an ending of which the start is not written.
fn makes_up_names(text: &[u8], ending: &str) -> bool {
    let ending = [b".", ending.as_bytes()].concat();
    memchr::memmem::find_iter(text, &ending).any(|at| {
        let word = text[..at].iter().rev().take_while(|byte| is_part_of_word(byte)).count();
        match text[..at - word].last() {
            Some(sign) if word > 0 => VARIABLE.contains(sign),
            Some(sign) => ANY_NAME.contains(sign),
            None => word == 0,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(path: &str, now: &str, then: Option<&str>) -> ScriptTexts {
        let text = |text: &str| text.as_bytes().into();
        ScriptTexts {
            path: path.to_owned(),
            now: text(now),
            then: then.map(text),
        }
    }

    fn may_lead(text: &str, path: &str) -> bool {
        let of_cmake = text.contains("_directory(") || text.contains("project(") || text.starts_with("include(");
        let script = if of_cmake { "CMakeLists.txt" } else { "Makefile" };
        LaterScripts::new(&[later(script, text, None)]).may_lead_to(path)
    }

    #[test]
    fn a_script_leads_to_what_it_names() {
        for (text, path) in [
            ("include(rules.cmake)", "rules.cmake"),
            ("include(FindSums)", "cmake/FindSums.cmake"),
            ("add_subdirectory(tools)", "tools/CMakeLists.txt"),
            ("sh scripts/primes.sh > $@", "scripts/primes.sh"),
        ] {
            assert!(may_lead(text, path), "{text}: {path}");
        }
    }

    #[test]
    fn a_script_leads_to_what_it_may_find_or_make_up() {
        for text in [
            "include ${NAME}.mk",
            "include $(wildcard *.mk)",
            "include $(DIR)/*",
            "-include $(shell find . -size 1)",
            "for name in os.listdir('.'): read(name)",
            "include(\"${A}/${B}.mk\")",
            ". ./$name.mk",
            "configure_file(@NAME@.mk)",
        ] {
            assert!(may_lead(text, "rules.mk"), "{text}");
        }
    }

    #[test]
    fn a_script_that_writes_nothing_of_a_file_does_not_lead_to_it() {
        let text = "cmake_minimum_required(VERSION 3.5)\nproject(sums VERSION 1.2.3)\nadd_library(sums src/sums.c)\n\
                    # Unix Makefiles\n";
        for path in ["Makefile", "tools/check.sh", "appveyor.yml", "fuzz/build.py"] {
            assert!(!may_lead(text, path), "{path}");
        }
        assert!(!may_lead(text, "src/other.py"), "it names another file of the folder");
        for text in [
            "src",
            "src/",
            "cp -r src to",
            "src/${NAME}",
            "src/*.c",
            "src.c src",
            "-I src/more",
        ] {
            assert!(may_lead(text, "src/other.x"), "{text}");
        }
        assert!(!may_lead("cc src.c ../src/a.c", "src/other.x"));
    }

    #[test]
    fn what_cmake_does_with_a_finished_build_leads_nowhere_while_it_is_the_same() {
        let text = "project(sums)\n# Find all * of them.\nadd_library(sums sums.c)\nadd_test(NAME t COMMAND sh check.sh)\n\
                    string(REGEX REPLACE \"a*\" \"\" B \"${C}\")\ninstall(FILES added.py)\nadd_subdirectory(tests)\n";
        let leads = |texts: &[ScriptTexts], path| LaterScripts::new(texts).may_lead_to(path);
        let then = "project(sums)\nadd_test(NAME t COMMAND sh check.sh)\ninstall(FILES added.py)\n";
        let scripts = || {
            vec![
                later("CMakeLists.txt", text, Some(then)),
                later("tests/CMakeLists.txt", "add_test(NAME u COMMAND other.py)\n", None),
            ]
        };
        assert!(!leads(
            &[later("config.h.in", "/* all */\n#include <a.h>\n", None)],
            "check.sh"
        ));
        let data = |then| leads(&[later("checks.yml", "checks: '*'\n", then)], "check.sh");
        assert!(data(None) && !data(Some("checks: '*'\n")));
        let tags = "execute_process(COMMAND ${GIT_EXECUTABLE} describe --match \"v*\" OUTPUT_VARIABLE V)\n";
        assert!(!leads(&[later("CMakeLists.txt", tags, None)], "check.sh"));
        let files = "execute_process(COMMAND git ls-files * OUTPUT_VARIABLE F)\n";
        assert!(leads(&[later("CMakeLists.txt", files, None)], "check.sh"));
        assert!(leads(
            &[later("CMakeLists.txt", &tags.replace("${GIT_EXECUTABLE}", "sh"), None)],
            "check.sh"
        ));
        for path in ["check.sh", "added.py", "BUILD.bazel", "tests/data.py", "fuzz.sh"] {
            assert!(!leads(&scripts(), path), "{path}");
        }
        assert!(leads(&scripts(), "tests/other.py"));
        assert!(leads(&scripts()[..1], "tests/data.py"), "nobody read the other script");
        assert!(
            leads(&[later("CMakeLists.txt", text, None)], "check.sh"),
            "the test is new"
        );
        assert!(leads(&[later("CMakeLists.txt", "file(GLOB A *)\n", None)], "check.sh"));
        assert!(leads(
            &[later("CMakeLists.txt", "find_package(A)\n", None)],
            "cmake/FindA.cmake"
        ));
    }

    #[test]
    fn a_script_leads_to_what_a_tool_reads_without_being_told() {
        assert!(may_lead("cd other && make all", "Makefile"));
        assert!(may_lead("$(MAKE) -C other", "GNUmakefile"));
        assert!(may_lead("npm run build", "package.json"));
        assert!(!may_lead("cc -O2 sums.c", "Makefile"));
    }
}
