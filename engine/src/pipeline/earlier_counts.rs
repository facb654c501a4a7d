//! Stored samples and verdicts → the counts of versions before the head: what each benchmark cost when it was measured
//! last.
//!
//! Only measurements of the same environment are comparable.

use std::collections::{BTreeMap, BTreeSet};

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

/// The counts of versions that lead to the base.
#[derive(Debug, Default)]
pub(super) struct EarlierCounts {
    /// By benchmark; newest first.
    known: BTreeMap<String, BTreeMap<EarlierVersion, CountsOfVersion>>,
    /// The words about a sample of another environment, if no sample is of this one.
    elsewhere: Option<String>,
}

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
        let (samples, others): (Vec<_>, Vec<_>) =
            (samples.iter()).partition(|sample| sample.environment == *environment);
        let line = repository.first_parents(base, LINE)?.commits;
        let ages: BTreeMap<String, u32> = (line.iter().rev().zip(0..))
            .map(|(commit, age)| (commit.to_string(), age))
            .collect();
        reports.for_each(|report| known.add_verdict(report, &ages));
        let newest = (others.iter())
            .filter_map(|sample| Some((ages.get(&sample.commit.to_string())?, sample)))
            .min_by_key(|(age, _)| *age);
        known.elsewhere = newest
            .filter(|_| {
                !samples
                    .iter()
                    .any(|sample| ages.contains_key(&sample.commit.to_string()))
            })
            .map(|(_, sample)| of_another_environment(sample, environment));
        samples.into_iter().for_each(|sample| known.add_sample(sample, &ages));
        Ok(known)
    }

    /// The words to tell where the store has samples, but none whose counts are comparable.
    pub(super) fn elsewhere(&self) -> Option<&str> {
        self.elsewhere.as_deref()
    }

    /// The newest version at which all of these metrics of a benchmark were counted, with its counts.
    pub(super) fn newest(&self, benchmark: &str, metrics: &[Metric]) -> Option<(&EarlierVersion, &CountsOfVersion)> {
        let versions = self.known.get(benchmark)?;
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
        let of_benchmark = self.known.entry(benchmark.to_owned()).or_default();
        let known = of_benchmark.entry(version).or_default();
        if known.program.is_none() && program.is_some() {
            *known = CountsOfVersion {
                counts: BTreeMap::new(),
                program: program.cloned(),
            };
        }
        match (&mut known.program, program) {
            (Some(known), Some(program)) if known.is_program_of(program) => {
                known.executed = known.executed.take().or_else(|| program.executed.clone());
            }
            (None, None) => {}
            (Some(_), _) | (None, Some(_)) => return,
        }
        known.counts.extend(counts);
    }
}

/// Says that a sample's counts are not comparable, and in which facts its environment is another one.
fn of_another_environment(sample: &SampleRecord, environment: &Environment) -> String {
    let (there, here) = (&sample.environment.0, &environment.0);
    let names: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
    let different: Vec<&str> = (names.into_iter())
        .filter(|name| there.get(*name) != here.get(*name))
        .map(String::as_str)
        .collect();
    format!(
        "the store's counts, as those of {}, are of another environment ({}): they stand for nothing here; its profiles \
         serve the score all the same",
        sample.commit.short(),
        different.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use super::*;

    const INSTRUCTIONS: [Metric; 1] = [Metric::Instructions];

    fn program(dependencies: &str) -> ProgramIdentity {
        ProgramIdentity {
            dependencies: dependencies.to_owned(),
            code: None,
            executed: None,
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

    #[test]
    fn a_sample_under_a_processors_name_is_said_to_be_of_another_environment() {
        let facts = |pairs: &[(&str, &str)]| {
            let owned = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Environment(owned.collect())
        };
        let commit = CommitId::from_str(&"a".repeat(40)).expect("forty digits");
        let old = SampleRecord::new(commit, 0, facts(&[("compiler", "rustc 1"), ("processor", "EPYC")]));
        let here = facts(&[
            ("compiler", "rustc 1"),
            ("loaded files", "libc 1"),
            ("presented processor", "AVX2 1"),
        ]);
        assert_ne!(old.environment.id(), here.id());
        let said = of_another_environment(&old, &here);
        assert!(
            said.contains("(loaded files, presented processor, processor)") && said.contains("aaaaaaaaaa"),
            "{said}"
        );
    }
}
