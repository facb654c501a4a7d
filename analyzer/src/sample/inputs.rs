//! The recorded inputs of a sample's benchmarks: what each was compiled from, and what it opened while it ran.

use std::collections::BTreeMap;
use std::sync::Arc;

use profile::inputs::{CompilationUnit, InputRecord};

/// Recorded inputs, by benchmark. A benchmark of an older sample has none.
#[derive(Debug, Clone, Default)]
pub struct SampleInputs(BTreeMap<String, Arc<InputRecord>>);

impl SampleInputs {
    /// The records of benchmarks, by name.
    #[must_use]
    pub fn new(records: BTreeMap<String, Arc<InputRecord>>) -> Self {
        Self(records)
    }

    /// The record of a benchmark.
    #[must_use]
    pub fn of(&self, benchmark: &str) -> Option<&InputRecord> {
        self.0.get(benchmark).map(AsRef::as_ref)
    }

    /// False if it is known that the build of a benchmark left no record. A sample without any record is from a time when none
    /// was taken.
    #[must_use]
    pub fn records_a_build_of(&self, benchmark: &str) -> bool {
        let has_units = |record: &InputRecord| record.compiled.is_complete || !record.compiled.units.is_empty();
        self.is_empty() || self.of(benchmark).is_some_and(has_units)
    }

    /// True if there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each benchmark with its record, by name.
    pub fn records(&self) -> impl Iterator<Item = (&str, &InputRecord)> {
        self.0.iter().map(|(name, record)| (name.as_str(), record.as_ref()))
    }

    /// The compilation units of all benchmarks; those of several benchmarks come several times.
    pub fn units(&self) -> impl Iterator<Item = &CompilationUnit> {
        self.records().flat_map(|(_, record)| &record.compiled.units)
    }
}
