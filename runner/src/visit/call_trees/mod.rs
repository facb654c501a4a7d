//! Commits → the calling context trees of their benchmarks: visits each version, and runs each wanted benchmark under the
//! profiler.
//!
//! Each tree is kept in lito's cache as soon as it is complete, by version, environment and benchmark, so that nothing
//! is taken twice and a kill loses at most the running ones. A version is neither checked out nor built if all its
//! wanted trees are kept. A version that does not build and a benchmark that fails are recorded as reasons, kept like trees.

mod cache;
mod of_sides;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{
    FailureRetryPolicy, VersionVisitor, VisitBuildOutcome, VisitContext, VisitError, VisitEvent, run_in_parallel,
};
use crate::frameworks::Benchmark;
use crate::git::CommitId;
use crate::process::InterruptionFlag;
use crate::profilers::{ProfiledCallTree, Profiler, ProfilerBuild, ProfilerError, ProfilerFailureKind};
use crate::visit::sides::MeasuredSidesError;
use cache::{BenchmarkListing, CallTreeCache};
pub use of_sides::take_measured;

/// The settings with which trees are taken.
#[derive(Clone, Copy)]
pub struct CallTreesPlan<'a> {
    /// The repository, its benchmarks, and the cache that versions are built in.
    pub context: VisitContext<'a>,
    /// The profiler.
    pub profiler: &'a dyn Profiler,
    /// Benchmarks run at the same time. Trees do not depend on it.
    pub workers: usize,
    /// The policy for earlier failures.
    pub failed_before: FailureRetryPolicy,
}

/// True if the tree of a benchmark is wanted, by its name.
pub type BenchmarkFilter<'a> = &'a dyn Fn(&str) -> bool;

/// A benchmark's tree, or the reason why there is none.
pub type TreeOrReason = Result<ProfiledCallTree, String>;

/// The trees of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionCallTrees {
    /// The version.
    pub commit: CommitId,
    /// The reason why there are none: it does not build, or has no benchmark.
    pub unbuilt: Option<String>,
    /// Each wanted benchmark by name, with its tree or the reason why there is none; and each target that did not build
    /// or gave no list of its benchmarks, with the reason.
    pub trees: BTreeMap<String, TreeOrReason>,
    /// Number of entries that were kept before.
    pub reused: usize,
}

/// A progress event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallTreesEvent<'a> {
    /// A version begins.
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
        /// Number of wanted benchmarks.
        wanted: usize,
        /// Number of these that are kept from before.
        kept: usize,
    },
    /// A benchmark was run.
    Taken {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: &'a str,
        /// The reason, if there is no tree.
        failure: Option<&'a str>,
        /// Number of benchmarks run so far, this one included.
        done: usize,
        /// Number of benchmarks to run.
        total: usize,
    },
    /// A version is done.
    VersionDone {
        /// Its trees.
        version: &'a VersionCallTrees,
    },
}

/// The reason why taking trees stopped. Kept trees stay, and are not taken again.
#[derive(Debug, thiserror::Error)]
pub enum CallTreesError {
    /// No version can be built any more, or the user stopped it.
    #[error("taking call trees: {0}")]
    Visit(#[from] VisitError),
    /// The versions of a comparison can't be built, or must not be compared.
    #[error("taking call trees: {0}")]
    Sides(#[from] MeasuredSidesError),
    /// This machine can't profile.
    #[error("taking the call tree of {benchmark} of {commit}: {reason}")]
    Profiler {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A tree can't be kept.
    #[error("keeping call trees: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
    Keep {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl CallTreesError {
    /// True if the user asked to stop.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::Visit(error) => matches!(error, VisitError::Interrupted),
            Self::Sides(error) => error.is_interruption(),
            Self::Profiler { .. } | Self::Keep { .. } => false,
        }
    }
}

/// Takes the trees of the benchmarks that a filter selects, of several versions, and reports progress.
///
/// # Errors
/// If this machine can't continue or the user stops it; a version or a benchmark that fails is not an error but a
/// reason in the result.
pub fn take(
    plan: &CallTreesPlan<'_>,
    commits: &[CommitId],
    filter: BenchmarkFilter<'_>,
    progress: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<Vec<VersionCallTrees>, CallTreesError> {
    let mut visitor = VersionVisitor::new(plan.context);
    let total = commits.len();
    (commits.iter().enumerate())
        .map(|(index, &commit)| {
            progress(&CallTreesEvent::Version { commit, index, total });
            let version = take_version(plan, &mut visitor, commit, filter, progress)?;
            progress(&CallTreesEvent::VersionDone { version: &version });
            Ok(version)
        })
        .collect()
}

/// Takes the trees of one version, as [`take`] does for each. For callers that also take other results of the version
/// with the same visitor.
///
/// # Errors
/// As [`take`].
pub fn take_version(
    plan: &CallTreesPlan<'_>,
    visitor: &mut VersionVisitor<'_>,
    commit: CommitId,
    filter: BenchmarkFilter<'_>,
    progress: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<VersionCallTrees, CallTreesError> {
    if plan.context.interruption.is_raised() {
        return Err(VisitError::Interrupted.into());
    }
    let environment = visitor.environment(commit, plan.profiler, &mut |holder| {
        progress(&CallTreesEvent::Waiting { holder });
    })?;
    let kept = CallTreeCache::new(plan.context.cache, commit, &environment);
    let mut version = VersionCallTrees {
        commit,
        unbuilt: None,
        trees: BTreeMap::new(),
        reused: 0,
    };
    let retry = plan.failed_before == FailureRetryPolicy::Retry;
    let listed = kept.listed().filter(|listed| !retry || !listed.has_failures());
    if let Some(listed) = listed {
        let wanted = listed.benchmarks.iter().filter(|name| filter(name));
        let known: Option<BTreeMap<_, _>> = wanted
            .map(|name| Some((name.clone(), kept.tree(name, retry)?)))
            .collect();
        if let Some(known) = known {
            version.reused = known.len();
            version.trees = known;
            version.unbuilt = listed.unbuilt;
            version.add_failures(listed.failures);
            return Ok(version);
        }
    }
    let (_, outcome) = visitor.built_for(commit, plan.profiler, &mut |event| {
        progress(&match event {
            VisitEvent::Waiting { holder } => CallTreesEvent::Waiting { holder },
            VisitEvent::Building => CallTreesEvent::Building { commit },
        });
    })?;
    let build = match &*outcome {
        VisitBuildOutcome::Built(build) => build,
        VisitBuildOutcome::DoesNotBuild { reason } => return unbuilt(version, &kept, reason.clone()),
        VisitBuildOutcome::NoBenchmark(error) => return unbuilt(version, &kept, error.to_string()),
    };
    let listed = BenchmarkListing::of(&build.suite);
    kept.list(&listed)?;
    version.add_failures(listed.failures);
    version.run(plan, build, &kept, filter, progress)?;
    Ok(version)
}

fn unbuilt(
    mut version: VersionCallTrees,
    kept: &CallTreeCache,
    reason: String,
) -> Result<VersionCallTrees, CallTreesError> {
    kept.list(&BenchmarkListing {
        unbuilt: Some(reason.clone()),
        ..BenchmarkListing::default()
    })?;
    version.unbuilt = Some(reason);
    Ok(version)
}

impl VersionCallTrees {
    fn add_failures(&mut self, failures: BTreeMap<String, String>) {
        let failures = failures.into_iter();
        (self.trees).extend(failures.map(|(target, reason)| (target, Err(reason))));
    }

    /// Runs the wanted benchmarks that are not kept.
    fn run(
        &mut self,
        plan: &CallTreesPlan<'_>,
        build: &ProfilerBuild,
        kept: &CallTreeCache,
        filter: BenchmarkFilter<'_>,
        progress: &mut dyn FnMut(&CallTreesEvent<'_>),
    ) -> Result<(), CallTreesError> {
        let commit = self.commit;
        let retry = plan.failed_before == FailureRetryPolicy::Retry;
        let mut missing: Vec<&Benchmark> = Vec::new();
        for benchmark in build.suite.benchmarks.iter().filter(|b| filter(&b.name)) {
            match kept.tree(&benchmark.name, retry) {
                Some(tree) => {
                    self.trees.insert(benchmark.name.clone(), tree);
                    self.reused += 1;
                }
                None => missing.push(benchmark),
            }
        }
        progress(&CallTreesEvent::Listed {
            commit,
            wanted: self.reused + missing.len(),
            kept: self.reused,
        });
        let run = TreeRun {
            commit,
            profiler: plan.profiler,
            build,
            workers: plan.workers,
            interruption: plan.context.interruption,
        };
        let taken = run.take(&missing, &|benchmark, tree| kept.keep(benchmark, tree), progress)?;
        self.trees.extend(taken);
        Ok(())
    }
}

/// Benchmarks of a built version that run for their trees.
struct TreeRun<'a> {
    commit: CommitId,
    profiler: &'a dyn Profiler,
    build: &'a ProfilerBuild,
    workers: usize,
    interruption: &'a InterruptionFlag,
}

impl TreeRun<'_> {
    /// Runs benchmarks; `keep` gets each result as soon as it is there.
    fn take(
        &self,
        benchmarks: &[&Benchmark],
        keep: &dyn Fn(&str, &TreeOrReason) -> Result<(), CallTreesError>,
        progress: &mut dyn FnMut(&CallTreesEvent<'_>),
    ) -> Result<BTreeMap<String, TreeOrReason>, CallTreesError> {
        let mut trees = BTreeMap::new();
        let commit = self.commit;
        run_in_parallel(
            benchmarks,
            self.workers,
            self.interruption,
            |benchmark| self.profiler.call_tree(benchmark, self.build, self.interruption),
            |benchmark, taken| {
                let taken = match taken {
                    Ok(tree) => Ok(tree),
                    Err(error) => Err(benchmark_failure(commit, &benchmark.name, &error)?),
                };
                keep(&benchmark.name, &taken)?;
                progress(&CallTreesEvent::Taken {
                    commit,
                    benchmark: &benchmark.name,
                    failure: taken.as_ref().err().map(String::as_str),
                    done: trees.len() + 1,
                    total: benchmarks.len(),
                });
                trees.insert(benchmark.name.clone(), taken);
                Ok::<(), CallTreesError>(())
            },
        )?;
        if self.interruption.is_raised() {
            return Err(VisitError::Interrupted.into());
        }
        Ok(trees)
    }
}

/// The reason that is kept for a benchmark without a tree; an error if nothing more can be profiled.
fn benchmark_failure(commit: CommitId, benchmark: &str, error: &ProfilerError) -> Result<String, CallTreesError> {
    match error.kind() {
        ProfilerFailureKind::Benchmark | ProfilerFailureKind::TimedOut { .. } => Ok(error.to_string()),
        ProfilerFailureKind::Tool | ProfilerFailureKind::Machine => Err(CallTreesError::Profiler {
            commit,
            benchmark: benchmark.to_owned(),
            reason: error.to_string(),
        }),
        ProfilerFailureKind::Interrupted => Err(VisitError::Interrupted.into()),
    }
}
