//! Two commits → the benchmarks of both, built and kept side by side, and a checkout that follows whoever runs.
//!
//! Both are built at one path, one after the other, so that paths, caches and dependencies are the same; the programs
//! of each are copied aside before the next build overwrites them. The copies' paths are of equal length, since the
//! length of a program's name moves its stack. What is not copied: files that a program reads from the build folder
//! while it runs (its `OUT_DIR`, other programs beside it) are the head's on both sides. Runs no benchmark.

mod program_copies;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition};
use crate::build::{BuildContext, BuildPurpose, RepositoryCache, TargetFailure};
use crate::environment::{EnvironmentFingerprint, NEEDED_SPACE, free_space};
use crate::frameworks::Benchmark;
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use crate::profiler::probes::{self, ProbedSuite};
use crate::sample::environment;
use crate::store::Environment;
use crate::suite::{self, BenchmarkSuite, SuiteError, SuitePrograms};
use crate::toolchain::{self, ToolchainError};
use crate::worktree::{Worktree, WorktreeError};
use profile::probes::SourceInstrumenter;
use program_copies::ProgramCopies;

/// What is compared, and with what it is built.
#[derive(Clone, Copy)]
pub struct SideBuildPlan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The version compared with.
    pub base: CommitId,
    /// The version that is judged; may be the base: then it is built twice all the same.
    pub head: CommitId,
    /// The benchmarks; empty: discovered.
    pub definitions: &'a [BenchmarkDefinition],
    /// Where builds, copies and the checkout stand.
    pub cache: &'a RepositoryCache,
    /// Version of the profiler, for the fingerprint: `valgrind-3.19.0`.
    pub profiler: &'a str,
    /// What puts probes into sources, where probes count; each version is then built once more, with them.
    pub probes: Option<SourceInstrumenter<'a>>,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// One of the two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BaseOrHead {
    /// The version compared with.
    Base,
    /// The version that is judged.
    Head,
}

impl BaseOrHead {
    /// Both, in the order in which they are built.
    pub const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// `base`, `head`: of equal length, as the folders of the copies have to be.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

impl std::fmt::Display for BaseOrHead {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One version with its benchmarks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredSide {
    /// The version.
    pub commit: CommitId,
    /// Its benchmarks, their programs being the copies; without any where it has none or does not build.
    pub suite: BenchmarkSuite,
    /// Why it does not build, if it doesn't.
    pub unbuilt: Option<String>,
    /// The same benchmarks built with probes, where probes count; without any where that does not build.
    pub probed: ProbedSuite,
}

impl MeasuredSide {
    /// A benchmark by its name.
    #[must_use]
    pub fn benchmark(&self, name: &str) -> Option<&Benchmark> {
        in_suite(&self.suite, name)
    }

    /// The same benchmark built with probes, if it was.
    #[must_use]
    pub fn probed_benchmark(&self, name: &str) -> Option<&Benchmark> {
        in_suite(&self.probed.suite, name)
    }

    /// Why the version lacks a benchmark that the other has, if it is not for want of it.
    fn failure_of(&self, benchmark: &Benchmark) -> Option<String> {
        let is_of =
            |failure: &&TargetFailure| program_copies::is_program_of_target(&benchmark.program, &failure.target);
        let failures = &self.suite.failures;
        let of_target = failures
            .iter()
            .find(|failure| failure.target == benchmark.name)
            .or_else(|| failures.iter().find(is_of));
        self.unbuilt
            .clone()
            .or_else(|| of_target.map(|failure| failure.reason.clone()))
    }
}

fn in_suite<'s>(suite: &'s BenchmarkSuite, name: &str) -> Option<&'s Benchmark> {
    let found = |benchmark: &Benchmark| benchmark.name.as_str().cmp(name);
    let at = suite.benchmarks.binary_search_by(found).ok()?;
    suite.benchmarks.get(at)
}

/// Where a benchmark is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BenchmarkPresence {
    /// On both sides: it can be compared.
    Both,
    /// The head does not have it any more.
    Removed,
    /// The base does not have it yet.
    Added,
    /// The base has it, but does not build it: the head's can be run, not compared.
    BaseFails {
        /// Why.
        reason: String,
    },
    /// The head has it, but does not build it.
    HeadFails {
        /// Why.
        reason: String,
    },
    /// Both have it, but their values would mean different things, or the two can't stand side by side.
    NotComparable {
        /// Why, and what to do.
        reason: String,
    },
}

/// Both versions, built. The copies and the checkout are removed when this is dropped.
#[derive(Debug)]
pub struct MeasuredSides {
    base: MeasuredSide,
    head: MeasuredSide,
    environment: Environment,
    shared: BTreeMap<String, String>,
    // Removed before the checkout's lock is released: whoever gets that clears what a killed process left.
    copies: ProgramCopies,
    checkout: Worktree,
}

/// How far building is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideBuildEvent {
    /// A version is being built.
    Building(BaseOrHead),
    /// It is there, with so many benchmarks; or does not build.
    Built(BaseOrHead, usize),
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum MeasuredSidesError {
    /// Both sides' values would depend on more than the sources.
    #[error(
        "comparing {base} with {head}: they are not built alike: {}; measure each against a version of its own kind",
        .differences.join("; ")
    )]
    OtherEnvironment {
        /// The base.
        base: CommitId,
        /// The head.
        head: CommitId,
        /// What differs; "here" is the head, "there" the base.
        differences: Vec<String>,
    },
    /// Neither version has a benchmark.
    #[error(transparent)]
    NoBenchmark(SuiteError),
    /// This machine can't build.
    #[error("building the {which} {commit}: {source}")]
    Build {
        /// Which side.
        which: BaseOrHead,
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
    /// A program can't be kept.
    #[error("{attempt}: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
    Copy {
        /// What was attempted.
        attempt: &'static str,
        /// On which path.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The user stopped it.
    #[error("building both versions: interrupted")]
    Interrupted,
    /// The toolchain gives no answer.
    #[error(transparent)]
    Toolchain(ToolchainError),
    /// A version can't be checked out.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
}

impl From<ToolchainError> for MeasuredSidesError {
    fn from(error: ToolchainError) -> Self {
        use crate::process::ProcessError;
        match error {
            ToolchainError::Process(ProcessError::Interrupted { .. }) => Self::Interrupted,
            other => Self::Toolchain(other),
        }
    }
}

/// Builds both versions.
///
/// # Errors
/// If this machine can't go on, or the versions must not be compared; a version that does not build is
/// [`MeasuredSide::unbuilt`].
pub fn build(
    plan: &SideBuildPlan<'_>,
    progress: &mut dyn FnMut(&SideBuildEvent),
) -> Result<MeasuredSides, MeasuredSidesError> {
    let mut checkout = Worktree::checkout(plan.repository, plan.head, &plan.cache.tree())?;
    let copies = ProgramCopies::clear(plan.cache)?;
    let head_fingerprint = fingerprint(plan, &checkout)?;
    checkout.switch(plan.base)?;
    let base_fingerprint = fingerprint(plan, &checkout)?;
    let differences = head_fingerprint.differences(&base_fingerprint);
    if !differences.is_empty() {
        return Err(MeasuredSidesError::OtherEnvironment {
            base: plan.base,
            head: plan.head,
            differences,
        });
    }
    let repository = plan.repository.workdir().unwrap_or(plan.repository.common_dir());
    let compiler = toolchain::compiler(checkout.path(), plan.interruption)?;
    let mut built = Vec::with_capacity(2);
    let mut without = None;
    for which in BaseOrHead::BOTH {
        let commit = match which {
            BaseOrHead::Base => plan.base,
            BaseOrHead::Head => plan.head,
        };
        progress(&SideBuildEvent::Building(which));
        checkout.switch(commit)?;
        check_space(plan.cache)?;
        let site = BuildContext {
            tree: checkout.path(),
            repository,
            cache: plan.cache,
            committed_at: Some(plan.repository.committed_at(commit).map_err(WorktreeError::Git)?),
            compiler: &compiler,
            purpose: BuildPurpose::Costs,
            interruption: plan.interruption,
        };
        let mut side = MeasuredSide {
            commit,
            suite: BenchmarkSuite::default(),
            unbuilt: None,
            probed: ProbedSuite::default(),
        };
        match suite::build_suite(plan.definitions, &site, SuitePrograms::Measured) {
            Ok(suite) => side.suite = suite,
            Err(error) if error.is_interruption() => return Err(MeasuredSidesError::Interrupted),
            Err(error @ SuiteError::NoBenchmark { .. }) => without = Some(error),
            Err(SuiteError::Build(error)) if error.is_the_versions_fault() => {
                side.unbuilt = Some(error.to_string());
            }
            Err(source) => {
                return Err(MeasuredSidesError::Build { which, commit, source });
            }
        }
        for benchmark in &mut side.suite.benchmarks {
            benchmark.program = copies.copy_program(&benchmark.program, which)?;
        }
        if let Some(instrument) = plan.probes
            && side.unbuilt.is_none()
        {
            side.probed = probed(plan.definitions, &site, instrument)?;
            for benchmark in &mut side.probed.suite.benchmarks {
                benchmark.program = copies.copy_program(&benchmark.program, which)?;
            }
            // The sources in the checkout have probes in them now.
            checkout.switch(commit)?;
        }
        progress(&SideBuildEvent::Built(which, side.suite.benchmarks.len()));
        built.push(side);
    }
    let head = built.pop().expect("both sides were built");
    let base = built.pop().expect("both sides were built");
    if let Some(error) = without
        && base.unbuilt.is_none()
        && head.unbuilt.is_none()
        && base.suite.benchmarks.is_empty()
        && head.suite.benchmarks.is_empty()
    {
        return Err(MeasuredSidesError::NoBenchmark(error));
    }
    Ok(MeasuredSides {
        base,
        head,
        environment: environment(&head_fingerprint, plan.definitions, repository),
        shared: shared(plan.definitions),
        copies,
        checkout,
    })
}

/// A version's benchmarks with probes; those that do not build with them go without, and can't be counted.
fn probed(
    definitions: &[BenchmarkDefinition],
    site: &BuildContext<'_>,
    instrument: SourceInstrumenter<'_>,
) -> Result<ProbedSuite, MeasuredSidesError> {
    match probes::prepare(definitions, site, instrument) {
        Err(error) if error.is_interruption() => Err(MeasuredSidesError::Interrupted),
        probed => Ok(probed.unwrap_or_default()),
    }
}

/// Asked in the tree, since a version may name its own toolchain.
fn fingerprint(plan: &SideBuildPlan<'_>, checkout: &Worktree) -> Result<EnvironmentFingerprint, MeasuredSidesError> {
    let compiler = toolchain::compiler(checkout.path(), plan.interruption)?;
    Ok(EnvironmentFingerprint::here(&compiler, plan.profiler))
}

fn check_space(cache: &RepositoryCache) -> Result<(), MeasuredSidesError> {
    // Where the system does not tell, the build will.
    match free_space(cache.root()) {
        Ok(free) if free < NEEDED_SPACE => Err(MeasuredSidesError::DiskFull {
            path: cache.root().to_owned(),
            free_mb: free >> 20,
            needed_mb: NEEDED_SPACE >> 20,
        }),
        _ => Ok(()),
    }
}

/// Commands that build something which is not in the build folder, and so can't be kept: name → why not.
fn shared(definitions: &[BenchmarkDefinition]) -> BTreeMap<String, String> {
    let built_elsewhere = definitions.iter().filter(|definition| {
        let program = definition.run.iter().flatten().next();
        definition.adapter == BenchmarkAdapter::Command
            && definition.build.is_some()
            && !program.is_some_and(|program| program.starts_with("target/"))
    });
    built_elsewhere
        .map(|definition| {
            let program = definition.run.iter().flatten().next().cloned();
            let reason = format!(
                "what `build` makes for `{}` can't be kept for both versions: have it build into the folder that \
                 CARGO_TARGET_DIR names, and let `run` begin with `target/`",
                program.unwrap_or_default()
            );
            (definition.name.clone().unwrap_or_default(), reason)
        })
        .collect()
}

impl MeasuredSides {
    /// A side.
    #[must_use]
    pub fn side(&self, which: BaseOrHead) -> &MeasuredSide {
        match which {
            BaseOrHead::Base => &self.base,
            BaseOrHead::Head => &self.head,
        }
    }

    /// What the values depend on besides the sources.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Where the checkout stands, the same for both sides.
    #[must_use]
    pub fn tree(&self) -> &std::path::Path {
        self.checkout.path()
    }

    /// Every benchmark of either side, by name, and where it is.
    #[must_use]
    pub fn benchmarks(&self) -> BTreeMap<String, BenchmarkPresence> {
        let sides = [&self.base, &self.head];
        let names: BTreeSet<&str> = sides
            .iter()
            .flat_map(|side| &side.suite.benchmarks)
            .map(|benchmark| benchmark.name.as_str())
            .collect();
        names
            .into_iter()
            .map(|name| (name.to_owned(), self.presence(name)))
            .collect()
    }

    fn presence(&self, name: &str) -> BenchmarkPresence {
        match (self.base.benchmark(name), self.head.benchmark(name)) {
            (Some(base), Some(head)) => match self.difference(base, head) {
                Some(reason) => BenchmarkPresence::NotComparable { reason },
                None => BenchmarkPresence::Both,
            },
            (Some(base), None) => match self.head.failure_of(base) {
                Some(reason) => BenchmarkPresence::HeadFails { reason },
                None => BenchmarkPresence::Removed,
            },
            (None, Some(head)) => match self.base.failure_of(head) {
                Some(reason) => BenchmarkPresence::BaseFails { reason },
                None => BenchmarkPresence::Added,
            },
            (None, None) => unreachable!("names come from the two sides"),
        }
    }

    fn difference(&self, base: &Benchmark, head: &Benchmark) -> Option<String> {
        if let Some(reason) = self.shared.get(&base.name) {
            return Some(reason.clone());
        }
        let differs = |what: &str, base: String, head: String| {
            (base != head).then(|| format!("{what} is {base} at the base and {head} at the head"))
        };
        differs("the framework", base.framework.to_owned(), head.framework.to_owned()).or_else(|| {
            differs(
                "what counts",
                format!("`{}`", base.subject),
                format!("`{}`", head.subject),
            )
        })
    }

    /// A benchmark of the base with another copy of its program, for comparing the base with itself; `None` if the base
    /// has no such benchmark.
    ///
    /// # Errors
    /// If the copy can't be written.
    pub fn control_benchmark(&self, name: &str) -> Result<Option<Benchmark>, MeasuredSidesError> {
        let Some(benchmark) = self.base.benchmark(name) else {
            return Ok(None);
        };
        Ok(Some(Benchmark {
            program: self.copies.control(&benchmark.program)?,
            ..benchmark.clone()
        }))
    }

    /// Puts the checkout to a side, so that its benchmarks find their data; nothing is done if it is there. Before any
    /// run of a side's benchmark, and not while one of the other side runs.
    ///
    /// # Errors
    /// If the files can't be written.
    pub fn switch_to(&mut self, which: BaseOrHead) -> Result<&MeasuredSide, WorktreeError> {
        let commit = self.side(which).commit;
        if self.checkout.commit() != commit {
            self.checkout.switch(commit)?;
        }
        Ok(self.side(which))
    }
}
