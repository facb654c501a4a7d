//! A benchmark → its subject's requests to the allocator.
//!
//! Runs it once under dhat; [`crate::profilers::callgrind::heap`] selects the subject's part.

use super::counts::profiler_request;
use super::retries::run_with_retries;
use super::{MeasurementError, RunConditions, TrialResult};
use crate::frameworks::Benchmark;
pub use crate::profilers::HeapUsage;
use crate::profilers::callgrind;

/// Measures the heap in one run of a benchmark. The checkout must be at its side: see
/// [`super::sides::MeasuredSides::switch_to`].
///
/// Runs of one side may go on side by side.
///
/// # Errors
/// [`MeasurementError`]; without valgrind it is [`MeasurementError::NoTool`].
pub fn measure_heap(
    benchmark: &Benchmark,
    conditions: &RunConditions<'_>,
) -> Result<TrialResult<HeapUsage>, MeasurementError> {
    run_with_retries(benchmark.time_limit, conditions, |time_limit| {
        let request = profiler_request(benchmark, time_limit, conditions);
        callgrind::heap(&request).map_err(MeasurementError::from)
    })
}
