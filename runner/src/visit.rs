//! Commits → versions, each checked out at the same path and built, one after the other; and a version's benchmarks,
//! run side by side.
//!
//! What is done with a version while it is there is the caller's: samples and calling context trees are taken this
//! way. Several things can be taken of one version: call each with the same [`VersionVisitor`] before the next version.

use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};

use crate::benchmark::BenchmarkDefinition;
use crate::build::{BuildContext, BuildPurpose, RepositoryCache};
use crate::environment::{EnvironmentFingerprint, NEEDED_SPACE, free_space};
use crate::frameworks::Benchmark;
use crate::git::{CommitId, GitError, Repository};
use crate::process::InterruptionFlag;
use crate::sample::environment;
use crate::store::Environment;
use crate::suite::SuiteError;
use crate::toolchain::{self, RustCompiler, ToolchainError};
use crate::worktree::{Worktree, WorktreeError};

/// Files in a version's root that name its own toolchain.
const TOOLCHAIN_FILES: [&[u8]; 2] = [b"rust-toolchain.toml", b"rust-toolchain"];

/// Where versions come from, and where and with what they are built.
#[derive(Clone, Copy)]
pub struct VisitContext<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [BenchmarkDefinition],
    /// Where builds and the checkout stand.
    pub cache: &'a RepositoryCache,
    /// Version of the profiler, for the fingerprint: `valgrind-3.19.0`, `probes-1`.
    pub profiler: &'a str,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Goes from version to version; the checkout is removed when dropped.
pub struct VersionVisitor<'a> {
    ground: VisitContext<'a>,
    checkout: Option<Worktree>,
    /// Of versions that do not name their own.
    compiler: Option<RustCompiler>,
}

/// A version that is checked out.
#[derive(Debug, Clone)]
pub struct CheckedOutVersion {
    /// The version.
    pub commit: CommitId,
    /// When it was committed, in seconds since 1970 (UTC).
    pub committed_at: i64,
    /// Where it stands.
    pub tree: PathBuf,
    /// What builds it.
    pub compiler: RustCompiler,
    /// What its numbers depend on besides its sources.
    pub environment: Environment,
    repository: PathBuf,
}

/// What became of a build.
#[derive(Debug)]
pub enum VisitBuildOutcome<T> {
    /// It is there.
    Built(T),
    /// The version does not build.
    DoesNotBuild {
        /// Why.
        reason: String,
    },
    /// There is nothing to measure in it.
    NoBenchmark(SuiteError),
}

/// Why no version can be visited any more.
#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    /// This machine can't build.
    #[error("building {commit}: {source}")]
    Build {
        /// The version.
        commit: CommitId,
        /// Why.
        source: SuiteError,
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
    #[error("interrupted")]
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
}

impl<'a> VersionVisitor<'a> {
    /// Nothing is checked out yet.
    #[must_use]
    pub fn new(ground: VisitContext<'a>) -> Self {
        Self {
            ground,
            checkout: None,
            compiler: None,
        }
    }

    /// What numbers of a version depend on besides its sources; checks it out only if it names a toolchain of its own.
    ///
    /// # Errors
    /// If the history can't be read, or the toolchain gives no answer.
    pub fn environment(&mut self, commit: CommitId) -> Result<Environment, VisitError> {
        for name in TOOLCHAIN_FILES {
            if self.ground.repository.entry_at(commit, name)?.is_some() {
                return Ok(self.check_out(commit)?.environment);
            }
        }
        let compiler = match &self.compiler {
            Some(compiler) => compiler.clone(),
            // What holds in the folder above the checkout holds there.
            None => toolchain::compiler(self.ground.cache.root(), self.ground.interruption)?,
        };
        self.compiler = Some(compiler.clone());
        Ok(self.environment_with(&compiler))
    }

    /// Checks a version out; whatever was changed in its files is restored.
    ///
    /// # Errors
    /// If it can't be read or written, or its toolchain gives no answer.
    pub fn check_out(&mut self, commit: CommitId) -> Result<CheckedOutVersion, VisitError> {
        let ground = &self.ground;
        let checkout = match self.checkout.take() {
            Some(mut checkout) => {
                checkout.switch(commit)?;
                checkout
            }
            None => Worktree::checkout(ground.repository, commit, &ground.cache.tree())?,
        };
        let tree = checkout.path().to_owned();
        self.checkout = Some(checkout);
        // Asked in the tree, since a version may name its own toolchain.
        let compiler = toolchain::compiler(&tree, ground.interruption)?;
        Ok(CheckedOutVersion {
            commit,
            committed_at: ground.repository.committed_at(commit)?,
            tree,
            environment: self.environment_with(&compiler),
            compiler,
            repository: self.repository(),
        })
    }

    /// Builds something of a version that is checked out.
    ///
    /// # Errors
    /// If this machine can't build, or the user stopped it.
    pub fn build<T>(
        &self,
        visit: &CheckedOutVersion,
        build: impl FnOnce(&BuildContext<'_>) -> Result<T, SuiteError>,
    ) -> Result<VisitBuildOutcome<T>, VisitError> {
        self.check_space()?;
        let site = BuildContext {
            tree: &visit.tree,
            repository: &visit.repository,
            cache: self.ground.cache,
            committed_at: Some(visit.committed_at),
            compiler: &visit.compiler,
            purpose: BuildPurpose::Costs,
            interruption: self.ground.interruption,
        };
        match build(&site) {
            Ok(built) => Ok(VisitBuildOutcome::Built(built)),
            Err(error) if error.is_interruption() => Err(VisitError::Interrupted),
            Err(error @ SuiteError::NoBenchmark { .. }) => Ok(VisitBuildOutcome::NoBenchmark(error)),
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => Ok(VisitBuildOutcome::DoesNotBuild {
                reason: error.to_string(),
            }),
            Err(source) => Err(VisitError::Build {
                commit: visit.commit,
                source,
            }),
        }
    }

    fn repository(&self) -> PathBuf {
        let repository = self.ground.repository;
        (repository.workdir().unwrap_or(repository.common_dir())).to_owned()
    }

    fn environment_with(&self, compiler: &RustCompiler) -> Environment {
        let fingerprint = EnvironmentFingerprint::here(compiler, self.ground.profiler);
        environment(&fingerprint, self.ground.definitions, &self.repository())
    }

    fn check_space(&self) -> Result<(), VisitError> {
        let path = self.ground.cache.root();
        // Where the system does not tell, the build will.
        match free_space(path) {
            Ok(free) if free < NEEDED_SPACE => Err(VisitError::DiskFull {
                path: path.to_owned(),
                free_mb: free >> 20,
                needed_mb: NEEDED_SPACE >> 20,
            }),
            _ => Ok(()),
        }
    }
}

/// Runs something on each benchmark, `workers` at a time, and hears what came of each in this thread. After the first
/// error that `heard` returns no other is begun; what is under way comes to its end unheard.
///
/// # Errors
/// That first error. Nothing tells that the user stopped it: see the interruption.
pub fn run_in_parallel<R: Send, E>(
    benchmarks: &[&Benchmark],
    workers: usize,
    interruption: &InterruptionFlag,
    run: impl Fn(&Benchmark) -> R + Sync,
    mut heard: impl FnMut(&Benchmark, R) -> Result<(), E>,
) -> Result<(), E> {
    let queue = Mutex::new(benchmarks.iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, benchmarks.len().max(1)) {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || {
                while !interruption.is_raised()
                    && let Some(benchmark) = next()
                    && sender.send((*benchmark, run(benchmark))).is_ok()
                {}
            });
        }
        drop(sender);
        let mut result = Ok(());
        for (benchmark, came) in &receiver {
            result = heard(benchmark, came);
            if result.is_err() {
                // Nobody takes what is still in the queue.
                while next().is_some() {}
                break;
            }
        }
        drop(receiver);
        result
    })
}
