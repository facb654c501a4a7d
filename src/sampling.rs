//! Versions into samples: what the runner samples with, put together for every command that takes some.

use std::path::Path;

use runner::benchmark::Definition;
use runner::build::Cache;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::sample::{Event, FailedBefore, Plan, SampleError, Sampled, VersionState, sample};
use runner::store::Store;

use crate::exit::Failure;
use crate::profiling::{self, Chosen};

/// What versions are sampled with.
pub(crate) struct Request<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) store: &'a Store,
    pub(crate) definitions: &'a [Definition],
    /// The checkout that the builds belong to.
    pub(crate) root: &'a Path,
    /// Benchmarks profiled at the same time.
    pub(crate) workers: usize,
    pub(crate) failed_before: FailedBefore,
    pub(crate) profiler: &'a Chosen,
    pub(crate) interruption: &'a Interruption,
}

/// Samples the versions, telling of each step.
pub(crate) fn take(
    request: &Request<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<Sampled>, Failure> {
    Ok(taken(request, commits, tell)??)
}

/// Samples one version that need not have a benchmark.
pub(crate) fn take_one(
    request: &Request<'_>,
    commit: CommitId,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<VersionState, Failure> {
    match taken(request, &[commit], tell)? {
        Err(SampleError::NoBenchmark(error)) => Ok(VersionState::NoBenchmark {
            reason: error.to_string(),
        }),
        other => Ok(other?
            .pop()
            .map_or(VersionState::Sampled, |sampled| sampled.state)),
    }
}

fn taken(
    request: &Request<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Result<Vec<Sampled>, SampleError>, Failure> {
    let cache = Cache::of_repository(request.root).map_err(Failure::environment)?;
    let plan = Plan {
        repository: request.repository,
        store: request.store,
        commits,
        definitions: request.definitions,
        cache: &cache,
        workers: request.workers,
        failed_before: request.failed_before,
        profiler: request.profiler.version(),
        probes: (*request.profiler == Chosen::Probes).then_some(&profiling::instrument),
        profiling: &|benchmark, version| profiling::take(benchmark, version, request.interruption),
        interruption: request.interruption,
    };
    Ok(sample(&plan, tell))
}
