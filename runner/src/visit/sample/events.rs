//! Progress events of sampling, and the outcome of each version.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::git::CommitId;
use crate::store::{SampleOutcome, SampleRecord};

/// A progress event of sampling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SampleEvent<'a> {
    /// The sampling of a version begins.
    Version {
        /// The version.
        commit: CommitId,
        /// Number of versions before it.
        index: usize,
        /// Number of versions.
        total: usize,
    },
    /// Another process has checked a version of the same repository out; it is waited for.
    Waiting {
        /// Its id.
        holder: u32,
    },
    /// Its build begins.
    Building {
        /// The version.
        commit: CommitId,
    },
    /// It is built, and its benchmarks are listed.
    Listed {
        /// The version.
        commit: CommitId,
        /// Number of its benchmarks.
        benchmarks: usize,
        /// Number of benchmarks that are stored already.
        stored: usize,
        /// True if these are unit tests, because there is no benchmark.
        tests_stand_in: bool,
    },
    /// A benchmark was tried, and its outcome is stored.
    Profiled {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: &'a str,
        /// Its outcome.
        outcome: &'a SampleOutcome,
        /// Number of benchmarks tried so far, this one included.
        done: usize,
        /// Number of benchmarks to try.
        total: usize,
        /// Time since the first of them began; `None` for those that shared a start, which are all told at its end.
        elapsed: Option<Duration>,
    },
    /// A version is done.
    VersionDone {
        /// Its outcome.
        sampled: &'a SampledVersion,
    },
}

/// The outcome of one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledVersion {
    /// The version.
    pub commit: CommitId,
    /// Its outcome.
    pub state: SampledVersionState,
    /// Benchmarks with a profile.
    pub profiled: usize,
    /// Benchmarks and targets without one, each stored with its reason, by name.
    pub failures: Vec<SampleFailure>,
    /// Benchmarks profiled now whose counting programs failed or took too long, each with the reason. Their counts of
    /// inlined code are estimates.
    pub uncounted: Vec<SampleFailure>,
    /// Benchmarks profiled now whose interpreter does not name its functions, each with the reason: none of them is in the
    /// profile.
    pub unnamed: Vec<SampleFailure>,
    /// Benchmarks that were not tried, by name.
    pub left_out: Vec<String>,
    /// Number of outcomes, of either kind, that were stored before.
    pub reused: usize,
    /// Time spent on building and listing.
    pub building: Duration,
    /// Time spent on profiling.
    pub profiling: Duration,
}

/// A benchmark, or a target with benchmarks, that has no profile or no exact counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleFailure {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl SampleFailure {
    /// The failures of a sample, by name.
    pub(super) fn of_record(record: &SampleRecord) -> Vec<Self> {
        let reason = |outcome: &SampleOutcome| match outcome {
            SampleOutcome::Profiled { .. } | SampleOutcome::LeftOut => None,
            SampleOutcome::Failed { reason } => Some(reason.clone()),
            SampleOutcome::TimedOut { seconds } => Some(format!("it did not end within {seconds} s")),
        };
        (record.benchmarks.iter())
            .filter_map(|(name, outcome)| {
                Some(Self {
                    name: name.clone(),
                    reason: reason(outcome)?,
                })
            })
            .collect()
    }
}

/// The outcome of a version as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// It has nothing to measure; not stored, since the settings may be at fault.
    NoBenchmark {
        /// The targets that were searched for.
        reason: String,
    },
}

impl SampledVersion {
    pub(super) fn without_profiles(commit: CommitId, state: SampledVersionState) -> Self {
        Self {
            commit,
            state,
            profiled: 0,
            failures: Vec::new(),
            uncounted: Vec::new(),
            unnamed: Vec::new(),
            left_out: Vec::new(),
            reused: 0,
            building: Duration::ZERO,
            profiling: Duration::ZERO,
        }
    }
}
