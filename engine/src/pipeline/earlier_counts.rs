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

    /// Adds counts of a version, if it leads to the base. Counts of two programs are never mixed: those of a known one stay.
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
        let known = of_benchmark.entry(version).or_default();
        if known.program.is_none() && program.is_some() {
            *known = CountsOfVersion {
                counts: BTreeMap::new(),
                program: program.cloned(),
            };
        }
        if known.program.as_ref() == program {
            known.counts.extend(counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTRUCTIONS: [Metric; 1] = [Metric::Instructions];

    fn program(dependencies: &str) -> ProgramIdentity {
        ProgramIdentity {
            dependencies: dependencies.to_owned(),
            code: None,
        }
    }

    fn known(added: &[(Option<&ProgramIdentity>, Metric, f64)]) -> CountsOfVersion {
        let mut known = EarlierCounts::default();
        for &(program, metric, count) in added {
            known.add("parse", ("a", Some(&0)), program, [(metric, count)]);
        }
        let (_, counts) = known.newest("parse", &INSTRUCTIONS).expect("it was added");
        counts.clone()
    }

    #[test]
    fn counts_of_a_known_program_replace_those_of_an_unknown_one_in_either_order() {
        let one = program("1");
        let (of_known, of_unknown) = (
            (Some(&one), Metric::Instructions, 5.0),
            (None, Metric::Instructions, 7.0),
        );
        for added in [[of_known, of_unknown], [of_unknown, of_known]] {
            let known = known(&added);
            assert_eq!(known.program.as_ref(), Some(&one));
            assert_eq!(known.counts[&Metric::Instructions].to_bits(), 5f64.to_bits());
        }
    }

    #[test]
    fn counts_of_two_programs_are_not_mixed_and_those_of_one_are() {
        let (one, two) = (program("1"), program("2"));
        let (counted, memory) = (Metric::Instructions, Metric::Allocations);
        assert_eq!(
            known(&[(Some(&one), counted, 5.0), (Some(&two), memory, 7.0)])
                .counts
                .len(),
            1
        );
        assert_eq!(
            known(&[(Some(&one), counted, 5.0), (Some(&one), memory, 7.0)])
                .counts
                .len(),
            2
        );
    }
}
