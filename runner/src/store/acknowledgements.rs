//! Acknowledgements of accepted regressions → files of the store, and back. Callers check beforehand whether the author
//! may accept a regression; here only the format is checked.

use std::collections::BTreeMap;
use std::str::FromStr;

use verdict::{ACKNOWLEDGEMENT_SCHEMA, Acknowledgement};

use super::entries::StoredFile;
use super::verify::{StoreFinding, StoreProblem};
use super::write::{StoreChange, StoreParent, check_size};
use super::{Store, StoreError};
use crate::git::CommitId;

/// Folder in the store.
pub(super) const FOLDER: &str = "acknowledgements";

/// Most bytes of one: a sentence or two, and a number for each metric.
const LIMIT: u64 = 256 << 10;

/// Bytes of a benchmark's hash in a path.
const DIGEST: usize = 16;

/// Acknowledgements of one pull request, or of all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredAcknowledgements {
    /// By pull request, then by head, then by the hash of the benchmark's name.
    pub acknowledgements: Vec<Acknowledgement>,
    /// Files that were set aside.
    pub set_aside: Vec<StoreFinding>,
}

impl Store {
    /// Records an acknowledgement. Of several for one head and benchmark, the last one given counts.
    ///
    /// # Errors
    /// Those of [`Store::record`]; a malformed acknowledgement, or one whose versions are not commit ids.
    pub fn record_acknowledgement(&self, given: &Acknowledgement) -> Result<(), StoreError> {
        let key = AcknowledgementKey::of(given)
            .ok_or_else(|| self.write_error("the acknowledgement has no valid versions"))?;
        let json = given.encoded();
        check_size(&format!("the acknowledgement for {}", key.head), json.len(), LIMIT)?;
        self.update("recording an acknowledgement", |state| {
            let path = key.path();
            if let Some(state) = state {
                let known = self
                    .entries::<Acknowledgement>(&state.tree)?
                    .into_iter()
                    .flatten()
                    .find(|entry| entry.key == key);
                let known = known.map(|entry| self.read_entry::<Acknowledgement>(&entry));
                match known {
                    Some(Err(finding)) => {
                        return Err(self.unreadable(format!("`{path}`: {}", finding.why)));
                    }
                    Some(Ok(known)) if precedence(&known) >= precedence(given) => return Ok(None),
                    Some(Ok(_)) | None => {}
                }
            }
            let files = BTreeMap::from([(path, self.write_blob(&json)?)]);
            Ok(Some(StoreChange {
                tree: self.tree_with(state.map(|state| &state.tree), &files)?,
                message: format!("Accepted in {}: {}", key.pull, key.head.short()),
                time: given.at.max(0),
                parent: StoreParent::State,
            }))
        })
    }

    /// Acknowledgements of a pull request. An unreadable one is set aside and reported.
    ///
    /// # Errors
    /// Those of [`Store::samples`].
    pub fn acknowledgements(&self, pull: u64) -> Result<StoredAcknowledgements, StoreError> {
        let Some(state) = self.state("listing acknowledgements")? else {
            return Ok(StoredAcknowledgements::default());
        };
        let mut found = StoredAcknowledgements::default();
        let folder = format!("{FOLDER}/{pull}/");
        for entry in self.entries::<Acknowledgement>(&state.tree)? {
            match entry {
                Ok(entry) if entry.key.pull != pull => {}
                Ok(entry) => match self.read_entry(&entry) {
                    Ok(known) => found.acknowledgements.push(known),
                    Err(finding) => found.set_aside.push(finding),
                },
                Err(finding) if finding.path.starts_with(&folder) => found.set_aside.push(finding),
                Err(_) => {}
            }
        }
        Ok(found)
    }
}

impl Store {
    /// Acknowledgements of all pull requests. An unreadable one is set aside and reported.
    ///
    /// # Errors
    /// Those of [`Store::samples`].
    pub fn all_acknowledgements(&self) -> Result<StoredAcknowledgements, StoreError> {
        let Some(state) = self.state("listing acknowledgements")? else {
            return Ok(StoredAcknowledgements::default());
        };
        let mut found = StoredAcknowledgements::default();
        for entry in self.read_entries(&state.tree)? {
            match entry {
                Ok(given) => found.acknowledgements.push(given),
                Err(finding) => found.set_aside.push(finding),
            }
        }
        Ok(found)
    }
}

impl StoredFile for Acknowledgement {
    type Key = AcknowledgementKey;

    const FOLDER: &'static str = FOLDER;
    const LIMIT: u64 = LIMIT;
    const PROBLEM: StoreProblem = StoreProblem::Acknowledgement;
    const NAME: &'static str = "an acknowledgement";

    fn parse_key(folder: &str, file: &str) -> Option<AcknowledgementKey> {
        AcknowledgementKey::parse(folder, file)
    }

    fn path(key: &AcknowledgementKey) -> String {
        key.path()
    }

    fn check_key(&self, key: &AcknowledgementKey) -> Result<(), String> {
        if AcknowledgementKey::of(self).as_ref() != Some(key) {
            return Err(format!(
                "it does not follow {ACKNOWLEDGEMENT_SCHEMA}, or belongs to another benchmark, version or pull request"
            ));
        }
        Ok(())
    }

    fn joined(self, other: Self) -> Self {
        std::cmp::max_by_key(self, other, precedence)
    }
}

/// Order of two acknowledgements: the later one counts; ties are broken arbitrarily, but everywhere in the same way.
fn precedence(known: &Acknowledgement) -> (i64, Vec<u8>) {
    (known.at, known.encoded())
}

/// Head, pull request and benchmark of an acknowledgement: its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AcknowledgementKey {
    pull: u64,
    head: CommitId,
    benchmark: [u8; DIGEST],
}

impl AcknowledgementKey {
    /// `None` unless it is an acknowledgement of a pull request and two versions.
    fn of(known: &Acknowledgement) -> Option<Self> {
        if known.schema != ACKNOWLEDGEMENT_SCHEMA || known.at < 0 {
            return None;
        }
        CommitId::from_str(&known.base).ok()?;
        let mut benchmark = [0; DIGEST];
        benchmark.copy_from_slice(&blake3::hash(known.benchmark.as_bytes()).as_bytes()[..DIGEST]);
        Some(Self {
            pull: known.pull,
            head: CommitId::from_str(&known.head).ok()?,
            benchmark,
        })
    }

    fn parse(folder: &str, file: &str) -> Option<Self> {
        let (head, digest) = file.strip_suffix(".json")?.split_once('-')?;
        if digest.len() != 2 * DIGEST || !digest.is_ascii() {
            return None;
        }
        let mut benchmark = [0; DIGEST];
        for (byte, digits) in benchmark.iter_mut().zip(digest.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        let key = Self {
            pull: folder.parse().ok()?,
            head: CommitId::from_str(head).ok()?,
            benchmark,
        };
        // One spelling only, for numbers and for digits.
        (key.path() == format!("{FOLDER}/{folder}/{file}")).then_some(key)
    }

    pub(super) fn path(&self) -> String {
        let digest: String = self.benchmark.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{FOLDER}/{}/{}-{digest}.json", self.pull, self.head)
    }
}
