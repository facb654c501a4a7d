//! The files that the commands of a build read, some of which changed since the sample → whether they may lead a command to a
//! file that it did not read then.
//!
//! Nobody here runs a script. It can lead to a file only by what it writes: the file's name, that of one of its folders, a
//! pattern, a name that it makes up, or the tool that finds the file by itself.

use std::sync::Arc;

use crate::change::is_found_by_a_tool;
use crate::text_search::{holds_word, is_part_of_word};

/// Words of scripts that go through folders without a pattern.
const SEARCHES: [&str; 8] = ["find", "ls", "dir", "listdir", "scandir", "iterdir", "walk", "glob"];

/// Signs before a file's ending where the name before it is made up, or is any.
const ANY_NAME: &[u8] = b"})]%*?\"'`@";

/// Signs before a word that stands for another one.
const VARIABLE: &[u8] = b"$@%";

/// How the names of files end that a tool finds by itself, and the words that have it look for one.
const FOUND_BY: [(&str, &[&str]); 3] = [
    ("makefile", &["make", "gmake", "MAKE"]),
    (
        "cmakelists.txt",
        &["cmake", "CMAKE_COMMAND", "add_subdirectory", "subdirs"],
    ),
    ("meson.build", &["meson", "subdir"]),
];

/// Texts of which at least one is not as it was at the sample.
#[derive(Debug, Default)]
pub(super) struct LaterScripts {
    texts: Vec<Arc<[u8]>>,
}

impl LaterScripts {
    /// All texts that the commands read, as they are now.
    pub(super) fn new(texts: Vec<Arc<[u8]>>) -> Self {
        Self { texts }
    }

    /// True if one of the texts may lead to a file.
    pub(super) fn may_lead_to(&self, path: &str) -> bool {
        self.texts.iter().any(|text| leads_to(text, path))
    }
}

fn leads_to(text: &[u8], path: &str) -> bool {
    let names = |word: &str| holds_word(text, word);
    let file = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    path.split('/').chain([stem]).filter(|word| !word.is_empty()).any(names)
        || SEARCHES.into_iter().any(names)
        || is_found(text, path, file)
        || has_pattern_for_anything(text)
        || !ending.is_empty() && makes_up_names(text, ending)
}

/// True if a tool that a text may call finds a file by its name.
fn is_found(text: &[u8], path: &str, file: &str) -> bool {
    let file = file.to_lowercase();
    let found_by = FOUND_BY.iter().find(|(ending, _)| file.ends_with(ending));
    is_found_by_a_tool(path) && found_by.is_none_or(|(_, words)| words.iter().any(|word| holds_word(text, word)))
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

    fn may_lead(text: &str, path: &str) -> bool {
        LaterScripts::new(vec![text.as_bytes().into()]).may_lead_to(path)
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
        assert!(may_lead(text, "src/other.c"), "it names the folder");
    }

    #[test]
    fn a_script_leads_to_what_a_tool_reads_without_being_told() {
        assert!(may_lead("cd other && make all", "Makefile"));
        assert!(may_lead("$(MAKE) -C other", "GNUmakefile"));
        assert!(may_lead("npm run build", "package.json"));
        assert!(!may_lead("cc -O2 sums.c", "Makefile"));
    }
}
