//! The versions of a history, one after the other → the benchmarks of each, built where the one before was built.
//!
//! One checkout, one build folder: paths, caches and dependencies are the same for all. The programs of a version stand
//! until the next one is built. Runs no benchmark.

use std::time::{Duration, Instant};

use crate::benchmark::BenchmarkDefinition;
use crate::build::{BuildContext, BuildPurpose, RepositoryCache};
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use crate::suite::{self, BenchmarkSuite, SuiteError, SuitePrograms};
use crate::toolchain::{self, ToolchainError};
use crate::worktree::{Worktree, WorktreeError};

/// What is built, and with what.
#[derive(Clone, Copy)]
pub struct HistoryBuildPlan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [BenchmarkDefinition],
    /// Where builds and the checkout stand.
    pub cache: &'a RepositoryCache,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// A history that is being built.
pub struct HistoryBuilder<'a> {
    plan: HistoryBuildPlan<'a>,
    checkout: Option<Worktree>,
}

/// One version.
#[derive(Debug)]
pub struct BuiltVersion {
    /// Its benchmarks; without any where it does not build.
    pub suite: BenchmarkSuite,
    /// Why there are none.
    pub unbuilt: Option<String>,
    /// How long checking out and building took.
    pub building: Duration,
}

/// Why a history can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum HistoryBuildError {
    /// This machine can't build.
    #[error("building {commit}: {source}")]
    Build {
        /// The version.
        commit: CommitId,
        /// Why.
        source: SuiteError,
    },
    /// The user stopped it.
    #[error("building a history: interrupted")]
    Interrupted,
    /// The toolchain gives no answer.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The version can't be checked out.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
}

impl<'a> HistoryBuilder<'a> {
    /// Nothing is checked out yet.
    #[must_use]
    pub fn new(plan: HistoryBuildPlan<'a>) -> Self {
        Self { plan, checkout: None }
    }

    /// Checks a version out and builds its benchmarks. The programs of the version before are gone after this.
    ///
    /// # Errors
    /// If this machine can't go on; a version that does not build, or has no benchmark, is [`BuiltVersion::unbuilt`].
    pub fn build(&mut self, commit: CommitId) -> Result<BuiltVersion, HistoryBuildError> {
        let HistoryBuildPlan {
            repository,
            definitions,
            cache,
            interruption,
        } = self.plan;
        let started = Instant::now();
        let checkout = match self.checkout.take() {
            Some(mut checkout) => {
                checkout.switch(commit)?;
                checkout
            }
            None => Worktree::checkout(repository, commit, &cache.tree())?,
        };
        let checkout = self.checkout.insert(checkout);
        // Asked in the tree, since a version may name its own toolchain.
        let compiler = toolchain::compiler(checkout.path(), interruption)?;
        let committed_at = repository.committed_at(commit).map_err(WorktreeError::Git)?;
        let site = BuildContext {
            tree: checkout.path(),
            repository: repository.workdir().unwrap_or(repository.common_dir()),
            cache,
            committed_at: Some(committed_at),
            compiler: &compiler,
            purpose: BuildPurpose::Costs,
            interruption,
        };
        let prepared = suite::build_suite(definitions, &site, SuitePrograms::Measured);
        let building = started.elapsed();
        let (suite, unbuilt) = match prepared {
            Ok(suite) => (suite, None),
            Err(error) if error.is_interruption() => return Err(HistoryBuildError::Interrupted),
            Err(error @ SuiteError::NoBenchmark { .. }) => (BenchmarkSuite::default(), Some(error.to_string())),
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => {
                (BenchmarkSuite::default(), Some(error.to_string()))
            }
            Err(source) => return Err(HistoryBuildError::Build { commit, source }),
        };
        Ok(BuiltVersion {
            suite,
            unbuilt,
            building,
        })
    }
}
