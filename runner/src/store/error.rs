//! Reasons why the store can't be read or written, each with its remedy.

use std::path::PathBuf;

use super::ObjectKey;
use crate::git::GitError;

/// Failure of the profile store. Its previous state is intact after each of them.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Profiles can't be stored at this URL.
    #[error("opening the store `{url}`: {why}: set `[store] url = \"git:refs/lito/store\"` in lito.toml")]
    BadUrl {
        /// The configured URL.
        url: String,
        /// The reason.
        why: &'static str,
    },
    /// A later lito wrote the store.
    #[error("{attempt}: {reference}: the store has format {found}, this lito reads formats up to {known}: {remedy}")]
    Newer {
        /// The attempted operation.
        attempt: &'static str,
        /// The store's ref.
        reference: String,
        /// The store's format.
        found: u32,
        /// The newest format known here.
        known: u32,
        /// The required version of lito.
        remedy: String,
    },
    /// The ref does not contain a lito store, or can't be read. Never treated as an empty store.
    #[error(
        "reading the store: {reference}: {why}: restore the ref (`git reflog`, `git fetch`), or store elsewhere by setting `[store] url`"
    )]
    Unreadable {
        /// The store's ref.
        reference: String,
        /// The reason.
        why: String,
    },
    /// A record refers to a profile that is neither given nor stored.
    #[error("recording a sample of {commit}: benchmark `{benchmark}`: its profile {key} is neither stored nor given")]
    ProfileNotGiven {
        /// The sampled version.
        commit: String,
        /// The benchmark.
        benchmark: String,
        /// The key of its profile.
        key: ObjectKey,
    },
    /// A record or profile is larger than the limit for reading.
    #[error("recording a sample: {what}: {size} bytes exceed the store's limit of {limit}")]
    TooLarge {
        /// The record or profile.
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
        /// The reason.
        why: String,
    },
    /// Other processes kept changing the ref, or its lock file remained.
    #[error(
        "writing the store: {reference}: still locked or changing after {attempts} attempts: if no other lito or git runs, remove {}",
        lock.display()
    )]
    Busy {
        /// The store's ref.
        reference: String,
        /// Number of attempts.
        attempts: u32,
        /// Git's lock file.
        lock: PathBuf,
    },
    /// The file system or libgit2 refused.
    #[error("{attempt}: {}: {why}: check that the folder is writable and the disk is not full; stored data is not affected", folder.display())]
    Write {
        /// The attempted operation.
        attempt: &'static str,
        /// The repository's folder.
        folder: PathBuf,
        /// The reason.
        why: String,
    },
    /// The history can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
}
