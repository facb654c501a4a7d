//! A folder, a prefix → a temporary folder or file in it that belongs to this process until it is dropped; and those that
//! dead processes left there, removed.
//!
//! The owner holds the system's lock (`flock`) on it. The system gives the lock back when the owner ends, whatever ends
//! it: a lock that can be had has no owner. So nothing is taken from a living process, also of another container. Where
//! locks may not reach other machines, on a network, only what is a day old is removed. Nothing here waits.

mod local_disk;
mod process_identity;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

pub(crate) use local_disk::is_on_a_local_disk;
pub(crate) use process_identity::ProcessIdentity;

/// First part of the name of each temporary folder of lito in the system's folder for such. Whatever begins so and has no
/// living owner is removed: it must be a name that nobody else gives.
const PREFIX: &str = ".lito-temporary-";

/// Age from which a temporary file on a network counts as abandoned: no step of lito takes as long.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Attempts to create something before another process takes it for abandoned: that moment is two system calls long.
const ATTEMPTS: usize = 8;

/// A temporary folder of this process. Removed when dropped, or by the next process that looks after this one was killed.
pub struct OwnedFolder {
    folder: TempDir,
    _lock: File,
}

impl OwnedFolder {
    /// Creates a folder in the system's folder for temporary files, and removes there what dead processes of this user
    /// left; `purpose` is a part of its name.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn temporary(purpose: &str) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        remove_abandoned_once(&parent, PREFIX);
        Self::create(&parent, &format!("{PREFIX}{purpose}-"))
    }

    /// Creates a folder in `parent` whose name begins with `prefix`.
    ///
    /// # Errors
    /// The system refuses it.
    pub(crate) fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
            match File::open(folder.path()).and_then(|file| own(file, folder.path())) {
                Ok(Some(lock)) => return Ok(Self { folder, _lock: lock }),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Creates a temporary file in `folder` that this process owns until it is dropped or given its final name. It has the
/// mode that new files of this user have.
///
/// # Errors
/// The system refuses it.
pub(crate) fn owned_file(folder: &Path, prefix: &str, suffix: &str) -> io::Result<NamedTempFile> {
    for _ in 0..ATTEMPTS {
        let file = tempfile::Builder::new()
            .prefix(prefix)
            .suffix(suffix)
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        // A second handle to the same lock: it lives as long as the first.
        if own(file.as_file().try_clone()?, file.path())?.is_some() {
            return Ok(file);
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Locks a new file or folder; `None` if another process took it for abandoned first.
fn own(file: File, path: &Path) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => Ok(is_at(&file, path).then_some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        // File systems without locks: what is abandoned there is never known, and so never removed.
        Err(fs::TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// True if the path still leads to this file.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// Opens what lies at a path and locks it, if nobody living owns it.
pub(crate) fn lock_of_a_dead_owner(path: &Path) -> Option<File> {
    // Opening a folder needs the right to read alone, and a link is not followed.
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    file.try_lock().ok()?;
    is_at(&file, path).then_some(file)
}

/// Removes files and folders of this user in `folder` that begin with `prefix` and whose owner is dead. What can't be
/// removed stays: it only takes space.
pub(crate) fn remove_abandoned(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let is_local = is_on_a_local_disk(folder);
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix));
        if !is_ours {
            continue;
        }
        let path = entry.path();
        let Some(lock) = lock_of_a_dead_owner(&path) else {
            continue;
        };
        let Ok(metadata) = lock.metadata() else { continue };
        let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok());
        let is_old = age.is_some_and(|age| age > ABANDONED_AFTER);
        if metadata.uid() != this_user() || !(is_local || is_old) {
            continue;
        }
        let _ = match metadata.is_dir() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
    }
}

/// Like [`remove_abandoned`], once in the life of this process.
pub(crate) fn remove_abandoned_once(folder: &Path, prefix: &str) {
    static DONE: Mutex<BTreeSet<(PathBuf, String)>> = Mutex::new(BTreeSet::new());
    let is_first = (DONE.lock())
        .unwrap_or_else(PoisonError::into_inner)
        .insert((folder.to_owned(), prefix.to_owned()));
    if is_first {
        remove_abandoned(folder, prefix);
    }
}

#[allow(unsafe_code)]
pub(crate) fn this_user() -> u32 {
    // SAFETY: geteuid takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}
