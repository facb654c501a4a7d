//! Two commits → the benchmarks of both, built and kept side by side, and a checkout that switches to the side that
//! runs.
//!
//! Both are built at one path, one after the other, so that paths, caches and dependencies are the same. The head is
//! built first: what it counts may settle the comparison, and then the base is not built at all ([`BuiltHead`]). The
//! programs of each are copied aside before the next build overwrites them. The copies' paths have equal length, since
//! the length of a program's name moves its stack. Files that a program reads from the build folder while it runs (its
//! `OUT_DIR`, other programs beside it) are not copied: they are the base's on both sides. Runs no benchmark.

mod kept_sides;
mod program_copies;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{VersionVisitor, VisitBuildOutcome, VisitContext, VisitError};
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions};
use crate::build::{BuildContext, RepositoryCache, TargetFailure};
use crate::environment::EnvironmentFingerprint;
use crate::frameworks::Benchmark;
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use crate::profilers::{Profiler, ProfilerBuild};
use crate::store::Environment;
use crate::suite::{self, BenchmarkSuite, SuiteError, SuitePrograms};
use crate::worktree::{Worktree, WorktreeError};
use kept_sides::{BuiltSide, KeptSides};
use program_copies::ProgramCopies;
pub use program_copies::target_of_program;

/// Two versions to compare, and everything that builds them.
#[derive(Clone, Copy)]
pub struct SideBuildPlan<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The version compared with.
    pub base: CommitId,
    /// The version that is judged; it may equal the base and is then still built twice.
    pub head: CommitId,
    /// The benchmark definitions; if empty, benchmarks are discovered.
    pub definitions: &'a BenchmarkDefinitions,
    /// The folder of the builds, the copies and the checkout.
    pub cache: &'a RepositoryCache,
    /// The profiler that counts. If it changes sources, each version is built once more for it.
    pub profiler: &'a dyn Profiler,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
    /// True if the head is not committed: its programs are neither kept nor taken.
    pub draft: bool,
    /// True if both are built even if programs of an earlier build are kept.
    pub fresh: bool,
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
    /// Both, the version that is compared with first.
    pub const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// `base` or `head`: of equal length, as the folders of the copies must be.
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
    /// Its benchmarks, with the copies as their programs; empty if it has none or does not build.
    pub suite: BenchmarkSuite,
    /// The reason, if it does not build.
    pub unbuilt: Option<String>,
    /// The same benchmarks built with probes, if probes count; empty if that does not build.
    pub probed: ProfilerBuild,
    /// True if an earlier comparison built it: nothing was built for this one.
    pub reused: bool,
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

    /// The reason why the version lacks a benchmark that the other has; `None` if it does not define it.
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

/// The sides on which a benchmark exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BenchmarkPresence {
    /// On both sides: it can be compared.
    Both,
    /// The head does not have it any more.
    Removed,
    /// The base does not have it yet.
    Added,
    /// The base has it, but does not build it: the head's can be run, but not compared.
    BaseFails {
        /// Why.
        reason: String,
    },
    /// The head has it, but does not build it.
    HeadFails {
        /// Why.
        reason: String,
    },
    /// Both have it, but their values have different meanings, or their programs can't be kept side by side.
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
    // Removed before the checkout's lock is released: its next holder clears the files of a killed process.
    copies: ProgramCopies,
    checkout: Worktree,
}

/// A progress event of building.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideBuildEvent {
    /// Another process has checked a version of the same repository out; it is waited for.
    Waiting {
        /// Its id.
        holder: u32,
    },
    /// A version is being built.
    Building(BaseOrHead),
    /// The build is over, with this number of benchmarks; 0 if the version does not build.
    Built(BaseOrHead, usize),
    /// A version that was built before is taken as it is, with this number of benchmarks.
    Reused(BaseOrHead, usize),
}

/// The reason why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum MeasuredSidesError {
    /// The values of both sides would depend on more than the sources.
    #[error(
        "comparing {base} with {head}: their builds differ: {}; compare each with a version that is built like it",
        .differences.join("; ")
    )]
    OtherEnvironment {
        /// The base.
        base: CommitId,
        /// The head.
        head: CommitId,
        /// The differences; "here" is the head, "there" the base.
        differences: Vec<String>,
    },
    /// Neither version has a benchmark.
    #[error(transparent)]
    NoBenchmark(SuiteError),
    /// A program can't be kept.
    #[error("{attempt}: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
    Copy {
        /// The operation that was attempted.
        attempt: &'static str,
        /// On which path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A version can't be checked out or built on this machine, or the user stopped it.
    #[error("building both versions: {0}")]
    Visit(#[from] VisitError),
}

impl MeasuredSidesError {
    /// True if the user asked to stop.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Visit(VisitError::Interrupted))
    }
}

/// The head, built; the base can still be. The copies and the checkout are removed when this is dropped.
pub struct BuiltHead<'a> {
    builder: SideBuilder<'a>,
    head: BuiltSide,
    /// The base, if an earlier comparison built it.
    base: Option<BuiltSide>,
    environment: Environment,
}

/// The builds of one comparison, one after the other.
struct SideBuilder<'a> {
    plan: SideBuildPlan<'a>,
    kept: KeptSides<'a>,
    /// The error that lists the searched targets, if a side has no benchmark.
    without: Option<SuiteError>,
    // Removed before the checkout's lock is released: its next holder clears the files of a killed process.
    copies: ProgramCopies,
    visitor: VersionVisitor<'a>,
}

/// Builds the head, unless its programs are kept from an earlier comparison.
///
/// # Errors
/// If this machine can't continue, or the versions must not be compared; a head that does not build is
/// [`MeasuredSide::unbuilt`].
pub fn build_head<'a>(
    plan: &SideBuildPlan<'a>,
    progress: &mut dyn FnMut(&SideBuildEvent),
) -> Result<BuiltHead<'a>, MeasuredSidesError> {
    let mut visitor = VersionVisitor::new(VisitContext {
        repository: plan.repository,
        definitions: plan.definitions,
        cache: plan.cache,
        interruption: plan.interruption,
    });
    let mut on_wait = |holder| progress(&SideBuildEvent::Waiting { holder });
    let base = visitor.check_out(plan.base, &mut on_wait)?;
    let copies = ProgramCopies::clear(plan.cache)?;
    let head = visitor.check_out(plan.head, &mut on_wait)?;
    let [on_head, on_base] = [&head, &base]
        .map(|visit| EnvironmentFingerprint::here(&visit.compiler, plan.profiler, &visit.tree, plan.interruption));
    let differences = on_head.differences(&on_base);
    if !differences.is_empty() {
        return Err(MeasuredSidesError::OtherEnvironment {
            base: plan.base,
            head: plan.head,
            differences,
        });
    }
    let environments = [&base, &head].map(|visit| visitor.environment_of(visit, plan.profiler));
    let environment = environments[1].clone();
    let kept = KeptSides::open(*plan, environments);
    let [base, head] = kept.take(&copies)?;
    let mut builder = SideBuilder {
        plan: *plan,
        kept,
        without: None,
        copies,
        visitor,
    };
    let head = builder.side(BaseOrHead::Head, head, progress)?;
    Ok(BuiltHead {
        builder,
        head,
        base,
        environment,
    })
}

/// Builds both versions, except for those whose programs are kept from an earlier comparison.
///
/// # Errors
/// As [`build_head`], for either version.
pub fn build(
    plan: &SideBuildPlan<'_>,
    progress: &mut dyn FnMut(&SideBuildEvent),
) -> Result<MeasuredSides, MeasuredSidesError> {
    build_head(plan, progress)?.with_base(progress)
}

impl BuiltHead<'_> {
    /// The head. The checkout is at its version.
    #[must_use]
    pub fn side(&self) -> &MeasuredSide {
        &self.head.side
    }

    /// Everything besides the sources that the values depend on.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The folder of the checkout.
    ///
    /// # Panics
    /// Never: the head is checked out.
    #[must_use]
    pub fn tree(&self) -> &std::path::Path {
        let checkout = self.builder.visitor.checkout.as_ref();
        checkout.expect("the head is checked out").path()
    }

    /// Keeps the head's programs for a later comparison: the base is not needed.
    pub fn keep(&self) {
        let SideBuilder { kept, copies, .. } = &self.builder;
        kept.keep(copies, [(BaseOrHead::Head, &self.head)]);
    }

    /// Builds the base as well, and the head again if it was kept and the two would differ in more than their sources.
    ///
    /// # Errors
    /// As [`build_head`]; neither version has a benchmark.
    pub fn with_base(self, progress: &mut dyn FnMut(&SideBuildEvent)) -> Result<MeasuredSides, MeasuredSidesError> {
        let Self {
            mut builder,
            mut head,
            base,
            environment,
        } = self;
        let mut base = builder.side(BaseOrHead::Base, base, progress)?;
        if !builder.kept.are_comparable(&base, &head) {
            BaseOrHead::BOTH
                .into_iter()
                .try_for_each(|which| builder.copies.discard(which))?;
            builder.without = None;
            head = builder.side(BaseOrHead::Head, None, progress)?;
            base = builder.side(BaseOrHead::Base, None, progress)?;
        }
        let SideBuilder {
            plan,
            kept,
            without,
            copies,
            visitor,
        } = builder;
        kept.keep(&copies, [(BaseOrHead::Base, &base), (BaseOrHead::Head, &head)]);
        let [base, head] = [base.side, head.side];
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
            environment,
            shared: shared(plan.definitions),
            copies,
            checkout: visitor.into_checkout().expect("the head was checked out"),
        })
    }
}

impl SideBuilder<'_> {
    /// A side that was taken, or else built.
    fn side(
        &mut self,
        which: BaseOrHead,
        taken: Option<BuiltSide>,
        progress: &mut dyn FnMut(&SideBuildEvent),
    ) -> Result<BuiltSide, MeasuredSidesError> {
        if let Some(taken) = taken {
            progress(&SideBuildEvent::Reused(which, taken.side.suite.benchmarks.len()));
            return Ok(taken);
        }
        progress(&SideBuildEvent::Building(which));
        let (side, no_benchmark) = build_side(&self.plan, &mut self.visitor, &self.copies, which)?;
        self.without = no_benchmark.or(self.without.take());
        progress(&SideBuildEvent::Built(which, side.suite.benchmarks.len()));
        Ok(self.kept.built(side))
    }
}

/// Checks one version out, builds it and keeps its programs. Also returns the error that lists the searched targets if
/// it has no benchmark.
fn build_side(
    plan: &SideBuildPlan<'_>,
    visitor: &mut VersionVisitor<'_>,
    copies: &ProgramCopies,
    which: BaseOrHead,
) -> Result<(MeasuredSide, Option<SuiteError>), MeasuredSidesError> {
    let commit = match which {
        BaseOrHead::Base => plan.base,
        BaseOrHead::Head => plan.head,
    };
    let visit = visitor.check_out(commit, &mut |_| {})?;
    let mut side = MeasuredSide {
        commit,
        suite: BenchmarkSuite::default(),
        unbuilt: None,
        probed: ProfilerBuild::default(),
        reused: false,
    };
    let mut without = None;
    match visitor.build(&visit, |context| {
        suite::build_suite(plan.definitions, context, SuitePrograms::Measured)
    })? {
        VisitBuildOutcome::Built(suite) => side.suite = suite,
        VisitBuildOutcome::DoesNotBuild { reason } => side.unbuilt = Some(reason),
        VisitBuildOutcome::NoBenchmark(error) => without = Some(error),
    }
    for benchmark in &mut side.suite.benchmarks {
        benchmark.program = copies.copy_program(&benchmark.program, which)?;
    }
    if plan.profiler.changes_sources() && side.unbuilt.is_none() {
        let outcome = visitor.build(&visit, |context| profiler_build(plan, context))?;
        if let VisitBuildOutcome::Built(build) = outcome {
            side.probed = build;
        }
        for benchmark in &mut side.probed.suite.benchmarks {
            benchmark.program = copies.copy_program(&benchmark.program, which)?;
        }
        // The profiler changed sources in the checkout.
        visitor.check_out(commit, &mut |_| {})?;
    }
    Ok((side, without))
}

/// A version's benchmarks, built for the profiler; empty if that fails, and then they are not counted.
fn profiler_build(plan: &SideBuildPlan<'_>, context: &BuildContext<'_>) -> Result<ProfilerBuild, SuiteError> {
    match plan.profiler.build(plan.definitions, context) {
        Err(error) if error.is_interruption() => Err(error),
        build => Ok(build.unwrap_or_default()),
    }
}

/// Commands whose result is outside the build folder, and so can't be kept: name → reason.
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
                "the output of `build` for `{}` can't be kept for both versions: have it build into the folder that \
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

    /// Everything besides the sources that the values depend on.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The folder of the checkout, the same for both sides.
    #[must_use]
    pub fn tree(&self) -> &std::path::Path {
        self.checkout.path()
    }

    /// Every benchmark of either side, by name, and the sides on which it exists.
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
        differs(
            "the framework",
            base.framework.name().to_owned(),
            head.framework.name().to_owned(),
        )
        .or_else(|| {
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

    /// Switches the checkout to a side, so that its benchmarks find their data; does nothing if it is there already. To
    /// be called before any run of a side's benchmark, and not while one of the other side runs.
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

    /// Writes a side's checkout, also if it is there already. What earlier runs left in it is gone, and what writing leaves in
    /// the machine's caches comes before every run, not only before those that follow one of the other side.
    ///
    /// # Errors
    /// If the files can't be written.
    pub fn restore(&mut self, which: BaseOrHead) -> Result<&MeasuredSide, WorktreeError> {
        self.checkout.switch(self.side(which).commit)?;
        Ok(self.side(which))
    }
}
