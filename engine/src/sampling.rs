//! Versions → samples: assembles the runner's sampling for every command that needs some.

use std::path::Path;
use std::time::Duration;

use analyzer::score::CostModel;
use runner::benchmark::BenchmarkDefinitions;
use runner::build::RepositoryCache;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::sample::{FailureRetryPolicy, SampleEvent, SamplePlan, SampledVersion, SampledVersionState, sample};
use runner::store::Store;

use crate::error::EngineError;
use crate::profiling::ProfilerChoice;
use crate::sample_drift::drift_at;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// The settings with which versions are sampled.
pub struct SamplingRequest<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The profile store.
    pub store: &'a Store,
    /// The configured benchmarks; if empty, they are discovered.
    pub definitions: &'a BenchmarkDefinitions,
    /// The checkout that the builds belong to.
    pub root: &'a Path,
    /// Benchmarks profiled at the same time.
    pub workers: usize,
    /// Time for the profiles of one version, builds excluded; without it, all benchmarks are profiled.
    pub budget: Option<Duration>,
    /// Whether versions and benchmarks that failed before are tried again.
    pub failed_before: FailureRetryPolicy,
    /// The profiler to use.
    pub profiler: &'a ProfilerChoice,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Samples the versions, and reports each step. It is a mistake of the request if none of them has a benchmark.
pub fn sample_versions(
    request: &SamplingRequest<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Vec<SampledVersion>, EngineError> {
    let sampled = outcomes(request, commits, tell)?;
    let reasons = (sampled.iter()).map(|version| match &version.state {
        SampledVersionState::NoBenchmark { reason } => Some(reason),
        SampledVersionState::Sampled
        | SampledVersionState::AlreadySampled
        | SampledVersionState::DoesNotBuild { .. } => None,
    });
    match reasons.collect::<Option<Vec<_>>>().as_deref() {
        Some([reason, ..]) => Err(EngineError::request(reason)),
        _ => Ok(sampled),
    }
}

/// Samples those of the versions, given oldest first, at which the drift since the newest sample reaches a limit, a share.
/// `consider` is told each version before it is looked at. A version that has no profile in the end leaves it to the next one.
pub fn sample_by_drift(
    request: &SamplingRequest<'_>,
    commits: &[CommitId],
    limit: f64,
    consider: &mut dyn FnMut(CommitId),
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Vec<SampledVersion>, EngineError> {
    let scoring = scoring::scoring_for_model(CostModel::Lito, limit, (request.repository, request.definitions));
    let mut sampled = Vec::new();
    let mut samples = SampleLoader::new(request.repository, request.store)?;
    for &commit in commits {
        if request.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        consider(commit);
        let drift = drift_at(request.repository, &mut samples, commit, &scoring)?;
        samples.forget_unused();
        if drift.reaches(limit) {
            sampled.push(sample_version(request, commit, tell)?);
            samples = SampleLoader::new(request.repository, request.store)?;
        }
    }
    Ok(sampled)
}

/// Samples one version, which may have no benchmark.
pub fn sample_version(
    request: &SamplingRequest<'_>,
    commit: CommitId,
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<SampledVersion, EngineError> {
    let mut sampled = outcomes(request, &[commit], tell)?;
    Ok(sampled.remove(0))
}

fn outcomes(
    request: &SamplingRequest<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Vec<SampledVersion>, EngineError> {
    let cache = RepositoryCache::of_repository(request.root).map_err(EngineError::environment)?;
    Ok(sample(&request.plan(&cache, request.store, commits), tell)?)
}

impl SamplingRequest<'_> {
    /// The runner's plan for these versions, with their builds in this cache and their samples in this store.
    pub(crate) fn plan<'p>(
        &'p self,
        cache: &'p RepositoryCache,
        store: &'p Store,
        commits: &'p [CommitId],
    ) -> SamplePlan<'p> {
        SamplePlan {
            repository: self.repository,
            store,
            commits,
            definitions: self.definitions,
            cache,
            workers: self.workers,
            budget: self.budget,
            failed_before: self.failed_before,
            profiler: self.profiler.profiler(),
            interruption: self.interruption,
        }
    }
}
