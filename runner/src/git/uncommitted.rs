//! A checkout → the files in which it, or its index, differs from HEAD. Writes nothing, not even git's cache of file times.

use super::{GitError, RepoPath, Repository};

impl Repository {
    /// The tracked files with changes that are not committed, sorted; empty for a bare repository.
    ///
    /// # Errors
    /// The checkout or its index can't be read.
    pub fn uncommitted_changes(&self) -> Result<Vec<RepoPath>, GitError> {
        if self.is_bare() {
            return Ok(Vec::new());
        }
        changed_paths(self.raw(), CheckoutFiles::Tracked)
    }
}

/// The files of a checkout that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckoutFiles {
    /// Those that git tracks.
    Tracked,
    /// New ones as well, unless git ignores them, and submodules.
    All,
}

/// The files in which the checkout or its index differs from HEAD, sorted.
pub(super) fn changed_paths(repository: &git2::Repository, files: CheckoutFiles) -> Result<Vec<RepoPath>, GitError> {
    let all = files == CheckoutFiles::All;
    let mut asked = git2::StatusOptions::new();
    asked
        .include_untracked(all)
        .recurse_untracked_dirs(all)
        .include_ignored(false)
        .exclude_submodules(!all)
        .update_index(false);
    let found = (repository.statuses(Some(&mut asked)))
        .map_err(GitError::during("looking for uncommitted changes in the checkout"))?;
    let mut paths: Vec<RepoPath> = (found.iter())
        .map(|entry| RepoPath(entry.path_bytes().to_vec()))
        .collect();
    paths.sort();
    Ok(paths)
}
