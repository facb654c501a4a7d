//! Commits → versions, each checked out at the same path and built, one after the other; and a version's benchmarks,
//! run side by side.
//!
//! The caller decides what to take of a version while it is checked out: samples, calling context trees and timelines
//! are taken this way. To take several results of one version, call each with the same [`VersionVisitor`] before the
//! next version: they share the checkout, and those of one profiler its build. Take those of a profiler that changes
//! sources last: its build ends that of any other.

pub mod call_trees;
mod environment;
pub mod history_builder;
mod parallel;
pub mod sample;
pub mod sides;
#[cfg(test)]
mod tests;
pub mod timelines;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::benchmark::BenchmarkDefinitions;
use crate::build::{BuildContext, BuildError, BuildPurpose, RepositoryCache};
use crate::environment::{EnvironmentFingerprint, NEEDED_SPACE, free_space};
use crate::git::{CommitId, GitError, Repository};
use crate::process::{InterruptionFlag, ProcessError};
use crate::profilers::{Profiler, ProfilerBuild};
use crate::store::Environment;
use crate::suite::SuiteError;
use crate::toolchain::{self, RustCompiler, ToolchainError};
use crate::worktree::{Submodule, Worktree, WorktreeError};
pub use environment::{environment, harness_digest, harness_files};
pub use parallel::run_in_parallel;

/// Files of a version that name its own toolchain or compiler flags.
const SETTINGS_OF_A_VERSION: [&[u8]; 4] = [
    b"rust-toolchain.toml",
    b"rust-toolchain",
    b".cargo/config.toml",
    b".cargo/config",
];

/// Interval at which a process that waits for the checkout tries again.
const TURN_INTERVAL: Duration = Duration::from_millis(200);

/// The repository of the versions, and the settings of their builds.
#[derive(Clone, Copy)]
pub struct VisitContext<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The benchmark definitions; if empty, benchmarks are discovered.
    pub definitions: &'a BenchmarkDefinitions,
    /// The folder of the builds and the checkout.
    pub cache: &'a RepositoryCache,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Goes from version to version; the checkout is removed on drop.
pub struct VersionVisitor<'a> {
    context: VisitContext<'a>,
    checkout: Option<Worktree>,
    /// The version in the checkout, and its builds.
    current: Option<CurrentVersion>,
    /// The compiler of versions that do not name their own.
    compiler: Option<RustCompiler>,
}

/// The version that the checkout holds.
struct CurrentVersion {
    visit: CheckedOutVersion,
    /// Builds by the profiler's name and version.
    builds: Vec<((&'static str, String), SharedBuild)>,
    /// False once a profiler has changed its sources.
    is_as_committed: bool,
}

/// A progress event on the way to a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitEvent {
    /// Another process has checked a version of the same repository out; it is waited for.
    Waiting {
        /// Its id.
        holder: u32,
    },
    /// The build begins.
    Building,
}

/// The outcome of a build for a profiler, which everything shares that is taken with it.
pub type SharedBuild = Rc<VisitBuildOutcome<ProfilerBuild>>;

/// A version that is checked out.
#[derive(Debug, Clone)]
pub struct CheckedOutVersion {
    /// The version.
    pub commit: CommitId,
    /// When it was committed, in seconds since 1970 (UTC).
    pub committed_at: i64,
    /// The folder of the checkout.
    pub tree: PathBuf,
    /// The compiler that builds it.
    pub compiler: RustCompiler,
    /// Submodules that are empty: the clone does not have their commits.
    pub empty_submodules: Vec<Submodule>,
    repository: PathBuf,
}

impl CheckedOutVersion {
    /// A failure of the build, with what the clone lacks.
    fn failure(&self, reason: &BuildError) -> String {
        let paths: Vec<_> = self.empty_submodules.iter().map(|empty| empty.path.lossy()).collect();
        if paths.is_empty() {
            return reason.to_string();
        }
        let paths = paths.join(", ");
        format!(
            "without its submodules: {paths}: this clone does not have them; run `git submodule update --init --recursive`, and let \
             CI jobs check submodules out: {reason}"
        )
    }
}

/// The outcome of a build.
#[derive(Debug)]
pub enum VisitBuildOutcome<T> {
    /// The build succeeded.
    Built(T),
    /// The version does not build.
    DoesNotBuild {
        /// Why.
        reason: String,
    },
    /// It has nothing to measure.
    NoBenchmark(SuiteError),
}

/// The reason why no version can be visited any more.
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
    /// The disk has too little space for a build.
    #[error("building in {}: only {free_mb} MB are free, {needed_mb} MB are needed; make room, or set LITO_CACHE to a \
             folder on a larger disk", path.display())]
    DiskFull {
        /// The folder.
        path: PathBuf,
        /// Free space, in MB.
        free_mb: u64,
        /// Needed space, in MB.
        needed_mb: u64,
    },
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The toolchain can't be queried.
    #[error(transparent)]
    Toolchain(ToolchainError),
    /// The version can't be checked out.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// The history can't be read.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl From<ToolchainError> for VisitError {
    fn from(error: ToolchainError) -> Self {
        match error {
            ToolchainError::Process(ProcessError::Interrupted { .. }) => Self::Interrupted,
            error => Self::Toolchain(error),
        }
    }
}

/// The policy for versions that did not build before, and benchmarks that failed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureRetryPolicy {
    /// Leaves them out: the same toolchain gives the same errors.
    #[default]
    Skip,
    /// Tries them again, because something outside the fingerprint changed.
    Retry,
}

impl<'a> VersionVisitor<'a> {
    /// A visitor that has checked nothing out yet.
    #[must_use]
    pub fn new(context: VisitContext<'a>) -> Self {
        Self {
            context,
            checkout: None,
            current: None,
            compiler: None,
        }
    }

    /// The environment that profiles of a version are kept under; checks the version out only if it names a toolchain of
    /// its own. `on_wait` as for [`Self::check_out`].
    ///
    /// # Errors
    /// If the history can't be read, or the toolchain can't be queried.
    pub fn environment(
        &mut self,
        commit: CommitId,
        profiler: &dyn Profiler,
        on_wait: &mut dyn FnMut(u32),
    ) -> Result<Environment, VisitError> {
        for name in SETTINGS_OF_A_VERSION {
            if self.context.repository.entry_at(commit, name)?.is_some() {
                let visit = match &self.current {
                    Some(current) if current.visit.commit == commit => current.visit.clone(),
                    _ => self.check_out(commit, on_wait)?,
                };
                return Ok(self.environment_of(&visit, profiler));
            }
        }
        let compiler = match &self.compiler {
            Some(compiler) => compiler.clone(),
            // The toolchain of the folder above the checkout applies to the checkout.
            None => toolchain::compiler_for(
                self.context.definitions,
                self.context.cache.root(),
                self.context.interruption,
            )?,
        };
        self.compiler = Some(compiler.clone());
        Ok(self.environment_with(&compiler, profiler, self.context.cache.root()))
    }

    /// The environment of a version that is checked out.
    #[must_use]
    pub fn environment_of(&self, visit: &CheckedOutVersion, profiler: &dyn Profiler) -> Environment {
        self.environment_with(&visit.compiler, profiler, &visit.tree)
    }

    /// True if this visitor holds the checkout, so that no other process samples meanwhile.
    #[must_use]
    pub fn has_checkout(&self) -> bool {
        self.checkout.is_some()
    }

    /// Checks a version out; changed files are restored. While another process works in the checkout it is waited for,
    /// and `on_wait` is told that process's id, once.
    ///
    /// # Errors
    /// If it can't be read or written, its toolchain can't be queried, or the user stops the wait.
    pub fn check_out(
        &mut self,
        commit: CommitId,
        on_wait: &mut dyn FnMut(u32),
    ) -> Result<CheckedOutVersion, VisitError> {
        let context = self.context;
        self.current = None;
        let checkout = match self.checkout.take() {
            Some(mut checkout) => {
                checkout.switch(commit)?;
                checkout
            }
            None => self.reserve_checkout(commit, on_wait)?,
        };
        let tree = checkout.path().to_owned();
        let empty_submodules = checkout.submodules().to_vec();
        self.checkout = Some(checkout);
        // Queried in the tree, since a version may name its own toolchain.
        let compiler = toolchain::compiler_for(context.definitions, &tree, context.interruption)?;
        let visit = CheckedOutVersion {
            commit,
            committed_at: context.repository.committed_at(commit)?,
            tree,
            compiler,
            empty_submodules,
            repository: self.repository(),
        };
        self.current = Some(CurrentVersion {
            visit: visit.clone(),
            builds: Vec::new(),
            is_as_committed: true,
        });
        Ok(visit)
    }

    /// Checks a version out as soon as no other process has one checked out.
    fn reserve_checkout(&self, commit: CommitId, on_wait: &mut dyn FnMut(u32)) -> Result<Worktree, VisitError> {
        let context = self.context;
        let mut told = false;
        loop {
            let holder = match Worktree::checkout(context.repository, commit, &context.cache.tree()) {
                Err(WorktreeError::InUse { holder, .. }) if holder != Some(std::process::id()) => holder,
                checkout => return Ok(checkout?),
            };
            // A process that has just begun has not written its id yet.
            if let Some(holder) = holder.filter(|_| !told) {
                on_wait(holder);
                told = true;
            }
            if context.interruption.is_raised() {
                return Err(VisitError::Interrupted);
            }
            std::thread::sleep(TURN_INTERVAL);
        }
    }

    /// A version, checked out, and its benchmarks built for a profiler: both once, however much is taken with it before the
    /// next version.
    ///
    /// Files that runs write into the checkout stay until the next version: a command may have built its program there.
    ///
    /// # Errors
    /// As [`Self::check_out`] and [`Self::build`].
    pub fn built_for(
        &mut self,
        commit: CommitId,
        profiler: &dyn Profiler,
        progress: &mut dyn FnMut(VisitEvent),
    ) -> Result<(CheckedOutVersion, SharedBuild), VisitError> {
        let wanted = (profiler.name(), profiler.version().to_owned());
        let current = self.current.as_ref().filter(|current| current.visit.commit == commit);
        if let Some(current) = current
            && let Some((_, build)) = current.builds.iter().find(|(built, _)| *built == wanted)
        {
            return Ok((current.visit.clone(), build.clone()));
        }
        let visit = match current {
            Some(current) if current.is_as_committed => current.visit.clone(),
            _ => self.check_out(commit, &mut |holder| progress(VisitEvent::Waiting { holder }))?,
        };
        if let Some(current) = self.current.as_mut().filter(|_| profiler.changes_sources()) {
            // The programs of other builds would run beside sources that they were not built from.
            current.builds.clear();
            current.is_as_committed = false;
        }
        progress(VisitEvent::Building);
        let outcome = self.run_build(&visit, |context| profiler.build(self.context.definitions, context))?;
        let build = Rc::new(outcome);
        if let Some(current) = &mut self.current {
            current.builds.push((wanted, build.clone()));
        }
        Ok((visit, build))
    }

    /// Builds something of a version that is checked out. What [`Self::built_for`] built is gone after this.
    ///
    /// # Errors
    /// If this machine can't build, or the user stopped it.
    pub fn build<T>(
        &mut self,
        visit: &CheckedOutVersion,
        build: impl FnOnce(&BuildContext<'_>) -> Result<T, SuiteError>,
    ) -> Result<VisitBuildOutcome<T>, VisitError> {
        self.current = None;
        self.run_build(visit, build)
    }

    fn run_build<T>(
        &self,
        visit: &CheckedOutVersion,
        build: impl FnOnce(&BuildContext<'_>) -> Result<T, SuiteError>,
    ) -> Result<VisitBuildOutcome<T>, VisitError> {
        self.check_space()?;
        let site = BuildContext {
            tree: &visit.tree,
            repository: &visit.repository,
            cache: self.context.cache,
            committed_at: Some(visit.committed_at),
            compiler: &visit.compiler,
            purpose: BuildPurpose::Costs,
            is_working_copy: false,
            records_commands: false,
            interruption: self.context.interruption,
        };
        match build(&site) {
            Ok(built) => Ok(VisitBuildOutcome::Built(built)),
            Err(error) if error.is_interruption() => Err(VisitError::Interrupted),
            Err(
                error @ (SuiteError::NoBenchmark { .. }
                | SuiteError::NoPackage
                | SuiteError::NoneRunnable { .. }
                | SuiteError::NoneChosen { .. }),
            ) => Ok(VisitBuildOutcome::NoBenchmark(error)),
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => Ok(VisitBuildOutcome::DoesNotBuild {
                reason: visit.failure(&error),
            }),
            Err(source) => Err(VisitError::Build {
                commit: visit.commit,
                source,
            }),
        }
    }

    /// The checkout, for a caller that runs benchmarks after the last build.
    #[must_use]
    pub fn into_checkout(self) -> Option<Worktree> {
        self.checkout
    }

    fn repository(&self) -> PathBuf {
        let repository = self.context.repository;
        (repository.workdir().unwrap_or(repository.common_dir())).to_owned()
    }

    fn environment_with(&self, compiler: &RustCompiler, profiler: &dyn Profiler, directory: &Path) -> Environment {
        let fingerprint = EnvironmentFingerprint::here(compiler, profiler, directory, self.context.interruption);
        let repository = self.repository();
        environment(
            &fingerprint,
            self.context.definitions,
            (&repository, self.context.cache),
        )
    }

    fn check_space(&self) -> Result<(), VisitError> {
        let path = self.context.cache.root();
        // If the system does not report it, the build fails by itself.
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
