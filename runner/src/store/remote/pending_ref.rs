//! A store → a ref beside it that holds a fetched state until it is merged, and is removed with its owner.
//!
//! The owner holds the system's lock on a file beside the ref, from before the ref exists. So the next transfer knows
//! which refs killed processes left. Where locks may not reach other machines, a ref stays for a day.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::NamedTempFile;

use super::super::{Store, StoreError};
use super::StoreTransfer;
use crate::git::Repository;
use crate::owned::{is_on_a_local_disk, lock_of_a_dead_owner, owned_file, remove_abandoned};

/// Refs of fetched states that are not merged yet. They are not branches, and git does not list them by default.
pub(super) const WAITING: &str = "refs/lito/fetched/";

/// Name of an owner's file around what it has in common with its ref. Git takes nothing that ends so for a ref.
const OWNER: (&str, &str) = ("lito-owner-", ".lock");

/// Age in seconds at which refs below [`WAITING`] count as leftovers, whatever is known of their owner.
const LEFT_BEHIND: u64 = 24 * 60 * 60;

/// A ref of ours that holds a state until it is merged. Removed when dropped.
pub(super) struct PendingStoreRef {
    repository: Repository,
    pub(super) reference: String,
    _owner: NamedTempFile,
}

impl PendingStoreRef {
    /// Chooses an unused name; the ref does not exist yet.
    pub(super) fn new(store: &Store) -> Result<Self, StoreError> {
        let failed = |error: std::io::Error| store.write_error(&error.to_string());
        let folder = folder(store);
        fs::create_dir_all(&folder).map_err(failed)?;
        let owner = owned_file(&folder, OWNER.0, OWNER.1).map_err(failed)?;
        let name = name_of_owned(owner.path()).unwrap_or_default();
        let reference = format!("{WAITING}{}-{name}", seconds());
        Ok(Self {
            repository: store.repository.reopen()?,
            reference,
            _owner: owner,
        })
    }

    /// Creates the ref at a commit of our repository.
    pub(super) fn at(store: &Store, commit: git2::Oid) -> Result<Self, StoreError> {
        store.publish()?;
        let waiting = Self::new(store)?;
        waiting
            .repository
            .raw()
            .reference(&waiting.reference, commit, false, "waiting to be merged")
            .map_err(|error| store.write_error(error.message()))?;
        Ok(waiting)
    }

    /// The fetched state, under the name of its side.
    pub(super) fn store(&self, transfer: &StoreTransfer<'_>) -> Result<Store, StoreError> {
        let store = Store::open(&self.repository, &format!("git:{}", self.reference))?;
        let reference = transfer.store.reference();
        Ok(store.named(format!("{reference} of {}", transfer.remote.shown())))
    }
}

impl Drop for PendingStoreRef {
    fn drop(&mut self) {
        // A ref that stays is removed later.
        if let Ok(mut reference) = self.repository.raw().find_reference(&self.reference) {
            let _ = reference.delete();
        }
    }
}

/// Removes refs left by killed processes. A ref that can't be removed only costs a little space.
pub(super) fn remove_abandoned_refs(store: &Store) {
    let folder = folder(store);
    let owners = fs::read_dir(&folder).into_iter().flatten().flatten();
    let is_local = is_on_a_local_disk(&folder);
    for owner in owners.map(|entry| entry.path()).filter(|_| is_local) {
        let Some(name) = name_of_owned(&owner) else { continue };
        let Some(_held) = lock_of_a_dead_owner(&owner) else {
            continue;
        };
        remove(store, |reference| {
            reference.split_once('-').is_some_and(|(_, owned)| owned == name)
        });
        // What git or libgit2 left of a ref that they were about to write.
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        for file in files.map(|entry| entry.path()) {
            if file.to_string_lossy().ends_with(&format!("-{name}.lock")) {
                let _ = fs::remove_file(file);
            }
        }
        let _ = fs::remove_file(&owner);
    }
    remove_abandoned(&folder, OWNER.0);
    let now = seconds();
    remove(store, |reference| {
        let made = reference.split('-').next().and_then(|made| made.parse::<u64>().ok());
        made.is_some_and(|made| made.saturating_add(LEFT_BEHIND) < now)
    });
}

/// Removes the pending refs whose names, without what they have in common, are meant.
fn remove(store: &Store, is_meant: impl Fn(&str) -> bool) {
    let Ok(references) = store.repository.raw().references_glob(&format!("{WAITING}*")) else {
        return;
    };
    for mut reference in references.flatten() {
        let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
        if name.strip_prefix(WAITING).is_some_and(&is_meant) {
            let _ = reference.delete();
        }
    }
}

fn folder(store: &Store) -> PathBuf {
    store.repository.common_dir().join(WAITING)
}

/// The part of an owner's file name that its ref has, too.
fn name_of_owned(owner: &Path) -> Option<&str> {
    let name = owner.file_name()?.to_str()?;
    name.strip_prefix(OWNER.0)?.strip_suffix(OWNER.1)
}

/// Seconds since 1970.
fn seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}
