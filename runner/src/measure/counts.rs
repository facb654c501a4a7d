//! A benchmark → how many instructions its subject executes, and which functions those are in.
//!
//! Runs it once under callgrind, without attributing anything to sources; [`crate::profiler`] does that.

use std::time::Duration;

use profile::attribution::Roots;

use super::trial::tried;
use super::{Conditions, Taken, Unmeasured};
use crate::adapter::Benchmark;
pub use crate::profiler::Counted;
use crate::profiler::{self, ProfilerError, Request};

/// Counts one run of a benchmark. The checkout must be at its side: see [`super::sides::Sides::run_at`].
///
/// Runs of one side may go on side by side: counts do not depend on it.
///
/// # Errors
/// [`Unmeasured`]; without valgrind it is [`Unmeasured::NoTool`].
pub fn count(
    benchmark: &Benchmark,
    conditions: &Conditions<'_>,
) -> Result<Taken<Counted>, Unmeasured> {
    tried(benchmark.time_limit, conditions, |time_limit| {
        let request = request(benchmark, time_limit, conditions);
        profiler::total(&request).map_err(Unmeasured::from)
    })
}

/// Nothing is attributed to sources, so that their roots do not matter.
static NO_ROOTS: Roots = Roots {
    project: Vec::new(),
    external: Vec::new(),
};

pub(super) fn request<'a>(
    benchmark: &'a Benchmark,
    time_limit: Duration,
    conditions: &Conditions<'a>,
) -> Request<'a> {
    Request {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: None,
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots: &NO_ROOTS,
        time_limit,
        interruption: conditions.interruption,
    }
}

impl From<ProfilerError> for Unmeasured {
    fn from(error: ProfilerError) -> Self {
        match error {
            ProfilerError::TimedOut { limit, .. } => Self::TimedOut { limit },
            ProfilerError::Interrupted { .. } => Self::Interrupted,
            ProfilerError::ValgrindMissing { .. } | ProfilerError::ValgrindFailed { .. } => {
                Self::NoTool {
                    reason: error.to_string(),
                }
            }
            ProfilerError::Io { .. } => Self::machine(error),
            _ => Self::failed(error.to_string()),
        }
    }
}
