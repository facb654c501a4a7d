//! A ref, its expected and its new value → the ref, moved by compare-and-swap, excluding git as git excludes itself.
//!
//! Git's lock is the file `<ref>.lock`, and git leaves it behind when it is killed, with nothing that says whose it was.
//! Ours says so: it appears with its content and with the system's lock on it (`flock`), which ends with its owner. So
//! one whose owner is dead is recognised and removed, and git's, or one of a living process, never is. On a file system
//! that other machines may share, the owner must moreover have been a process of this machine that is gone. Knows
//! nothing of the content of the store.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::incoming_objects::sync_folder;
use crate::owned::{ProcessIdentity, is_at, is_on_a_local_disk, lock_of_a_dead_owner, owned_file, remove_abandoned};

/// First line of our lock files. Those of git are empty or begin with the digits of an object.
const SIGNATURE: &str = "lock of lito 1\n";

/// More than any of our lock files has.
const LOCK_LIMIT: u64 = 1024;

/// Names of files on their way to the ref or its lock. Git takes nothing that ends so for a ref.
const UNFINISHED: (&str, &str) = ("lito-unfinished-", ".lock");

/// Attempts to create the lock in a folder that git removes while it is empty.
const ATTEMPTS: usize = 8;

/// Result of an attempt to move a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefUpdateResult {
    Moved,
    /// Another process moved it, or holds its lock.
    Lost,
}

/// A ref that is kept in files.
pub(super) struct RefFile<'a> {
    pub(super) git: &'a git2::Repository,
    pub(super) name: &'a str,
}

impl RefFile<'_> {
    /// Git's lock file.
    pub(super) fn lock_path(&self) -> PathBuf {
        self.git.commondir().join(format!("{}.lock", self.name))
    }

    fn path(&self) -> PathBuf {
        self.git.commondir().join(self.name)
    }

    /// The value; `None` if there is no such ref.
    pub(super) fn value(&self) -> Result<Option<git2::Oid>, git2::Error> {
        match self.git.refname_to_id(self.name) {
            Ok(commit) => Ok(Some(commit)),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Moves the ref, if its value is still the expected one. When this returns, it is on disk.
    pub(super) fn advance(
        &self,
        expected: Option<git2::Oid>,
        next: git2::Oid,
        message: &str,
    ) -> io::Result<RefUpdateResult> {
        let Some(_lock) = self.lock()? else {
            return Ok(RefUpdateResult::Lost);
        };
        let now = self
            .value()
            .map_err(|error| io::Error::other(error.message().to_owned()))?;
        if now != expected {
            return Ok(RefUpdateResult::Lost);
        }
        let path = self.path();
        let folder = path.parent().unwrap_or(&path);
        let mut value = owned_file(folder, UNFINISHED.0, UNFINISHED.1)?;
        value.write_all(format!("{next}\n").as_bytes())?;
        value.as_file().sync_all()?;
        self.log(now, next, message)?;
        value.persist(&path).map_err(|error| error.error)?;
        sync_folder(folder)?;
        Ok(RefUpdateResult::Moved)
    }

    /// Takes the lock; `None` if somebody has it.
    pub(super) fn lock(&self) -> io::Result<Option<HeldLock>> {
        let path = self.lock_path();
        let folder = path.parent().unwrap_or(&path);
        for _ in 0..ATTEMPTS {
            self.remove_abandoned();
            match create_lock(folder, &path) {
                Ok(lock) => return Ok(Some(lock)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
                // Git removed the empty folder.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Removes what killed processes of lito left beside the ref, its lock among it.
    pub(super) fn remove_abandoned(&self) {
        let lock = self.lock_path();
        if let Some(folder) = lock.parent() {
            remove_abandoned(folder, UNFINISHED.0);
        }
        if let Some(_held) = abandoned_lock(&lock) {
            // Nobody else removes it meanwhile, and takes the next one for it: we hold the system's lock on it.
            let _ = fs::remove_file(&lock);
        }
    }

    /// Adds a line to the ref's log, where git would.
    fn log(&self, before: Option<git2::Oid>, next: git2::Oid, message: &str) -> io::Result<()> {
        let path = self.git.commondir().join("logs").join(self.name);
        let setting = self
            .git
            .config()
            .and_then(|config| config.get_string("core.logAllRefUpdates"));
        let is_always = setting.is_ok_and(|setting| setting.eq_ignore_ascii_case("always"));
        if !is_always && !path.exists() {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let before = before.unwrap_or(git2::Oid::ZERO_SHA1);
        let seconds = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |now| now.as_secs());
        let line = format!("{before} {next} lito <lito@localhost> {seconds} +0000\t{message}\n");
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)?
            .write_all(line.as_bytes())
    }
}

/// Git's lock, held. Removed when dropped.
pub(super) struct HeldLock {
    path: PathBuf,
    file: File,
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn create_lock(folder: &Path, path: &Path) -> io::Result<HeldLock> {
    fs::create_dir_all(folder)?;
    let mut lock = owned_file(folder, UNFINISHED.0, UNFINISHED.1)?;
    lock.write_all(format!("{SIGNATURE}{}", ProcessIdentity::of_this_process()).as_bytes())?;
    // After a power failure, an empty file would be taken for git's.
    lock.as_file().sync_all()?;
    let file = lock.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(HeldLock {
        path: path.to_owned(),
        file,
    })
}

/// A lock file of a lito that is known to be dead, with the system's lock on it.
fn abandoned_lock(path: &Path) -> Option<File> {
    let held = lock_of_a_dead_owner(path)?;
    let mut text = String::new();
    (&held).take(LOCK_LIMIT).read_to_string(&mut text).ok()?;
    let owner = text.strip_prefix(SIGNATURE)?;
    let is_dead = is_on_a_local_disk(path) || ProcessIdentity::read(owner).is_some_and(|owner| owner.is_gone());
    is_dead.then_some(held)
}
