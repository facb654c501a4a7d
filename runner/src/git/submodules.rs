//! A clone → the objects of its submodules, as far as they are here. A submodule whose commit is among them reads as a folder.
//!
//! Objects are found where git keeps them: below `modules` in its own folder, and in a submodule that is a clone of its own.
//! Nothing is fetched.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::changes::kind_of;
use super::loose_objects::{borrow_from, object_folders};
use super::{GitEntryKind, GitError, Repository};

/// Submodules of submodules nested more deeply are not opened.
pub(crate) const MOST_NESTED: usize = 8;

/// Folders below `modules` nested more deeply are not looked into: a submodule's name may have some parts.
const MOST_PARTS: usize = 8;

/// So many submodules are opened.
const MOST_SUBMODULES: usize = 1_000;

/// The objects of submodules.
pub(crate) struct SubmoduleObjects {
    objects: git2::Odb<'static>,
}

impl SubmoduleObjects {
    /// Those in some folders; `None` if there are none.
    pub(crate) fn in_folders(folders: &[PathBuf]) -> Result<Option<Self>, git2::Error> {
        if folders.is_empty() {
            return Ok(None);
        }
        let objects = git2::Odb::new()?;
        borrow_from(&objects, folders)?;
        Ok(Some(Self { objects }))
    }

    /// The files of a submodule's commit; `None` if they are not here. `all` has these objects beside others.
    pub(crate) fn tree_of(&self, commit: git2::Oid, all: &git2::Repository) -> Option<git2::Oid> {
        let found = self.objects.exists(commit).then(|| all.find_commit(commit))?;
        let tree = found.ok()?.tree_id();
        self.objects.exists(tree).then_some(tree)
    }
}

/// The folders with the objects of a clone's submodules.
pub(super) fn folders_of_submodules(git: &git2::Repository) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // A linked working tree has the submodules that were cloned in it.
    for own in [git.commondir(), git.path()] {
        look_into(&own.join("modules"), MOST_PARTS, MOST_NESTED, &mut found);
    }
    let clones = git.workdir().map(|workdir| clones_in(workdir, git)).unwrap_or_default();
    for clone in clones {
        look_into(&clone, 0, MOST_NESTED, &mut found);
    }
    let mut folders: Vec<PathBuf> = found.iter().flat_map(|own| object_folders(own)).collect();
    // One that is borrowed from may be gone, and with it what it had.
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    folders.dedup();
    folders
}

/// The submodules that are clones of their own.
fn clones_in(workdir: &Path, git: &git2::Repository) -> Vec<PathBuf> {
    if !workdir.join(".gitmodules").is_file() {
        return Vec::new();
    }
    let Ok(workdir) = workdir.canonicalize() else {
        return Vec::new();
    };
    let submodules = git.submodules().unwrap_or_default();
    let own = submodules
        .iter()
        .filter_map(|submodule| workdir.join(submodule.path()).join(".git").canonicalize().ok());
    // The path is text of a commit.
    own.filter(|own| own.is_dir() && own.starts_with(&workdir)).collect()
}

/// Collects git's folders of submodules at or below a folder.
fn look_into(folder: &Path, parts: usize, nested: usize, found: &mut Vec<PathBuf>) {
    if found.len() >= MOST_SUBMODULES || !folder.is_dir() {
        return;
    }
    if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
        found.push(folder.to_owned());
        if nested > 0 {
            look_into(&folder.join("modules"), MOST_PARTS, nested - 1, found);
        }
        return;
    }
    if parts == 0 {
        return;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    below.sort();
    for folder in below {
        look_into(&folder, parts - 1, nested, found);
    }
}

impl Repository {
    /// The same repository without the objects of its submodules.
    ///
    /// # Errors
    /// The repository no longer exists.
    pub fn without_submodules(&self) -> Result<Repository, GitError> {
        let mut place = self.place.another();
        place.of_submodules.clear();
        Repository::at(Arc::new(place))
    }

    /// The tree behind an entry of a tree: of a folder, or of a submodule whose commit is here.
    pub(super) fn folder_behind(&self, entry: &git2::TreeEntry<'_>) -> Option<git2::Oid> {
        match kind_of(entry) {
            None => Some(entry.id()),
            Some(GitEntryKind::Submodule) => self.tree_of_submodule(entry.id()),
            Some(_) => None,
        }
    }

    fn tree_of_submodule(&self, commit: git2::Oid) -> Option<git2::Oid> {
        self.refuse_truncated_object("commit", commit).ok()?;
        self.submodules.as_ref()?.tree_of(commit, self.raw())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tests::{GitFixture, git};
    use super::super::{BlobContent, CommitId, DraftCommits, GitEntry, PlaceInCommit, RepoPath};
    use super::*;
    use crate::worktree::Worktree;

    /// A repository of three versions that has another one as a submodule, which has a third one: the second version takes a newer
    /// commit of it, and the third one takes it out.
    pub(crate) fn nested_submodules() -> (GitFixture, [CommitId; 3]) {
        let fixture = GitFixture::new();
        let other = |name: &str| {
            let folder = fixture.beside(name);
            std::fs::create_dir(&folder).unwrap();
            git(&folder, &["init", "-q", "-b", "main"], 0);
            folder
        };
        let write = |folder: &Path, file: &str, text: &str| {
            std::fs::write(folder.join(file), text).unwrap();
            git(folder, &["add", "-A"], 0);
            git(folder, &["commit", "-q", "-m", text], 0);
        };
        let (inner, outer) = (other("inner"), other("outer"));
        write(&inner, "inner.c", "inner");
        let inner = inner.to_str().unwrap();
        git(&outer, &["submodule", "-q", "add", "--name", "a/b", inner, "in"], 0);
        write(&outer, "same.c", "same");
        write(&outer, "outer.c", "one");
        fixture.git(&["submodule", "-q", "add", outer.to_str().unwrap(), "third_party/outer"]);
        fixture.git(&["submodule", "-q", "update", "--init", "--recursive"]);
        fixture.write("main.c", "main");
        let first = fixture.commit("one");
        let checkout = fixture.dir().join("third_party/outer");
        write(&checkout, "outer.c", "two");
        let second = fixture.commit("two");
        fixture.git(&["rm", "-q", "-f", "third_party/outer"]);
        fixture.write("third_party/outer/outer.c", "vendored");
        let third = fixture.commit("three");
        (fixture, [first, second, third])
    }

    /// Removes the objects of all submodules from a clone.
    pub(crate) fn without_submodules(fixture: &GitFixture) {
        std::fs::remove_dir_all(fixture.dir().join(".git/modules")).unwrap();
    }

    #[test]
    fn a_submodule_whose_objects_are_here_reads_as_a_folder() {
        let (fixture, [first, second, third]) = nested_submodules();
        let read = |repository: &Repository, commit, path: &str| match repository.file_at(commit, path.as_bytes(), 100)
        {
            Ok(Some(BlobContent::Bytes(bytes))) => String::from_utf8(bytes.to_vec()).unwrap(),
            other => format!("{other:?}"),
        };
        let changed = |repository: &Repository, parent, commit| -> Vec<String> {
            let deltas = repository.changes(parent, commit).unwrap().into_iter();
            let side = |entry: Option<GitEntry>| entry.map_or("-".to_owned(), |entry| format!("{:?}", entry.kind));
            deltas
                .map(|delta| format!("{} {} {}", delta.path.lossy(), side(delta.before), side(delta.after)))
                .collect()
        };
        let repository = fixture.open();
        assert_eq!(read(&repository, first, "third_party/outer/outer.c"), "one");
        assert_eq!(read(&repository, first, "third_party/outer/in/inner.c"), "inner");
        assert_eq!(
            read(&repository.reopen().unwrap(), second, "third_party/outer/outer.c"),
            "two"
        );
        assert_eq!(
            changed(&repository, Some(first), second),
            ["third_party/outer/outer.c File File"]
        );
        assert_eq!(
            changed(&repository, Some(second), third),
            [
                ".gitmodules File File",
                "third_party/outer/.gitmodules File -",
                "third_party/outer/in/inner.c File -",
                "third_party/outer/outer.c File File",
                "third_party/outer/same.c File -",
            ]
        );
        let below = repository.place_at(first, "third_party/outer/in/inner.c").unwrap();
        assert_eq!(below, PlaceInCommit::Entry("third_party/outer/in/inner.c".to_owned()));

        without_submodules(&fixture);
        let repository = fixture.open();
        assert_eq!(read(&repository, first, "third_party/outer/outer.c"), "Ok(None)");
        assert_eq!(
            changed(&repository, Some(first), second),
            ["third_party/outer Submodule Submodule"]
        );
        let place = repository.place_at(first, "third_party/outer/outer.c").unwrap();
        assert_eq!(place, PlaceInCommit::Entry("third_party/outer".to_owned()));
    }

    #[test]
    fn a_submodule_that_borrows_from_a_folder_which_is_gone_keeps_no_repository_from_opening() {
        let (fixture, [first, ..]) = nested_submodules();
        let list = fixture
            .dir()
            .join(".git/modules/third_party/outer/objects/info/alternates");
        std::fs::write(list, "/nowhere/objects\n").unwrap();
        let read = fixture
            .open()
            .file_at(first, b"third_party/outer/outer.c", 100)
            .unwrap();
        assert_eq!(read, Some(BlobContent::Bytes((*b"one").into())));
    }

    #[test]
    fn a_clone_in_the_checkout_lends_its_objects_and_one_outside_does_not() {
        let fixture = GitFixture::new();
        let clone = |path: &Path| {
            std::fs::create_dir_all(path).unwrap();
            git(path, &["init", "-q", "-b", "main"], 0);
            std::fs::write(path.join("a.c"), "a").unwrap();
            git(path, &["add", "-A"], 0);
            git(path, &["commit", "-q", "-m", "a"], 0);
        };
        clone(&fixture.dir().join("inside"));
        clone(&fixture.beside("outside"));
        fixture.write("other/.keep", "");
        std::os::unix::fs::symlink(fixture.beside("outside"), fixture.dir().join("linked")).unwrap();
        let paths = ["inside", "linked", "../outside"];
        let listed = paths.map(|path| format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = ../x\n"));
        fixture.write(".gitmodules", listed.concat());
        fixture.git(&["add", "-A"]);
        let repository = fixture.open();
        let found = repository.object_folders_of_submodules();
        assert_eq!(
            found,
            [fixture.dir().canonicalize().unwrap().join("inside/.git/objects")]
        );
    }

    #[test]
    fn a_draft_changes_a_file_in_a_submodule_without_changing_the_submodule() {
        let (fixture, [first, ..]) = nested_submodules();
        let drafts = DraftCommits::of(&fixture.open()).unwrap();
        let path = RepoPath(b"third_party/outer/in/inner.c".to_vec());
        let draft = drafts.commit(first, (&path, b"changed"), "draft").unwrap();
        let changes = drafts.repository().changes(Some(first), draft).unwrap();
        let changed: Vec<_> = changes.iter().map(|delta| delta.path.lossy()).collect();
        assert_eq!(changed, ["third_party/outer/in/inner.c"]);
        let worktree = Worktree::checkout(drafts.repository(), draft, &fixture.beside("slots/a")).unwrap();
        let read = |path: &str| std::fs::read_to_string(worktree.path().join(path)).unwrap();
        assert_eq!(read("third_party/outer/in/inner.c"), "changed");
        assert_eq!(read("third_party/outer/outer.c"), "one");
    }

    #[test]
    fn a_commit_of_the_repository_itself_is_no_submodule() {
        let (fixture, commits) = nested_submodules();
        let entry = format!("160000,{},copy", commits[0]);
        fixture.git(&["update-index", "--add", "--cacheinfo", &entry]);
        fixture.git(&["commit", "-q", "-m", "copy"]);
        let repository = fixture.open();
        let copy = repository
            .entry_at(repository.resolve("HEAD").unwrap(), b"copy")
            .unwrap();
        assert_eq!(copy.unwrap().kind, GitEntryKind::Submodule);
    }
}
