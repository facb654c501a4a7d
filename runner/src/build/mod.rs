//! A version's source tree and a benchmark definition → the executables that hold its benchmarks.
//!
//! Builds with cargo into one folder that all versions of a repository share, so that dependencies are built once, and
//! makes sure that the version's own packages are really rebuilt. Reports why a version does not build, and
//! distinguishes that from a machine that can't build. Edits no file of the user's and lists no benchmark
//! ([`crate::frameworks`] does).

mod build_time;
mod cache;
mod cargo;
mod command;
pub(crate) mod diagnostics;
mod flags;
mod harness;
#[cfg(test)]
mod history_tests;
mod inputs;
mod kept_dependencies;
mod lockfile;
mod nested_packages;
mod outside_inputs;
pub(crate) mod probed_sources;
mod resolution;
#[cfg(test)]
mod same_code_tests;
#[cfg(test)]
mod size_tests;
mod surroundings;
mod target_selection;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use build_time::BuildTime;
pub(crate) use command::can_trace;
pub use command::{CommandInputs, PreprocessedMacros};
use serde::{Deserialize, Serialize};

pub use cache::{CacheError, RepositoryCache};
pub(crate) use flags::NATIVE;
pub use flags::{builds_for_this_processor, profile_settings};
pub(crate) use harness::CHECKOUT_VARIABLE;
pub use inputs::BuildInputs;
pub(crate) use inputs::repository_path;
pub use kept_dependencies::{
    CarriedDependencies, CarryError, DependencyExport, DependencyImport, DependencyKey, export_dependencies,
    import_dependencies,
};
pub(crate) use outside_inputs::path_digest;
pub use outside_inputs::{LockfileDigest, OutsideInputs};
pub use resolution::{DependencyResolution, ResolutionMethod};
pub(crate) use surroundings::surroundings_digest;

use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::process::{InterruptionFlag, ProcessError};
use crate::toolchain::{self, RustCompiler, ToolchainError};
use target_selection::TargetFilter;

/// A version to build, and everything that its build needs.
#[derive(Debug, Clone, Copy)]
pub struct BuildContext<'a> {
    /// The checkout of the version; at the same path for every version, or else nothing is shared.
    pub tree: &'a Path,
    /// Root of the user's working copy, which harness paths are relative to.
    pub repository: &'a Path,
    /// The folder shared by all versions.
    pub cache: &'a RepositoryCache,
    /// When the version was committed, in seconds since 1970 (UTC); `None` if it is not a commit.
    pub committed_at: Option<i64>,
    /// The compiler that builds.
    pub compiler: &'a RustCompiler,
    /// The purpose of the programs.
    pub purpose: BuildPurpose,
    /// True for the user's working copy, which stands elsewhere than versions.
    pub is_working_copy: bool,
    /// True if what a command reads is to be recorded, which takes some of its time.
    pub records_commands: bool,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// The purpose of built programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildPurpose {
    /// To be measured: optimised, as they are shipped.
    Costs,
    /// To count calls and executions: not optimised, so that nothing is inlined, unrolled or merged.
    Counts,
    /// To count their own execution: their sources hold probes, see [`crate::profilers::probes`].
    Probes(ProbedRuns),
}

/// How programs with probes are run, which decides how they are built. Their counts do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbedRuns {
    /// In the place of a profiler's runs, long ones among them: the cheap optimisations pay.
    All,
    /// Once, beside the runs of a profiler that take longer: the quickest build is the best.
    TimeFramesOnly,
}

impl BuildContext<'_> {
    /// Cargo's target folder, one for each purpose, so that no build overwrites another's.
    #[must_use]
    pub fn target(&self) -> PathBuf {
        match self.purpose {
            BuildPurpose::Costs => self.cache.target(),
            BuildPurpose::Counts => self.cache.counting_target(),
            BuildPurpose::Probes(_) => self.cache.probed_target(),
        }
    }

    /// The folder that commands build into. A build system keeps there where its sources are.
    #[must_use]
    pub fn command_target(&self) -> PathBuf {
        match self.is_working_copy {
            true => self.cache.working_copy_target(),
            false => self.target(),
        }
    }

    /// The same context for another purpose.
    #[must_use]
    pub fn for_counts(self) -> Self {
        Self {
            purpose: BuildPurpose::Counts,
            ..self
        }
    }

    /// The same context for programs with probes.
    #[must_use]
    pub fn for_probes(self, runs: ProbedRuns) -> Self {
        Self {
            purpose: BuildPurpose::Probes(runs),
            ..self
        }
    }
}

/// The programs of one definition at one version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildOutput {
    /// Sorted by package, kind and target.
    pub executables: Vec<BenchmarkExecutable>,
    /// Targets that did not build while others did, with the reason.
    pub failures: Vec<TargetFailure>,
    /// The package or tree that was built; commands run there.
    pub directory: PathBuf,
    /// The resolved dependencies of the harness, if the definition chooses them as of the version.
    pub resolution: Option<DependencyResolution>,
    /// The inputs of the programs that lito itself built through cargo.
    pub inputs: BuildInputs,
    /// The inputs of a command; `None` where it was not traced.
    pub command: Option<CommandInputs>,
    /// The time of the build; `None` for a command of the user, and where nothing tells what came from a cache.
    pub time: Option<BuildTime>,
    /// Everything outside the version that the build read.
    pub outside: OutsideInputs,
}

/// One built program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BenchmarkExecutable {
    /// The package it belongs to.
    pub package: String,
    /// Its kind.
    pub kind: ExecutableKind,
    /// Name of its target. A package's library and one of its tests may have the same.
    pub target: String,
    /// The target's first source, relative to the package.
    pub source: PathBuf,
    /// Its path.
    pub path: PathBuf,
    /// The folder that cargo would run it in: its package's.
    pub directory: PathBuf,
}

impl BenchmarkExecutable {
    /// True if both were built from one target, for the same or different purposes.
    #[must_use]
    pub fn is_same_target(&self, other: &Self) -> bool {
        (&self.package, self.kind, &self.source) == (&other.package, other.kind, &other.source)
    }
}

/// The kind of an executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExecutableKind {
    /// Built by `cargo bench`.
    Bench,
    /// Built by `cargo test`.
    Test,
    /// A plain binary of a harness.
    Binary,
    /// A program of a command that lists its benchmarks itself.
    Suite,
}

/// A target that did not build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFailure {
    /// The target.
    pub target: String,
    /// The first lines of the compiler's error.
    pub reason: String,
}

/// The reason why there is no [`BuildOutput`].
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The version's fault: trying again does not help.
    #[error("does not build: {reason}")]
    DoesNotBuild {
        /// The first lines of the error.
        reason: String,
    },
    /// The definition matches nothing to build at this version.
    #[error("found no {looked_for}")]
    Nothing {
        /// The missing targets, as a noun phrase.
        looked_for: String,
    },
    /// The harness can't be used.
    #[error("preparing the harness {}: {reason}", harness.display())]
    Harness {
        /// The harness.
        harness: PathBuf,
        /// The reason, and what to do.
        reason: String,
    },
    /// The machine's fault: no network, no space.
    #[error("building: {reason}")]
    Machine {
        /// The reason.
        reason: String,
    },
    /// The toolchain can't be queried.
    #[error(transparent)]
    Toolchain(ToolchainError),
    /// The user stopped it, or a program is missing.
    #[error(transparent)]
    Process(ProcessError),
    /// A folder can't be written.
    #[error("writing {}: {source}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl BuildError {
    /// True if the version itself is at fault, so that another try on this machine ends alike.
    #[must_use]
    pub fn is_the_versions_fault(&self) -> bool {
        matches!(self, Self::DoesNotBuild { .. } | Self::Nothing { .. })
    }

    /// True if the user asked to stop.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Process(ProcessError::Interrupted { .. })
                | Self::Toolchain(ToolchainError::Process(ProcessError::Interrupted { .. }))
        )
    }
}

/// Builds everything that a definition names at a version.
///
/// # Errors
/// See [`BuildError`]; where some targets build and others don't, the others are [`BuildOutput::failures`].
pub fn build(definition: &BenchmarkDefinition, site: &BuildContext<'_>) -> Result<BuildOutput, BuildError> {
    let prepared = match &definition.harness {
        Some(harness) => Some(harness::copy_harness(definition, harness, site)?),
        None => None,
    };
    let of_tree = definition.directory.as_ref().map(|folder| site.tree.join(folder));
    let directory = match (&prepared, &of_tree) {
        (Some(prepared), _) => &prepared.directory,
        (None, Some(folder)) => folder,
        (None, None) => site.tree,
    };
    if of_tree.is_some() && !directory.join("Cargo.toml").is_file() {
        return Err(BuildError::Nothing {
            looked_for: format!("package in {}", directory.display()),
        });
    }
    let built = match definition.adapter {
        BenchmarkAdapter::Command => command::build(definition, directory, site),
        BenchmarkAdapter::CargoTest => cargo::build(definition, TargetFilter::Tests, directory, site),
        BenchmarkAdapter::CargoBench => match cargo::build(definition, TargetFilter::Benches, directory, site) {
            Err(BuildError::Nothing { .. }) if prepared.is_some() => {
                cargo::build(definition, TargetFilter::Binaries, directory, site)
            }
            other => other,
        },
    };
    Ok(BuildOutput {
        resolution: prepared.and_then(|prepared| prepared.resolution),
        ..built?
    })
}

/// Definitions of the bench targets in packages that are not part of the workspace at the root of a tree.
///
/// # Errors
/// Cargo is missing, or refuses the manifest at the root.
pub fn nested_benches(tree: &Path, interruption: &InterruptionFlag) -> Result<Vec<BenchmarkDefinition>, BuildError> {
    let workspace =
        toolchain::workspace(tree, &BTreeMap::new(), interruption).map_err(diagnostics::classify_toolchain_error)?;
    let members = workspace.packages.iter().map(|package| package.directory().to_owned());
    let folders = nested_packages::nested_bench_packages(tree, &members.collect());
    let definition = |folder| BenchmarkDefinition {
        directory: Some(folder),
        ..BenchmarkDefinition::new(BenchmarkAdapter::CargoBench)
    };
    Ok(folders.into_iter().map(definition).collect())
}

/// The names of the bench targets in a folder's package; none if cargo refuses its manifest.
#[must_use]
pub fn bench_targets(folder: &Path, interruption: &InterruptionFlag) -> Vec<String> {
    let workspace = toolchain::workspace(folder, &BTreeMap::new(), interruption);
    workspace.map_or_else(
        |_| Vec::new(),
        |workspace| workspace.bench_targets().map(str::to_owned).collect(),
    )
}
