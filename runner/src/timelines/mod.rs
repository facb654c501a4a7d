//! Versions and names of benchmarks → when each function was active in a run of each: checked out, built with probes,
//! run once.
//!
//! Every timeline is kept in lito's cache as soon as it is there, failures with their reason, so that what is known
//! is neither built nor run again. Samples are not touched: timelines are shown, never predicted from.

mod kept;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use profile::probes::{Instrument, TIMELINE_VERSION};
use profile::timeline::Timeline;

use crate::benchmark::Definition;
use crate::build::{Cache, Purpose, Site};
use crate::environment::{Fingerprint, NEEDED_SPACE, free_space};
use crate::git::{CommitId, GitError, Repository};
use crate::process::{Interruption, ProcessError};
use crate::profiler::ProfilerError;
use crate::profiler::probes::{self, Probed};
use crate::sample::{FailedBefore, environment};
use crate::suite::SuiteError;
use crate::toolchain::{self, ToolchainError};
use crate::worktree::{Worktree, WorktreeError};
use kept::Kept;

/// Whose timelines are taken, and with what.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [Definition],
    /// Where builds, the checkout and what was taken before stand.
    pub cache: &'a Cache,
    /// What puts probes into sources.
    pub instrument: Instrument<'a>,
    /// What is done with what failed before.
    pub failed_before: FailedBefore,
    /// The user's wish to stop.
    pub interruption: &'a Interruption,
}

/// What came of one benchmark at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its timeline.
    Taken(Timeline),
    /// There is none, because of the version: it does not build, lacks the benchmark, or its run fails.
    Failed {
        /// Why.
        reason: String,
    },
}

/// How far it is. Of a version whose timelines are all known nothing is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// A version is built with probes.
    Building {
        /// The version.
        commit: CommitId,
    },
    /// One of its benchmarks was run.
    Ran {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: &'a str,
    },
}

/// Why there are no timelines. Those that were taken are kept, and are not taken again.
#[derive(Debug, thiserror::Error)]
pub enum TimelinesError {
    /// This machine can't build.
    #[error("taking timelines of {commit}: {source}")]
    Build {
        /// The version.
        commit: CommitId,
        /// Why.
        source: SuiteError,
    },
    /// This machine can't run what it built.
    #[error("taking the timeline of {benchmark} at {commit}: {source}")]
    Run {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: String,
        /// Why.
        source: ProfilerError,
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
    /// A timeline can't be kept.
    #[error("{attempt}: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
    Keep {
        /// What was attempted.
        attempt: &'static str,
        /// On which path.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The user stopped it.
    #[error("taking timelines: interrupted; those that were taken are kept")]
    Interrupted,
    /// The toolchain gives no answer.
    #[error(transparent)]
    Toolchain(ToolchainError),
    /// The version can't be checked out.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The history can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl From<ToolchainError> for TimelinesError {
    fn from(error: ToolchainError) -> Self {
        match error {
            ToolchainError::Process(ProcessError::Interrupted { .. }) => Self::Interrupted,
            other => Self::Toolchain(other),
        }
    }
}

/// Takes the timelines of these benchmarks at each of these versions, telling how far it is. The result has one entry
/// a version, in their order, and in it one a benchmark.
///
/// # Errors
/// If this machine can't go on; a version or a benchmark that fails is an [`Outcome`].
pub fn take(
    plan: &Plan<'_>,
    commits: &[CommitId],
    benchmarks: &BTreeSet<String>,
    progress: &mut dyn FnMut(&Step<'_>),
) -> Result<Vec<BTreeMap<String, Outcome>>, TimelinesError> {
    let repository = plan
        .repository
        .workdir()
        .unwrap_or(plan.repository.common_dir());
    // Asked outside of every version, so that nothing is checked out for what is known. A version that names a
    // toolchain of its own is told apart by its commit.
    let compiler = toolchain::compiler(plan.cache.root(), plan.interruption)?;
    let fingerprint = Fingerprint::here(&compiler, TIMELINE_VERSION);
    let environment = environment(&fingerprint, plan.definitions, repository);
    let kept = Kept::new(plan.cache, &environment);
    let mut taking = Taking {
        plan,
        kept,
        progress,
        checkout: None,
    };
    let each = commits.iter();
    each.map(|commit| taking.version(*commit, benchmarks))
        .collect()
}

/// The versions, one after the other in one checkout.
struct Taking<'p, 'a> {
    plan: &'p Plan<'a>,
    kept: Kept,
    progress: &'p mut dyn FnMut(&Step<'_>),
    checkout: Option<Worktree>,
}

impl Taking<'_, '_> {
    fn version(
        &mut self,
        commit: CommitId,
        benchmarks: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Outcome>, TimelinesError> {
        let mut outcomes: BTreeMap<String, Outcome> = BTreeMap::new();
        for name in benchmarks {
            let known = self.kept.read(commit, name).filter(|outcome| {
                matches!(outcome, Outcome::Taken(_))
                    || self.plan.failed_before == FailedBefore::Skip
            });
            outcomes.extend(known.map(|outcome| (name.clone(), outcome)));
        }
        if outcomes.len() == benchmarks.len() {
            return Ok(outcomes);
        }
        let built = self.build(commit)?;
        for name in benchmarks {
            if outcomes.contains_key(name) {
                continue;
            }
            let outcome = match &built {
                Ok(probed) => self.run(commit, name, probed)?,
                Err(reason) => Outcome::Failed {
                    reason: reason.clone(),
                },
            };
            self.kept.write(commit, name, &outcome)?;
            outcomes.insert(name.clone(), outcome);
        }
        Ok(outcomes)
    }

    /// The version's benchmarks with probes in them, or why it has none.
    fn build(&mut self, commit: CommitId) -> Result<Result<Probed, String>, TimelinesError> {
        let plan = self.plan;
        if plan.interruption.is_raised() {
            return Err(TimelinesError::Interrupted);
        }
        check_space(plan.cache)?;
        (self.progress)(&Step::Building { commit });
        let checkout = match self.checkout.take() {
            Some(mut checkout) => {
                checkout.switch(commit)?;
                checkout
            }
            None => Worktree::checkout(plan.repository, commit, &plan.cache.tree())?,
        };
        let checkout = self.checkout.insert(checkout);
        let compiler = toolchain::compiler(checkout.path(), plan.interruption)?;
        let site = Site {
            tree: checkout.path(),
            repository: plan
                .repository
                .workdir()
                .unwrap_or(plan.repository.common_dir()),
            cache: plan.cache,
            committed_at: Some(plan.repository.committed_at(commit)?),
            compiler: &compiler,
            purpose: Purpose::Probes,
            interruption: plan.interruption,
        };
        match probes::prepare(plan.definitions, &site, plan.instrument) {
            Ok(probed) => Ok(Ok(probed)),
            Err(error) if error.is_interruption() => Err(TimelinesError::Interrupted),
            Err(error @ SuiteError::NoBenchmark { .. }) => Ok(Err(error.to_string())),
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => {
                Ok(Err(error.to_string()))
            }
            Err(source) => Err(TimelinesError::Build { commit, source }),
        }
    }

    fn run(
        &mut self,
        commit: CommitId,
        name: &str,
        probed: &Probed,
    ) -> Result<Outcome, TimelinesError> {
        let suite = &probed.suite;
        let Some(benchmark) = suite.benchmarks.iter().find(|other| other.name == name) else {
            let mut failures = suite.failures.iter();
            let failure = failures.find(|failure| failure.target == name);
            let reason = failure.map_or_else(
                || "this version has no benchmark of this name".to_owned(),
                |failure| failure.reason.clone(),
            );
            return Ok(Outcome::Failed { reason });
        };
        let outcome = match probes::timeline(benchmark, &probed.table, self.plan.interruption) {
            Ok(timeline) => Outcome::Taken(timeline),
            Err(ProfilerError::Interrupted { .. }) => return Err(TimelinesError::Interrupted),
            Err(source @ ProfilerError::Io { .. }) => {
                return Err(TimelinesError::Run {
                    commit,
                    benchmark: name.to_owned(),
                    source,
                });
            }
            Err(error) => Outcome::Failed {
                reason: error.to_string(),
            },
        };
        (self.progress)(&Step::Ran {
            commit,
            benchmark: name,
        });
        Ok(outcome)
    }
}

fn check_space(cache: &Cache) -> Result<(), TimelinesError> {
    let path = cache.root();
    // Where the system does not tell, the build will.
    match free_space(path) {
        Ok(free) if free < NEEDED_SPACE => Err(TimelinesError::DiskFull {
            path: path.to_owned(),
            free_mb: free >> 20,
            needed_mb: NEEDED_SPACE >> 20,
        }),
        _ => Ok(()),
    }
}
