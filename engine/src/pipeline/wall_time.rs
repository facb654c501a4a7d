//! Stage 5: benchmarks into interleaved rounds of wall time, until each is decided or the budget is spent.
//!
//! Nothing else runs meanwhile. Rounds are kept as they come, and gone on with by the next run on the same versions.

use std::collections::BTreeMap;

use runner::measure::MeasurementError;
use runner::measure::measurement_log::{MeasuredValues, MeasurementRecord};
use runner::measure::sides::BaseOrHead;
use runner::measure::wall_time::{RoundsRequest, SideMeasurementError, time_rounds};
use verdict::wall_time::{self, InterimDecision, MOST_ROUNDS, WallTimeCriteria};
use verdict::{BenchmarkOutcome, FindingReason, MeasurementRound, Metric, MetricFinding, ReportedValues};

use super::build::BuildStageResult;
use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::measurement_plan::GateMeasurementPlan;
use super::verdict_draft::StageCounts;
use crate::error::EngineError;
use crate::progress::Activity;

/// The measuring tool.
const TOOL: &str = "clock";

/// Rounds that an undecided benchmark has after its first turn; each later turn doubles them. Turns share the budget among the
/// benchmarks. What is measured is kept after each, so that a benchmark's rounds are written twice at most.
const FIRST_TURN: usize = 10;

/// The findings of the stage.
#[derive(Debug, Default)]
pub(super) struct TimingStageResult {
    pub(super) findings: Vec<BenchmarkFinding>,
    /// The measured rounds, by benchmark.
    pub(super) rounds: BTreeMap<String, Vec<MeasurementRound>>,
}

impl TimingStageResult {
    /// Adds the findings of other benchmarks.
    pub(super) fn append(&mut self, others: Self) {
        self.findings.extend(others.findings);
        self.rounds.extend(others.rounds);
    }

    pub(super) fn passed(&self) -> StageCounts {
        let moved = self.findings.iter().filter(|found| found.finding.significant);
        StageCounts {
            of: self.findings.len(),
            on: moved.count(),
        }
    }
}

/// A benchmark with its rounds so far.
struct BenchmarkRounds<'c> {
    candidate: &'c BenchmarkCandidate,
    rounds: Vec<MeasurementRound>,
    retries: u32,
    /// The reason that there are no more.
    end: Option<RoundsEnd>,
}

enum RoundsEnd {
    OutOfTime,
    Failed(Box<MetricFinding>),
}

/// Times every candidate.
pub(super) fn measure(
    built: &mut BuildStageResult,
    candidates: &[BenchmarkCandidate],
    terms: &GateMeasurementPlan<'_>,
) -> Result<TimingStageResult, EngineError> {
    let rules = terms.criteria.of_times(candidates.len());
    let mut timelines: Vec<BenchmarkRounds<'_>> = (candidates.iter())
        .map(|candidate| known(built, candidate, terms))
        .collect();
    // Turn by turn over all benchmarks, not benchmark by benchmark: the budget is shared fairly.
    let mut target = FIRST_TURN;
    while timelines.iter().any(|timeline| timeline.is_open(rules)) {
        for timeline in &mut timelines {
            if timeline.rounds.len() < target && timeline.is_open(rules) {
                timeline.go_on(built, (target, rules), terms)?;
            }
        }
        target = (2 * target).min(MOST_ROUNDS);
    }
    Ok(settled(timelines, rules))
}

fn known<'c>(
    built: &BuildStageResult,
    candidate: &'c BenchmarkCandidate,
    terms: &GateMeasurementPlan<'_>,
) -> BenchmarkRounds<'c> {
    let kept = built.results.known(&candidate.name, Metric::WallTime);
    let (rounds, retries) = match kept.filter(|_| !terms.fresh) {
        Some(MeasurementRecord {
            values: MeasuredValues::Rounds(rounds),
            retries,
            ..
        }) => {
            terms.progress.activity(&Activity::KeptRounds {
                benchmark: &candidate.name,
                rounds: rounds.len(),
            });
            (rounds.clone(), *retries)
        }
        Some(_) | None => (Vec::new(), 0),
    };
    BenchmarkRounds {
        candidate,
        rounds,
        retries,
        end: None,
    }
}

impl BenchmarkRounds<'_> {
    /// True if another round may tell something.
    fn is_open(&self, rules: WallTimeCriteria) -> bool {
        let undecided = || wall_time::analyze_rounds(&self.rounds, rules).state == InterimDecision::Undecided;
        self.end.is_none() && self.rounds.len() < MOST_ROUNDS && undecided()
    }

    /// Measures until a decision, up to a number of rounds, and keeps what there is.
    fn go_on(
        &mut self,
        built: &mut BuildStageResult,
        (target, rules): (usize, WallTimeCriteria),
        terms: &GateMeasurementPlan<'_>,
    ) -> Result<(), EngineError> {
        let name = &self.candidate.name;
        terms.progress.activity(&Activity::Timing {
            benchmark: name,
            round: self.rounds.len() + 1,
            target,
        });
        // One at a time: any may decide, and what is there when the budget ends counts.
        while self.rounds.len() < target && self.is_open(rules) {
            let wanted = RoundsRequest {
                benchmark: name,
                first: u32::try_from(self.rounds.len()).unwrap_or(u32::MAX),
                count: 1,
                seed: terms.seed,
            };
            match time_rounds(&mut built.sides, &wanted, &terms.conditions) {
                Ok(taken) => {
                    self.rounds.extend(taken.value);
                    self.retries += taken.retries;
                }
                Err(SideMeasurementError { which, why }) => self.end = Some(end(which, why)?),
            }
        }
        let entry = MeasurementRecord {
            benchmark: name.clone(),
            metric: Metric::WallTime,
            values: MeasuredValues::Rounds(self.rounds.clone()),
            retries: self.retries,
        };
        built.results.append(entry).map_err(EngineError::environment)
    }
}

/// Why a side's failure ends a benchmark's rounds, unless it ends everything.
fn end(which: BaseOrHead, why: MeasurementError) -> Result<RoundsEnd, EngineError> {
    match why {
        MeasurementError::Machine { reason } => Err(EngineError::environment(format_args!(
            "timing at the {which}: {reason}"
        ))),
        MeasurementError::OutOfTime => Ok(RoundsEnd::OutOfTime),
        why @ (MeasurementError::Interrupted
        | MeasurementError::Failed { .. }
        | MeasurementError::TimedOut { .. }
        | MeasurementError::NoTool { .. }) => Ok(RoundsEnd::Failed(Box::new(super::candidate::failed(
            Metric::WallTime,
            &BTreeMap::from([(which, why)]),
        )))),
    }
}

/// Every benchmark's verdict, now that no more rounds come.
fn settled(timelines: Vec<BenchmarkRounds<'_>>, rules: WallTimeCriteria) -> TimingStageResult {
    let standings: Vec<_> = (timelines.iter())
        .map(|timeline| wall_time::analyze_rounds(&timeline.rounds, rules))
        .collect();
    let rounds = (timelines.iter())
        .map(|timeline| (timeline.candidate.name.clone(), timeline.rounds.clone()))
        .collect();
    let findings = (timelines.into_iter().zip(wall_time::final_findings(&standings))).map(|(timeline, finding)| {
        let is_failed = matches!(timeline.end, Some(RoundsEnd::Failed(_)));
        let finding = match timeline.end {
            Some(RoundsEnd::Failed(failed)) => *failed,
            Some(RoundsEnd::OutOfTime) if finding.outcome == BenchmarkOutcome::Inconclusive => out_of_time(finding),
            Some(RoundsEnd::OutOfTime) | None => finding,
        };
        BenchmarkFinding {
            values: (!is_failed).then(|| ReportedValues::Rounds(timeline.rounds.clone())),
            starts: timeline.rounds.len(),
            retries: timeline.retries,
            ..timeline.candidate.measured(finding, TOOL)
        }
    });
    TimingStageResult {
        findings: findings.collect(),
        rounds,
    }
}

/// The same finding, with the spent budget as part of its reason.
fn out_of_time(finding: MetricFinding) -> MetricFinding {
    let reason = match finding.reason {
        FindingReason::Timed(reason) => FindingReason::TimedUntilBudget(reason),
        reason @ (FindingReason::Counted(_)
        | FindingReason::CountedBefore { .. }
        | FindingReason::TimedUntilBudget(_)
        | FindingReason::BuiltOnce
        | FindingReason::Unmeasured(_)) => reason,
    };
    MetricFinding { reason, ..finding }
}
