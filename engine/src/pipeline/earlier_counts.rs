//! Stored samples and verdicts → the counts of versions before the head: what each benchmark cost when it was measured
//! last.
//!
//! Only measurements of the same environment are comparable.

use std::collections::BTreeMap;

use runner::git::{CommitId, Repository};
use runner::store::{Environment, SampleOutcome, SampleRecord, Store};
use verdict::{EarlierVersion, Metric, ProgramIdentity, VerdictReport};

use super::verdict_history::counted_versions;
use crate::error::EngineError;

/// Versions before the base among which measurements are looked for. What lies further back says little about the base,
/// and to score the way from there takes time.
const LINE: usize = 500;

/// One benchmark as it was measured at one version.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CountsOfVersion {
    pub(super) counts: BTreeMap<Metric, f64>,
    /// The program that was counted, as far as it is known.
    pub(super) program: Option<ProgramIdentity>,
}

/// The counts of versions that lead to the base, by benchmark; newest first.
#[derive(Debug, Default)]
pub(super) struct EarlierCounts(BTreeMap<String, BTreeMap<EarlierVersion, CountsOfVersion>>);

impl EarlierCounts {
    /// Reads the counts that the store holds of the base and the versions that lead to it, along first parents.
    pub(super) fn read(
        repository: &Repository,
        store: &Store,
        base: CommitId,
        environment: &Environment,
    ) -> Result<Self, EngineError> {
        let mut known = Self::default();
        let reports = store.verdicts()?.verdicts;
        let samples = store.samples()?.samples;
        let reports = (reports.iter()).filter(|report| report.environment == environment.0);
        let samples = (samples.iter()).filter(|sample| sample.environment == *environment);
        let line = repository.first_parents(base, LINE)?.commits;
        let ages: BTreeMap<String, u32> = (line.iter().rev().zip(0..))
            .map(|(commit, age)| (commit.to_string(), age))
            .collect();
        reports.for_each(|report| known.add_verdict(report, &ages));
        samples.for_each(|sample| known.add_sample(sample, &ages));
        Ok(known)
    }

    /// The newest version at which all of these metrics of a benchmark were counted, with its counts.
    pub(super) fn newest(&self, benchmark: &str, metrics: &[Metric]) -> Option<(&EarlierVersion, &CountsOfVersion)> {
        let versions = self.0.get(benchmark)?;
        (versions.iter()).find(|(_, counts)| metrics.iter().all(|metric| counts.counts.contains_key(metric)))
    }

    fn add_verdict(&mut self, report: &VerdictReport, ages: &BTreeMap<String, u32>) {
        for entry in report.benchmarks.iter().filter(|entry| entry.metric.is_counted()) {
            let programs = report.programs.get(&entry.name);
            for (version, count, _) in counted_versions(report, entry) {
                let program = programs.and_then(|programs| match version {
                    version if version == report.head => programs.head.as_ref(),
                    version if version == report.base => programs.base.as_ref(),
                    _ => None,
                });
                self.add(
                    &entry.name,
                    (version, ages.get(version)),
                    program,
                    [(entry.metric, count)],
                );
            }
        }
    }

    fn add_sample(&mut self, sample: &SampleRecord, ages: &BTreeMap<String, u32>) {
        let version = sample.commit.to_string();
        for (benchmark, outcome) in &sample.benchmarks {
            let SampleOutcome::Profiled {
                total, heap, program, ..
            } = outcome
            else {
                continue;
            };
            let of_heap = heap.iter().flat_map(|heap| {
                let peak = heap.peak.map(|peak| (Metric::PeakBytes, peak));
                [(Metric::AllocatedBytes, heap.bytes), (Metric::Allocations, heap.blocks)]
                    .into_iter()
                    .chain(peak)
            });
            let counts = std::iter::once((Metric::Instructions, *total)).chain(of_heap);
            let counts = counts.map(|(metric, count)| (metric, count as f64));
            self.add(benchmark, (&version, ages.get(&version)), program.as_ref(), counts);
        }
    }

    /// Adds counts of a version, if it leads to the base. Counts of two programs are never mixed: the first ones stay.
    fn add(
        &mut self,
        benchmark: &str,
        (commit, age): (&str, Option<&u32>),
        program: Option<&ProgramIdentity>,
        counts: impl IntoIterator<Item = (Metric, f64)>,
    ) {
        let Some(&versions) = age else { return };
        let version = EarlierVersion {
            versions,
            commit: commit.to_owned(),
        };
        let of_benchmark = self.0.entry(benchmark.to_owned()).or_default();
        let known = of_benchmark.entry(version).or_insert_with(|| CountsOfVersion {
            counts: BTreeMap::new(),
            program: program.cloned(),
        });
        if known.program.as_ref() == program {
            known.counts.extend(counts);
        }
    }
}
