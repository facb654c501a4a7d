//! Measurements that a job made in which a pull request's code ran → entries of a verdict whose score is our own.
//!
//! Such a job can't be believed: what it left is data that is bounded and checked, and what the score wants to know and the
//! job does not tell is inconclusive, never unchanged.

use std::collections::{BTreeMap, BTreeSet};

use verdict::{BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName, SCHEMA, VerdictReport};

use super::GateRequest;
use super::candidate::BenchmarkCandidate;
use super::reachability::ChangeReachability;
use super::selection::SelectedBenchmarks;
use super::source::SourceStageResult;

/// More benchmarks, in all metrics, than anybody has.
const ENTRIES: usize = 20_000;

/// Bytes of a name or a sentence. Names of benchmarks are file names at many places, and these end at 255.
const TEXT: usize = 4_096;

/// What another job left.
#[derive(Debug, Clone, PartialEq)]
pub enum ExternalMeasurements {
    /// A verdict.
    Report(Box<VerdictReport>),
    /// Nothing that can be used, with the reason in one clause.
    Nothing(String),
}

/// What is taken of it.
#[derive(Debug, Default)]
pub(super) struct UsableMeasurements {
    pub(super) entries: Vec<BenchmarkVerdict>,
    /// The measuring stages.
    pub(super) stages: Vec<CascadeStage>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) seconds: f64,
    /// Why nothing is known, though something was to be measured.
    pub(super) missing: Option<String>,
}

/// Takes what can be used. Entries of benchmarks that the score wants measured are complete afterwards.
pub(super) fn usable_measurements(
    source: &SourceStageResult,
    question: &GateRequest<'_>,
    elsewhere: ExternalMeasurements,
) -> UsableMeasurements {
    let (report, refused) = match elsewhere {
        ExternalMeasurements::Nothing(why) => (None, Some(why)),
        ExternalMeasurements::Report(report) => match usable(&report, question) {
            Ok(()) => (Some(*report), None),
            Err(why) => (None, Some(why)),
        },
    };
    let mut taken = report.map(|report| of_report(report, source)).unwrap_or_default();
    let told: BTreeSet<&str> = (taken.entries.iter()).map(|entry| entry.name.as_str()).collect();
    let why = refused.unwrap_or_else(|| String::from("the job that measures did not tell of it"));
    let untold = untold(source, &told, &why);
    // Without a sample nobody knows the benchmarks by name: then there is no entry to say it.
    let nothing = told.is_empty() && source.selection.run != SelectedBenchmarks::Nothing;
    taken.missing = nothing.then_some(why);
    taken.entries.extend(untold);
    taken
}

/// What was measured. What the job skipped is for our own score to say.
fn of_report(report: VerdictReport, source: &SourceStageResult) -> UsableMeasurements {
    let measured = (report.benchmarks.into_iter()).filter(|entry| entry.verdict != BenchmarkOutcome::Skipped);
    UsableMeasurements {
        entries: measured.map(|entry| reached(entry, source)).collect(),
        stages: (report.stages.into_iter())
            .filter(|stage| stage.name > CascadeStageName::Source)
            .collect(),
        environment: report.environment,
        seconds: report.cost_seconds,
        missing: None,
    }
}

/// The entry with what our score says of it; what only machine code tells is left as the job had it.
fn reached(entry: BenchmarkVerdict, source: &SourceStageResult) -> BenchmarkVerdict {
    let BenchmarkCandidate { probability, reach, .. } = source.candidate(&entry.name);
    let ours = match reach {
        ChangeReachability {
            reachable: Some(true), ..
        } => Some(reach),
        _ if entry.reachable.is_none() => Some(reach),
        _ => None,
    };
    match ours {
        Some(reach) => BenchmarkVerdict {
            probability,
            reachable: reach.reachable,
            evidence: Some(reach.evidence),
            ..entry
        },
        None => BenchmarkVerdict { probability, ..entry },
    }
}

/// Entries for what is to be measured and was not told of.
fn untold(source: &SourceStageResult, told: &BTreeSet<&str>, why: &str) -> Vec<BenchmarkVerdict> {
    (source.score.benchmarks.iter())
        .map(|benchmark| benchmark.name.as_str())
        .filter(|name| source.selection.takes(name) && !told.contains(name))
        .map(|name| source.candidate(name).entry(BenchmarkOutcome::Inconclusive, why))
        .collect()
}

/// Whether a verdict is one on these versions that can be shown and reckoned with.
fn usable(report: &VerdictReport, question: &GateRequest<'_>) -> Result<(), String> {
    if report.schema != SCHEMA {
        return Err(format!("what the job left does not follow {SCHEMA}"));
    }
    let ours = [question.base, question.head].map(|commit| commit.to_string());
    if [&report.base, &report.head] != [&ours[0], &ours[1]] {
        return Err(String::from("the job measured other versions"));
    }
    if report.benchmarks.len() > ENTRIES || report.stages.len() > ENTRIES {
        return Err(format!("the job left more than {ENTRIES} results"));
    }
    let texts = (report.benchmarks.iter())
        .flat_map(|entry| {
            let evidence = entry.evidence.as_ref();
            [&entry.name, &entry.tool, &entry.reason].into_iter().chain(evidence)
        })
        .chain(report.environment.iter().flat_map(|(name, value)| [name, value]));
    if texts.into_iter().any(|text| text.len() > TEXT) {
        return Err(format!("the job left a text of more than {TEXT} bytes"));
    }
    let amounts = (report.benchmarks.iter())
        .flat_map(|entry| [entry.base, entry.head].into_iter().flatten())
        .chain(report.stages.iter().map(|stage| stage.seconds))
        .chain([report.cost_seconds]);
    let changes =
        (report.benchmarks.iter()).flat_map(|entry| [entry.change, entry.low, entry.high].into_iter().flatten());
    let possible = |amount: f64| amount.is_finite() && amount >= 0.0;
    if !amounts.into_iter().all(possible) || !changes.into_iter().all(|change| possible(change + 1.0)) {
        return Err(String::from("the job left numbers that nothing can have"));
    }
    Ok(())
}

/// Entries of benchmarks that the score rules out and nobody measured all the same.
pub(super) fn skipped_entries(source: &SourceStageResult, taken: &UsableMeasurements) -> Vec<BenchmarkVerdict> {
    let measured: BTreeSet<&str> = (taken.entries.iter()).map(|entry| entry.name.as_str()).collect();
    (source.skipped_entries().into_iter())
        .filter(|entry| !measured.contains(entry.name.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use runner::git::CommitId;
    use verdict::Metric;
    use verdict::{MetricFinding, Verdict};

    use super::*;
    use crate::pipeline::{GateThoroughness, SelectionRequest};

    fn question() -> GateRequest<'static> {
        GateRequest {
            base: CommitId([1; 20]),
            head: CommitId([2; 20]),
            which: SelectionRequest::Flagged { audit: 0.0 },
            metrics: &[],
            budget: std::time::Duration::ZERO,
            fresh: false,
            thoroughness: GateThoroughness::Gate,
        }
    }

    fn report() -> VerdictReport {
        let question = question();
        let mut entry = MetricFinding::unmeasured(Metric::Instructions, BenchmarkOutcome::Regression, "slower")
            .into_entry("parse", "callgrind");
        entry.base = Some(100.0);
        entry.head = Some(110.0);
        entry.change = Some(0.1);
        VerdictReport {
            schema: SCHEMA.to_owned(),
            base: question.base.to_string(),
            head: question.head.to_string(),
            verdict: Verdict::Regression,
            reason: String::new(),
            benchmarks: vec![entry],
            stages: Vec::new(),
            audited: false,
            audit: None,
            environment: BTreeMap::new(),
            cost_seconds: 1.0,
        }
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut VerdictReport), why: &str) {
        let mut report = report();
        assert_eq!(usable(&report, &question()), Ok(()));
        change(&mut report);
        let refusal = usable(&report, &question()).unwrap_err();
        assert!(refusal.contains(why), "{refusal}");
    }

    #[test]
    fn what_a_job_left_is_refused_if_it_is_about_something_else() {
        refused(|report| report.schema = String::from("lito.verdict/9"), "follow");
        refused(|report| report.head = report.base.clone(), "other versions");
        refused(|report| report.base = String::new(), "other versions");
    }

    #[test]
    fn what_a_job_left_is_refused_if_it_is_more_than_anybody_has() {
        let many = |report: &mut VerdictReport| {
            let entry = report.benchmarks[0].clone();
            report.benchmarks = vec![entry; ENTRIES + 1];
        };
        refused(many, "results");
        refused(|report| report.benchmarks[0].name = "x".repeat(TEXT + 1), "text");
        let wordy = |report: &mut VerdictReport| {
            let value = "x".repeat(TEXT + 1);
            report.environment.insert(String::from("compiler"), value);
        };
        refused(wordy, "text");
    }

    #[test]
    fn numbers_that_nothing_can_have_are_refused() {
        for impossible in [f64::NAN, f64::INFINITY, -1.0] {
            refused(|report| report.benchmarks[0].base = Some(impossible), "numbers");
            refused(|report| report.cost_seconds = impossible, "numbers");
        }
        for impossible in [f64::NAN, f64::NEG_INFINITY, -1.5] {
            refused(|report| report.benchmarks[0].low = Some(impossible), "numbers");
        }
    }
}
