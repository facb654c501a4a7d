//! Two commits → the paths that differ. Subtrees with equal ids are never opened, so the cost depends on the difference
//! and not on the repository. Reads no contents, detects no renames.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use super::{BlobId, CommitId, GitError, Repository};

/// Folders nested deeper than this are no source tree: they are not opened.
const DEPTH_LIMIT: usize = 512;

/// Entries that one comparison visits. A few small trees can hold billions: each names the next one many times.
const MOST_ENTRIES: usize = 1_000_000;

/// A path of a repository: bytes, separated by `/`, relative to its root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(pub Vec<u8>);

impl RepoPath {
    /// Text for display, with `\u{fffd}` where it is not UTF-8.
    #[must_use]
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.lossy())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.lossy(), out)
    }
}

/// One path that differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDelta {
    /// The path.
    pub path: RepoPath,
    /// Before; `None` if added.
    pub before: Option<GitEntry>,
    /// After; `None` if deleted.
    pub after: Option<GitEntry>,
}

/// A file or another entry at a path of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitEntry {
    /// Its content; for a submodule, the commit of the other repository.
    pub id: BlobId,
    /// Its kind.
    pub kind: GitEntryKind,
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitEntryKind {
    /// A regular file.
    File,
    /// A regular file with the executable bit.
    Executable,
    /// A symbolic link; its content is the target.
    SymbolicLink,
    /// A submodule whose commit is not here. One whose commit is reads as a folder.
    Submodule,
    /// A folder that was not opened, because it is nested too deeply or among too many others: what changed in it is unknown.
    UnopenedFolder,
}

impl Repository {
    /// Paths that `commit` changed against `parent` (against `None`, every path is new), sorted. A folder that is nested more
    /// than 512 deep, or comes after a million entries, is an entry itself.
    ///
    /// # Errors
    /// A commit or tree can't be read.
    pub fn changes(&self, parent: Option<CommitId>, commit: CommitId) -> Result<Vec<FileDelta>, GitError> {
        let limits = DiffLimits {
            depth: DEPTH_LIMIT,
            entries: MOST_ENTRIES,
        };
        self.changes_within(parent, commit, limits)
    }

    fn changes_within(
        &self,
        parent: Option<CommitId>,
        commit: CommitId,
        limits: DiffLimits,
    ) -> Result<Vec<FileDelta>, GitError> {
        let tree = |id: CommitId| Ok::<_, GitError>(self.commit(id)?.tree_id());
        let before = parent.map(tree).transpose()?;
        let after = tree(commit)?;
        let mut difference = GitTreeDiff {
            repository: self,
            path: Vec::new(),
            depth: 0,
            limits,
            visited: 0,
            deltas: Vec::new(),
        };
        difference.folders(before, Some(after))?;
        let mut deltas = difference.deltas;
        // Git sorts `a.rs` before the folder `a`; callers expect plain order of paths. A file that became a folder is
        // one deletion plus additions.
        deltas.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(one_for_each_path(deltas))
    }
}

/// A submodule that became a folder, or the other way round, is two entries of its tree: a file of both is one delta.
fn one_for_each_path(sorted: Vec<FileDelta>) -> Vec<FileDelta> {
    let mut deltas: Vec<FileDelta> = Vec::with_capacity(sorted.len());
    for delta in sorted {
        match deltas.last_mut().filter(|last| last.path == delta.path) {
            Some(last) => {
                last.before = last.before.or(delta.before);
                last.after = last.after.or(delta.after);
            }
            None => deltas.push(delta),
        }
    }
    deltas.retain(|delta| delta.before != delta.after);
    deltas
}

struct GitTreeDiff<'repo> {
    repository: &'repo Repository,
    path: Vec<u8>,
    depth: usize,
    limits: DiffLimits,
    /// Entries of the folders that were opened.
    visited: usize,
    deltas: Vec<FileDelta>,
}

/// How much of two trees is compared.
#[derive(Clone, Copy)]
struct DiffLimits {
    depth: usize,
    entries: usize,
}

impl GitTreeDiff<'_> {
    fn folders(&mut self, before: Option<git2::Oid>, after: Option<git2::Oid>) -> Result<(), GitError> {
        if before == after {
            return Ok(());
        }
        if self.depth == self.limits.depth || self.visited >= self.limits.entries {
            let unopened = |id| GitEntry {
                id: BlobId::of(id),
                kind: GitEntryKind::UnopenedFolder,
            };
            self.deltas.push(FileDelta {
                path: RepoPath(self.path.clone()),
                before: before.map(unopened),
                after: after.map(unopened),
            });
            return Ok(());
        }
        let open = |id: git2::Oid| self.repository.tree(id);
        let (before, after) = (before.map(open).transpose()?, after.map(open).transpose()?);
        self.depth += 1;
        let mut before = before.iter().flat_map(git2::Tree::iter).peekable();
        let mut after = after.iter().flat_map(git2::Tree::iter).peekable();
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => git_order(one, other),
            };
            self.visited += 1;
            let left = if order == Ordering::Greater {
                None
            } else {
                before.next()
            };
            let right = if order == Ordering::Less { None } else { after.next() };
            self.entries(left.as_ref(), right.as_ref())?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Pairs of entries with one name, both folders or both not, or single entries.
    fn entries(
        &mut self,
        before: Option<&git2::TreeEntry<'_>>,
        after: Option<&git2::TreeEntry<'_>>,
    ) -> Result<(), GitError> {
        let Some(either) = before.or(after) else {
            return Ok(());
        };
        if let (Some(one), Some(other)) = (before, after)
            && one.id() == other.id()
            && kind_of(one) == kind_of(other)
        {
            return Ok(());
        }
        let length = self.path.len();
        if length > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(either.name_bytes());
        let folder = |entry: Option<&git2::TreeEntry<'_>>| entry.map(|entry| self.repository.folder_behind(entry));
        let (old, new) = (folder(before), folder(after));
        if old != Some(None) && new != Some(None) {
            self.folders(old.flatten(), new.flatten())?;
        } else {
            self.deltas.push(FileDelta {
                path: RepoPath(self.path.clone()),
                before: before.and_then(git_entry),
                after: after.and_then(git_entry),
            });
        }
        self.path.truncate(length);
        Ok(())
    }
}

/// Kind of an entry; `None` for a folder.
pub(super) fn kind_of(entry: &git2::TreeEntry<'_>) -> Option<GitEntryKind> {
    match entry.filemode() {
        0o040_000 => None,
        0o120_000 => Some(GitEntryKind::SymbolicLink),
        0o160_000 => Some(GitEntryKind::Submodule),
        0o100_755 => Some(GitEntryKind::Executable),
        _ => Some(GitEntryKind::File),
    }
}

/// The entry as a file; `None` for a folder.
pub(super) fn git_entry(entry: &git2::TreeEntry<'_>) -> Option<GitEntry> {
    kind_of(entry).map(|kind| GitEntry {
        id: BlobId::of(entry.id()),
        kind,
    })
}

/// Order of entries in a tree: by name, where a folder's name ends in `/`.
fn git_order(one: &git2::TreeEntry<'_>, other: &git2::TreeEntry<'_>) -> Ordering {
    fn ending(entry: &git2::TreeEntry<'_>) -> Option<u8> {
        kind_of(entry).is_none().then_some(b'/')
    }
    let left = one.name_bytes().iter().copied().chain(ending(one));
    left.cmp(other.name_bytes().iter().copied().chain(ending(other)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tests::GitFixture;
    use super::*;

    fn folder(repository: &Repository, entries: &[(&str, git2::Oid, i32)]) -> git2::Oid {
        let mut builder = repository.raw().treebuilder(None).unwrap();
        for (name, id, mode) in entries {
            builder.insert(name, *id, *mode).unwrap();
        }
        builder.write().unwrap()
    }

    fn commit(repository: &Repository, tree: git2::Oid) -> CommitId {
        let author = git2::Signature::new("a", "a@example.org", &git2::Time::new(0, 0)).unwrap();
        let tree = repository.raw().find_tree(tree).unwrap();
        let id = repository.raw().commit(None, &author, &author, "tree", &tree, &[]);
        id.unwrap().to_string().parse().unwrap()
    }

    const FOLDER: i32 = 0o040_000;
    const FILE: i32 = 0o100_644;

    #[test]
    fn a_folder_below_thousands_is_an_entry_and_all_else_is_compared() {
        let fixture = GitFixture::new();
        let repository = fixture.open();
        let file = repository.raw().blob(b"text").unwrap();
        let mut tree = folder(&repository, &[("last", file, FILE)]);
        for _ in 0..4_000 {
            tree = folder(&repository, &[("a", tree, FOLDER), ("b", file, FILE)]);
        }
        let changes = repository.changes(None, commit(&repository, tree)).unwrap();
        let unopened: Vec<usize> = (changes.iter())
            .filter(|delta| delta.after.unwrap().kind == GitEntryKind::UnopenedFolder)
            .map(|delta| delta.path.0.len())
            .collect();
        assert_eq!(unopened, [2 * DEPTH_LIMIT - 1]);
        assert_eq!(changes.len(), DEPTH_LIMIT + 1);
    }

    #[test]
    fn a_few_trees_that_hold_billions_of_folders_are_compared_in_part() {
        let fixture = GitFixture::new();
        let repository = fixture.open();
        let mut tree = folder(&repository, &[]);
        let names: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        for _ in 0..12 {
            let entries: Vec<(&str, git2::Oid, i32)> = names.iter().map(|name| (&**name, tree, FOLDER)).collect();
            tree = folder(&repository, &entries);
        }
        let limits = DiffLimits {
            depth: DEPTH_LIMIT,
            entries: 1_000,
        };
        let id = commit(&repository, tree);
        let changes = repository.changes_within(None, id, limits).unwrap();
        assert!((1..1_000).contains(&changes.len()), "{}", changes.len());
        assert!(
            changes
                .iter()
                .all(|delta| delta.after.unwrap().kind == GitEntryKind::UnopenedFolder)
        );
    }
}
