//! A built benchmark into its encoded profile: what the adapters know of it, as the profiler wants it.

use std::path::Path;

use profile::attribution::Roots;
use profile::format::binary;
use runner::adapter::Benchmark;
use runner::process::Interruption;
use runner::profiler::{self, ProfilerError, Request};
use runner::sample::{Taken, Untaken};

/// Profiles one benchmark of the version that is checked out at `tree`.
pub(crate) fn take(
    benchmark: &Benchmark,
    tree: &Path,
    interruption: &Interruption,
) -> Result<Taken, Untaken> {
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
        interruption,
    };
    let profiled = profiler::profile(&request).and_then(|costs| match &benchmark.counting {
        None => Ok(costs),
        Some(counting) => match profiler::add_counts(&request, &costs, counting) {
            Err(interrupted @ ProfilerError::Interrupted { .. }) => Err(interrupted),
            // Where the counting run fails or takes too long, the estimates stay, and say that they are.
            counted => Ok(counted.unwrap_or(costs)),
        },
    });
    match profiled {
        Ok(profile) => Ok(Taken {
            bytes: binary::encode(&profile),
            total: profile.total,
        }),
        Err(ProfilerError::Interrupted { .. }) => Err(Untaken::Interrupted),
        Err(ProfilerError::TimedOut { limit, .. }) => Err(Untaken::TimedOut { limit }),
        Err(
            error @ (ProfilerError::ValgrindMissing { .. }
            | ProfilerError::ValgrindFailed { .. }
            | ProfilerError::Io { .. }),
        ) => Err(Untaken::Machine {
            reason: error.to_string(),
        }),
        Err(error) => Err(Untaken::Failed {
            reason: error.to_string(),
        }),
    }
}
