//! Measurements of a job that ran a pull request's code → entries of a verdict whose score is our own.
//!
//! Such a job can't be trusted: its artifact is data that is bounded and checked. A benchmark that the score selects and
//! the job does not report is inconclusive, never unchanged.

use std::collections::{BTreeMap, BTreeSet};

use verdict::{
    BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName, MissingMeasurements, ReachabilityEvidence,
    SCHEMA, UnmeasuredReason, VerdictReport,
};

use super::GateRequest;
use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::selection::SelectedBenchmarks;
use super::source::SourceStageResult;

/// Results allowed: more than any project has, in all metrics.
const ENTRIES: usize = 20_000;

/// Bytes of a name or a sentence. Names of benchmarks are often file names, which end at 255.
const TEXT: usize = 4_096;

/// The delivery of another job.
#[derive(Debug, Clone, PartialEq)]
pub enum ExternalMeasurements {
    /// A verdict.
    Report(Box<VerdictReport>),
    /// Nothing usable, with the reason.
    Nothing(MissingMeasurements),
}

/// The usable part of a delivery.
#[derive(Debug, Default)]
pub(super) struct UsableMeasurements {
    /// Entries of measured benchmarks.
    pub(super) entries: Vec<ExternalEntry>,
    /// Findings of selected benchmarks that the job does not report.
    pub(super) missing_benchmarks: Vec<BenchmarkFinding>,
    /// The measuring stages.
    pub(super) stages: Vec<CascadeStage>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) seconds: f64,
    /// The reason, where benchmarks were selected and nothing was delivered.
    pub(super) nothing_delivered: Option<MissingMeasurements>,
}

/// Another job's entry, with our own prediction.
#[derive(Debug)]
pub(super) struct ExternalEntry {
    /// The entry as the job left it.
    pub(super) entry: BenchmarkVerdict,
    /// Our predicted probability.
    pub(super) probability: Option<f64>,
    /// Our evidence, where it replaces the job's.
    pub(super) reach: Option<ReachabilityEvidence>,
}

/// Takes the usable part, and adds a finding for every selected benchmark that is missing from it.
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
    let reported = benchmark_names(&taken.entries);
    let why = refused.unwrap_or(MissingMeasurements::NotReported);
    // Without a sample the names of the benchmarks are unknown: no entry can carry the reason.
    let nothing = reported.is_empty() && source.selection.run != SelectedBenchmarks::Nothing;
    taken.missing_benchmarks = missing_benchmarks(source, &reported, &why);
    taken.nothing_delivered = nothing.then_some(why);
    taken
}

/// The benchmarks that entries are of. Those of programs and builds are of none, whatever their name.
fn benchmark_names(entries: &[ExternalEntry]) -> BTreeSet<&str> {
    (entries.iter())
        .filter(|external| external.entry.metric.is_of_benchmark())
        .map(|external| external.entry.name.as_str())
        .collect()
}

/// The measured entries. Benchmarks that the job skipped are left to our own score.
fn of_report(report: VerdictReport, source: &SourceStageResult) -> UsableMeasurements {
    let measured = (report.benchmarks.into_iter()).filter(|entry| entry.verdict != BenchmarkOutcome::Skipped);
    UsableMeasurements {
        entries: measured.map(|entry| with_prediction(entry, source)).collect(),
        stages: (report.stages.into_iter())
            .filter(|stage| stage.name > CascadeStageName::Source)
            .collect(),
        environment: report.environment,
        seconds: report.cost_seconds,
        ..UsableMeasurements::default()
    }
}

/// The entry with our own prediction. Evidence from machine code, which only the job has, stays.
fn with_prediction(entry: BenchmarkVerdict, source: &SourceStageResult) -> ExternalEntry {
    if !entry.metric.is_of_benchmark() {
        return ExternalEntry {
            entry,
            probability: None,
            reach: None,
        };
    }
    let BenchmarkCandidate { probability, reach, .. } = source.candidate(&entry.name);
    let replaces = reach.reachable() == Some(true) || entry.reachable.is_none();
    ExternalEntry {
        entry,
        probability,
        reach: replaces.then_some(reach),
    }
}

/// Findings of benchmarks that are selected and not reported.
fn missing_benchmarks(
    source: &SourceStageResult,
    reported: &BTreeSet<&str>,
    why: &MissingMeasurements,
) -> Vec<BenchmarkFinding> {
    (source.score.benchmarks.iter())
        .map(|benchmark| benchmark.name.as_str())
        .filter(|name| source.selection.takes(name) && !reported.contains(name))
        .map(|name| {
            let reason = UnmeasuredReason::NotDelivered(why.clone());
            source
                .candidate(name)
                .unmeasured(BenchmarkOutcome::Inconclusive, reason)
        })
        .collect()
}

/// Checks that a verdict is about these versions, and within the limits.
fn usable(report: &VerdictReport, question: &GateRequest<'_>) -> Result<(), MissingMeasurements> {
    if report.schema != SCHEMA {
        return Err(MissingMeasurements::OtherSchema);
    }
    let ours = [question.base, question.head].map(|commit| commit.to_string());
    if [&report.base, &report.head] != [&ours[0], &ours[1]] {
        return Err(MissingMeasurements::OtherVersions);
    }
    if report.benchmarks.len() > ENTRIES || report.stages.len() > ENTRIES {
        return Err(MissingMeasurements::TooManyResults { limit: ENTRIES });
    }
    let texts = (report.benchmarks.iter())
        .flat_map(|entry| {
            let evidence = entry.evidence.as_ref();
            [&entry.name, &entry.tool, &entry.reason].into_iter().chain(evidence)
        })
        .chain(report.environment.iter().flat_map(|(name, value)| [name, value]));
    if texts.into_iter().any(|text| text.len() > TEXT) {
        return Err(MissingMeasurements::TextTooLong { limit: TEXT });
    }
    let amounts = (report.benchmarks.iter())
        .flat_map(|entry| [entry.base, entry.head].into_iter().flatten())
        .chain(report.stages.iter().map(|stage| stage.seconds))
        .chain([report.cost_seconds]);
    let changes =
        (report.benchmarks.iter()).flat_map(|entry| [entry.change, entry.low, entry.high].into_iter().flatten());
    let possible = |amount: f64| amount.is_finite() && amount >= 0.0;
    if !amounts.into_iter().all(possible) || !changes.into_iter().all(|change| possible(change + 1.0)) {
        return Err(MissingMeasurements::ImpossibleNumbers);
    }
    Ok(())
}

/// Findings of benchmarks that the score rules out and the job did not measure anyway.
pub(super) fn skipped(source: &SourceStageResult, taken: &UsableMeasurements) -> Vec<BenchmarkFinding> {
    let measured = benchmark_names(&taken.entries);
    (source.skipped().into_iter())
        .filter(|finding| !measured.contains(finding.candidate.name.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use runner::git::CommitId;
    use verdict::Metric;
    use verdict::Verdict;

    use super::*;
    use crate::pipeline::{GateReuse, GateThoroughness, SelectionRequest};
    use crate::skipping_audit::AuditDraw;

    fn question() -> GateRequest<'static> {
        GateRequest {
            base: CommitId([1; 20]),
            head: CommitId([2; 20]),
            which: SelectionRequest::Flagged { audit: AuditDraw::NONE },
            claims: &[],
            metrics: &[],
            budget: std::time::Duration::ZERO,
            draft: false,
            reuse: GateReuse::Everything,
            thoroughness: GateThoroughness::Gate,
        }
    }

    fn report() -> VerdictReport {
        let question = question();
        let mut entry = BenchmarkVerdict::without_values("parse", Metric::Instructions, BenchmarkOutcome::Regression);
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
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 1.0,
            spent: None,
        }
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut VerdictReport), why: &MissingMeasurements) {
        let mut report = report();
        assert_eq!(usable(&report, &question()), Ok(()));
        change(&mut report);
        assert_eq!(usable(&report, &question()).as_ref(), Err(why));
    }

    #[test]
    fn what_a_job_left_is_refused_if_it_is_about_something_else() {
        refused(
            |report| report.schema = String::from("lito.verdict/9"),
            &MissingMeasurements::OtherSchema,
        );
        refused(
            |report| report.head = report.base.clone(),
            &MissingMeasurements::OtherVersions,
        );
        refused(
            |report| report.base = String::new(),
            &MissingMeasurements::OtherVersions,
        );
    }

    #[test]
    fn what_a_job_left_is_refused_if_it_is_more_than_anybody_has() {
        let many = |report: &mut VerdictReport| {
            let entry = report.benchmarks[0].clone();
            report.benchmarks = vec![entry; ENTRIES + 1];
        };
        refused(many, &MissingMeasurements::TooManyResults { limit: ENTRIES });
        refused(
            |report| report.benchmarks[0].name = "x".repeat(TEXT + 1),
            &MissingMeasurements::TextTooLong { limit: TEXT },
        );
        let wordy = |report: &mut VerdictReport| {
            let value = "x".repeat(TEXT + 1);
            report.environment.insert(String::from("compiler"), value);
        };
        refused(wordy, &MissingMeasurements::TextTooLong { limit: TEXT });
    }

    #[test]
    fn numbers_that_nothing_can_have_are_refused() {
        for impossible in [f64::NAN, f64::INFINITY, -1.0] {
            refused(
                |report| report.benchmarks[0].base = Some(impossible),
                &MissingMeasurements::ImpossibleNumbers,
            );
            refused(
                |report| report.cost_seconds = impossible,
                &MissingMeasurements::ImpossibleNumbers,
            );
        }
        for impossible in [f64::NAN, f64::NEG_INFINITY, -1.5] {
            refused(
                |report| report.benchmarks[0].low = Some(impossible),
                &MissingMeasurements::ImpossibleNumbers,
            );
        }
    }
}
