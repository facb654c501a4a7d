//! The checkout, its index, or a patch → a commit of that, which lives as long as its [`DraftCommits`]. Writes nothing into
//! the repository: no object, no ref, not even git's cache of file times.

use std::fs::{self, Metadata};
use std::path::Path;

use super::uncommitted::{CheckoutFiles, changed_paths};
use super::{CommitId, DraftCommits, GitError, RepoPath};

/// Changes that nobody has committed.
#[derive(Debug, Clone, Copy)]
pub enum DraftSource<'a> {
    /// All of the checkout: what is staged, what is not, and new files that git does not ignore.
    Checkout,
    /// The index, which the next commit is made of.
    Index,
    /// A patch in the form of `git diff`.
    Patch(&'a [u8]),
}

impl DraftCommits {
    /// Writes a commit of these changes on top of `parent`, which is the commit that is checked out unless the source is a
    /// patch; `None` if nothing is changed. Equal changes give equal ids.
    ///
    /// # Errors
    /// The checkout or the index can't be read, the index has conflicts, or the patch does not fit.
    pub fn commit_of(&self, parent: CommitId, source: DraftSource<'_>) -> Result<Option<CommitId>, GitError> {
        let before = (self.own.find_commit(parent.oid()))
            .and_then(|commit| commit.tree())
            .map_err(GitError::object("commit", parent.oid()))?;
        let mut index = match source {
            DraftSource::Checkout => self.checkout(&before)?,
            DraftSource::Index => self.staged()?,
            DraftSource::Patch(text) => self.patched((parent, &before), text)?,
        };
        let during = || GitError::during(format!("keeping the changes to {} as a commit", parent.short()));
        let tree = index.write_tree_to(&self.own).map_err(during())?;
        if tree == before.id() {
            return Ok(None);
        }
        self.commit_tree(parent, tree, "uncommitted changes")
            .map(Some)
            .map_err(during())
    }

    /// The tree with every file as it is in the checkout.
    fn checkout(&self, before: &git2::Tree<'_>) -> Result<git2::Index, GitError> {
        const ATTEMPT: &str = "looking for uncommitted changes in the checkout";
        let repository = self.repository();
        let Some(root) = repository.workdir() else {
            return Err(GitError::Draft {
                attempt: String::from(ATTEMPT),
                why: String::from("a bare repository has no checkout: name a version, or give a patch"),
            });
        };
        let mut index = git2::Index::new().map_err(GitError::during(ATTEMPT))?;
        index.read_tree(before).map_err(GitError::during(ATTEMPT))?;
        for path in changed_paths(repository.raw(), CheckoutFiles::All)? {
            let place = root.join(as_path(&path));
            let there = match fs::symlink_metadata(&place) {
                Ok(there) => there,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    index.remove_path(as_path(&path)).map_err(GitError::during(ATTEMPT))?;
                    continue;
                }
                Err(error) => return Err(unreadable(&place, &error)),
            };
            if there.is_dir() {
                // Any other repository in the repository is not part of it.
                if is_submodule(&index, &path) {
                    let head = submodule_head(&path, &place)?;
                    let submodule = entry(&path, head, git2::FileMode::Commit);
                    index.add(&submodule).map_err(GitError::during(ATTEMPT))?;
                }
                continue;
            }
            let (blob, mode) = if there.is_symlink() {
                let target = fs::read_link(&place).map_err(|error| unreadable(&place, &error))?;
                (
                    self.own.blob(target.as_os_str().as_encoded_bytes()),
                    git2::FileMode::Link,
                )
            } else {
                (self.own.blob_path(&place), mode_of(&there))
            };
            let blob = blob.map_err(GitError::during(format!("reading {}", place.display())))?;
            index
                .add(&entry(&path, blob, mode))
                .map_err(GitError::during(ATTEMPT))?;
        }
        Ok(index)
    }

    fn staged(&self) -> Result<git2::Index, GitError> {
        const ATTEMPT: &str = "reading what is staged";
        let index = self.repository().raw().index().map_err(GitError::during(ATTEMPT))?;
        if index.has_conflicts() {
            return Err(GitError::Draft {
                attempt: String::from(ATTEMPT),
                why: String::from("a merge is not resolved: resolve its conflicts and `git add` the files"),
            });
        }
        Ok(index)
    }

    fn patched(&self, (parent, before): (CommitId, &git2::Tree<'_>), text: &[u8]) -> Result<git2::Index, GitError> {
        let refused = |why: String| GitError::Draft {
            attempt: format!("applying the patch to {}", parent.short()),
            why: format!("{why}: make it by `git diff` against that version"),
        };
        let patch = git2::Diff::from_buffer(text).map_err(|error| refused(error.message().to_owned()))?;
        if patch.deltas().len() == 0 {
            return Err(refused(String::from("it changes no file")));
        }
        (self.own.apply_to_tree(before, &patch, None)).map_err(|error| refused(error.message().to_owned()))
    }
}

fn is_submodule(index: &git2::Index, path: &RepoPath) -> bool {
    let known = index.get_path(as_path(path), 0);
    known.is_some_and(|known| known.mode == raw_mode(git2::FileMode::Commit))
}

/// The commit that a submodule is at.
fn submodule_head(path: &RepoPath, place: &Path) -> Result<git2::Oid, GitError> {
    let attempt = || format!("reading the submodule {}", path.lossy());
    let submodule = git2::Repository::open(place).map_err(GitError::during(attempt()))?;
    // Only its commits are named by the repository: what it holds besides could not be told or built.
    let changed = !(changed_paths(&submodule, CheckoutFiles::All)?).is_empty();
    if changed {
        return Err(GitError::Draft {
            attempt: attempt(),
            why: String::from("it has changes of its own that are not committed: commit them there"),
        });
    }
    let head = submodule.head().and_then(|head| head.peel_to_commit());
    head.map(|head| head.id()).map_err(GitError::during(attempt()))
}

fn unreadable(place: &Path, error: &std::io::Error) -> GitError {
    GitError::Draft {
        attempt: format!("reading {}", place.display()),
        why: format!("{error}: allow it to be read, or let git ignore it"),
    }
}

/// A path of a repository as one of the file system: bytes on Unix.
fn as_path(path: &RepoPath) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(&path.0))
}

fn mode_of(file: &Metadata) -> git2::FileMode {
    use std::os::unix::fs::PermissionsExt as _;
    const EXECUTED_BY_OWNER: u32 = 0o100;
    match file.permissions().mode() & EXECUTED_BY_OWNER {
        0 => git2::FileMode::Blob,
        _ => git2::FileMode::BlobExecutable,
    }
}

fn raw_mode(mode: git2::FileMode) -> u32 {
    u32::try_from(i32::from(mode)).unwrap_or_default()
}

fn entry(path: &RepoPath, blob: git2::Oid, mode: git2::FileMode) -> git2::IndexEntry {
    git2::IndexEntry {
        ctime: git2::IndexTime::new(0, 0),
        mtime: git2::IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: raw_mode(mode),
        uid: 0,
        gid: 0,
        file_size: 0,
        id: blob,
        flags: 0,
        flags_extended: 0,
        path: path.0.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::BlobContent;
    use super::super::tests::GitFixture;
    use super::*;

    /// A repository with a commit of `a`, `b` and `folder/c`.
    fn fixture() -> (GitFixture, CommitId) {
        let fixture = GitFixture::new();
        for path in ["a", "b", "folder/c"] {
            fixture.write(path, format!("{path} as committed\n"));
        }
        fixture.write(".gitignore", "ignored\n");
        let head = fixture.commit("first");
        (fixture, head)
    }

    /// A changed path with its content, `None` where it is gone.
    type DraftedFile = (String, Option<String>);

    /// The files that a source's draft changes.
    fn drafted(
        fixture: &GitFixture,
        head: CommitId,
        source: DraftSource<'_>,
    ) -> Result<Option<Vec<DraftedFile>>, GitError> {
        let objects = || fixture.git(&["count-objects", "-v"]) + &fixture.git(&["for-each-ref"]);
        let before = objects();
        let drafts = DraftCommits::of(&fixture.open())?;
        let draft = drafts.commit_of(head, source)?;
        assert_eq!(objects(), before, "the repository is as it was");
        let Some(draft) = draft else { return Ok(None) };
        let repository = drafts.repository();
        assert_eq!(repository.parent(draft)?, Some(head));
        let snapshot = repository.snapshot(draft)?;
        let content = |path: &RepoPath| match snapshot.file(&path.0, 1_000).unwrap()?.content? {
            BlobContent::Bytes(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
            other => panic!("{other:?}"),
        };
        let changes = repository.changes(Some(head), draft)?;
        let changed = changes
            .iter()
            .map(|delta| (delta.path.lossy().into_owned(), content(&delta.path)));
        Ok(Some(changed.collect()))
    }

    #[test]
    fn the_checkout_is_what_is_staged_what_is_not_and_what_is_new() {
        let (fixture, head) = fixture();
        assert_eq!(drafted(&fixture, head, DraftSource::Checkout).unwrap(), None);
        fixture.write("a", "staged\n");
        fixture.git(&["add", "a"]);
        fixture.write("folder/c", "not staged\n");
        fs::remove_file(fixture.dir().join("b")).unwrap();
        fixture.write("b/new", "in place of a file\n");
        fixture.write("ignored", "never\n");
        let changed = |path: &str, content: Option<&str>| (path.to_owned(), content.map(str::to_owned));
        assert_eq!(
            drafted(&fixture, head, DraftSource::Checkout).unwrap().unwrap(),
            [
                changed("a", Some("staged\n")),
                changed("b", None),
                changed("b/new", Some("in place of a file\n")),
                changed("folder/c", Some("not staged\n")),
            ]
        );
        let staged = [changed("a", Some("staged\n"))];
        assert_eq!(drafted(&fixture, head, DraftSource::Index).unwrap().unwrap(), staged);
    }

    #[test]
    fn a_submodule_at_another_commit_is_a_change_and_one_with_changes_of_its_own_is_refused() {
        let inner = GitFixture::new();
        inner.write("src/lib.rs", "one");
        inner.commit("first");
        let (fixture, _) = fixture();
        let address = inner.dir().display().to_string();
        fixture.git(&["submodule", "--quiet", "add", &address, "inner"]);
        let head = fixture.commit("with a submodule");
        let draft = || {
            let drafts = DraftCommits::of(&fixture.open())?;
            let draft = drafts.commit_of(head, DraftSource::Checkout)?;
            let changes = draft.map(|draft| drafts.repository().changes(Some(head), draft));
            let changed = changes.transpose()?.unwrap_or_default();
            Ok::<_, GitError>(
                changed
                    .iter()
                    .map(|delta| delta.path.lossy().into_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(draft().unwrap(), Vec::<String>::new());
        fixture.write("inner/src/lib.rs", "two");
        let refused = draft().unwrap_err().to_string();
        assert!(
            refused.contains("inner") && refused.contains("commit them there"),
            "{refused}"
        );
        fixture.git(&["-C", "inner", "commit", "--quiet", "--all", "--message", "second"]);
        assert_eq!(draft().unwrap(), ["inner/src/lib.rs"]);
    }

    #[test]
    fn a_patch_changes_the_version_that_it_is_applied_to() {
        let (fixture, head) = fixture();
        fixture.write("a", "another\n");
        let patch = fixture.git(&["diff"]) + "\n";
        fixture.git(&["checkout", "--", "a"]);
        let changes = drafted(&fixture, head, DraftSource::Patch(patch.as_bytes()))
            .unwrap()
            .unwrap();
        assert_eq!(changes, [(String::from("a"), Some(String::from("another\n")))]);
    }

    #[test]
    fn a_patch_that_does_not_fit_and_a_merge_that_is_not_resolved_say_what_to_do() {
        let (fixture, head) = fixture();
        for patch in ["", "no patch", "--- a/zzz\n+++ b/zzz\n@@ -1 +1 @@\n-one\n+two\n"] {
            let refused = drafted(&fixture, head, DraftSource::Patch(patch.as_bytes())).unwrap_err();
            assert!(refused.to_string().contains("git diff"), "{refused}");
        }
        fixture.git(&["checkout", "-q", "-b", "other"]);
        fixture.write("a", "theirs\n");
        let other = fixture.commit("theirs");
        fixture.git(&["checkout", "-q", &head.to_string()]);
        fixture.write("a", "mine\n");
        fixture.git(&["checkout", "-q", "-m", "other"]);
        let refused = drafted(&fixture, other, DraftSource::Index).unwrap_err();
        assert!(refused.to_string().contains("conflicts"), "{refused}");
    }
}
