//! A repository → the same repository with temporary commits: they are written into their own object folder, which is
//! removed with them. The user's objects, refs, index and checkout are not touched.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::changes::kind_of;
use super::loose_objects::borrow_from;
use super::{CommitId, GitEntryKind, GitError, RepoPath, Repository};
use crate::owned::OwnedFolder;

/// Author of the commits.
const AUTHOR: (&str, &str) = ("lito", "lito@localhost");

/// Commits beside a repository's own. Removed when dropped: a handle from [`DraftCommits::repository`] must not outlive
/// them.
pub struct DraftCommits {
    /// The user's repository, with the drafts among its objects.
    repository: Repository,
    /// Receives new objects, and borrows the user's objects.
    pub(super) own: git2::Repository,
    _folder: OwnedFolder,
}

impl DraftCommits {
    /// Starts without any commit.
    ///
    /// # Errors
    /// The temporary folder can't be written, or the repository can't be reopened.
    pub fn of(repository: &Repository) -> Result<DraftCommits, GitError> {
        const ATTEMPT: &str = "creating a temporary folder for commits";
        let refused = |error: std::io::Error| GitError::Git {
            attempt: String::from(ATTEMPT),
            source: git2::Error::from_str(&error.to_string()),
        };
        let folder = OwnedFolder::temporary("drafts").map_err(refused)?;
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).external_template(false);
        let own = git2::Repository::init_opts(folder.path(), &options).map_err(GitError::during(ATTEMPT))?;
        let objects = folder.path().join("objects");
        let theirs = repository.common_dir().join("objects");
        let theirs = theirs.canonicalize().map_err(refused)?;
        let lent = std::iter::once(&theirs).chain(repository.object_folders_of_submodules());
        own.odb()
            .and_then(|odb| borrow_from(&odb, lent))
            .map_err(GitError::during("borrowing the repository's objects"))?;
        Ok(DraftCommits {
            repository: repository.with_objects(&objects)?,
            own,
            _folder: folder,
        })
    }

    /// A repository that reads drafts like any other commit.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Writes a commit of a tree that is among the drafts' objects.
    pub(super) fn commit_tree(
        &self,
        parent: CommitId,
        tree: git2::Oid,
        message: &str,
    ) -> Result<CommitId, git2::Error> {
        let parent = self.own.find_commit(parent.oid())?;
        let time = git2::Time::new(parent.time().seconds() + 1, 0);
        let author = git2::Signature::new(AUTHOR.0, AUTHOR.1, &time)?;
        let tree = self.own.find_tree(tree)?;
        let id = (self.own).commit(None, &author, &author, message, &tree, &[&parent])?;
        Ok(CommitId::of(id))
    }

    /// Writes a commit with one parent and one changed file, which keeps its mode. Equal arguments give equal ids.
    ///
    /// # Errors
    /// The parent has no file at this path, or the objects can't be written.
    pub fn commit(&self, parent: CommitId, file: (&RepoPath, &[u8]), message: &str) -> Result<CommitId, GitError> {
        let (path, content) = file;
        let there = self.repository.entry_at(parent, &path.0)?;
        let mode = match there.map(|side| side.kind) {
            Some(GitEntryKind::File) => git2::FileMode::Blob,
            Some(GitEntryKind::Executable) => git2::FileMode::BlobExecutable,
            _ => {
                return Err(GitError::BadRevision {
                    revision: parent.to_string(),
                    why: format!("it has no regular file {}", path.lossy()),
                });
            }
        };
        (|| {
            let own = &self.own;
            let parent = own.find_commit(parent.oid())?;
            let blob = own.blob(content)?;
            let tree = git2::build::TreeUpdateBuilder::new()
                .upsert(path.0.as_slice(), blob, mode)
                .create_updated(own, &self.with_folders_above(path, parent.tree()?)?)?;
            self.commit_tree(CommitId::of(parent.id()), tree, message)
        })()
        .map_err(GitError::during(format!(
            "writing a commit that changes {}",
            path.lossy()
        )))
    }

    /// A tree with folders in place of the submodules above a path: a draft changes no other repository.
    fn with_folders_above<'t>(&'t self, path: &RepoPath, tree: git2::Tree<'t>) -> Result<git2::Tree<'t>, git2::Error> {
        let mut tree = tree;
        for (end, _) in path.0.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            let folder = &path.0[..end];
            let entry = tree.get_path(Path::new(OsStr::from_bytes(folder)))?;
            if kind_of(&entry).is_none() {
                continue;
            }
            if let Some(inside) = self.repository.folder_behind(&entry) {
                drop(entry);
                // libgit2 puts no folder in the place of something else.
                for update in [
                    git2::build::TreeUpdateBuilder::new().remove(folder),
                    git2::build::TreeUpdateBuilder::new().upsert(folder, inside, git2::FileMode::Tree),
                ] {
                    tree = self.own.find_tree(update.create_updated(&self.own, &tree)?)?;
                }
            }
        }
        Ok(tree)
    }
}

impl Repository {
    /// Returns another handle that also finds the objects of a folder, as do all handles opened from it.
    fn with_objects(&self, folder: &Path) -> Result<Repository, GitError> {
        let mut place = self.place.another();
        place.objects.push(folder.to_owned());
        place.drafts = Some(folder.to_owned());
        Repository::at(Arc::new(place))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::BlobContent;
    use super::super::tests::GitFixture;
    use super::*;
    use crate::worktree::Worktree;

    fn path(path: &str) -> RepoPath {
        RepoPath(path.as_bytes().to_vec())
    }

    #[test]
    fn a_draft_is_a_commit_like_any_other_until_it_goes() {
        let fixture = GitFixture::new();
        fixture.write("src/lib.rs", "one");
        fixture.write("README", "unchanged");
        let head = fixture.commit("first");
        let state = || {
            fixture.git(&["count-objects", "-v"])
                + &fixture.git(&["for-each-ref"])
                + &fixture.git(&["status", "--porcelain"])
        };
        let before = state();
        let drafts = DraftCommits::of(&fixture.open()).unwrap();
        let lib = path("src/lib.rs");
        let first = drafts.commit(head, (&lib, b"two"), "draft").unwrap();
        let second = drafts.commit(first, (&lib, b"three"), "draft").unwrap();
        // Other handles, and handles opened from these, find them too.
        let repository = drafts.repository().reopen().unwrap();
        assert_eq!(repository.parent(second).unwrap(), Some(first));
        let changes = repository.changes(Some(first), second).unwrap();
        let changed: Vec<_> = changes.iter().map(|delta| delta.path.lossy()).collect();
        assert_eq!(changed, ["src/lib.rs"]);
        let snapshot = repository.snapshot(first).unwrap();
        let file = snapshot.file(b"src/lib.rs", 100).unwrap().unwrap();
        assert_eq!(file.content, Some(BlobContent::Bytes((*b"two").into())));

        let slot = fixture.beside("slot");
        let mut checkout = Worktree::checkout(&repository, second, &slot).unwrap();
        let read = |name: &str| std::fs::read_to_string(slot.join(name)).unwrap();
        assert_eq!(
            (read("src/lib.rs"), read("README")),
            ("three".into(), "unchanged".into())
        );
        checkout.switch(head).unwrap();
        assert_eq!(read("src/lib.rs"), "one");
        drop(checkout);

        assert_eq!(state(), before, "the user's repository is as it was");
        drop((repository, snapshot, drafts));
        assert!(fixture.open().parent(second).is_err(), "it went with its folder");
    }

    #[test]
    fn the_same_change_of_the_same_commit_is_the_same_draft() {
        let fixture = GitFixture::new();
        fixture.write("a", "one");
        let head = fixture.commit("first");
        let draft = |content: &[u8]| {
            let drafts = DraftCommits::of(&fixture.open()).unwrap();
            drafts.commit(head, (&path("a"), content), "draft").unwrap()
        };
        assert_eq!(draft(b"two"), draft(b"two"));
        assert_ne!(draft(b"two"), draft(b"three"));
    }

    #[test]
    fn a_file_that_is_not_there_cannot_be_changed() {
        let fixture = GitFixture::new();
        fixture.write("folder/a", "one");
        let head = fixture.commit("first");
        let drafts = DraftCommits::of(&fixture.open()).unwrap();
        for missing in ["b", "folder"] {
            let refused = drafts.commit(head, (&path(missing), b""), "draft").unwrap_err();
            assert!(refused.to_string().contains(missing), "{refused}");
        }
    }
}
