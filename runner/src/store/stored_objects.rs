//! A state of the store → the contents that it has, by key, and whether each is intact.
//!
//! The folders are read once: git unpacks a folder for each path that is looked up in it, and one of a large store has
//! thousands of entries.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use super::sample_record::StoredObject;
use super::verify::{ProfileValidator, StoreFinding};
use super::{OBJECT_LIMIT, ObjectKey, Store, StoreError};

/// The contents of one state of a store.
pub(super) struct StoredObjects<'a> {
    store: &'a Store,
    blobs: BTreeMap<ObjectKey, git2::Oid>,
}

impl<'a> StoredObjects<'a> {
    /// All contents of a state, and the paths that are none.
    pub(super) fn of(store: &'a Store, tree: &git2::Tree<'_>) -> Result<(Self, Vec<StoreFinding>), StoreError> {
        let entries = store.nested_entries(tree, "objects", |folder, file, blob| {
            let key = (folder.len() == 2).then(|| ObjectKey::from_str(&format!("{folder}{file}")).ok())?;
            Some((key?, blob))
        })?;
        let mut blobs = BTreeMap::new();
        let mut strays = Vec::new();
        for entry in entries {
            match entry {
                Ok((key, blob)) => drop(blobs.insert(key, blob)),
                Err(finding) => strays.push(finding),
            }
        }
        Ok((Self { store, blobs }, strays))
    }

    /// The keys, in their order.
    pub(super) fn keys(&self) -> impl Iterator<Item = ObjectKey> {
        self.blobs.keys().copied()
    }

    /// The blob of a content; `None` if it is missing.
    pub(super) fn blob(&self, key: ObjectKey) -> Option<git2::Oid> {
        self.blobs.get(&key).copied()
    }

    /// The bytes stored under a key, verified against it.
    ///
    /// # Errors
    /// They are missing, too large or altered.
    pub(super) fn content(&self, key: ObjectKey) -> Result<Vec<u8>, StoreError> {
        let missing = || StoreError::Damaged {
            key,
            why: String::from("it is missing"),
        };
        self.store.object_of(key, self.blob(key).ok_or_else(missing)?)
    }

    /// The problem of a content of some kind, if it has one.
    pub(super) fn damage_as(
        &self,
        object: StoredObject,
        key: ObjectKey,
        decode: ProfileValidator<'_>,
    ) -> Option<String> {
        let content = match self.content(key) {
            Ok(content) => content,
            Err(StoreError::Damaged { why, .. }) => return Some(why),
            Err(other) => return Some(other.to_string()),
        };
        match object {
            StoredObject::Profile => decode(&content).err(),
            StoredObject::Inputs => {
                let decoded = profile::inputs::binary::decode(&content);
                decoded.err().map(|error| error.to_string())
            }
        }
    }
}

impl Store {
    /// The bytes of the blob that is stored under a key, verified against it.
    pub(super) fn object_of(&self, key: ObjectKey, blob: git2::Oid) -> Result<Vec<u8>, StoreError> {
        let damaged = |why: String| StoreError::Damaged { key, why };
        let content = self.content(blob, OBJECT_LIMIT).map_err(damaged)?;
        if ObjectKey::of(&content) != key {
            return Err(damaged(String::from("its content was altered or cut short")));
        }
        Ok(content)
    }
}
