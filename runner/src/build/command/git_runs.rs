//! An execution of git in a build → whether it only compares the working tree with what is committed, or reads commits.
//!
//! A version is checked out as it was committed: whatever such a run reads of it, it finds no difference. A stamp of a version
//! does that (`git describe --dirty`), and reads every file.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

/// The program.
const GIT: &str = "git";

/// Its commands whose output follows from the commits, and from whether the working tree is as committed. One that lists files
/// is none: a new file is in the list.
const COMPARING: [&str; 13] = [
    "branch",
    "describe",
    "diff-files",
    "diff-index",
    "log",
    "name-rev",
    "rev-list",
    "rev-parse",
    "show-ref",
    "status",
    "symbolic-ref",
    "tag",
    "update-index",
];

/// Options before the command whose value is the next word.
const WITH_VALUE: [&str; 6] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// Its commands that list the files of a version: a file that comes is in the list.
const LISTING: [&str; 4] = ["archive", "grep", "ls-files", "ls-tree"];

/// True for a run that only compares. `words` are its command line.
pub(super) fn compares_with_commit(program: &Path, words: &[OsString]) -> bool {
    command(program, words).is_some_and(|command| COMPARING.contains(&&*command))
}

/// True for a run that lists files.
pub(super) fn lists_files(program: &Path, words: &[OsString]) -> bool {
    command(program, words).is_some_and(|command| LISTING.contains(&&*command))
}

/// The command of a run of git.
fn command<'w>(program: &Path, words: &'w [OsString]) -> Option<Cow<'w, str>> {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&&*word) {
            words.next();
        } else if !word.starts_with('-') {
            return program.file_name().is_some_and(|name| name == GIT).then_some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_compare_are_told_from_those_that_read() {
        let compares = |program: &str, line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            compares_with_commit(Path::new(program), &words)
        };
        for line in [
            "git describe --tags --dirty",
            "git -C sub status",
            "git --no-optional-locks -c a.b=c status --porcelain=2",
        ] {
            assert!(compares("/usr/bin/git", line), "{line}");
        }
        for line in [
            "git apply a.patch",
            "git ls-files --others --cached *.c",
            "git config -f a.cfg b",
            "git -C status show HEAD:a",
            "git",
            "git --version",
            "git diff --no-index a b",
        ] {
            assert!(!compares("/usr/bin/git", line), "{line}");
        }
        assert!(!compares("/usr/bin/cat", "git status"));
    }
}
