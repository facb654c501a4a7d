//! A repository → a folder for objects that no ref refers to yet, beside its own; and from there into its own, whole and
//! synced.
//!
//! The folder has the name that git gives to such folders, so that `git gc` removes it, too. It belongs to this process:
//! what a killed one left is removed by the next write. Decides nothing about what the objects are.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::owned::{OwnedFolder, remove_abandoned};

/// First part of the folder's name. `git prune` removes what begins like this and is old.
const NAME: &str = "tmp_objdir-lito-";

/// The target of the link to the repository's own objects, as seen from the folder's.
const BORROWED: &[u8] = b"../..\n";

/// Objects that are not in the repository yet. Removed when dropped.
pub(super) struct IncomingObjects {
    folder: OwnedFolder,
    /// The repository's own objects.
    objects: PathBuf,
    /// Writes into the folder.
    git: git2::Repository,
}

impl IncomingObjects {
    /// Starts without any object; reads find the repository's own.
    pub(super) fn beside(objects: &Path) -> Result<Self, String> {
        let refused = |error: io::Error| error.to_string();
        let folder = OwnedFolder::create(objects, NAME).map_err(refused)?;
        let place = folder.path();
        // As little as libgit2 takes for a repository: it opens object folders only as a part of one.
        fs::create_dir(place.join("refs"))
            .and_then(|()| fs::create_dir_all(place.join("objects/info")))
            .and_then(|()| fs::write(place.join("objects/info/alternates"), BORROWED))
            .and_then(|()| fs::write(place.join("HEAD"), "ref: refs/heads/none\n"))
            .map_err(refused)?;
        let git = git2::Repository::open_bare(place).map_err(|error| error.message().to_owned())?;
        Ok(Self {
            folder,
            objects: objects.to_owned(),
            git,
        })
    }

    /// The objects of both folders; new ones are written into this one.
    pub(super) fn database(&self) -> Result<git2::Odb<'_>, git2::Error> {
        self.git.odb()
    }

    /// Moves everything into the repository's own objects. When this returns, it is on disk.
    pub(super) fn publish(&self) -> io::Result<()> {
        let mut touched = BTreeSet::new();
        for folder in fs::read_dir(self.folder.path().join("objects"))? {
            let folder = folder?;
            let is_objects = folder.file_name().to_str().is_some_and(|name| name.len() == 2);
            if !is_objects {
                continue;
            }
            let target = self.objects.join(folder.file_name());
            match fs::create_dir(&target) {
                Ok(()) => drop(touched.insert(self.objects.clone())),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            for object in fs::read_dir(folder.path())? {
                let object = object?;
                File::open(object.path())?.sync_all()?;
                fs::rename(object.path(), target.join(object.file_name()))?;
            }
            touched.insert(target);
        }
        touched.iter().try_for_each(|folder| sync_folder(folder))
    }
}

/// Makes the names in a folder last. File systems that refuse it keep them without.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// Removes what killed processes left beside a repository's objects.
pub(super) fn remove_abandoned_objects(objects: &Path) {
    remove_abandoned(objects, NAME);
}
