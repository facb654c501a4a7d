//! Stage 4: counts the work of each benchmark's subject at both sides, and judges the counts.
//!
//! One run of each side is enough for most: the first repeats to the last instruction. Where it does not, the runs are
//! repeated. Runs of one side go on side by side; the checkout stands at one side at a time. What is measured
//! is kept at once.

mod counter;
mod tally;

use std::collections::BTreeSet;
use std::time::Instant;

use profile::inputs::OpenedFiles;
use rayon::prelude::*;
use runner::measure::measurement_log::{MeasuredValues, MeasurementRecord};
use runner::measure::shared_starts::{self, MOST_RUNS_OF_A_START};
use runner::measure::sides::BaseOrHead;
use runner::measure::{MeasurementError, TrialResult, counts};
use verdict::counts::{CountedRuns, MOST_RUNS, needs_more_runs};
use verdict::{BenchmarkOutcome, FindingReason, UnmeasuredReason};

use super::GateThoroughness;
use super::build::{BuildStageResult, compared_version};
use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::code::ProgramComparisonSet;
use super::last_measured::HeadRuns;
use super::measurement_plan::GateMeasurementPlan;
use super::verdict_draft::StageCounts;
use crate::error::EngineError;
use crate::progress::Activity;
pub(super) use counter::CounterKind;
pub(super) use tally::CounterRun;
use tally::{ExecutedRun, RunTally};

/// Benchmarks that are counted before the next ones begin, for each that can run at a time: those that come later
/// may be left to the end of the budget.
const CHUNK: usize = 4;

/// The findings of the stage.
#[derive(Debug, Default)]
pub(super) struct CountStageResult {
    pub(super) findings: Vec<BenchmarkFinding>,
    /// How many benchmarks' instructions (or operations) moved.
    moved: usize,
    /// Benchmarks whose code is not known to be the same.
    pub(super) left: Vec<BenchmarkCandidate>,
    /// How many were counted.
    run: usize,
}

impl CountStageResult {
    pub(super) fn passed(&self) -> StageCounts {
        StageCounts {
            of: self.run,
            on: self.moved,
        }
    }

    /// Adds what was counted of benchmarks that need no times.
    pub(super) fn include(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.moved += other.moved;
        self.run += other.run;
    }
}

/// Counts every candidate in every metric that was asked for, the first candidates first.
pub(super) fn measure(
    built: &mut BuildStageResult,
    programs: &ProgramComparisonSet,
    candidates: Vec<BenchmarkCandidate>,
    head_runs: &mut HeadRuns,
    terms: &GateMeasurementPlan<'_>,
) -> Result<CountStageResult, EngineError> {
    let mut found = CountStageResult::default();
    let counters = CounterKind::of(terms.criteria.metrics, terms.profiler);
    let mut candidates = candidates.into_iter();
    let started = Instant::now();
    while candidates.len() > 0 && !terms.conditions.interruption.is_raised() {
        let mut chunk = next_chunk(&mut candidates, built, terms);
        let is_first = found.run == 0;
        if !counters.is_empty() {
            found.run += chunk.len();
        }
        for &counter in &counters {
            let tallies = counter.run(built, programs, &chunk, head_runs, terms)?;
            counter.judge(&mut chunk, tallies, terms, &mut found);
        }
        found.left.extend(chunk);
        if is_first && found.run > 0 && candidates.len() > 0 {
            terms.progress.activity(&Activity::Forecast {
                done: found.run,
                left: candidates.len(),
                elapsed: started.elapsed(),
            });
        }
    }
    let unmeasured = |candidate: BenchmarkCandidate| {
        candidate.unmeasured(BenchmarkOutcome::Inconclusive, UnmeasuredReason::Interrupted)
    };
    found.findings.extend(candidates.map(unmeasured));
    Ok(found)
}

/// The candidates that are counted next: if they share starts, as many as fill those that run at a time.
fn next_chunk(
    candidates: &mut std::vec::IntoIter<BenchmarkCandidate>,
    built: &BuildStageResult,
    terms: &GateMeasurementPlan<'_>,
) -> Vec<BenchmarkCandidate> {
    let workers = rayon::current_num_threads();
    let mut chunk: Vec<BenchmarkCandidate> = candidates.by_ref().take(CHUNK * workers).collect();
    let head = built.sides.side(BaseOrHead::Head);
    let benchmarks: Vec<_> = (chunk.iter())
        .filter_map(|candidate| head.benchmark(&candidate.name))
        .collect();
    let shared: usize = (shared_starts::batches(&benchmarks, &terms.conditions, workers).iter())
        .map(Vec::len)
        .sum();
    if shared == chunk.len() {
        chunk.extend(candidates.by_ref().take((MOST_RUNS_OF_A_START - CHUNK) * workers));
    }
    chunk
}

/// Counts benchmarks that the score leaves out. Those for which the budget does not suffice stay left out.
pub(super) fn check(
    built: &mut BuildStageResult,
    programs: &ProgramComparisonSet,
    candidates: &[BenchmarkCandidate],
    head_runs: &mut HeadRuns,
    terms: &GateMeasurementPlan<'_>,
) -> Result<CountStageResult, EngineError> {
    let mut found = measure(built, programs, candidates.to_vec(), head_runs, terms)?;
    let out_of_budget = FindingReason::Unmeasured(UnmeasuredReason::OutOfBudget);
    found.findings.retain(|found| found.finding.reason != out_of_budget);
    let told: BTreeSet<String> = (found.findings.iter())
        .map(|found| found.candidate.name.clone())
        .collect();
    let untold = candidates.iter().filter(|candidate| !told.contains(&candidate.name));
    found.findings.extend(untold.map(BenchmarkCandidate::skipped));
    Ok(found)
}

impl CounterKind {
    /// Runs benchmarks until no further run can matter.
    fn run(
        self,
        built: &mut BuildStageResult,
        programs: &ProgramComparisonSet,
        candidates: &[BenchmarkCandidate],
        head_runs: &mut HeadRuns,
        terms: &GateMeasurementPlan<'_>,
    ) -> Result<Vec<RunTally>, EngineError> {
        let mut tallies: Vec<RunTally> = (candidates.iter())
            .map(|candidate| self.known(built, candidate, terms))
            .collect();
        for (candidate, tally) in candidates.iter().zip(&mut tallies) {
            let run = head_runs.remove(&(candidate.name.clone(), self));
            if let Some(run) = run.filter(|_| !tally.kept) {
                tally.record_run(BaseOrHead::Head, Ok(run))?;
            }
        }
        loop {
            let open: Vec<usize> = (0..candidates.len())
                .filter(|&at| self.is_open(&candidates[at], &tallies[at], terms))
                .collect();
            if open.is_empty() {
                break;
            }
            for which in BaseOrHead::BOTH {
                let open: Vec<usize> = (open.iter().copied())
                    .filter(|&at| tallies[at].same_code.is_none() && !tallies[at].is_ahead(which))
                    .collect();
                built.sides.switch_to(which).map_err(EngineError::environment)?;
                let (side, tree) = (built.sides.side(which), built.sides.tree());
                let benchmarks: Vec<_> = (open.iter())
                    .filter_map(|&at| side.benchmark(&candidates[at].name))
                    .collect();
                let mut shared = self.count_from_shared_starts((compared_version(which), tree), &benchmarks, terms);
                let (shared, alone): (Vec<_>, Vec<_>) = (open.into_iter())
                    .map(|at| (at, shared.remove(&candidates[at].name)))
                    .partition(|(_, run)| run.is_some());
                let shared = shared.into_iter().filter_map(|(at, run)| {
                    let first = |value| TrialResult { value, retries: 0 };
                    Some((at, Ok(first(run?))))
                });
                let alone: Vec<(usize, Result<TrialResult<CounterRun>, MeasurementError>)> = (alone.into_par_iter())
                    .filter_map(|(at, _)| {
                        let name = &candidates[at].name;
                        terms.progress.activity(&Activity::Counting {
                            benchmark: name,
                            version: compared_version(which),
                        });
                        let benchmark = side.benchmark(name)?;
                        Some((at, self.count((side, tree), benchmark, &terms.conditions)))
                    })
                    .collect();
                let mut executed = Vec::new();
                for (at, ran) in shared.chain(alone) {
                    executed.extend(tallies[at].record_run(which, ran)?.map(|run| (at, run)));
                }
                for (at, same) in same_code(built, programs, candidates, executed, terms) {
                    tallies[at].same_code = Some(same);
                }
            }
            for at in open {
                tallies[at].runs += 1;
                if self.is_open(&candidates[at], &tallies[at], terms) {
                    continue;
                }
                self.keep(built, &candidates[at], &tallies[at])?;
            }
        }
        Ok(tallies)
    }

    /// Whether another run of each side can matter.
    fn is_open(self, candidate: &BenchmarkCandidate, tally: &RunTally, terms: &GateMeasurementPlan<'_>) -> bool {
        let tells_nothing = tally.runs > 0 && tally.base.iter().chain(&tally.head).all(Vec::is_empty);
        let closed = tally.kept
            || tally.runs >= MOST_RUNS
            || tally.same_code.is_some()
            || !tally.failed.is_empty()
            || tells_nothing;
        !closed
            && (self.metrics().iter().enumerate()).any(|(at, &metric)| {
                let (base, head) = (tally.column(BaseOrHead::Base, at), tally.column(BaseOrHead::Head, at));
                // A by-product is worth a run only where it was asked for and a run tells it.
                if metric.is_byproduct() && (!terms.criteria.gates(metric) || tally.runs > 0 && base.is_empty()) {
                    return false;
                }
                let runs = CountedRuns {
                    metric,
                    base: &base,
                    head: &head,
                };
                needs_more_runs(runs, terms.criteria.of_counts(&candidate.name, metric))
            })
    }

    /// Without a run.
    fn tally(self) -> RunTally {
        let none = || vec![Vec::new(); self.metrics().len()];
        RunTally {
            base: none(),
            head: none(),
            ..RunTally::default()
        }
    }

    /// The counts of an earlier run.
    fn known(
        self,
        built: &BuildStageResult,
        candidate: &BenchmarkCandidate,
        terms: &GateMeasurementPlan<'_>,
    ) -> RunTally {
        let mut tally = self.tally();
        if terms.fresh {
            return tally;
        }
        for (at, &metric) in self.metrics().iter().enumerate() {
            let Some(MeasurementRecord {
                values: MeasuredValues::Counts { base, head },
                retries,
                ..
            }) = built.results.known(&candidate.name, metric)
            else {
                if metric.is_byproduct() && !terms.criteria.gates(metric) {
                    continue;
                }
                return self.tally();
            };
            tally.base[at].clone_from(base);
            tally.head[at].clone_from(head);
            tally.runs = tally.runs.max(base.len());
            tally.retries = *retries;
        }
        tally.kept = true;
        terms.progress.activity(&Activity::KeptCounts {
            benchmark: &candidate.name,
            tool: self.tool(),
        });
        tally
    }

    fn keep(
        self,
        built: &mut BuildStageResult,
        candidate: &BenchmarkCandidate,
        tally: &RunTally,
    ) -> Result<(), EngineError> {
        if !tally.failed.is_empty() || tally.same_code.is_some() {
            return Ok(());
        }
        for (at, &metric) in self.metrics().iter().enumerate() {
            let entry = MeasurementRecord {
                benchmark: candidate.name.clone(),
                metric,
                values: MeasuredValues::Counts {
                    base: tally.base[at].clone(),
                    head: tally.head[at].clone(),
                },
                retries: tally.retries,
            };
            built.results.append(entry).map_err(EngineError::environment)?;
        }
        Ok(())
    }

    /// Turns runs into entries. Candidates whose code is the same are removed.
    fn judge(
        self,
        candidates: &mut Vec<BenchmarkCandidate>,
        tallies: Vec<RunTally>,
        terms: &GateMeasurementPlan<'_>,
        found: &mut CountStageResult,
    ) {
        let mut tallies = tallies.into_iter();
        candidates.retain(|candidate| {
            let tally = tallies.next().expect("each candidate has its tally");
            if let Some(functions) = tally.same_code {
                let reason = UnmeasuredReason::SameExecutedCode { functions };
                let finding = candidate.unmeasured(BenchmarkOutcome::SameCode, reason);
                found.findings.push(finding);
                return false;
            }
            let first_asked = self
                .metrics()
                .iter()
                .position(|&metric| terms.criteria.gates(metric))
                .unwrap_or(0);
            for (at, &metric) in self.metrics().iter().enumerate() {
                let can_tell = !tally.base[at].is_empty() && !tally.head[at].is_empty();
                let is_aside = match metric.is_byproduct() {
                    true => !(can_tell || terms.criteria.gates(metric)) || !tally.failed.is_empty(),
                    false => !can_tell,
                };
                let is_uncountable = !can_tell && self == Self::Memory && tally.failed.is_empty();
                if is_uncountable || at != first_asked && is_aside {
                    // Where nothing was measured the first metric's entry says why; where only this one, or the memory
                    // of a repeated subject, could not be told, there is nothing to say.
                    continue;
                }
                let finding = tally.finding(at, metric, terms.criteria.of_counts(&candidate.name, metric));
                if finding.significant && self != Self::Memory && !metric.is_byproduct() {
                    found.moved += 1;
                }
                found.findings.push(BenchmarkFinding {
                    values: tally.values(at),
                    gating: terms.criteria.gates(metric),
                    starts: tally.runs,
                    retries: tally.retries,
                    ..candidate.measured(finding, self.tool())
                });
            }
            true
        });
    }
}

/// Which of the benchmarks whose base was run need no run of the head, with the number of functions that say so: what
/// their subjects executed is the same code there, and so is what the whole of them executes, set-up included.
fn same_code(
    built: &BuildStageResult,
    programs: &ProgramComparisonSet,
    candidates: &[BenchmarkCandidate],
    executed: Vec<(usize, ExecutedRun)>,
    terms: &GateMeasurementPlan<'_>,
) -> Vec<(usize, usize)> {
    if terms.thoroughness == GateThoroughness::Exhaustive {
        return Vec::new();
    }
    let are_same = |name: &str, functions: &BTreeSet<String>, opened: &OpenedFiles| {
        programs.execute_the_same(&built.sides, name, (functions, opened))
    };
    let same = executed.into_par_iter().filter_map(|(at, run)| {
        let name = &candidates[at].name;
        are_same(name, &run.functions, &run.opened)?;
        let benchmark = built.sides.side(BaseOrHead::Base).benchmark(name)?;
        // Where it can't be said, the head is run.
        let of_all = counts::executed_functions(benchmark, run.of_process, &terms.conditions).ok()?;
        Some((at, are_same(name, &of_all, &run.opened)?))
    });
    same.collect()
}
