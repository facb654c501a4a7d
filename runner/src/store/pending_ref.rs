//! A store → a ref beside it that holds a fetched state until it is merged, and is removed with its owner.
//!
//! The owner holds the system's lock on a file beside the ref, from before the ref exists. So the next transfer knows
//! which refs killed processes left. Where locks may not reach other machines, a ref stays for a day.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::NamedTempFile;

use super::{Store, StoreError};
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

    /// The fetched state, under a name that states its origin.
    pub(super) fn store(&self, name: String) -> Result<Store, StoreError> {
        Ok(Store::open(&self.repository, &format!("git:{}", self.reference))?.named(name))
    }
}

impl Drop for PendingStoreRef {
    fn drop(&mut self) {
        // A ref that stays is removed later.
        remove(&self.repository, &self.reference);
    }
}

/// Removes refs left by killed processes. A ref that can't be removed only costs a little space.
pub(super) fn remove_abandoned_refs(store: &Store) {
    let folder = folder(store);
    let is_local = is_on_a_local_disk(&folder);
    let now = seconds();
    for name in names(store, &folder) {
        let Some((made, owned)) = name.split_once('-') else {
            continue;
        };
        let owner = folder.join(format!("{}{owned}{}", OWNER.0, OWNER.1));
        // Its owner's file was there before it, and goes after it. Names of lito 0.1 have more parts, and no such file.
        let _held = lock_of_a_dead_owner(&owner);
        let is_abandoned = is_local && !owned.contains('-') && (_held.is_some() || !owner.exists());
        let made = made.parse::<u64>().ok();
        let is_old = made.is_some_and(|made| made.saturating_add(LEFT_BEHIND) < now);
        if is_abandoned || is_old {
            remove(&store.repository, &format!("{WAITING}{name}"));
        }
    }
    remove_abandoned(&folder, OWNER.0);
}

/// The pending refs, and those that only their lock files are left of, without what their names have in common.
fn names(store: &Store, folder: &Path) -> BTreeSet<String> {
    let references = store.repository.raw().references_glob(&format!("{WAITING}*"));
    let references = references.into_iter().flatten().flatten();
    let mut names: BTreeSet<String> = references
        .filter_map(|reference| Some(reference.name().ok()?.strip_prefix(WAITING)?.to_owned()))
        .collect();
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some(name) = file.file_name().to_str().filter(|name| !name.starts_with(OWNER.0)) {
            names.insert(name.strip_suffix(".lock").unwrap_or(name).to_owned());
        }
    }
    names
}

/// Removes a ref that has no owner any more, and what its owner left of writing it. Its file is removed without git's
/// lock, which could not be taken on a full disk: nobody else writes it.
fn remove(repository: &Repository, reference: &str) {
    let file = repository.common_dir().join(reference);
    let _ = fs::remove_file(repository.common_dir().join(format!("{reference}.lock")));
    let _ = fs::remove_file(file);
    // Git may have packed it.
    if let Ok(mut packed) = repository.raw().find_reference(reference) {
        let _ = packed.delete();
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
