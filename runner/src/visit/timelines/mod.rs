//! Versions and names of benchmarks → when each function was active in a run of each: checks the versions out, builds
//! them with probes and runs each benchmark once.
//!
//! Every timeline is kept in lito's cache as soon as it is complete, and failures with their reason, so that known ones
//! are neither built nor run again. Samples are not touched: timelines are shown, and no prediction uses them.

mod cache;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use profile::timeline::Timeline;

use super::{
    FailureRetryPolicy, VersionVisitor, VisitBuildOutcome, VisitContext, VisitError, VisitEvent, run_in_parallel,
};
use crate::frameworks::Benchmark;
use crate::git::CommitId;
use crate::profilers::{Profiler, ProfilerBuild, ProfilerError, ProfilerFailureKind};
use cache::TimelineCache;

/// The settings with which timelines are taken.
#[derive(Clone, Copy)]
pub struct TimelinesPlan<'a> {
    /// The repository, its benchmarks, and the cache that versions are built in.
    pub context: VisitContext<'a>,
    /// A profiler that records timelines.
    pub profiler: &'a dyn Profiler,
    /// Benchmarks run at the same time. Timelines do not depend on it.
    pub workers: usize,
    /// The policy for earlier failures.
    pub failed_before: FailureRetryPolicy,
}

/// The outcome of one benchmark at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineOutcome {
    /// Its timeline.
    Taken(Timeline),
    /// It has none, because of the version: it does not build, lacks the benchmark, or its run fails.
    Failed {
        /// Why.
        reason: String,
    },
}

/// A progress event. A version whose timelines are all known reports none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelinesEvent<'a> {
    /// Another process has checked a version of the same repository out; it is waited for.
    Waiting {
        /// Its id.
        holder: u32,
    },
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

/// The reason why taking timelines stopped. Complete timelines are kept, and are not taken again.
#[derive(Debug, thiserror::Error)]
pub enum TimelinesError {
    /// No version can be built any more, or the user stopped it.
    #[error("taking timelines: {0}")]
    Visit(#[from] VisitError),
    /// The profiler of the plan records no timelines.
    #[error("taking timelines: with {profiler}: it records no timelines; use another profiler")]
    NotRecorded {
        /// The profiler.
        profiler: &'static str,
    },
    /// This machine can't run the built programs.
    #[error("taking the timeline of {benchmark} of {commit}: {reason}")]
    Profiler {
        /// The version.
        commit: CommitId,
        /// The benchmark.
        benchmark: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A timeline can't be kept.
    #[error("keeping timelines: {}: {source}: check that the folder is writable and the disk is not full", path.display())]
    Keep {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl TimelinesError {
    /// True if the user asked to stop.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Visit(VisitError::Interrupted))
    }
}

/// Takes the timelines of these benchmarks at each of these versions, and reports progress. The result has one entry
/// per version, in their order, and each of these has one entry per benchmark.
///
/// # Errors
/// If this machine can't continue; a version or a benchmark that fails is a [`TimelineOutcome`].
pub fn take(
    plan: &TimelinesPlan<'_>,
    commits: &[CommitId],
    benchmarks: &BTreeSet<String>,
    progress: &mut dyn FnMut(&TimelinesEvent<'_>),
) -> Result<Vec<BTreeMap<String, TimelineOutcome>>, TimelinesError> {
    let mut visitor = VersionVisitor::new(plan.context);
    (commits.iter())
        .map(|commit| take_version(plan, &mut visitor, *commit, benchmarks, progress))
        .collect()
}

/// Takes the timelines of one version, as [`take`] does for each. For callers that also take other results of the
/// version with the same visitor. Leaves sources with probes in the checkout.
///
/// # Errors
/// As [`take`].
pub fn take_version(
    plan: &TimelinesPlan<'_>,
    visitor: &mut VersionVisitor<'_>,
    commit: CommitId,
    benchmarks: &BTreeSet<String>,
    progress: &mut dyn FnMut(&TimelinesEvent<'_>),
) -> Result<BTreeMap<String, TimelineOutcome>, TimelinesError> {
    let interruption = plan.context.interruption;
    if interruption.is_raised() {
        return Err(VisitError::Interrupted.into());
    }
    let recorder = plan.profiler.timelines().ok_or_else(|| TimelinesError::NotRecorded {
        profiler: plan.profiler.name(),
    })?;
    let mut environment = visitor.environment(commit, plan.profiler, &mut |holder| {
        progress(&TimelinesEvent::Waiting { holder });
    })?;
    (environment.0).insert("timelines".to_owned(), recorder.version.to_owned());
    let kept = TimelineCache::new(plan.context.cache, commit, &environment);
    let mut outcomes: BTreeMap<String, TimelineOutcome> = BTreeMap::new();
    for name in benchmarks {
        let is_final = |outcome: &TimelineOutcome| {
            matches!(outcome, TimelineOutcome::Taken(_)) || plan.failed_before == FailureRetryPolicy::Skip
        };
        let known = kept.read(name).filter(is_final);
        outcomes.extend(known.map(|outcome| (name.clone(), outcome)));
    }
    let missing = benchmarks.iter().filter(|name| !outcomes.contains_key(*name));
    let missing: Vec<&String> = missing.collect();
    if missing.is_empty() {
        return Ok(outcomes);
    }
    let (_, outcome) = visitor.built_for(commit, plan.profiler, &mut |event| {
        progress(&match event {
            VisitEvent::Waiting { holder } => TimelinesEvent::Waiting { holder },
            VisitEvent::Building => TimelinesEvent::Building { commit },
        });
    })?;
    let nothing = ProfilerBuild::default();
    let (build, unbuilt) = match &*outcome {
        VisitBuildOutcome::Built(build) => (build, None),
        VisitBuildOutcome::DoesNotBuild { reason } => (&nothing, Some(reason.clone())),
        VisitBuildOutcome::NoBenchmark(error) => (&nothing, Some(error.to_string())),
    };
    let mut present: Vec<&Benchmark> = Vec::new();
    for name in missing {
        if let Some(benchmark) = benchmark_of(build, name) {
            present.push(benchmark);
            continue;
        }
        let reason = unbuilt.clone().unwrap_or_else(|| absence(build, name));
        let outcome = TimelineOutcome::Failed { reason };
        kept.keep(name, &outcome)?;
        outcomes.insert(name.clone(), outcome);
    }
    run_in_parallel(
        &present,
        plan.workers,
        interruption,
        |benchmark| (recorder.record)(benchmark, build, interruption),
        |benchmark, taken| {
            let outcome = outcome_of(commit, benchmark, taken)?;
            kept.keep(&benchmark.name, &outcome)?;
            progress(&TimelinesEvent::Ran {
                commit,
                benchmark: &benchmark.name,
            });
            outcomes.insert(benchmark.name.clone(), outcome);
            Ok::<(), TimelinesError>(())
        },
    )?;
    if interruption.is_raised() {
        return Err(VisitError::Interrupted.into());
    }
    Ok(outcomes)
}

fn outcome_of(
    commit: CommitId,
    benchmark: &Benchmark,
    taken: Result<Timeline, ProfilerError>,
) -> Result<TimelineOutcome, TimelinesError> {
    let error = match taken {
        Ok(timeline) => return Ok(TimelineOutcome::Taken(timeline)),
        Err(error) => error,
    };
    match error.kind() {
        ProfilerFailureKind::Benchmark | ProfilerFailureKind::TimedOut { .. } => Ok(TimelineOutcome::Failed {
            reason: error.to_string(),
        }),
        ProfilerFailureKind::Tool | ProfilerFailureKind::Machine => Err(TimelinesError::Profiler {
            commit,
            benchmark: benchmark.name.clone(),
            reason: error.to_string(),
        }),
        ProfilerFailureKind::Interrupted => Err(VisitError::Interrupted.into()),
    }
}

fn benchmark_of<'b>(build: &'b ProfilerBuild, name: &str) -> Option<&'b Benchmark> {
    let benchmarks = &build.suite.benchmarks;
    benchmarks.iter().find(|benchmark| benchmark.name == name)
}

/// Explains why a version that builds has no benchmark of a name.
fn absence(build: &ProfilerBuild, name: &str) -> String {
    let mut failures = build.suite.failures.iter();
    let failure = failures.find(|failure| failure.target == name);
    failure.map_or_else(
        || "this version has no benchmark of this name".to_owned(),
        |failure| failure.reason.clone(),
    )
}
