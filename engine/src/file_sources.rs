//! Files of commits, read from git objects → sources for the analyzer. Checks nothing out.

use std::collections::HashMap;
use std::sync::Mutex;

use analyzer::sources::{Blob, ContentId, FileChange, FileSource, SourceContent};
use runner::git::{CommitId, CommitSnapshot, GitEntry, GitEntryKind, GitError, Repository};

use crate::error::EngineError;

/// Larger files are not read: nobody writes, or reviews, so much by hand in one file.
pub const FILE_LIMIT: u64 = 4 << 20;

/// Paths of the files that differ between two versions.
pub fn changed_paths(repository: &Repository, base: CommitId, head: CommitId) -> Result<Vec<String>, EngineError> {
    let changes = repository.changes(Some(base), head)?;
    Ok((changes.iter()).map(|delta| delta.path.lossy().into_owned()).collect())
}

/// True for the source of a benchmark and what lies beside it, by cargo's convention.
#[must_use]
pub fn is_beside_benchmarks(path: &str) -> bool {
    path.split('/').any(|folder| folder == "benches")
}

/// The files that differ between two versions, with their content.
pub fn changed_files(
    repository: &Repository,
    parent: Option<CommitId>,
    commit: CommitId,
) -> Result<Vec<FileChange>, GitError> {
    repository
        .changes(parent, commit)?
        .into_iter()
        .map(|delta| {
            Ok(FileChange {
                path: delta.path.lossy().into(),
                before: delta.before.map(|side| blob(repository, side)).transpose()?,
                after: delta.after.map(|side| blob(repository, side)).transpose()?,
            })
        })
        .collect()
}

/// The files of one commit, by a repository that other commits share.
pub struct CommitFileSource<'a> {
    /// The repository.
    pub repository: &'a Mutex<Repository>,
    /// The commit; none: a version without files.
    pub commit: Option<CommitId>,
}

impl FileSource for CommitFileSource<'_> {
    fn file(&self, path: &str) -> Option<Blob> {
        let repository = unpoisoned(self.repository);
        // An unreadable file counts as absent here: the changed files themselves were read before,
        // and failed loudly.
        let side = repository.entry_at(self.commit?, path.as_bytes()).ok()??;
        blob(&repository, side).ok()
    }

    fn id(&self, path: &str) -> Option<ContentId> {
        let entry = unpoisoned(self.repository)
            .entry_at(self.commit?, path.as_bytes())
            .ok()??;
        Some(ContentId(entry.id.0))
    }
}

/// The files of a sampled commit, each read once: every version that is scored on it asks for the same few.
pub struct SampledFileSource {
    snapshot: CommitSnapshot,
    read: Mutex<HashMap<String, Option<Blob>>>,
}

impl SampledFileSource {
    /// Nothing is read yet.
    pub fn new(snapshot: CommitSnapshot) -> Self {
        Self {
            snapshot,
            read: Mutex::default(),
        }
    }

    fn read(&self, path: &str) -> Option<Blob> {
        let file = self.snapshot.file(path.as_bytes(), FILE_LIMIT).ok()??;
        Some(Blob {
            id: ContentId(file.side.id.0),
            content: match (file.side.kind, file.content) {
                (GitEntryKind::SymbolicLink, _) => SourceContent::SymbolicLink,
                (_, Some(read)) => content(read),
                (GitEntryKind::UnopenedFolder, None) => SourceContent::UnopenedFolder,
                (_, None) => SourceContent::Submodule,
            },
        })
    }
}

impl FileSource for SampledFileSource {
    fn file(&self, path: &str) -> Option<Blob> {
        if let Some(known) = unpoisoned(&self.read).get(path) {
            return known.clone();
        }
        let file = self.read(path);
        unpoisoned(&self.read).insert(path.to_owned(), file.clone());
        file
    }
}

fn blob(repository: &Repository, side: GitEntry) -> Result<Blob, GitError> {
    Ok(Blob {
        id: ContentId(side.id.0),
        content: match side.kind {
            GitEntryKind::File | GitEntryKind::Executable => content(repository.blob(side.id, FILE_LIMIT)?),
            GitEntryKind::SymbolicLink => SourceContent::SymbolicLink,
            GitEntryKind::Submodule => SourceContent::Submodule,
            GitEntryKind::UnopenedFolder => SourceContent::UnopenedFolder,
        },
    })
}

fn content(read: runner::git::BlobContent) -> SourceContent {
    match read {
        runner::git::BlobContent::Bytes(bytes) => SourceContent::Bytes(bytes),
        runner::git::BlobContent::TooLarge(size) => SourceContent::TooLarge(size),
        runner::git::BlobContent::LfsPointer(size) => SourceContent::LfsPointer(size),
    }
}

/// The lock, also after a panic of its holder: reading leaves nothing half done.
pub(crate) fn unpoisoned<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benchmarks_own_source_is_known_by_its_folder() {
        assert!(is_beside_benchmarks("benches/parse.rs") && is_beside_benchmarks("crates/a/benches/data.bin"));
        assert!(!is_beside_benchmarks("src/benches.rs") && !is_beside_benchmarks("README.md"));
    }
}
