//! Values that a job measured while it ran a pull request's code → findings of our own.
//!
//! Such a job can't be trusted: its artifact is data that is bounded and checked, and holds values only. Which benchmarks and
//! metrics are required, what decides and from where on follows from the score and the settings of the base. What is
//! required and missing is inconclusive, never unchanged.

mod delivery_check;

use std::collections::{BTreeMap, BTreeSet};

use runner::store::{Environment, SampleOutcome};
use verdict::counts::{CountedRuns, judge};
use verdict::{
    BenchmarkMeasurement, BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName, FindingReason,
    JobMeasurements, MeasurementRound, Metric, MetricFinding, MissingMeasurements, ReportedValues, UnmeasuredReason,
    byproducts, wall_time,
};

use super::byproducts::in_words;
use super::candidate::BenchmarkFinding;
use super::judging_criteria::JudgingCriteria;
use super::selection::SelectedBenchmarks;
use super::source::SourceStageResult;
use super::{GateContext, GateRequest};
use crate::error::EngineError;
use crate::sample_loader::SampleLoader;
use crate::settings::GateMetric;
use delivery_check::usable;

/// The name of a finding about the sizes of programs, none of which is reported.
const PROGRAMS: &str = "programs";

/// The delivery of another job.
#[derive(Debug, Clone, PartialEq)]
pub enum ExternalMeasurements {
    /// Values.
    Values(Box<JobMeasurements>),
    /// Nothing usable, with the reason.
    Nothing(MissingMeasurements),
}

/// A delivery, judged.
#[derive(Debug, Default)]
pub(super) struct ExternalFindings {
    /// Findings of what was measured, and of what is required and missing.
    pub(super) findings: Vec<BenchmarkFinding>,
    /// Entries of programs and builds, which are no benchmarks.
    pub(super) entries: Vec<BenchmarkVerdict>,
    /// The names of the benchmarks that the job tells of.
    pub(super) reported: BTreeSet<String>,
    /// The measuring stages.
    pub(super) stages: Vec<CascadeStage>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) seconds: f64,
    /// The reason, where benchmarks were selected and nothing was delivered.
    pub(super) nothing_delivered: Option<MissingMeasurements>,
}

/// Judges the usable part of a delivery.
pub(super) fn judge_delivery(
    source: &SourceStageResult,
    (question, place): (&GateRequest<'_>, &GateContext<'_>),
    delivered: ExternalMeasurements,
) -> Result<ExternalFindings, EngineError> {
    let (job, refused) = match delivered {
        ExternalMeasurements::Nothing(why) => (None, Some(why)),
        ExternalMeasurements::Values(job) => match usable(&job, question) {
            Ok(()) => (Some(*job), None),
            Err(why) => (None, Some(why)),
        },
    };
    let mut found = ExternalFindings::default();
    if let Some(job) = job {
        let criteria = JudgingCriteria::of(question, place, &Environment(job.environment.clone()))?;
        let required = RequiredMetrics::of(question, place)?;
        let (of_benchmarks, of_programs): (Vec<_>, Vec<_>) = (job.measurements.into_iter().filter(is_told))
            .partition(|measurement| measurement.metric.is_of_benchmark());
        found.reported = of_benchmarks
            .iter()
            .map(|measurement| measurement.benchmark.clone())
            .collect();
        found.findings = judged(&of_benchmarks, source, &criteria);
        found.findings.extend(unreported(&of_benchmarks, source, &required));
        found.entries = of_programs
            .iter()
            .map(|measurement| entry(measurement, &criteria))
            .collect();
        let has_sizes = of_programs
            .iter()
            .any(|measurement| measurement.metric == Metric::BinarySize);
        let needs_sizes = criteria.gates(Metric::BinarySize) && has_values(&of_benchmarks, source);
        found.entries.extend((needs_sizes && !has_sizes).then(no_sizes));
        found.stages = (job.stages.into_iter())
            .filter(|stage| stage.name > CascadeStageName::Source)
            .collect();
        found.environment = job.environment;
        found.seconds = job.cost_seconds;
    }
    let why = refused.unwrap_or(MissingMeasurements::NotReported);
    for name in selected(source).filter(|name| !found.reported.contains(*name)) {
        found.findings.push(missing(source, name, Metric::Instructions, &why));
    }
    // Without a sample the names of the benchmarks are unknown: no entry can carry the reason.
    let nothing = found.reported.is_empty() && source.selection.run != SelectedBenchmarks::Nothing;
    found.nothing_delivered = nothing.then_some(why);
    Ok(found)
}

/// Whether a job tells anything of a benchmark. That it skipped one is for our own score to say.
fn is_told(measurement: &BenchmarkMeasurement) -> bool {
    let is_skipped = matches!(
        measurement.values,
        ReportedValues::Unmeasured {
            outcome: BenchmarkOutcome::Skipped,
            ..
        }
    );
    !is_skipped
}

/// Findings of the benchmarks that the score rules out and the job did not measure anyway.
pub(super) fn skipped(source: &SourceStageResult, found: &ExternalFindings) -> Vec<BenchmarkFinding> {
    source.skipped(&found.reported)
}

/// The metrics that a job has to report.
struct RequiredMetrics<'a> {
    metrics: &'a [GateMetric],
    /// The benchmarks whose memory the sample of the base counted: of others it may not be countable.
    with_memory: BTreeSet<String>,
}

impl<'a> RequiredMetrics<'a> {
    fn of(question: &GateRequest<'a>, place: &GateContext<'_>) -> Result<Self, EngineError> {
        let mut with_memory = BTreeSet::new();
        if question.metrics.contains(&GateMetric::Memory)
            && let Some((sample, _)) = SampleLoader::new(place.repository, place.store)?.nearest(question.base)?
            && let Ok(commit) = sample.commit.parse()
        {
            let records = place.store.sample(commit)?.samples;
            let outcomes = records.iter().flat_map(|record| &record.benchmarks);
            let counted =
                outcomes.filter(|(_, outcome)| matches!(outcome, SampleOutcome::Profiled { heap: Some(_), .. }));
            with_memory.extend(counted.map(|(name, _)| name.clone()));
        }
        Ok(Self {
            metrics: question.metrics,
            with_memory,
        })
    }

    /// Of a benchmark that was measured.
    fn of_benchmark(&self, name: &str) -> impl Iterator<Item = GateMetric> {
        let has_memory = self.with_memory.contains(name);
        (self.metrics.iter().copied()).filter(move |metric| match metric {
            GateMetric::Instructions | GateMetric::WallTime | GateMetric::ExecutedCodeSize => true,
            GateMetric::Memory => has_memory,
            GateMetric::BinarySize => false,
        })
    }
}

/// Our findings of the values.
fn judged(
    measurements: &[BenchmarkMeasurement],
    source: &SourceStageResult,
    criteria: &JudgingCriteria<'_>,
) -> Vec<BenchmarkFinding> {
    let timed: Vec<(&BenchmarkMeasurement, &[MeasurementRound])> = (measurements.iter())
        .filter_map(|measurement| match &measurement.values {
            ReportedValues::Rounds(rounds) => Some((measurement, rounds.as_slice())),
            ReportedValues::Counts { .. } | ReportedValues::Unmeasured { .. } => None,
        })
        .collect();
    let terms = criteria.of_times(timed.len());
    let standings: Vec<_> = (timed.iter())
        .map(|(_, rounds)| wall_time::analyze_rounds(rounds, terms))
        .collect();
    let of_times = (timed.iter().zip(wall_time::final_findings(&standings)))
        .map(|((measurement, _), finding)| in_context(measurement, finding, source, criteria));
    let others = measurements.iter().filter_map(|measurement| {
        let finding = match &measurement.values {
            ReportedValues::Rounds(_) => return None,
            ReportedValues::Counts { base, head, .. } => judged_counts(measurement, (base, head), criteria),
            ReportedValues::Unmeasured { outcome, reason } => {
                let is_known = selected_or_skipped(source).any(|name| name == measurement.benchmark);
                stated(measurement.metric, *outcome, reason, is_known)
            }
        };
        Some(in_context(measurement, finding, source, criteria))
    });
    of_times.chain(others).collect()
}

fn judged_counts(
    measurement: &BenchmarkMeasurement,
    (base, head): (&[f64], &[f64]),
    criteria: &JudgingCriteria<'_>,
) -> MetricFinding {
    let metric = measurement.metric;
    if let (Metric::BuildTime, [base], [head]) = (metric, base, head) {
        return byproducts::build_time([*base, *head]);
    }
    let finding = judge(
        CountedRuns { metric, base, head },
        criteria.of_counts(&measurement.benchmark, metric),
    );
    match (&measurement.values, finding.reason) {
        (
            ReportedValues::Counts {
                measured_before: Some((measured, standing)),
                ..
            },
            FindingReason::Counted(reason),
        ) => MetricFinding {
            reason: FindingReason::CountedBefore {
                reason,
                measured: measured.clone(),
                standing: *standing,
            },
            ..finding
        },
        (_, reason) => MetricFinding { reason, ..finding },
    }
}

/// The finding of a benchmark that the job has no values of. Only values can show that it got better, worse or stayed.
fn stated(metric: Metric, outcome: BenchmarkOutcome, reason: &str, is_known: bool) -> MetricFinding {
    let refused = |why| {
        let reason = UnmeasuredReason::NotDelivered(why);
        MetricFinding::unmeasured(metric, BenchmarkOutcome::Inconclusive, reason)
    };
    match outcome {
        BenchmarkOutcome::Added if is_known => refused(MissingMeasurements::CalledNew),
        BenchmarkOutcome::Added
        | BenchmarkOutcome::Removed
        | BenchmarkOutcome::Failed
        | BenchmarkOutcome::Inconclusive
        | BenchmarkOutcome::SameCode => {
            let reason = reason.to_owned();
            MetricFinding::unmeasured(metric, outcome, UnmeasuredReason::Reported { reason })
        }
        BenchmarkOutcome::Regression
        | BenchmarkOutcome::Improvement
        | BenchmarkOutcome::Pass
        | BenchmarkOutcome::Skipped => refused(MissingMeasurements::OutcomeWithoutValues),
    }
}

/// The finding with our own prediction, evidence and settings.
fn in_context(
    measurement: &BenchmarkMeasurement,
    finding: MetricFinding,
    source: &SourceStageResult,
    criteria: &JudgingCriteria<'_>,
) -> BenchmarkFinding {
    let metric = measurement.metric;
    let is_unmeasured = matches!(measurement.values, ReportedValues::Unmeasured { .. });
    BenchmarkFinding {
        gating: criteria.gates(metric) || is_unmeasured && !metric.is_byproduct(),
        starts: measurement.starts as usize,
        retries: measurement.retries,
        ..(source.candidate(&measurement.benchmark)).measured(finding, known_tool(&measurement.tool))
    }
}

/// The entry of a program or of the builds.
fn entry(measurement: &BenchmarkMeasurement, criteria: &JudgingCriteria<'_>) -> BenchmarkVerdict {
    let metric = measurement.metric;
    let finding = match &measurement.values {
        ReportedValues::Counts { base, head, .. } => judged_counts(measurement, (base, head), criteria),
        ReportedValues::Unmeasured { outcome, reason } => stated(metric, *outcome, reason, false),
        ReportedValues::Rounds(_) => stated(metric, BenchmarkOutcome::Pass, "", false),
    };
    let name = [&measurement.benchmark, known_tool(&measurement.tool)];
    in_words(name, finding, criteria.gates(metric))
}

/// Whether the job measured a benchmark that is to be measured.
fn has_values(measurements: &[BenchmarkMeasurement], source: &SourceStageResult) -> bool {
    measurements.iter().any(|measurement| {
        !matches!(measurement.values, ReportedValues::Unmeasured { .. })
            && source.selection.takes(&measurement.benchmark)
    })
}

/// The entry of sizes that are required and not reported.
fn no_sizes() -> BenchmarkVerdict {
    let reason = UnmeasuredReason::NotDelivered(not_reported(GateMetric::BinarySize));
    let finding = MetricFinding::unmeasured(Metric::BinarySize, BenchmarkOutcome::Inconclusive, reason);
    in_words([PROGRAMS, ""], finding, true)
}

/// The metrics that are required of selected benchmarks and not reported, though others are. A statement that a
/// benchmark has no values is about all of its metrics.
fn unreported(
    measurements: &[BenchmarkMeasurement],
    source: &SourceStageResult,
    required: &RequiredMetrics<'_>,
) -> Vec<BenchmarkFinding> {
    let mut measured: BTreeMap<&str, BTreeSet<GateMetric>> = BTreeMap::new();
    let mut without_values: BTreeSet<&str> = BTreeSet::new();
    for measurement in measurements {
        let name = measurement.benchmark.as_str();
        match &measurement.values {
            ReportedValues::Unmeasured { .. } => {
                without_values.insert(name);
            }
            ReportedValues::Counts { .. } | ReportedValues::Rounds(_) => {
                measured
                    .entry(name)
                    .or_default()
                    .extend(GateMetric::of(measurement.metric));
            }
        }
    }
    let of_benchmarks = (measured.iter())
        .filter(|(name, _)| source.selection.takes(name) && !without_values.contains(*name))
        .flat_map(|(name, reported)| {
            let lacking = required.of_benchmark(name).filter(|metric| !reported.contains(metric));
            lacking.map(|metric| missing(source, name, first_metric(metric), &not_reported(metric)))
        });
    of_benchmarks.collect()
}

fn not_reported(metric: GateMetric) -> MissingMeasurements {
    MissingMeasurements::MetricNotReported {
        metric: metric.name().to_owned(),
    }
}

/// The metric under which a missing one is shown.
fn first_metric(metric: GateMetric) -> Metric {
    match metric {
        GateMetric::Instructions => Metric::Instructions,
        GateMetric::Memory => Metric::Allocations,
        GateMetric::WallTime => Metric::WallTime,
        GateMetric::ExecutedCodeSize => Metric::ExecutedCodeSize,
        GateMetric::BinarySize => Metric::BinarySize,
    }
}

fn missing(source: &SourceStageResult, name: &str, metric: Metric, why: &MissingMeasurements) -> BenchmarkFinding {
    let reason = UnmeasuredReason::NotDelivered(why.clone());
    let finding = MetricFinding::unmeasured(metric, BenchmarkOutcome::Inconclusive, reason);
    source.candidate(name).measured(finding, "")
}

/// The benchmarks of the sample that are to be measured.
fn selected(source: &SourceStageResult) -> impl Iterator<Item = &str> {
    selected_or_skipped(source).filter(|name| source.selection.takes(name))
}

/// The benchmarks of the sample.
fn selected_or_skipped(source: &SourceStageResult) -> impl Iterator<Item = &str> {
    (source.score.benchmarks.iter()).map(|benchmark| benchmark.name.as_str())
}

/// The name of a tool of lito; of no other.
fn known_tool(name: &str) -> &'static str {
    const TOOLS: [&str; 6] = ["callgrind", "probes", "dhat", "clock", "object", "cargo"];
    (TOOLS.into_iter()).find(|tool| *tool == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_show_that_a_benchmark_stayed_or_moved() {
        for outcome in [
            BenchmarkOutcome::Pass,
            BenchmarkOutcome::Improvement,
            BenchmarkOutcome::Skipped,
        ] {
            let finding = stated(Metric::Instructions, outcome, "trust me", true);
            assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive, "{outcome:?}");
        }
    }

    #[test]
    fn a_benchmark_of_the_sample_is_not_new() {
        let outcome = |is_known| stated(Metric::Instructions, BenchmarkOutcome::Added, "new", is_known).outcome;
        assert_eq!(outcome(true), BenchmarkOutcome::Inconclusive);
        assert_eq!(outcome(false), BenchmarkOutcome::Added);
    }
}
