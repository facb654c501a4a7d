//! A built benchmark into its encoded profile: what the adapters know of it, as the profiler wants it.

use std::path::Path;

use profile::attribution::Roots;
use profile::format::binary;
use runner::adapter::{self, Benchmark};
use runner::profiler::{self, ProfilerError, Request};
use runner::sample::{Taken, Untaken};

/// Profiles one benchmark of the version that is checked out at `tree`.
pub(crate) fn take(benchmark: &Benchmark, tree: &Path) -> Result<Taken, Untaken> {
    let subject = subject(&benchmark.subject);
    let request = Request {
        benchmark: &benchmark.name,
        program: &benchmark.program,
        counting: None,
        arguments: &benchmark.arguments,
        directory: &benchmark.directory,
        environment: &benchmark.environment,
        subject: &subject,
        roots: &Roots::of_project(&tree.to_string_lossy()),
        time_limit: benchmark.time_limit,
    };
    match profiler::profile(&request) {
        Ok(profile) => Ok(Taken {
            bytes: binary::encode(&profile),
            total: profile.total,
        }),
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

fn subject(subject: &adapter::Subject) -> profiler::Subject {
    match subject {
        adapter::Subject::Process => profiler::Subject::Process,
        adapter::Subject::Function(name) => profiler::Subject::Function(name.clone()),
        adapter::Subject::Pattern(glob) => profiler::Subject::Pattern(glob.clone()),
        // The whole function around what the framework times: its own calls of the clock count too.
        adapter::Subject::Clocked { within, .. } => {
            within.first().map_or(profiler::Subject::Process, |glob| {
                profiler::Subject::Pattern(glob.clone())
            })
        }
    }
}
