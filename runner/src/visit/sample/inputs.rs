//! The files that a build and a run opened, as the checkout shows them → as the commit has them.

use std::collections::BTreeSet;

use profile::inputs::{CompilationUnit, CompiledInputs, CompilerMacros, InputRecord, OpenedFiles, UnitKind};

use crate::build::{CommandInputs, PreprocessedMacros};
use crate::git::{CommitId, GitError, PlaceInCommit, Repository};

/// The files that a run opened, with paths of the commit only. What the build or the run wrote into the checkout is what the
/// commit does not have: the same for every run, whatever its names.
///
/// # Errors
/// The commit can't be read.
pub(super) fn opened_of_commit(
    opened: &OpenedFiles,
    repository: &Repository,
    commit: CommitId,
) -> Result<OpenedFiles, GitError> {
    let mut of_commit = OpenedFiles {
        is_complete: opened.is_complete,
        outside: opened.outside,
        ..OpenedFiles::default()
    };
    let mut place = |path: &str, folders: &mut BTreeSet<String>| {
        match repository.place_at(commit, path)? {
            PlaceInCommit::Entry(known) => of_commit.files.insert(known),
            PlaceInCommit::Folder => folders.insert(path.to_owned()),
            PlaceInCommit::Missing(from) => of_commit.missing.insert(from),
        };
        Ok::<(), GitError>(())
    };
    // A folder that was only looked at tells nothing.
    let mut looked_at = BTreeSet::new();
    for path in opened.files.iter().chain(&opened.missing) {
        place(path, &mut looked_at)?;
    }
    let mut listed = BTreeSet::new();
    for path in &opened.folders {
        place(path, &mut listed)?;
    }
    of_commit.folders = listed;
    Ok(of_commit)
}

/// Adds what a command read to build a benchmark: files of the commit, and the programs that it built and ran. `opened` is
/// what it opened or looked at, with paths of the commit.
pub(super) fn add_command(record: &mut InputRecord, opened: OpenedFiles, command: &CommandInputs) {
    let unit = |target: &str, kind| CompilationUnit::new("", target, kind);
    let is_looked_at = |file: &String| command.looked_at.contains(file);
    let (seen_files, files) = opened.files.into_iter().partition(is_looked_at);
    let (seen_missing, watched) = opened.missing.into_iter().partition(is_looked_at);
    let read = CompilationUnit {
        files,
        watched,
        ..unit("command", UnitKind::Command)
    };
    let seen = CompilationUnit {
        files: seen_files,
        watched: seen_missing,
        ..unit("command", UnitKind::LookedAt)
    };
    let tools = command.tools.iter().map(|program| unit(program, UnitKind::Tool));
    let units: BTreeSet<CompilationUnit> = tools.chain([read, seen]).collect();
    record.compiled = CompiledInputs {
        is_complete: true,
        units: units.into_iter().collect(),
        settings: BTreeSet::new(),
    };
    // A file that comes into a folder which it listed may become an input.
    record.opened.folders.extend(opened.folders);
}

/// The macros that a command's compilers know without the files of the commit: a file that the build wrote, or that stands in
/// a submodule, is none of them.
///
/// # Errors
/// The commit can't be read.
pub(super) fn macros_of_commit(
    found: &PreprocessedMacros,
    repository: &Repository,
    commit: CommitId,
) -> Result<CompilerMacros, GitError> {
    let mut found = found.clone();
    let mut files = BTreeSet::new();
    for (file, names) in std::mem::take(&mut found.by_file) {
        match repository.place_at(commit, &file)? {
            PlaceInCommit::Entry(known) if known == file => drop(files.insert(file)),
            PlaceInCommit::Entry(_) | PlaceInCommit::Folder | PlaceInCommit::Missing(_) => found.unsettle(names),
        }
    }
    Ok(CompilerMacros {
        predefined: found.predefined,
        unsettled: found.unsettled,
        files,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::git::tests::GitFixture;

    fn paths(paths: &[&str]) -> BTreeSet<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn what_a_run_wrote_has_no_name_of_its_own() {
        let fixture = GitFixture::new();
        fixture.write("data/a.txt", "1");
        let commit = fixture.commit("one");
        let opened = OpenedFiles {
            is_complete: true,
            files: paths(&["data/a.txt", "target/criterion/7f3a/base.json"]),
            folders: paths(&["data", "target/criterion", ""]),
            missing: paths(&["data/b/c.txt"]),
            outside: true,
        };
        let found = opened_of_commit(&opened, &fixture.open(), commit).unwrap();
        assert_eq!(found.files, paths(&["data/a.txt"]));
        assert_eq!(found.folders, paths(&["data", ""]));
        assert_eq!(found.missing, paths(&["data/b", "target"]));
        assert!(found.is_complete && found.outside);
    }

    #[test]
    fn the_macros_of_a_file_that_the_build_wrote_are_not_settled() {
        let fixture = GitFixture::new();
        fixture.write("a.c", "1");
        let commit = fixture.commit("one");
        let text = |name: &str| (name.to_owned(), "1".to_owned());
        let macros = PreprocessedMacros {
            predefined: [text("A"), text("MAX(a,b)"), text("OTHER")].into(),
            unsettled: paths(&["EXIT_SUCCESS"]),
            by_file: [
                ("a.c".to_owned(), paths(&["A"])),
                ("config.h".to_owned(), paths(&["MAX", "CONFIGURED"])),
            ]
            .into(),
        };
        let found = macros_of_commit(&macros, &fixture.open(), commit).unwrap();
        assert_eq!(found.predefined, [text("A"), text("OTHER")].into());
        assert_eq!(found.unsettled, paths(&["CONFIGURED", "EXIT_SUCCESS", "MAX"]));
        assert_eq!(found.files, paths(&["a.c"]));
    }
}
