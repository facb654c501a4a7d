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
        self.changed_in_checkout(false)
    }

    /// The files in which the checkout or its index differs from HEAD, sorted.
    pub(super) fn changed_in_checkout(&self, with_untracked: bool) -> Result<Vec<RepoPath>, GitError> {
        let mut asked = git2::StatusOptions::new();
        asked
            .include_untracked(with_untracked)
            .recurse_untracked_dirs(with_untracked)
            .include_ignored(false)
            .exclude_submodules(true)
            .update_index(false);
        let found = (self.raw().statuses(Some(&mut asked)))
            .map_err(GitError::during("looking for uncommitted changes in the checkout"))?;
        let mut paths: Vec<RepoPath> = (found.iter())
            .map(|entry| RepoPath(entry.path_bytes().to_vec()))
            .collect();
        paths.sort();
        Ok(paths)
    }
}
