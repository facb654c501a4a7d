//! A folder of the store → its JSON files; each is accepted only if its content belongs to its path. Used for samples,
//! verdicts and acknowledgements, whose meaning is not known here.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::verify::{StoreFinding, StoreFolder, StoreProblem};
use super::{Store, StoreError};

/// A kind of JSON file in the store.
pub(super) trait StoredFile: DeserializeOwned + Serialize {
    /// The versions and other hashes that make up its path.
    type Key;

    /// Folder at the top of the store.
    const FOLDER: &'static str;
    /// Most bytes of one file.
    const LIMIT: u64;
    /// Problem of a file that can't be read.
    const PROBLEM: StoreProblem;
    /// The kind with its article, for messages.
    const NAME: &'static str;

    /// The key behind `FOLDER/folder/file`; `None` for paths that lito does not write.
    fn parse_key(folder: &str, file: &str) -> Option<Self::Key>;

    /// The path of a key.
    fn path(key: &Self::Key) -> String;

    /// Checks that the content belongs to its key.
    ///
    /// # Errors
    /// The reason why not, in one clause.
    fn check_key(&self, key: &Self::Key) -> Result<(), String>;

    /// Joins what two files of one path say. Neither the order nor the repetition of joins matters.
    #[must_use]
    fn joined(self, other: Self) -> Self;

    /// The content as lito writes it.
    fn encoded(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).expect("strings and numbers are always encoded")
    }
}

/// Key and content of a stored file.
pub(super) struct StoreEntry<K> {
    pub(super) key: K,
    pub(super) blob: git2::Oid,
}

/// The entries of a kind, and a finding for each path in its folder that is not one.
type ListedEntries<K> = Vec<Result<StoreEntry<K>, StoreFinding>>;

impl Store {
    /// Every file of a kind; other paths in its folder are findings.
    pub(super) fn entries<T: StoredFile>(&self, tree: &git2::Tree<'_>) -> Result<ListedEntries<T::Key>, StoreError> {
        self.nested_entries(tree, T::FOLDER, |folder, file, blob| {
            let key = T::parse_key(folder, file)?;
            Some(StoreEntry { key, blob })
        })
    }

    /// Reads a file, and checks that it belongs where it lies.
    pub(super) fn read_entry<T: StoredFile>(&self, entry: &StoreEntry<T::Key>) -> Result<T, StoreFinding> {
        let finding = |why: String| StoreFinding {
            path: T::path(&entry.key),
            problem: T::PROBLEM,
            why,
        };
        let content = self.content(entry.blob, T::LIMIT).map_err(finding)?;
        decoded(&content, &entry.key).map_err(finding)
    }

    /// Every file of a kind in one folder that can be read, and the findings on the others.
    pub(super) fn read_folder<T: StoredFile>(&self, folder: &StoreFolder) -> Vec<Result<T, StoreFinding>> {
        let entries = self.files_of(T::FOLDER, folder, |folder, file, blob| {
            let key = T::parse_key(folder, file)?;
            Some(StoreEntry { key, blob })
        });
        let entries = entries.into_iter();
        entries
            .map(|entry| entry.and_then(|entry| self.read_entry(&entry)))
            .collect()
    }

    /// Every file of a kind that can be read, and the findings on the others.
    pub(super) fn read_entries<T: StoredFile>(
        &self,
        tree: &git2::Tree<'_>,
    ) -> Result<impl Iterator<Item = Result<T, StoreFinding>>, StoreError> {
        let entries = self.entries::<T>(tree)?;
        Ok(entries
            .into_iter()
            .map(|entry| entry.and_then(|entry| self.read_entry(&entry))))
    }
}

/// Decodes a file, and checks that it belongs where it lies.
///
/// # Errors
/// The reason why not, in one clause.
pub(super) fn decoded<T: StoredFile>(content: &[u8], key: &T::Key) -> Result<T, String> {
    let file: T = serde_json::from_slice(content).map_err(|error| format!("it is not {}: {error}", T::NAME))?;
    file.check_key(key)?;
    Ok(file)
}
