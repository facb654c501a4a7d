//! The versions of a history, one after the other → the benchmarks of each, built where the one before was built.
//!
//! One checkout, one build folder: paths, caches and dependencies are the same for all. The programs of a version stand
//! until the next one is built. Runs no benchmark.

use std::time::{Duration, Instant};

use crate::benchmark::Definition;
use crate::build::{Cache, Purpose, Site};
use crate::git::{CommitId, Repository};
use crate::process::Interruption;
use crate::suite::{self, Programs, Suite, SuiteError};
use crate::toolchain::{self, ToolchainError};
use crate::worktree::{Worktree, WorktreeError};

/// What is built, and with what.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [Definition],
    /// Where builds and the checkout stand.
    pub cache: &'a Cache,
    /// The user's wish to stop.
    pub interruption: &'a Interruption,
}

/// A history that is being built.
pub struct Series<'a> {
    plan: Plan<'a>,
    checkout: Option<Worktree>,
}

/// One version.
#[derive(Debug)]
pub struct Version {
    /// Its benchmarks; without any where it does not build.
    pub suite: Suite,
    /// Why there are none.
    pub unbuilt: Option<String>,
    /// How long checking out and building took.
    pub building: Duration,
}

/// Why a history can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum SeriesError {
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

impl<'a> Series<'a> {
    /// Nothing is checked out yet.
    #[must_use]
    pub fn new(plan: Plan<'a>) -> Self {
        Self { plan, checkout: None }
    }

    /// Checks a version out and builds its benchmarks. The programs of the version before are gone after this.
    ///
    /// # Errors
    /// If this machine can't go on; a version that does not build, or has no benchmark, is [`Version::unbuilt`].
    pub fn build(&mut self, commit: CommitId) -> Result<Version, SeriesError> {
        let Plan {
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
        let site = Site {
            tree: checkout.path(),
            repository: repository.workdir().unwrap_or(repository.common_dir()),
            cache,
            committed_at: Some(committed_at),
            compiler: &compiler,
            purpose: Purpose::Costs,
            interruption,
        };
        let prepared = suite::prepare(definitions, &site, Programs::Measured);
        let building = started.elapsed();
        let (suite, unbuilt) = match prepared {
            Ok(suite) => (suite, None),
            Err(error) if error.is_interruption() => return Err(SeriesError::Interrupted),
            Err(error @ SuiteError::NoBenchmark { .. }) => (Suite::default(), Some(error.to_string())),
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => {
                (Suite::default(), Some(error.to_string()))
            }
            Err(source) => return Err(SeriesError::Build { commit, source }),
        };
        Ok(Version {
            suite,
            unbuilt,
            building,
        })
    }
}
