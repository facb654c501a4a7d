//! Stage 3: counts the work of each benchmark's subject at both sides, and judges the counts.
//!
//! One run of each side is enough for most: the first repeats to the last instruction. Where it does not, the runs are
//! repeated. Runs of one side go on side by side; the checkout stands at one side at a time. What is measured
//! is kept at once.

mod tally;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use profile::inputs::OpenedFiles;
use rayon::prelude::*;
use runner::frameworks::Benchmark;
use runner::measure::measurement_log::{MeasuredValues, MeasurementRecord};
use runner::measure::memory::HeapUsage;
use runner::measure::sides::{BaseOrHead, MeasuredSide};
use runner::measure::{MeasurementError, RunLimits, TrialResult, counts, memory};
use runner::profilers::ProfilerCounter;
use verdict::Metric;
use verdict::counts::{CountedRuns, MOST_RUNS, needs_more_runs};
use verdict::{BenchmarkOutcome, UnmeasuredReason};

use super::GateThoroughness;
use super::build::{BuildStageResult, compared_version};
use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::code::ProgramComparisonSet;
use super::measurement_plan::GateMeasurementPlan;
use super::verdict_draft::StageCounts;
use crate::error::EngineError;
use crate::profiling::ProfilerChoice;
use crate::progress::Activity;
use crate::settings::GateMetric;
use tally::{CounterRun, ExecutedRun, RunTally};

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
}

/// Something that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CounterKind {
    Instructions,
    /// Counted by probes, where valgrind is missing.
    Operations,
    Memory,
}

/// Counts every candidate in every metric that was asked for, the first candidates first.
pub(super) fn measure(
    built: &mut BuildStageResult,
    programs: &ProgramComparisonSet,
    candidates: Vec<BenchmarkCandidate>,
    terms: &GateMeasurementPlan<'_>,
) -> Result<CountStageResult, EngineError> {
    let mut found = CountStageResult::default();
    let counters = CounterKind::of(terms.metrics, &built.profiler);
    let chunk_size = CHUNK * rayon::current_num_threads();
    let mut candidates = candidates.into_iter().peekable();
    let started = Instant::now();
    while candidates.peek().is_some() && !terms.conditions.interruption.is_raised() {
        let mut chunk: Vec<BenchmarkCandidate> = candidates.by_ref().take(chunk_size).collect();
        if !counters.is_empty() {
            found.run += chunk.len();
        }
        for &counter in &counters {
            let tallies = counter.run(built, programs, &chunk, terms)?;
            counter.judge(&mut chunk, tallies, terms, &mut found);
        }
        found.left.extend(chunk);
        if found.run == chunk_size && candidates.len() > 0 {
            terms.progress.activity(&Activity::Forecast {
                done: chunk_size,
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

impl CounterKind {
    /// Those that count what was asked for, with what there is to count with.
    fn of(metrics: &[GateMetric], profiler: &ProfilerChoice) -> Vec<Self> {
        let offered = profiler.profiler().counters().iter().map(|counter| match counter {
            ProfilerCounter::Instructions => (GateMetric::Instructions, Self::Instructions),
            ProfilerCounter::Operations => (GateMetric::Instructions, Self::Operations),
            ProfilerCounter::Heap => (GateMetric::Memory, Self::Memory),
        });
        offered
            .filter(|(measured, counter)| {
                let is_asked = |metric: &Metric| GateMetric::of(*metric).is_some_and(|asked| metrics.contains(&asked));
                metrics.contains(measured) || counter.metrics().iter().any(is_asked)
            })
            .map(|(_, counter)| counter)
            .collect()
    }

    fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Instructions => &[Metric::Instructions, Metric::ExecutedCodeSize],
            Self::Operations => &[Metric::Operations],
            Self::Memory => &[Metric::AllocatedBytes, Metric::Allocations, Metric::PeakBytes],
        }
    }

    fn tool(self) -> &'static str {
        match self {
            Self::Instructions => "callgrind",
            Self::Operations => attribution::probes::PROFILER,
            Self::Memory => "dhat",
        }
    }

    fn count(
        self,
        (side, tree): (&MeasuredSide, &Path),
        benchmark: &Benchmark,
        conditions: &RunLimits<'_>,
    ) -> Result<TrialResult<CounterRun>, MeasurementError> {
        let taken = |values, executed, retries| TrialResult {
            value: CounterRun { values, executed },
            retries,
        };
        match self {
            Self::Instructions => counts::count_instructions(benchmark, conditions).map(|counted| {
                let opened = counts::opened_files(&counted.value, tree);
                let functions = counted.value.functions;
                let values = vec![Some(counted.value.total), executed_code_size(benchmark, &functions)];
                let executed = Some(ExecutedRun { functions, opened });
                taken(values, executed, counted.retries)
            }),
            Self::Operations => {
                let Some(probed) = side.probed_benchmark(&benchmark.name) else {
                    return Err(MeasurementError::NoTool {
                        reason: String::from("it does not build with probes; install valgrind"),
                    });
                };
                counts::count_operations(probed, &side.probed.table, conditions)
                    .map(|counted| taken(vec![Some(counted.value)], None, counted.retries))
            }
            // Dhat counts whole runs.
            Self::Memory if benchmark.subject.is_repeated() => Ok(taken(vec![None; self.metrics().len()], None, 0)),
            Self::Memory => memory::measure_heap(benchmark, conditions).map(|heap| {
                let HeapUsage { bytes, blocks, peak } = heap.value;
                let values = vec![Some(bytes), Some(blocks), peak];
                taken(values, None, heap.retries)
            }),
        }
    }

    /// Runs benchmarks until no further run can matter.
    fn run(
        self,
        built: &mut BuildStageResult,
        programs: &ProgramComparisonSet,
        candidates: &[BenchmarkCandidate],
        terms: &GateMeasurementPlan<'_>,
    ) -> Result<Vec<RunTally>, EngineError> {
        let mut tallies: Vec<RunTally> = (candidates.iter())
            .map(|candidate| self.known(built, candidate, terms))
            .collect();
        loop {
            let open: Vec<usize> = (0..candidates.len())
                .filter(|&at| self.is_open(&candidates[at], &tallies[at], terms))
                .collect();
            if open.is_empty() {
                break;
            }
            for which in BaseOrHead::BOTH {
                let open: Vec<usize> = (open.iter().copied())
                    .filter(|&at| tallies[at].same_code.is_none())
                    .collect();
                built.sides.switch_to(which).map_err(EngineError::environment)?;
                let (side, tree) = (built.sides.side(which), built.sides.tree());
                let ran: Vec<(usize, Result<TrialResult<CounterRun>, MeasurementError>)> = (open.into_par_iter())
                    .filter_map(|at| {
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
                for (at, ran) in ran {
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
                if metric.is_byproduct() && (!terms.gates(metric) || tally.runs > 0 && base.is_empty()) {
                    return false;
                }
                let runs = CountedRuns {
                    metric,
                    base: &base,
                    head: &head,
                };
                needs_more_runs(runs, terms.of_counts(&candidate.name, metric))
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
                if metric.is_byproduct() && !terms.gates(metric) {
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
                .position(|&metric| terms.gates(metric))
                .unwrap_or(0);
            for (at, &metric) in self.metrics().iter().enumerate() {
                let can_tell = !tally.base[at].is_empty() && !tally.head[at].is_empty();
                let is_aside = match metric.is_byproduct() {
                    true => !(can_tell || terms.gates(metric)) || !tally.failed.is_empty(),
                    false => !can_tell,
                };
                let is_uncountable = !can_tell && self == Self::Memory && tally.failed.is_empty();
                if is_uncountable || at != first_asked && is_aside {
                    // Where nothing was measured the first metric's entry says why; where only this one, or the memory
                    // of a repeated subject, could not be told, there is nothing to say.
                    continue;
                }
                let finding = tally.finding(at, metric, terms.of_counts(&candidate.name, metric));
                if finding.significant && self != Self::Memory && !metric.is_byproduct() {
                    found.moved += 1;
                }
                found.findings.push(BenchmarkFinding {
                    gating: terms.gates(metric),
                    starts: tally.runs,
                    retries: tally.retries,
                    ..candidate.measured(finding, self.tool())
                });
            }
            true
        });
    }
}

/// Bytes of the functions that a subject executed; `None` where the program's symbols do not tell.
fn executed_code_size(benchmark: &Benchmark, functions: &BTreeSet<String>) -> Option<u64> {
    let program = std::fs::read(&benchmark.program).ok()?;
    machine_code::functions_size(&program, functions)
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
        let of_all = counts::executed_functions(benchmark, &terms.conditions).ok()?;
        Some((at, are_same(name, &of_all, &run.opened)?))
    });
    same.collect()
}
