//! Versions into samples: what the runner samples with, put together for every command that takes some.

use std::path::Path;

use runner::benchmark::BenchmarkDefinition;
use runner::build::RepositoryCache;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::sample::{
    FailureRetryPolicy, SampleError, SampleEvent, SamplePlan, SampledVersion, SampledVersionState, sample,
};
use runner::store::Store;

use crate::error::EngineError;
use crate::profiling::ProfilerChoice;

/// What versions are sampled with.
pub struct SamplingRequest<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The profile store.
    pub store: &'a Store,
    /// The configured benchmarks; none: they are discovered.
    pub definitions: &'a [BenchmarkDefinition],
    /// The checkout that the builds belong to.
    pub root: &'a Path,
    /// Benchmarks profiled at the same time.
    pub workers: usize,
    /// Whether versions and benchmarks that failed before are tried again.
    pub failed_before: FailureRetryPolicy,
    /// The profiler to use.
    pub profiler: &'a ProfilerChoice,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Samples the versions, telling of each step.
pub fn sample_versions(
    request: &SamplingRequest<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Vec<SampledVersion>, EngineError> {
    Ok(taken(request, commits, tell)??)
}

/// Samples one version that need not have a benchmark.
pub fn sample_version(
    request: &SamplingRequest<'_>,
    commit: CommitId,
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<SampledVersionState, EngineError> {
    match taken(request, &[commit], tell)? {
        Err(SampleError::NoBenchmark(error)) => Ok(SampledVersionState::NoBenchmark {
            reason: error.to_string(),
        }),
        other => Ok(other?
            .pop()
            .map_or(SampledVersionState::Sampled, |sampled| sampled.state)),
    }
}

fn taken(
    request: &SamplingRequest<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Result<Vec<SampledVersion>, SampleError>, EngineError> {
    let cache = RepositoryCache::of_repository(request.root).map_err(EngineError::environment)?;
    let plan = SamplePlan {
        repository: request.repository,
        store: request.store,
        commits,
        definitions: request.definitions,
        cache: &cache,
        workers: request.workers,
        failed_before: request.failed_before,
        profiler: request.profiler.profiler(),
        interruption: request.interruption,
    };
    Ok(sample(&plan, tell))
}
