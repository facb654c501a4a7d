//! A benchmark → what its subject asks the allocator for.
//!
//! Runs it once under dhat; what counts as the subject's is told in [`crate::profiler::heap`].

use super::counts::profiler_request;
use super::retries::run_with_retries;
use super::{MeasurementError, RunLimits, TrialResult};
use crate::frameworks::Benchmark;
use crate::profiler;
pub use crate::profiler::HeapUsage;

/// Weighs one run of a benchmark. The checkout must be at its side: see [`super::sides::Sides::run_at`].
///
/// Runs of one side may go on side by side.
///
/// # Errors
/// [`MeasurementError`]; without valgrind it is [`MeasurementError::NoTool`].
pub fn measure_heap(
    benchmark: &Benchmark,
    conditions: &RunLimits<'_>,
) -> Result<TrialResult<HeapUsage>, MeasurementError> {
    run_with_retries(benchmark.time_limit, conditions, |time_limit| {
        let request = profiler_request(benchmark, time_limit, conditions);
        profiler::heap(&request).map_err(MeasurementError::from)
    })
}
