//! A folder and a commit → its files there, and those of its submodules below.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Submodule, remove_folder};
use crate::git::{BlobId, MOST_NESTED, RepoPath, SubmoduleObjects};

/// A repository in a slot that borrows all its objects, with its working tree.
pub(super) struct CheckedOutFolder<'f> {
    folder: PathBuf,
    /// The path of the folder in the slot; empty for the slot itself.
    path: Vec<u8>,
    objects: Option<&'f SubmoduleObjects>,
    /// So many more submodules may be nested in it.
    nested: usize,
}

impl<'f> CheckedOutFolder<'f> {
    /// The slot itself.
    pub(super) fn new(slot: &Path, objects: Option<&'f SubmoduleObjects>) -> Self {
        Self {
            folder: slot.to_owned(),
            path: Vec::new(),
            objects,
            nested: MOST_NESTED,
        }
    }

    /// Writes the files of a commit and of its submodules, and removes all others. Returns the submodules that stay empty.
    pub(super) fn switch(&self, commit: git2::Oid) -> Result<Vec<Submodule>, git2::Error> {
        // Opened anew each time: the objects may have been packed or fetched since.
        let own = git2::Repository::open(&self.folder)?;
        let target = own.find_object(commit, Some(git2::ObjectType::Commit))?;
        self.remove_gone_submodules(&own, &target.peel_to_tree()?)?;
        let mut how = git2::build::CheckoutBuilder::new();
        how.force()
            .remove_untracked(true)
            .remove_ignored(true)
            .disable_filters(true);
        own.checkout_tree(&target, Some(&mut how))?;
        own.set_head_detached(commit)?;
        let mut empty = Vec::new();
        for (path, commit) in submodules(&own)? {
            match self.below(&own, &path, commit)? {
                Some(below) => empty.extend(below.switch(commit)?),
                None => empty.push(Submodule {
                    path: RepoPath(self.path_of(&path)),
                    commit: BlobId::of(commit),
                }),
            }
        }
        Ok(empty)
    }

    /// Removes the submodules that the target does not have: a checkout takes them for somebody else's.
    fn remove_gone_submodules(&self, own: &git2::Repository, target: &git2::Tree<'_>) -> Result<(), git2::Error> {
        let mut index = own.index()?;
        for (path, _) in submodules(own)? {
            let place = Path::new(OsStr::from_bytes(&path));
            let there = target.get_path(place).ok();
            let is_kept = |entry: &git2::TreeEntry<'_>| u32::try_from(entry.filemode()) == Ok(SUBMODULE);
            if there.as_ref().is_some_and(is_kept) {
                continue;
            }
            remove_links(&self.folder, place)?;
            remove_folder(&self.folder.join(place)).map_err(|error| git2::Error::from_str(&error.to_string()))?;
            index.remove_path(place)?;
            if there.is_some() {
                // A checkout compares with HEAD, and fails where a folder stands in place of its submodule. Without HEAD it writes
                // all files anew.
                own.set_head(UNBORN)?;
            }
        }
        index.write()
    }

    /// The folder of a submodule; `None` if the commit is not here.
    fn below(&self, own: &git2::Repository, path: &[u8], commit: git2::Oid) -> Result<Option<Self>, git2::Error> {
        let place = Path::new(OsStr::from_bytes(path));
        let is_here = || self.objects?.tree_of(commit, own);
        if self.nested == 0 || is_here().is_none() {
            return Ok(None);
        }
        remove_links(&self.folder, place)?;
        let folder = self.folder.join(place);
        if !folder.join(".git").is_dir() {
            let list = self.folder.join(ALTERNATES);
            let lent =
                std::fs::read(&list).map_err(|error| during("reading the borrowed object folders", &list, &error))?;
            borrow_objects(&folder, &lent)?;
        }
        Ok(Some(Self {
            folder,
            path: self.path_of(path),
            objects: self.objects,
            nested: self.nested - 1,
        }))
    }

    fn path_of(&self, below: &[u8]) -> Vec<u8> {
        match self.path.is_empty() {
            true => below.to_vec(),
            false => [&*self.path, b"/", below].concat(),
        }
    }
}

/// Removes symbolic links on the way to a submodule, which a build may have put in place of folders.
fn remove_links(folder: &Path, place: &Path) -> Result<(), git2::Error> {
    let mut way = folder.to_owned();
    for part in place {
        way.push(part);
        if way.is_symlink() {
            std::fs::remove_file(&way).map_err(|error| during("removing a link", &way, &error))?;
        }
    }
    Ok(())
}

/// The submodules of a working tree, each with its commit.
fn submodules(own: &git2::Repository) -> Result<Vec<(Vec<u8>, git2::Oid)>, git2::Error> {
    let index = own.index()?;
    let entries = index.iter().filter(|entry| entry.mode == SUBMODULE);
    Ok(entries.map(|entry| (entry.path, entry.id)).collect())
}

/// A branch that no slot has.
const UNBORN: &str = "refs/heads/none";

/// The mode of a submodule in a tree.
const SUBMODULE: u32 = 0o160_000;

/// Where a repository names the object folders that it borrows from.
const ALTERNATES: &str = ".git/objects/info/alternates";

/// Makes an empty repository in a folder that shares the objects of others, but none of their refs or settings.
pub(super) fn borrow_objects(folder: &Path, lent: &[u8]) -> Result<(), git2::Error> {
    let mut options = git2::RepositoryInitOptions::new();
    // A template could bring hooks.
    options.external_template(false);
    git2::Repository::init_opts(folder, &options)?;
    let list = folder.join(ALTERNATES);
    let made = list.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(&list, lent))
        .map_err(|error| during("borrowing the repository's objects", &list, &error))
}

fn during(attempt: &str, path: &Path, error: &std::io::Error) -> git2::Error {
    git2::Error::from_str(&format!("{attempt}: {}: {error}", path.display()))
}
