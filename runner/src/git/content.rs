//! Object ids and paths → contents, limited in size by the caller: an object's header is read before the object.

use std::sync::{Arc, Mutex, PoisonError};

use super::changes::git_entry;
use super::{BlobId, CommitId, GitEntry, GitEntryKind, GitError, Repository};

/// Upper limit for the size of a git-lfs pointer file, from its specification.
const LFS_POINTER_LIMIT: usize = 1024;

/// The beginning of every git-lfs pointer file.
const LFS_POINTER_START: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// A file's content, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobContent {
    /// The complete content.
    Bytes(Arc<[u8]>),
    /// Larger than the caller's limit: its size in bytes. Nothing was read.
    TooLarge(u64),
    /// A git-lfs pointer: the content is stored elsewhere and has this size in bytes.
    LfsPointer(u64),
}

/// The content that a commit has at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceInCommit {
    /// An entry that is no folder: the path itself, or the link or the submodule without objects above it.
    Entry(String),
    /// A folder.
    Folder,
    /// Nothing, from this part of the path on.
    Missing(String),
}

impl Repository {
    /// The content that a commit has at a path, parts separated by `/`; the empty path is the root.
    ///
    /// # Errors
    /// A commit or tree can't be read.
    pub fn place_at(&self, commit: CommitId, path: &str) -> Result<PlaceInCommit, GitError> {
        let mut tree = self.tree(self.commit(commit)?.tree_id())?;
        let mut length = 0;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let known = &path[..length + part.len()];
            length += part.len() + 1;
            let Some(entry) = tree.get_name_bytes(part.as_bytes()) else {
                return Ok(PlaceInCommit::Missing(known.to_owned()));
            };
            let Some(folder) = self.folder_behind(&entry) else {
                return Ok(PlaceInCommit::Entry(known.to_owned()));
            };
            let below = self.tree(folder)?;
            drop(entry);
            tree = below;
        }
        Ok(PlaceInCommit::Folder)
    }

    /// Reads a file's content, if it has at most `limit` bytes.
    ///
    /// # Errors
    /// The blob does not exist or can't be read.
    pub fn blob(&self, id: BlobId, limit: u64) -> Result<BlobContent, GitError> {
        let oid = id.oid();
        let odb = self
            .raw()
            .odb()
            .map_err(GitError::during("opening the object database"))?;
        let (size, kind) = odb.read_header(oid).map_err(self.unread("file", oid))?;
        if kind != git2::ObjectType::Blob {
            return Err(GitError::Git {
                attempt: format!("reading file {id}"),
                source: git2::Error::from_str("the object is not a file"),
            });
        }
        if size as u64 > limit {
            return Ok(BlobContent::TooLarge(size as u64));
        }
        self.refuse_truncated_object("file", oid)?;
        let object = odb.read(oid).map_err(self.unread("file", oid))?;
        Ok(match lfs_size(object.data()) {
            Some(size) => BlobContent::LfsPointer(size),
            None => BlobContent::Bytes(object.data().into()),
        })
    }

    /// The entry at a path (parts separated by `/`) of a commit; `None` if there is none, or a folder.
    ///
    /// # Errors
    /// A commit or tree can't be read.
    pub fn entry_at(&self, commit: CommitId, path: &[u8]) -> Result<Option<GitEntry>, GitError> {
        let root = self.commit(commit)?.tree_id();
        self.entry_in(root, path)
    }

    /// A regular file's content in a commit; `None` if there is no regular file at this path.
    ///
    /// # Errors
    /// A commit, tree or blob can't be read.
    pub fn file_at(&self, commit: CommitId, path: &[u8], limit: u64) -> Result<Option<BlobContent>, GitError> {
        match self.entry_at(commit, path)? {
            Some(GitEntry {
                id,
                kind: GitEntryKind::File | GitEntryKind::Executable,
            }) => self.blob(id, limit).map(Some),
            _ => Ok(None),
        }
    }

    /// All files of a commit, for reading on demand from several threads.
    ///
    /// # Errors
    /// The commit can't be read, or the repository can't be reopened.
    pub fn snapshot(&self, commit: CommitId) -> Result<CommitSnapshot, GitError> {
        let root = self.commit(commit)?.tree_id();
        Ok(CommitSnapshot {
            commit,
            root,
            repository: Mutex::new(self.reopen()?),
        })
    }

    /// Every path of a commit in git's order, with its entry.
    ///
    /// # Errors
    /// A tree can't be read.
    pub fn paths(&self, commit: CommitId) -> Result<Vec<(super::RepoPath, GitEntry)>, GitError> {
        let all = self.changes(None, commit)?.into_iter();
        Ok(all.filter_map(|delta| Some((delta.path, delta.after?))).collect())
    }

    fn entry_in(&self, root: git2::Oid, path: &[u8]) -> Result<Option<GitEntry>, GitError> {
        let mut tree = self.tree(root)?;
        let mut parts = path.split(|byte| *byte == b'/').peekable();
        while let Some(part) = parts.next() {
            let Some(entry) = tree.get_name_bytes(part) else {
                return Ok(None);
            };
            let folder = self.folder_behind(&entry);
            if parts.peek().is_none() {
                return Ok(git_entry(&entry).filter(|_| folder.is_none()));
            }
            let Some(folder) = folder else {
                return Ok(None);
            };
            let below = self.tree(folder)?;
            drop(entry);
            tree = below;
        }
        Ok(None)
    }
}

/// All files of one commit, read on demand. Threads share it and take turns.
pub struct CommitSnapshot {
    commit: CommitId,
    root: git2::Oid,
    repository: Mutex<Repository>,
}

/// A file of a [`CommitSnapshot`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// The entry.
    pub side: GitEntry,
    /// Its content; `None` for a submodule whose commit is not here.
    pub content: Option<BlobContent>,
}

impl CommitSnapshot {
    /// The commit.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// The entry at a path, with its content if it has at most `limit` bytes; `None` if there is none, or a folder.
    ///
    /// # Errors
    /// A tree or blob can't be read.
    pub fn file(&self, path: &[u8], limit: u64) -> Result<Option<SnapshotFile>, GitError> {
        // Readers leave no partial state: a lock poisoned by a panic is still usable.
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(side) = repository.entry_in(self.root, path)? else {
            return Ok(None);
        };
        let content = match side.kind {
            GitEntryKind::Submodule | GitEntryKind::UnopenedFolder => None,
            _ => Some(repository.blob(side.id, limit)?),
        };
        Ok(Some(SnapshotFile { side, content }))
    }

    /// Every path in git's order, with its entry.
    ///
    /// # Errors
    /// A tree can't be read.
    pub fn paths(&self) -> Result<Vec<(super::RepoPath, GitEntry)>, GitError> {
        let repository = self.repository.lock().unwrap_or_else(PoisonError::into_inner);
        repository.paths(self.commit)
    }
}

/// The size in a git-lfs pointer; `None` for any other content.
fn lfs_size(content: &[u8]) -> Option<u64> {
    if content.len() >= LFS_POINTER_LIMIT || !content.starts_with(LFS_POINTER_START) {
        return None;
    }
    let text = std::str::from_utf8(content).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("size "))?;
    text.lines()
        .any(|line| line.starts_with("oid "))
        .then(|| line.trim().parse().ok())?
}
