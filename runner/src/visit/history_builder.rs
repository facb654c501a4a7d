//! The versions of a history, one after the other → the benchmarks of each, all built at one path.
//!
//! There is one checkout and one build folder: paths, caches and dependencies are the same for all. The programs of a
//! version exist until the next one is built. Runs no benchmark.

use std::time::{Duration, Instant};

use super::{VersionVisitor, VisitBuildOutcome, VisitContext, VisitError};
use crate::git::CommitId;
use crate::profilers::Profiler;
use crate::store::Environment;
use crate::suite::{self, BenchmarkSuite, SuitePrograms};

/// A history that is being built.
pub struct HistoryBuilder<'a> {
    context: VisitContext<'a>,
    visitor: VersionVisitor<'a>,
}

/// One version.
#[derive(Debug)]
pub struct BuiltVersion {
    /// Its benchmarks; empty if it does not build.
    pub suite: BenchmarkSuite,
    /// The reason why there are none.
    pub unbuilt: Option<String>,
    /// How long checking out and building took.
    pub building: Duration,
}

impl<'a> HistoryBuilder<'a> {
    /// A builder that has checked nothing out yet.
    #[must_use]
    pub fn new(context: VisitContext<'a>) -> Self {
        Self {
            context,
            visitor: VersionVisitor::new(context),
        }
    }

    /// The environment that samples of a version are kept under: see [`VersionVisitor::environment`].
    ///
    /// # Errors
    /// If the history can't be read, or the toolchain can't be queried.
    pub fn environment(
        &mut self,
        commit: CommitId,
        profiler: &dyn Profiler,
        on_wait: &mut dyn FnMut(u32),
    ) -> Result<Environment, VisitError> {
        self.visitor.environment(commit, profiler, on_wait)
    }

    /// Checks a version out and builds its benchmarks. The programs of the version before are gone after this. While another
    /// process has the checkout it is waited for, and `on_wait` is told that process's id.
    ///
    /// # Errors
    /// If this machine can't continue; a version that does not build, or has no benchmark, is
    /// [`BuiltVersion::unbuilt`].
    pub fn build(&mut self, commit: CommitId, on_wait: &mut dyn FnMut(u32)) -> Result<BuiltVersion, VisitError> {
        let started = Instant::now();
        let visit = self.visitor.check_out(commit, on_wait)?;
        let outcome = self.visitor.build(&visit, |context| {
            suite::build_suite(self.context.definitions, context, SuitePrograms::Measured)
        })?;
        let building = started.elapsed();
        let (suite, unbuilt) = match outcome {
            VisitBuildOutcome::Built(suite) => (suite, None),
            VisitBuildOutcome::DoesNotBuild { reason } => (BenchmarkSuite::default(), Some(reason)),
            VisitBuildOutcome::NoBenchmark(error) => (BenchmarkSuite::default(), Some(error.to_string())),
        };
        Ok(BuiltVersion {
            suite,
            unbuilt,
            building,
        })
    }
}
