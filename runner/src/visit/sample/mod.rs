//! Commits → stored samples: checks out each version, builds it, lists its benchmarks and profiles each of them.
//!
//! Each profile is stored as soon as it is complete, so that a kill loses at most the running ones; stored profiles are
//! not taken again. A version counts as sampled only when every benchmark was tried. A version that does not build and
//! a benchmark that fails are recorded with their reason, and sampling continues. The profiler decides how a profile is
//! taken.

mod events;
mod inputs;
mod order;
#[cfg(test)]
mod tests;
mod version_sampler;

pub use super::{FailureRetryPolicy, environment};
pub use events::{SampleEvent, SampleFailure, SampledVersion, SampledVersionState};
use version_sampler::VersionSampler;

use std::time::Duration;

use super::{VersionVisitor, VisitContext, VisitError};
use crate::benchmark::BenchmarkDefinitions;
use crate::build::RepositoryCache;
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use crate::profilers::Profiler;
use crate::store::{Store, StoreError};

/// Versions to sample, the profiler, and the store that samples go to.
pub struct SamplePlan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The store of the samples.
    pub store: &'a Store,
    /// The versions, in the order in which they are taken.
    pub commits: &'a [CommitId],
    /// The benchmark definitions; if empty, benchmarks are discovered.
    pub definitions: &'a BenchmarkDefinitions,
    /// The folder of the builds and the checkout.
    pub cache: &'a RepositoryCache,
    /// Benchmarks profiled at the same time. Counts do not depend on it.
    pub workers: usize,
    /// Time for the profiles of one version, builds excluded: benchmarks whose turn does not come are left out. Without
    /// it, each has its turn.
    pub budget: Option<Duration>,
    /// The policy for stored failures.
    pub failed_before: FailureRetryPolicy,
    /// The profiler.
    pub profiler: &'a dyn Profiler,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// The reason why sampling stopped. Stored samples stay, and are not taken again.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
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

/// Samples every version of a plan, and reports progress.
///
/// # Errors
/// If this machine can't continue. A version or a benchmark that fails is recorded, and one without benchmarks is an
/// outcome: neither is an error.
pub fn sample(
    plan: &SamplePlan<'_>,
    progress: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<Vec<SampledVersion>, SampleError> {
    let mut visitor = VersionVisitor::new(plan.visit_context());
    let total = plan.commits.len();
    (plan.commits.iter().enumerate())
        .map(|(index, &commit)| {
            progress(&SampleEvent::Version { commit, index, total });
            sample_version(plan, &mut visitor, commit, progress)
        })
        .collect()
}

/// Samples one version, as [`sample`] does for each of a plan. For callers that also take other results of the version with
/// the same visitor.
///
/// # Errors
/// As [`sample`].
pub fn sample_version(
    plan: &SamplePlan<'_>,
    visitor: &mut VersionVisitor<'_>,
    commit: CommitId,
    progress: &mut dyn FnMut(&SampleEvent<'_>),
) -> Result<SampledVersion, SampleError> {
    if plan.interruption.is_raised() {
        return Err(SampleError::Interrupted);
    }
    // A version whose outcomes are all stored is written no more, and a write is what removes them otherwise.
    plan.store.remove_abandoned();
    let sampled = VersionSampler {
        plan,
        visitor,
        progress,
    }
    .version(commit)?;
    progress(&SampleEvent::VersionDone { sampled: &sampled });
    Ok(sampled)
}

impl<'a> SamplePlan<'a> {
    /// The context of the visits that its samples are taken on.
    #[must_use]
    pub fn visit_context(&self) -> VisitContext<'a> {
        VisitContext {
            repository: self.repository,
            definitions: self.definitions,
            cache: self.cache,
            interruption: self.interruption,
        }
    }
}
