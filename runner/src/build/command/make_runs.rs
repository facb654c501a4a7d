//! An execution of make in a build → whether the folders that it lists can decide anything.
//!
//! Make lists a folder to see which prerequisites are there. Files that CMake generates name all of them, and have neither
//! wildcards nor rules for what they do not name: another file in the folder makes no difference.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The program, and what follows its name where several are installed.
const NAMES: [&str; 2] = ["make", "gmake"];

/// The folder, below that of a build, of the files that CMake generates.
const GENERATED: &str = "CMakeFiles";

/// True for the program.
pub(super) fn is_make(program: &Path) -> bool {
    let name = program.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| {
        NAMES.iter().any(|make| {
            let version = name.strip_prefix(make);
            version.is_some_and(|version| version.chars().all(|letter| !letter.is_ascii_alphabetic()))
        })
    })
}

/// One process of make.
#[derive(Debug, Default)]
pub(super) struct MakeRun {
    /// The paths that it opened, or tried to.
    pub(super) opened: BTreeSet<PathBuf>,
    /// The folders that it listed.
    pub(super) listed: BTreeSet<PathBuf>,
}

impl MakeRun {
    /// True if it read files that CMake generated, and none of the checkout.
    pub(super) fn is_generated(&self, tree: &Path) -> bool {
        let is_generated = |path: &PathBuf| path.components().any(|part| part.as_os_str() == GENERATED);
        let is_own = |path: &&PathBuf| path.starts_with(tree) && !path.is_dir() && !is_generated(path);
        self.opened.iter().any(is_generated) && !self.opened.iter().any(|path| is_own(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_generated_where_it_reads_no_file_of_the_checkout() {
        let run = |opened: &[&str]| MakeRun {
            opened: opened.iter().map(PathBuf::from).collect(),
            ..MakeRun::default()
        };
        let is_generated = |opened: &[&str]| run(opened).is_generated(Path::new("/work"));
        assert!(is_generated(&["/lib/libc.so", "/build/CMakeFiles/sums.dir/build.make"]));
        assert!(is_generated(&["/work/target/CMakeFiles/sums.dir/build.make"]));
        assert!(!is_generated(&[
            "/build/CMakeFiles/sums.dir/build.make",
            "/work/rules.mk"
        ]));
        assert!(!is_generated(&["/build/Makefile"]));
    }

    #[test]
    fn make_may_have_a_version_in_its_name() {
        let is = |program: &str| is_make(Path::new(program));
        assert!(is("/usr/bin/make") && is("gmake") && is("make-4.4"));
        assert!(!is("cmake") && !is("makeinfo") && !is("/usr/bin/make/x"));
    }
}
