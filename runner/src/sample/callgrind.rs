//! A built benchmark → its profile under callgrind, encoded as the store keeps it.

use std::path::Path;

use profile::attribution::Roots;
use profile::format::binary;

use super::{Taken, Untaken};
use crate::adapter::Benchmark;
use crate::profiler::{self, ProfilerError, Request};

/// Profiles one run of a benchmark of the version that is checked out at `tree`: see [`super::Profiling`].
///
/// # Errors
/// If the benchmark fails or hangs, or this machine can't profile.
pub fn callgrind(benchmark: &Benchmark, tree: &Path) -> Result<Taken, Untaken> {
    let request = Request {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: None,
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &benchmark.subject,
        roots: &Roots::of_project(&tree.to_string_lossy()),
        time_limit: benchmark.time_limit,
    };
    match profiler::profile(&request) {
        Ok(profile) => Ok(Taken {
            bytes: binary::encode(&profile),
            total: profile.total,
        }),
        Err(ProfilerError::TimedOut { limit, .. }) => Err(Untaken::TimedOut { limit }),
        Err(error @ (ProfilerError::ValgrindMissing { .. } | ProfilerError::Io { .. })) => {
            Err(Untaken::Machine {
                reason: error.to_string(),
            })
        }
        Err(error) => Err(Untaken::Failed {
            reason: error.to_string(),
        }),
    }
}
