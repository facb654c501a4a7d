//! Verdicts → files of the store beside the samples, and back: measurement results of a pair of versions in one
//! environment. How well counts repeat, the older version that slow creep is held against, and the audit of skipped
//! versions are read from them.

use std::collections::BTreeMap;
use std::str::FromStr;

use verdict::{BenchmarkOutcome, SCHEMA, VerdictReport};

use super::entries::StoredFile;
use super::verify::{StoreFinding, StoreProblem};
use super::write::{StoreChange, StoreParent, check_size};
use super::{Environment, EnvironmentId, RECORD_LIMIT, Store, StoreError};
use crate::git::CommitId;

/// Folder in the store.
pub(super) const FOLDER: &str = "verdicts";

/// Every readable verdict, and the findings on the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredVerdicts {
    /// By head, base and environment.
    pub verdicts: Vec<VerdictReport>,
    /// Files that were set aside.
    pub set_aside: Vec<StoreFinding>,
}

impl Store {
    /// Records a verdict, replacing an earlier one on the same versions in the same environment.
    ///
    /// `committed_at` is the head's commit time, in seconds since 1970.
    ///
    /// # Errors
    /// Those of [`Store::record`]; versions that are not commit ids.
    pub fn record_verdict(&self, report: &VerdictReport, committed_at: i64) -> Result<(), StoreError> {
        let malformed = || self.write_error("the verdict has no valid versions");
        let key = VerdictKey::of(report).ok_or_else(malformed)?;
        let json = serde_json::to_vec_pretty(report).map_err(|error| self.write_error(&error.to_string()))?;
        check_size(&format!("the verdict on {}", key.head), json.len(), RECORD_LIMIT)?;
        self.update("recording a verdict", |state| {
            let files = BTreeMap::from([(key.path(), self.write_blob(&json)?)]);
            Ok(Some(StoreChange {
                tree: self.tree_with(state.map(|state| &state.tree), &files)?,
                message: format!("Verdict on {}", key.head.short()),
                time: committed_at,
                parent: StoreParent::State,
            }))
        })
    }

    /// All verdicts. An unreadable one is set aside and reported.
    ///
    /// # Errors
    /// Those of [`Store::samples`].
    pub fn verdicts(&self) -> Result<StoredVerdicts, StoreError> {
        let Some(state) = self.state("listing verdicts")? else {
            return Ok(StoredVerdicts::default());
        };
        let mut found = StoredVerdicts::default();
        for entry in self.read_entries(&state.tree)? {
            match entry {
                Ok(report) => found.verdicts.push(report),
                Err(finding) => found.set_aside.push(finding),
            }
        }
        Ok(found)
    }
}

impl StoredFile for VerdictReport {
    type Key = VerdictKey;

    const FOLDER: &'static str = FOLDER;
    const LIMIT: u64 = RECORD_LIMIT;
    const PROBLEM: StoreProblem = StoreProblem::Verdict;
    const NAME: &'static str = "a verdict";

    fn parse_key(folder: &str, file: &str) -> Option<VerdictKey> {
        VerdictKey::parse(folder, file)
    }

    fn path(key: &VerdictKey) -> String {
        key.path()
    }

    fn check_key(&self, key: &VerdictKey) -> Result<(), String> {
        if self.schema != SCHEMA {
            return Err(format!("it does not follow {SCHEMA}"));
        }
        if VerdictKey::of(self).as_ref() != Some(key) {
            return Err("it belongs to other versions or another environment".to_owned());
        }
        Ok(())
    }

    fn joined(self, other: Self) -> Self {
        std::cmp::max_by_key(self, other, precedence)
    }
}

/// Order of two verdicts on the same versions in the same environment: the one that decided more benchmarks, then the
/// one that tried more, then the one that counts in the audit; ties are broken arbitrarily, but everywhere in the same
/// way. A verdict contains no time, so the later one is unknown.
fn precedence(report: &VerdictReport) -> (usize, usize, bool, Vec<u8>) {
    let decided = report.benchmarks.iter().filter(|entry| {
        !matches!(
            entry.verdict,
            BenchmarkOutcome::Failed | BenchmarkOutcome::Inconclusive | BenchmarkOutcome::Skipped
        )
    });
    (
        decided.count(),
        report.benchmarks.len(),
        report.audited,
        report.encoded(),
    )
}

/// Versions and environment of a verdict: its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VerdictKey {
    head: CommitId,
    base: CommitId,
    environment: EnvironmentId,
}

impl VerdictKey {
    fn of(report: &VerdictReport) -> Option<Self> {
        Some(Self {
            head: CommitId::from_str(&report.head).ok()?,
            base: CommitId::from_str(&report.base).ok()?,
            environment: Environment(report.environment.clone()).id(),
        })
    }

    fn parse(folder: &str, file: &str) -> Option<Self> {
        let (base, environment) = file.strip_suffix(".json")?.split_once('-')?;
        let key = Self {
            head: CommitId::from_str(folder).ok()?,
            base: CommitId::from_str(base).ok()?,
            environment: EnvironmentId::from_str(environment).ok()?,
        };
        // One spelling only: `A` and `a` must not be two verdicts on one pair.
        (key.path() == format!("{FOLDER}/{folder}/{file}")).then_some(key)
    }

    pub(super) fn path(&self) -> String {
        format!("{FOLDER}/{}/{}-{}.json", self.head, self.base, self.environment)
    }
}
