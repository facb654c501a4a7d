//! Commits → stored samples: each version checked out, built, listed, and every benchmark of it profiled.
//!
//! Each profile is stored as soon as it is there, so that a kill loses at most the ones under way; what is stored is
//! not taken again. A version counts as sampled only when every benchmark was tried. A version that does not build
//! and a benchmark that fails are recorded with their reason, and the sampling goes on. How a profile is
//! taken is the profiler's.

mod events;
#[cfg(test)]
mod tests;
mod version_sampler;

pub use super::{FailureRetryPolicy, environment};
pub use events::{SampleEvent, SampledVersion, SampledVersionState};
use version_sampler::VersionSampler;

use super::VisitError;
use crate::benchmark::BenchmarkDefinition;
use crate::build::RepositoryCache;
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use crate::profilers::Profiler;
use crate::store::{Store, StoreError};
use crate::suite::SuiteError;

/// Versions to sample, the profiler, and the store that samples go to.
pub struct SamplePlan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// Where samples go.
    pub store: &'a Store,
    /// The versions, in the order in which they are taken.
    pub commits: &'a [CommitId],
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [BenchmarkDefinition],
    /// Where builds and the checkout stand.
    pub cache: &'a RepositoryCache,
    /// Benchmarks profiled at the same time. Counts do not depend on it.
    pub workers: usize,
    /// The policy for stored failures.
    pub failed_before: FailureRetryPolicy,
    /// The profiler.
    pub profiler: &'a dyn Profiler,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Why sampling stopped. What is stored stays, and is not taken again.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// None of the versions has a benchmark.
    #[error(transparent)]
    NoBenchmark(SuiteError),
    /// This machine can't profile.
    #[error("profiling {benchmark} of {commit}: {reason}")]
    Profiler {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: String,
        /// Why, and what to do.
        reason: String,
    },
    /// No version can be visited any more.
    #[error("sampling: {0}")]
    Visit(VisitError),
    /// The user stopped it.
    #[error("sampling: interrupted; what is stored stays, and sampling again goes on from there")]
    Interrupted,
    /// The store can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<VisitError> for SampleError {
    fn from(error: VisitError) -> Self {
        match error {
            VisitError::Interrupted => Self::Interrupted,
            error => Self::Visit(error),
        }
    }
}

/// Samples every version of a plan, telling how far it is.
///
/// # Errors
/// If this machine can't go on; a version or a benchmark that fails is not an error but recorded.
pub fn sample(
    plan: &SamplePlan<'_>,
    progress: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Vec<SampledVersion>, SampleError> {
    let mut sampling = VersionSampler::new(plan, progress);
    let (mut done, mut without) = (Vec::new(), None);
    for (index, &commit) in plan.commits.iter().enumerate() {
        if plan.interruption.is_raised() {
            return Err(SampleError::Interrupted);
        }
        sampling.tell(&SampleEvent::Version {
            commit,
            index,
            total: plan.commits.len(),
        });
        let sampled = match sampling.version(commit) {
            Ok(sampled) => sampled,
            Err(SampleError::NoBenchmark(error)) => {
                let reason = error.to_string();
                without.get_or_insert(error);
                SampledVersion::without_profiles(commit, SampledVersionState::NoBenchmark { reason })
            }
            Err(other) => return Err(other),
        };
        sampling.tell(&SampleEvent::VersionDone { sampled: &sampled });
        done.push(sampled);
    }
    match without {
        Some(error)
            if done
                .iter()
                .all(|sampled| matches!(sampled.state, SampledVersionState::NoBenchmark { .. })) =>
        {
            Err(SampleError::NoBenchmark(error))
        }
        _ => Ok(done),
    }
}
