//! Files of commits, read from git objects → sources for the analyzer. Checks nothing out.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use memchr::memmem;

use analyzer::change::is_build_input;
use analyzer::languages::language_of;
use analyzer::score::VersionSources;
use analyzer::sources::{Blob, ContentId, FileChange, FileSource, ListedFile, SourceContent};
use runner::git::{
    BlobContent, BlobId, CommitId, CommitSnapshot, FileDelta, GitEntry, GitEntryKind, GitError, Repository,
};

use crate::error::EngineError;

/// Larger files are not read: nobody writes, or reviews, so much by hand in one file.
pub const FILE_LIMIT: u64 = 4 << 20;

/// Bytes of sources and settings that are read of one change, its two sides together: all Rust files of a repository of two
/// million lines, each of them changed. What is read stays in memory with its model, about ten times as large.
const CHANGE_LIMIT: u64 = 128 << 20;

/// Paths of the files that differ between two versions.
pub fn changed_paths(repository: &Repository, base: CommitId, head: CommitId) -> Result<Vec<String>, EngineError> {
    let changes = repository.changes(Some(base), head)?;
    Ok((changes.iter()).map(|delta| delta.path.lossy().into_owned()).collect())
}

/// The files that differ between two versions. Sources and settings come with their content, up to a limit of all together,
/// settings first; of other files the content says nothing, so it is not read.
pub fn changed_files(
    repository: &Repository,
    parent: Option<CommitId>,
    commit: CommitId,
) -> Result<Vec<FileChange>, GitError> {
    let deltas = repository.changes(parent, commit)?;
    read_within(deltas, CHANGE_LIMIT, |id, most| repository.blob(id, most))
}

/// Changed files with at most `limit` bytes of content in all. `read` gives a content that has at most so many bytes.
fn read_within(
    mut deltas: Vec<FileDelta>,
    limit: u64,
    read: impl Fn(BlobId, u64) -> Result<BlobContent, GitError>,
) -> Result<Vec<FileChange>, GitError> {
    // One setting can change all code.
    deltas.sort_by_cached_key(|delta| {
        let path = delta.path.lossy().into_owned();
        (language_of(&path).is_some(), path)
    });
    let mut left = limit;
    let mut side = |path: &str, side: GitEntry| {
        let most = if is_build_input(path) { left } else { 0 };
        let side = blob_of(side, |id| {
            Ok(match read(id, most.min(FILE_LIMIT))? {
                BlobContent::TooLarge(size) if size <= FILE_LIMIT => SourceContent::Unread(size),
                found => content(path, found),
            })
        })?;
        if let SourceContent::Bytes(bytes) = &side.content {
            left = left.saturating_sub(bytes.len() as u64);
        }
        Ok(side)
    };
    let mut files = deltas
        .into_iter()
        .map(|delta| {
            let path = delta.path.lossy();
            Ok(FileChange {
                before: delta.before.map(|before| side(&path, before)).transpose()?,
                after: delta.after.map(|after| side(&path, after)).transpose()?,
                path: path.into(),
            })
        })
        .collect::<Result<Vec<FileChange>, GitError>>()?;
    files.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(files)
}

/// Reads the files that differ between a version and its parent, and runs `then` with both versions.
pub fn with_version_sources<T>(
    repository: &Mutex<Repository>,
    commit: CommitId,
    parent: Option<CommitId>,
    then: impl FnOnce(&VersionSources<'_>) -> T,
) -> Result<T, EngineError> {
    let files = changed_files(&unpoisoned(repository), parent, commit)?;
    let version = VersionSources {
        commit: commit.to_string(),
        parent: parent.map(|parent| parent.to_string()),
        files: &files,
        before: &CommitFileSource {
            repository,
            commit: parent,
        },
        after: &CommitFileSource {
            repository,
            commit: Some(commit),
        },
    };
    Ok(then(&version))
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
        blob_of(side, |id| Ok(content(path, repository.blob(id, FILE_LIMIT)?))).ok()
    }

    fn id(&self, path: &str) -> Option<ContentId> {
        let entry = unpoisoned(self.repository)
            .entry_at(self.commit?, path.as_bytes())
            .ok()??;
        Some(ContentId(entry.id.0))
    }

    fn all_files(&self) -> Option<Vec<ListedFile>> {
        let all = unpoisoned(self.repository).paths(self.commit?).ok()?;
        let files = all.into_iter().map(|(path, entry)| ListedFile {
            path: path.lossy().into(),
            id: ContentId(entry.id.0),
        });
        Some(files.collect())
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
                (GitEntryKind::SymbolicLink, Some(read)) => link(&content(path, read)),
                (_, Some(read)) => content(path, read),
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

    fn links(&self) -> BTreeMap<String, Arc<str>> {
        let all = self.snapshot.paths().unwrap_or_default().into_iter();
        let links = all.filter(|(_, entry)| entry.kind == GitEntryKind::SymbolicLink);
        let with_target = |path: String| match self.read(&path)?.content {
            SourceContent::SymbolicLink(target) => Some((path, target)),
            _ => None,
        };
        links
            .filter_map(|(path, _)| with_target(path.lossy().into_owned()))
            .collect()
    }
}

fn blob_of(side: GitEntry, read: impl FnOnce(BlobId) -> Result<SourceContent, GitError>) -> Result<Blob, GitError> {
    Ok(Blob {
        id: ContentId(side.id.0),
        content: match side.kind {
            GitEntryKind::File | GitEntryKind::Executable => read(side.id)?,
            GitEntryKind::SymbolicLink => link(&read(side.id)?),
            GitEntryKind::Submodule => SourceContent::Submodule,
            GitEntryKind::UnopenedFolder => SourceContent::UnopenedFolder,
        },
    })
}

/// The link of which this is the content. It is one whether its target was read or not.
fn link(content: &SourceContent) -> SourceContent {
    let target = content.bytes().map(|target| String::from_utf8_lossy(target).into());
    SourceContent::SymbolicLink(target.unwrap_or_default())
}

/// Sources come with line feeds alone as ends of lines, as compilers read them.
fn content(path: &str, read: BlobContent) -> SourceContent {
    match read {
        BlobContent::Bytes(bytes) if memmem::find(&bytes, b"\r\n").is_some() && language_of(path).is_some() => {
            let next = bytes.iter().skip(1).map(Some).chain([None]);
            let kept = bytes.iter().zip(next).filter(|pair| *pair != (&b'\r', Some(&b'\n')));
            SourceContent::Bytes(kept.map(|(byte, _)| *byte).collect())
        }
        BlobContent::Bytes(bytes) => SourceContent::Bytes(bytes),
        BlobContent::TooLarge(size) => SourceContent::TooLarge(size),
        BlobContent::LfsPointer(size) => SourceContent::LfsPointer(size),
    }
}

/// The lock, also after a panic of its holder: reading leaves nothing half done.
pub(crate) fn unpoisoned<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use runner::git::RepoPath;

    use super::*;

    /// Files of these sizes before and after, and what is read of them within a limit: for each side its bytes, or none.
    fn read_of(sizes: &[(&str, [u8; 2])], limit: u64) -> Vec<(String, [Option<usize>; 2])> {
        let side = |size| {
            Some(GitEntry {
                id: BlobId([size; 20]),
                kind: GitEntryKind::File,
            })
        };
        let deltas = sizes.iter().map(|(path, [before, after])| FileDelta {
            path: RepoPath(path.as_bytes().to_vec()),
            before: side(*before),
            after: side(*after),
        });
        let files = read_within(deltas.collect(), limit, |id, most| {
            let size = u64::from(id.0[0]);
            Ok(match size > most {
                true => BlobContent::TooLarge(size),
                false => BlobContent::Bytes(vec![0; usize::from(id.0[0])].into()),
            })
        });
        let bytes = |blob: &Option<Blob>| match &blob.as_ref().unwrap().content {
            SourceContent::Bytes(bytes) => Some(bytes.len()),
            SourceContent::Unread(_) => None,
            other => panic!("{other:?}"),
        };
        let files = files.unwrap();
        files
            .iter()
            .map(|file| (file.path.to_string(), [bytes(&file.before), bytes(&file.after)]))
            .collect()
    }

    #[test]
    fn the_content_of_one_change_is_read_up_to_a_limit_of_all_files_and_settings_come_first() {
        let sizes = [("a.rs", [40, 50]), ("b.rs", [20, 5]), ("c/Cargo.toml", [9, 1])];
        let all = |limit| {
            read_of(&sizes, limit)
                .into_iter()
                .map(|(_, sides)| sides)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            all(125),
            [[Some(40), Some(50)], [Some(20), Some(5)], [Some(9), Some(1)]]
        );
        assert_eq!(all(124), [[Some(40), Some(50)], [Some(20), None], [Some(9), Some(1)]]);
        assert_eq!(all(60), [[Some(40), None], [None, Some(5)], [Some(9), Some(1)]]);
        assert_eq!(all(10), [[None, None], [None, None], [Some(9), Some(1)]]);
    }

    #[test]
    fn ends_of_lines_are_no_difference_between_sources() {
        let read = |path: &str, text: &[u8]| content(path, BlobContent::Bytes(text.into()));
        assert_eq!(
            read("a.c", b"one\r\ntwo\r\n\rthree\r"),
            read("a.c", b"one\ntwo\n\rthree\r")
        );
        assert_ne!(read("a.csv", b"one\r\n"), read("a.csv", b"one\n"));
    }

    #[test]
    fn files_whose_content_says_nothing_are_not_read_and_take_nothing_from_the_limit() {
        let read = read_of(&[("a.png", [99, 99]), ("b.rs", [50, 50]), ("docs/c.md", [99, 0])], 100);
        let sides: Vec<_> = read.into_iter().map(|(_, sides)| sides).collect();
        assert_eq!(sides, [[None, None], [Some(50), Some(50)], [None, Some(0)]]);
    }
}
