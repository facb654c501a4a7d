//! Benchmarks of one program → what each counts, from one start of valgrind for several.
//!
//! Their counts are those of [`super::counts`] and [`super::memory`]; [`crate::profilers::callgrind`] runs them.

use std::collections::BTreeMap;

use super::RunConditions;
use super::counts::profiler_request;
use crate::frameworks::Benchmark;
use crate::profilers::HeapUsage;
use crate::profilers::callgrind::{self, ExecutionSummary, ProfilerRequest};
pub use crate::profilers::callgrind::{MOST_RUNS_OF_A_START, shared_start_library};

/// Benchmarks that share starts, for so many workers; those that need a start of their own are in no batch.
#[must_use]
pub fn batches<'b>(
    benchmarks: &[&'b Benchmark],
    conditions: &RunConditions<'_>,
    workers: usize,
) -> Vec<Vec<&'b Benchmark>> {
    let mut batches = callgrind::batches(benchmarks, conditions.shared_start, workers);
    batches.retain(|batch| batch.len() > 1);
    batches
}

/// Counts the benchmarks of a batch, by name. What fails here needs a start of its own. The checkout must be at their side.
#[must_use]
pub fn count_instructions(batch: &[&Benchmark], conditions: &RunConditions<'_>) -> BTreeMap<String, ExecutionSummary> {
    by_name(batch, conditions, callgrind::execution_summaries)
}

/// Measures the heap of the benchmarks of a batch, as [`count_instructions()`].
#[must_use]
pub fn measure_heap(batch: &[&Benchmark], conditions: &RunConditions<'_>) -> BTreeMap<String, HeapUsage> {
    by_name(batch, conditions, callgrind::heaps)
}

fn by_name<'a, T>(
    batch: &[&'a Benchmark],
    conditions: &RunConditions<'a>,
    count: impl FnOnce(&[(&'a Benchmark, ProfilerRequest<'a>)]) -> Vec<Option<T>>,
) -> BTreeMap<String, T> {
    let with_requests: Vec<_> = (batch.iter())
        .map(|benchmark| {
            let (limit, _) = conditions.deadline.limit_run(benchmark.time_limit);
            (*benchmark, profiler_request(benchmark, limit, conditions))
        })
        .collect();
    (batch.iter().zip(count(&with_requests)))
        .filter_map(|(benchmark, counted)| Some((benchmark.name.clone(), counted?)))
        .collect()
}
