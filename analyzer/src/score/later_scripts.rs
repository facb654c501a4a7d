//! The files that the commands of a build read, some of which changed since the sample → whether they may lead a command to a
//! file that it did not read then.
//!
//! Nobody here runs a script. It can lead to a file only by what it writes: the file's name, that of one of its folders, a
//! pattern, or a name that it makes up.

use std::sync::Arc;

use crate::text_search::lines_naming;

/// Words of scripts that go through folders without a pattern.
const SEARCHES: [&str; 8] = ["find", "ls", "dir", "listdir", "scandir", "iterdir", "walk", "glob"];

/// Signs before a file's ending where the name before it is made up, or is any.
const ANY_NAME: &[u8] = b"})]%*?\"'`";

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
    let names = |word: &str| !lines_naming(text, word).is_empty();
    let file = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    path.split('/').chain([stem]).filter(|word| !word.is_empty()).any(names)
        || SEARCHES.into_iter().any(names)
        || has_pattern_for_anything(text)
        || !ending.is_empty() && makes_up_names(text, ending)
}

/// True for `*` without an ending behind it.
fn has_pattern_for_anything(text: &[u8]) -> bool {
    memchr::memchr_iter(b'*', text).any(|at| text.get(at + 1) != Some(&b'.'))
}

/// True for names with an ending of which the start is not written.
fn makes_up_names(text: &[u8], ending: &str) -> bool {
    let ending = [b".", ending.as_bytes()].concat();
    memchr::memmem::find_iter(text, &ending).any(|at| at == 0 || ANY_NAME.contains(&text[at - 1]))
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
}
