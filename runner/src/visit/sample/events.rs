//! Progress events of sampling, and the outcome of each version.

use std::time::Duration;

use crate::git::CommitId;
use crate::store::SampleOutcome;

/// A step of the sampling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SampleEvent<'a> {
    /// A version is begun.
    Version {
        /// The version.
        commit: CommitId,
        /// How many were begun before it.
        index: usize,
        /// How many there are.
        total: usize,
    },
    /// Its build is begun.
    Building {
        /// The version.
        commit: CommitId,
    },
    /// It is built, and its benchmarks are known.
    Listed {
        /// The version.
        commit: CommitId,
        /// How many there are.
        benchmarks: usize,
        /// How many of these are stored already.
        stored: usize,
    },
    /// A benchmark was tried, and what became of it is stored.
    Profiled {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: &'a str,
        /// Its outcome.
        outcome: &'a SampleOutcome,
        /// How many were tried so far, this one included.
        done: usize,
        /// How many there are to try.
        total: usize,
    },
    /// A version is done.
    VersionDone {
        /// Its outcome.
        sampled: &'a SampledVersion,
    },
}

/// The outcome of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledVersion {
    /// The version.
    pub commit: CommitId,
    /// Its outcome.
    pub state: SampledVersionState,
    /// Benchmarks with a profile.
    pub profiled: usize,
    /// Benchmarks and targets without one, each stored with its reason.
    pub failed: usize,
    /// Of both, how many were stored before.
    pub reused: usize,
    /// Time spent on building and listing.
    pub building: Duration,
    /// Time spent on profiling.
    pub profiling: Duration,
}

/// The outcome of a version as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SampledVersionState {
    /// Every benchmark was tried; stored.
    Sampled,
    /// It was sampled before in this environment.
    AlreadySampled,
    /// It does not build; stored.
    DoesNotBuild {
        /// Why.
        reason: String,
    },
    /// There is nothing to measure in it; not stored, since the settings may be at fault.
    NoBenchmark {
        /// The things that were looked for.
        reason: String,
    },
}

impl SampledVersion {
    pub(super) fn without_profiles(commit: CommitId, state: SampledVersionState) -> Self {
        Self {
            commit,
            state,
            profiled: 0,
            failed: 0,
            reused: 0,
            building: Duration::ZERO,
            profiling: Duration::ZERO,
        }
    }
}
