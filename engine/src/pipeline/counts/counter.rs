//! A counter: the metrics that one run of a benchmark tells, and the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use runner::frameworks::Benchmark;
use runner::measure::counts::ExecutionSummary;
use runner::measure::memory::HeapUsage;
use runner::measure::sides::MeasuredSide;
use runner::measure::{MeasurementError, RunConditions, TrialResult, counts, memory, shared_starts};
use runner::profilers::ProfilerCounter;
use verdict::{ComparedVersion, Metric};

use super::super::measurement_plan::GateMeasurementPlan;
use super::tally::{CounterRun, ExecutedRun};
use crate::profiling::ProfilerChoice;
use crate::progress::Activity;
use crate::settings::GateMetric;

/// Something that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::pipeline) enum CounterKind {
    Instructions,
    /// Counted by probes, where valgrind is missing.
    Operations,
    Memory,
}

impl CounterKind {
    /// Those that count what was asked for, with what there is to count with.
    pub(in crate::pipeline) fn of(metrics: &[GateMetric], profiler: &ProfilerChoice) -> Vec<Self> {
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

    pub(in crate::pipeline) fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Instructions => &[Metric::Instructions, Metric::ExecutedCodeSize],
            Self::Operations => &[Metric::Operations],
            Self::Memory => &[Metric::AllocatedBytes, Metric::Allocations, Metric::PeakBytes],
        }
    }

    pub(in crate::pipeline) fn tool(self) -> &'static str {
        match self {
            Self::Instructions => "callgrind",
            Self::Operations => attribution::probes::PROFILER,
            Self::Memory => "dhat",
        }
    }

    /// Counts those benchmarks of a version that can share a start with others, by name.
    pub(in crate::pipeline) fn count_from_shared_starts(
        self,
        (version, tree): (ComparedVersion, &Path),
        benchmarks: &[&Benchmark],
        terms: &GateMeasurementPlan<'_>,
    ) -> BTreeMap<String, CounterRun> {
        let counted: Vec<&Benchmark> = (benchmarks.iter().copied())
            .filter(|benchmark| match self {
                Self::Instructions => true,
                Self::Operations => false,
                Self::Memory => benchmark.subject.has_own_allocations(),
            })
            .collect();
        let batches = shared_starts::batches(&counted, &terms.conditions, rayon::current_num_threads());
        (batches.into_par_iter())
            .flat_map_iter(|batch| {
                for benchmark in &batch {
                    terms.progress.activity(&Activity::Counting {
                        benchmark: &benchmark.name,
                        version,
                    });
                }
                self.count_batch(&batch, tree, terms)
            })
            .collect()
    }

    fn count_batch(
        self,
        batch: &[&Benchmark],
        tree: &Path,
        terms: &GateMeasurementPlan<'_>,
    ) -> BTreeMap<String, CounterRun> {
        let conditions = &terms.conditions;
        match self {
            Self::Instructions => {
                let mut counted = shared_starts::count_instructions(batch, conditions);
                let run = |benchmark: &&Benchmark| {
                    let run = instructions_run(counted.remove(&benchmark.name)?, benchmark, tree);
                    Some((benchmark.name.clone(), run))
                };
                batch.iter().filter_map(run).collect()
            }
            Self::Operations => BTreeMap::new(),
            Self::Memory => (shared_starts::measure_heap(batch, conditions).into_iter())
                .map(|(name, heap)| (name, heap_run(heap)))
                .collect(),
        }
    }

    /// Runs a benchmark once.
    pub(in crate::pipeline) fn count(
        self,
        (side, tree): (&MeasuredSide, &Path),
        benchmark: &Benchmark,
        conditions: &RunConditions<'_>,
    ) -> Result<TrialResult<CounterRun>, MeasurementError> {
        let taken = |values, executed, retries| TrialResult {
            value: CounterRun { values, executed },
            retries,
        };
        match self {
            Self::Instructions => counts::count_instructions(benchmark, conditions).map(|counted| TrialResult {
                value: instructions_run(counted.value, benchmark, tree),
                retries: counted.retries,
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
            Self::Memory if !benchmark.subject.has_own_allocations() => {
                Ok(taken(vec![None; self.metrics().len()], None, 0))
            }
            Self::Memory => memory::measure_heap(benchmark, conditions).map(|heap| TrialResult {
                value: heap_run(heap.value),
                retries: heap.retries,
            }),
        }
    }
}

fn instructions_run(counted: ExecutionSummary, benchmark: &Benchmark, tree: &Path) -> CounterRun {
    let opened = counts::opened_files(&counted, tree);
    let functions = counted.functions;
    CounterRun {
        values: vec![Some(counted.total), executed_code_size(benchmark, &functions)],
        executed: Some(ExecutedRun {
            functions,
            of_process: counted.of_process,
            opened,
        }),
    }
}

fn heap_run(heap: HeapUsage) -> CounterRun {
    CounterRun {
        values: vec![Some(heap.bytes), Some(heap.blocks), heap.peak],
        executed: None,
    }
}

/// Bytes of the functions that a subject executed; `None` where the program's symbols do not tell.
fn executed_code_size(benchmark: &Benchmark, functions: &BTreeSet<String>) -> Option<u64> {
    let program = std::fs::read(&benchmark.program).ok()?;
    machine_code::functions_size(&program, functions)
}
