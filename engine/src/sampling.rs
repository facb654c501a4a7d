//! Versions into samples: what the runner samples with, put together for every command that takes some.

use std::path::Path;

use runner::benchmark::Definition;
use runner::build::Cache;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::sample::{Event, FailedBefore, Plan, SampleError, Sampled, VersionState, sample};
use runner::store::Store;

use crate::error::EngineError;
use crate::profiling::{self, Chosen};

/// What versions are sampled with.
pub struct Request<'a> {
    pub repository: &'a Repository,
    pub store: &'a Store,
    pub definitions: &'a [Definition],
    /// The checkout that the builds belong to.
    pub root: &'a Path,
    /// Benchmarks profiled at the same time.
    pub workers: usize,
    pub failed_before: FailedBefore,
    pub profiler: &'a Chosen,
    pub interruption: &'a Interruption,
}

/// Samples the versions, telling of each step.
pub fn take(
    request: &Request<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Vec<Sampled>, EngineError> {
    Ok(taken(request, commits, tell)??)
}

/// Samples one version that need not have a benchmark.
pub fn take_one(
    request: &Request<'_>,
    commit: CommitId,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<VersionState, EngineError> {
    match taken(request, &[commit], tell)? {
        Err(SampleError::NoBenchmark(error)) => Ok(VersionState::NoBenchmark {
            reason: error.to_string(),
        }),
        other => Ok(other?.pop().map_or(VersionState::Sampled, |sampled| sampled.state)),
    }
}

fn taken(
    request: &Request<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Result<Vec<Sampled>, SampleError>, EngineError> {
    let cache = Cache::of_repository(request.root).map_err(EngineError::environment)?;
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
