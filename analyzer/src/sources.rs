//! How sources reach the analyzer: as contents that somebody else read.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Identifies a content: equal ids, equal bytes. In git, the blob's object id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentId(pub [u8; 20]);

/// Sources outside the repository, those of the compiler and the system left out, read when a change asks for them; `None` where
/// they are not known.
pub type OutsideSources = LazyLock<Option<Vec<SourceContent>>, Box<dyn FnOnce() -> Option<Vec<SourceContent>> + Send>>;

/// One file of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Identifies the content.
    pub id: ContentId,
    /// The content.
    pub content: SourceContent,
}

/// The content at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceContent {
    /// A regular file.
    Bytes(Arc<[u8]>),
    /// A file above the reader's limit, with its size in bytes; not read.
    TooLarge(u64),
    /// A file that was not read, with its size in bytes: it is beyond the limit of a whole change, or of a kind whose content
    /// says nothing.
    Unread(u64),
    /// A git-lfs pointer: the content, of so many bytes, is elsewhere.
    LfsPointer(u64),
    /// A symbolic link, with its target as it is written.
    SymbolicLink(Arc<str>),
    /// Another repository.
    Submodule,
    /// A folder that is nested too deeply, or among too many others, to be opened.
    UnopenedFolder,
}

impl SourceContent {
    /// The bytes of a regular file that was read; `None` for everything else.
    #[must_use]
    pub fn bytes(&self) -> Option<&Arc<[u8]>> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::TooLarge(_)
            | Self::Unread(_)
            | Self::LfsPointer(_)
            | Self::SymbolicLink(_)
            | Self::Submodule
            | Self::UnopenedFolder => None,
        }
    }
}

/// One path that differs between two versions. Renames are not detected here: the analyzer matches
/// functions across files by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Relative to the repository's root, `/` between parts, lossy where it is not UTF-8.
    pub path: Arc<str>,
    /// Before; `None` if added.
    pub before: Option<Blob>,
    /// After; `None` if deleted.
    pub after: Option<Blob>,
}

/// A file that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Relative to the repository's root, as in [`FileChange`].
    pub path: Arc<str>,
    /// Identifies the content.
    pub id: ContentId,
}

/// All files of one version, read on demand.
pub trait FileSource {
    /// The file at a path relative to the repository's root; `None` if there is none.
    fn file(&self, path: &str) -> Option<Blob>;

    /// The bytes of the regular file at a path; `None` if there is none, or it was not read.
    fn bytes(&self, path: &str) -> Option<Arc<[u8]>> {
        self.file(path)?.content.bytes().cloned()
    }

    /// Identifies the content at a path; `None` if there is none. May be answered without reading it.
    fn id(&self, path: &str) -> Option<ContentId> {
        self.file(path).map(|blob| blob.id)
    }

    /// Every symbolic link by its path, with its target as it is written; none where links are not told from files.
    fn links(&self) -> BTreeMap<String, Arc<str>> {
        BTreeMap::new()
    }

    /// Every file, in any order; `None` if they can't be listed.
    fn all_files(&self) -> Option<Vec<ListedFile>> {
        None
    }
}

/// The folder that a path is in; empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of some parts, without `.` and `..`; `None` if it leads out of the repository.
pub(crate) fn joined_path<'p>(parts: impl Iterator<Item = &'p str>) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." => drop(kept.pop()?),
            part => kept.push(part),
        }
    }
    Some(kept.join("/"))
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
