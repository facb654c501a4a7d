//! A commit → its files on disk: an isolated checkout at a path that stays the same from version to version, so that
//! build caches keyed by path are shared.
//!
//! A slot is a repository of its own that borrows the objects of the user's. The user's checkout, index, HEAD and list
//! of worktrees are never touched. No hook runs, and no filter (line endings, git-lfs) is applied. Submodules are checked out
//! where the clone has their objects; others are reported and left empty. Put slots outside the user's checkout: otherwise cargo
//! takes the enclosing workspace for theirs.
//!
//! A lock on the file beside a slot reserves it; the slot is removed when dropped. The lock ends with the process, so
//! that the slot of a killed one is taken over by the next.

mod checked_out;

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use self::checked_out::{CheckedOutFolder, borrow_objects};
use crate::git::{BlobId, CommitId, GitError, RepoPath, Repository, SubmoduleObjects};

/// Extension of a slot's lock file.
const LOCK_EXTENSION: &str = "lito-slot";

/// A process id has fewer digits than this.
const PID_LENGTH: u64 = 20;

/// Failure to check a commit out.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The commit can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// Another process uses this slot.
    #[error(
        "checking out into {}: {} is using it: wait for it to end, or set LITO_CACHE to another folder",
        slot.display(), named(*holder)
    )]
    InUse {
        /// The slot.
        slot: PathBuf,
        /// The id of the process that holds it, from the lock file; `None` if that process has not written it yet.
        holder: Option<u32>,
    },
    /// The folder exists, but is not a slot.
    #[error("checking out into {}: the folder exists and was not made by lito: choose another, or remove it", slot.display())]
    Foreign {
        /// The folder.
        slot: PathBuf,
    },
    /// A file operation failed.
    #[error("{attempt}: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
    Io {
        /// The operation that was attempted.
        attempt: &'static str,
        /// On which path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A libgit2 operation failed.
    #[error("checking out commit {commit} into {}: {source}: check that the folder is writable and the disk is not full", slot.display())]
    Checkout {
        /// The commit.
        commit: CommitId,
        /// The slot.
        slot: PathBuf,
        /// The reason.
        source: git2::Error,
    },
}

fn named(holder: Option<u32>) -> String {
    match holder {
        Some(process) => format!("another lito (pid {process})"),
        None => String::from("another lito"),
    }
}

/// A submodule that a checkout leaves empty: the clone does not have its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// Its path.
    pub path: RepoPath,
    /// The commit of the other repository.
    pub commit: BlobId,
}

/// A checked-out commit. Removed when dropped.
#[derive(Debug)]
pub struct Worktree {
    slot: PathBuf,
    commit: CommitId,
    submodules: Vec<Submodule>,
    /// The folders with the objects of submodules.
    objects_of_submodules: Vec<PathBuf>,
    /// The remote of a partial clone, which may have objects that are not here.
    promisor: Option<String>,
    // Dropped after the folder is removed: the next holder of the lock finds nothing.
    _lock: SlotLock,
}

impl Worktree {
    /// Checks `commit` out into the folder `slot`; files of a killed process are removed first. Every file gets the
    /// present time.
    ///
    /// # Errors
    /// If the slot is in use or the folder is not a slot, the commit can't be read, or the files can't be written.
    pub fn checkout(repository: &Repository, commit: CommitId, slot: &Path) -> Result<Worktree, WorktreeError> {
        repository.commit(commit)?;
        let parent = slot
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(io("making the folder of the checkouts", parent))?;
        let parent = parent
            .canonicalize()
            .map_err(io("finding the folder of the checkouts", parent))?;
        let slot = parent.join(slot.file_name().unwrap_or(OsStr::new("slot")));
        let lock = SlotLock::acquire(&slot)?;
        if lock.fresh && slot.exists() {
            lock.forget_file();
            return Err(WorktreeError::Foreign { slot });
        }
        let mut worktree = Worktree {
            slot,
            commit,
            submodules: Vec::new(),
            objects_of_submodules: repository.object_folders_of_submodules().to_vec(),
            promisor: repository.promisor().map(str::to_owned),
            _lock: lock,
        };
        // From here on an error drops the worktree, and thereby all written files.
        remove_folder(&worktree.slot)?;
        worktree.borrow_objects(repository)?;
        worktree.switch(commit)?;
        Ok(worktree)
    }

    /// Switches to another commit. Writes the files that differ (they get the present time, so that builds notice
    /// them), restores changed ones and removes every file that is not part of the commit; the others keep their time.
    ///
    /// # Errors
    /// If the commit can't be read, or the files can't be written: the checkout is then incomplete until the next
    /// switch.
    pub fn switch(&mut self, commit: CommitId) -> Result<(), WorktreeError> {
        let failed = |source: git2::Error| match &self.promisor {
            Some(remote) if source.code() == git2::ErrorCode::NotFound => WorktreeError::Git(GitError::PartialClone {
                object: format!("the files of commit {commit}"),
                remote: remote.clone(),
            }),
            _ => WorktreeError::Checkout {
                commit,
                slot: self.slot.clone(),
                source,
            },
        };
        let objects = SubmoduleObjects::in_folders(&self.objects_of_submodules).map_err(failed)?;
        let folder = CheckedOutFolder::new(&self.slot, objects.as_ref());
        self.submodules = folder.switch(commit.oid()).map_err(failed)?;
        self.commit = commit;
        Ok(())
    }

    /// Where the files are: absolute, and the same for every commit of this slot.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.slot
    }

    /// The commit that is checked out.
    #[must_use]
    pub fn commit(&self) -> CommitId {
        self.commit
    }

    /// The commit's submodules that were not checked out.
    #[must_use]
    pub fn submodules(&self) -> &[Submodule] {
        &self.submodules
    }

    /// Removes the checkout now, and reports a failure.
    ///
    /// # Errors
    /// If a file can't be removed.
    pub fn remove(self) -> Result<(), WorktreeError> {
        remove_folder(&self.slot)
    }

    /// Makes an empty repository in the slot that shares the user's objects.
    fn borrow_objects(&self, repository: &Repository) -> Result<(), WorktreeError> {
        let mut lent = OsString::new();
        for objects in repository.shared_object_folders() {
            let objects = objects
                .canonicalize()
                .map_err(io("finding the repository's objects", &objects))?;
            lent.push(objects);
            lent.push("\n");
        }
        borrow_objects(&self.slot, lent.as_encoded_bytes()).map_err(|source| WorktreeError::Checkout {
            commit: self.commit,
            slot: self.slot.clone(),
            source,
        })
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        // A destructor can't report errors: the next checkout removes remaining files.
        if remove_folder(&self.slot).is_ok() {
            self._lock.forget_file();
        }
    }
}

/// Exclusive use of a slot, as a lock of the operating system on a file beside it.
#[derive(Debug)]
struct SlotLock {
    path: PathBuf,
    _file: File,
    /// True if this process created the file.
    fresh: bool,
}

impl SlotLock {
    fn acquire(slot: &Path) -> Result<SlotLock, WorktreeError> {
        let mut name = OsString::from(slot);
        name.push(".");
        name.push(LOCK_EXTENSION);
        let path = PathBuf::from(name);
        let failed = || io("locking a checkout", &path);
        loop {
            let fresh = !path.exists();
            let mut options = File::options();
            let mut file = options
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(failed())?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // Read only for the message.
                    let _ = Read::by_ref(&mut file).take(PID_LENGTH).read_to_string(&mut holder);
                    return Err(WorktreeError::InUse {
                        slot: slot.to_path_buf(),
                        holder: holder.trim().parse().ok(),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(failed()(error)),
            }
            // Another process may have removed the file between opening and locking it: this lock would then protect
            // nothing.
            let held = file.metadata().map_err(failed())?.ino();
            if std::fs::metadata(&path).is_ok_and(|there| there.ino() == held) {
                file.set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| writeln!(file, "{}", std::process::id()))
                    .map_err(failed())?;
                return Ok(SlotLock {
                    path,
                    _file: file,
                    fresh,
                });
            }
        }
    }

    /// Removes the file while the lock is still held.
    fn forget_file(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn remove_folder(folder: &Path) -> Result<(), WorktreeError> {
    let result = match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            // Some builds leave folders that even their owner can't write to.
            make_writable(folder);
            std::fs::remove_dir_all(folder)
        }
        other => other,
    };
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("removing a checkout", folder)(error)),
        _ => Ok(()),
    }
}

/// Ignores failures: removing the folder reports them.
fn make_writable(folder: &Path) {
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}

fn io(attempt: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> WorktreeError {
    let path = path.to_path_buf();
    move |source| WorktreeError::Io { attempt, path, source }
}

#[cfg(test)]
mod tests;
