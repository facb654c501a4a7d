//! What can go wrong with the store, each with what to do about it.

use std::path::PathBuf;

use super::ObjectKey;
use crate::git::GitError;

/// Failure of the profile store. The state before is intact after each of them.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Not a place that profiles can be stored in.
    #[error("opening the store `{url}`: {why}: set `[store] url = \"git:refs/lito/store\"` in lito.toml")]
    BadUrl {
        /// What was configured.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A later lito wrote it.
    #[error("{attempt}: {reference}: the store has format {found}, this lito knows formats up to {known}: {remedy}")]
    Newer {
        /// What was attempted.
        attempt: &'static str,
        /// The store's ref.
        reference: String,
        /// The store's format.
        found: u32,
        /// The newest format known here.
        known: u32,
        /// Which lito is needed.
        remedy: String,
    },
    /// What stands in the ref is not a store, or can't be read. Never taken for an empty one.
    #[error(
        "reading the store: {reference}: {why}: restore the ref (`git reflog`, `git fetch`), or store elsewhere by setting `[store] url`"
    )]
    Unreadable {
        /// The store's ref.
        reference: String,
        /// What is wrong.
        why: String,
    },
    /// A record names a profile that is neither given nor stored.
    #[error("recording a sample of {commit}: benchmark `{benchmark}`: its profile {key} is neither stored nor given")]
    ProfileNotGiven {
        /// The sampled version.
        commit: String,
        /// The benchmark.
        benchmark: String,
        /// The key of its profile.
        key: ObjectKey,
    },
    /// A record or profile is larger than what would be read again.
    #[error("recording a sample: {what}: {size} bytes are more than the {limit} that the store takes")]
    TooLarge {
        /// What is too large.
        what: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A stored profile that is missing, cut short or altered.
    #[error("reading profile {key} from the store: {why}: sample its version again")]
    Damaged {
        /// The key.
        key: ObjectKey,
        /// What is wrong.
        why: String,
    },
    /// Others kept changing the ref, or its lock file stayed.
    #[error(
        "writing the store: {reference}: still locked or changing after {attempts} attempts: if no other lito or git runs, remove {}",
        lock.display()
    )]
    Busy {
        /// The store's ref.
        reference: String,
        /// How often it was tried.
        attempts: u32,
        /// Git's lock file.
        lock: PathBuf,
    },
    /// The file system or libgit2 refused.
    #[error("{attempt}: {}: {why}: check that the folder is writable and the disk is not full; nothing stored before is lost", folder.display())]
    Write {
        /// What was attempted.
        attempt: &'static str,
        /// The repository's folder.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// The history can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
}
