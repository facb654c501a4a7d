//! Commits → stored samples: each version checked out, built, listed, and every benchmark of it profiled.
//!
//! Each profile is stored as soon as it is there, so that a kill loses at most the ones under way; what is stored is
//! not taken again. A version counts as sampled only when every benchmark was tried. A version that does not build
//! and a benchmark that fails are recorded with their reason, and the sampling goes on. How a profile is taken is
//! the caller's: see [`ProfilerCallback`].

mod environment;
mod events;
#[cfg(test)]
mod tests;
mod version_sampler;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use environment::environment;
pub use events::{SampleEvent, SampledVersion, SampledVersionState};
use version_sampler::VersionSampler;

use profile::probes::{ProbeTable, SourceInstrumenter};

use crate::benchmark::BenchmarkDefinition;
use crate::build::RepositoryCache;
use crate::frameworks::Benchmark;
use crate::git::{CommitId, GitError, Repository};
use crate::process::InterruptionFlag;
use crate::store::{Store, StoreError};
use crate::suite::SuiteError;
use crate::toolchain::ToolchainError;
use crate::visit::VisitError;
use crate::worktree::WorktreeError;

/// What to sample, with what, into what.
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
    /// What is done with what is stored as failed.
    pub failed_before: FailureRetryPolicy,
    /// Version of the profiler, for the fingerprint: `valgrind-3.19.0`, `probes-1`.
    pub profiler: &'a str,
    /// What puts probes into sources, where these are the profiler.
    pub probes: Option<SourceInstrumenter<'a>>,
    /// Takes one profile.
    pub profiling: ProfilerCallback<'a>,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// What is done with a version that did not build the last time, or with a benchmark that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureRetryPolicy {
    /// It is left out: the same toolchain gives the same errors.
    #[default]
    Skip,
    /// It is tried again, because something outside the fingerprint changed.
    Retry,
}

/// Runs one benchmark of a version once, under a profiler.
pub type ProfilerCallback<'a> =
    &'a (dyn Fn(&Benchmark, &PreparedVersion<'_>) -> Result<EncodedProfile, ProfilingFailure> + Sync);

/// A version that is built.
#[derive(Debug, Clone, Copy)]
pub struct PreparedVersion<'a> {
    /// Where it is checked out.
    pub tree: &'a Path,
    /// What the probes in it stand for, if it has some.
    pub probes: Option<&'a ProbeTable>,
}

/// One profile, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedProfile {
    /// The encoded profile.
    pub bytes: Vec<u8>,
    /// Its total.
    pub total: u64,
}

/// Why a profile was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProfilingFailure {
    /// The benchmark failed.
    Failed {
        /// Why.
        reason: String,
    },
    /// The benchmark ran longer than it may.
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The profiler can't work at all on this machine: nothing is recorded.
    Machine {
        /// Why, and what to do.
        reason: String,
    },
    /// The user stopped it: nothing is recorded.
    Interrupted,
}

/// Why sampling stopped. What is stored stays, and is not taken again.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// None of the versions has a benchmark.
    #[error(transparent)]
    NoBenchmark(SuiteError),
    /// This machine can't build.
    #[error("sampling {commit}: {source}")]
    Build {
        /// The version.
        commit: CommitId,
        /// Why.
        source: SuiteError,
    },
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
    /// Too little room to build.
    #[error("building in {}: only {free_mb} MB are free, {needed_mb} MB are needed; make room, or set LITO_CACHE to a \
             folder on a larger disk", path.display())]
    DiskFull {
        /// The folder.
        path: PathBuf,
        /// Free, in MB.
        free_mb: u64,
        /// Needed, in MB.
        needed_mb: u64,
    },
    /// The user stopped it.
    #[error("sampling: interrupted; what is stored stays, and sampling again goes on from there")]
    Interrupted,
    /// The toolchain gives no answer.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The version can't be checked out.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The history can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<VisitError> for SampleError {
    fn from(error: VisitError) -> Self {
        match error {
            VisitError::Build { commit, source } => Self::Build { commit, source },
            VisitError::DiskFull {
                path,
                free_mb,
                needed_mb,
            } => Self::DiskFull {
                path,
                free_mb,
                needed_mb,
            },
            VisitError::Interrupted => Self::Interrupted,
            VisitError::Toolchain(error) => Self::Toolchain(error),
            VisitError::Worktree(error) => Self::Worktree(error),
            VisitError::Git(error) => Self::Git(error),
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
