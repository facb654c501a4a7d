//! Stage 4: benchmarks into interleaved rounds of wall time, look by look until each is decided or the budget is spent.
//!
//! Nothing else runs meanwhile. Rounds are kept as they come, and gone on with by the next run on the same versions.

use std::collections::BTreeMap;

use runner::measure::MeasurementError;
use runner::measure::measurement_log::{MeasuredValues, MeasurementRecord};
use runner::measure::sides::BaseOrHead;
use runner::measure::wall_time::{RoundsRequest, SideMeasurementError, time_rounds};
use verdict::wall_time::{self, InterimDecision, next_look};
use verdict::{BenchmarkOutcome, FindingReason, MeasurementRound, Metric, MetricFinding};

use super::build::BuildStageResult;
use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::measurement_plan::GateMeasurementPlan;
use super::verdict_draft::StageCounts;
use crate::error::EngineError;
use crate::progress::Activity;

/// The measuring tool.
const TOOL: &str = "clock";

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
    let rules = terms.of_times(candidates.len());
    let mut timelines: Vec<BenchmarkRounds<'_>> = (candidates.iter())
        .map(|candidate| known(built, candidate, terms))
        .collect();
    // Look by look over all benchmarks, not benchmark by benchmark: the budget is shared fairly.
    loop {
        let mut open = false;
        for timeline in &mut timelines {
            let decided = || wall_time::analyze_rounds(&timeline.rounds, rules).state != InterimDecision::Undecided;
            let Some(target) = next_look(timeline.rounds.len()) else {
                continue;
            };
            if timeline.end.is_some() || decided() {
                continue;
            }
            open = true;
            timeline.go_on(built, target, terms)?;
        }
        if !open {
            break;
        }
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
    /// Measures up to the next look, and keeps what there is.
    fn go_on(
        &mut self,
        built: &mut BuildStageResult,
        target: usize,
        terms: &GateMeasurementPlan<'_>,
    ) -> Result<(), EngineError> {
        let name = &self.candidate.name;
        terms.progress.activity(&Activity::Timing {
            benchmark: name,
            round: self.rounds.len() + 1,
            target,
        });
        // One at a time: what is there when the budget ends counts.
        while self.rounds.len() < target && self.end.is_none() {
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
fn settled(timelines: Vec<BenchmarkRounds<'_>>, rules: wall_time::WallTimeCriteria) -> TimingStageResult {
    let standings: Vec<_> = (timelines.iter())
        .map(|timeline| wall_time::analyze_rounds(&timeline.rounds, rules))
        .collect();
    let rounds = (timelines.iter())
        .map(|timeline| (timeline.candidate.name.clone(), timeline.rounds.clone()))
        .collect();
    let findings = (timelines.into_iter().zip(wall_time::final_findings(&standings))).map(|(timeline, finding)| {
        let finding = match timeline.end {
            Some(RoundsEnd::Failed(failed)) => *failed,
            Some(RoundsEnd::OutOfTime) if finding.outcome == BenchmarkOutcome::Inconclusive => out_of_time(finding),
            Some(RoundsEnd::OutOfTime) | None => finding,
        };
        BenchmarkFinding {
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
