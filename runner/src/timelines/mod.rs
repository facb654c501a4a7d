//! Versions and names of benchmarks → when each function was active in a run of each: checked out, built with probes,
//! run once.
//!
//! Every timeline is kept in lito's cache as soon as it is there, failures with their reason, so that what is known
//! is neither built nor run again. Samples are not touched: timelines are shown, never predicted from.

mod cache;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use attribution::probes::TIMELINE_VERSION;
use profile::probes::SourceInstrumenter;
use profile::timeline::Timeline;

use crate::frameworks::Benchmark;
use crate::git::CommitId;
use crate::profiler::ProfilerError;
use crate::profiler::probes::{self, ProbedSuite};
use crate::sample::FailureRetryPolicy;
use crate::visit::{self, VersionVisitor, VisitContext, VisitError, run_in_parallel};
use cache::TimelineCache;

/// How timelines are taken.
#[derive(Clone, Copy)]
pub struct TimelinesPlan<'a> {
    /// Where versions come from and are built. Its profiler is of no account: timelines are always taken with probes.
    pub ground: VisitContext<'a>,
    /// What puts probes into sources.
    pub instrument: SourceInstrumenter<'a>,
    /// Benchmarks run at the same time. Timelines do not depend on it.
    pub workers: usize,
    /// What is done with what failed before.
    pub failed_before: FailureRetryPolicy,
}

/// What came of one benchmark at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineOutcome {
    /// Its timeline.
    Taken(Timeline),
    /// There is none, because of the version: it does not build, lacks the benchmark, or its run fails.
    Failed {
        /// Why.
        reason: String,
    },
}

/// How far it is. Of a version whose timelines are all known nothing is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelinesEvent<'a> {
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

/// Why taking timelines stopped. Those that were taken are kept, and are not taken again.
#[derive(Debug, thiserror::Error)]
pub enum TimelinesError {
    /// No version can be built any more, or the user stopped it.
    #[error("taking timelines: {0}")]
    Visit(#[from] VisitError),
    /// This machine can't run what it built.
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
        /// Why not.
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

/// Takes the timelines of these benchmarks at each of these versions, telling how far it is. The result has one entry
/// a version, in their order, and in it one a benchmark.
///
/// # Errors
/// If this machine can't go on; a version or a benchmark that fails is an [`TimelineOutcome`].
pub fn take(
    plan: &TimelinesPlan<'_>,
    commits: &[CommitId],
    benchmarks: &BTreeSet<String>,
    progress: &mut dyn FnMut(&TimelinesEvent<'_>),
) -> Result<Vec<BTreeMap<String, TimelineOutcome>>, TimelinesError> {
    let mut visitor = VersionVisitor::new(plan.ground);
    (commits.iter())
        .map(|commit| take_version(plan, &mut visitor, *commit, benchmarks, progress))
        .collect()
}

/// Takes the timelines of one version: what [`take`] does with each. For callers that take something else of the version
/// too, with the same visitor. The sources that it leaves in the checkout have probes in them.
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
    let interruption = plan.ground.interruption;
    if interruption.is_raised() {
        return Err(VisitError::Interrupted.into());
    }
    let mut environment = visitor.environment(commit)?;
    // Whatever else the visitor is there for.
    let facts = &mut environment.0;
    facts.insert("profiler".to_owned(), TIMELINE_VERSION.to_owned());
    let kept = TimelineCache::new(plan.ground.cache, commit, &environment);
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
    let visit = visitor.check_out(commit)?;
    progress(&TimelinesEvent::Building { commit });
    let built = visitor.build(&visit, |site| {
        probes::prepare(plan.ground.definitions, site, plan.instrument)
    })?;
    let (probed, unbuilt) = match built {
        visit::VisitBuildOutcome::Built(probed) => (probed, None),
        visit::VisitBuildOutcome::DoesNotBuild { reason } => (ProbedSuite::default(), Some(reason)),
        visit::VisitBuildOutcome::NoBenchmark(error) => (ProbedSuite::default(), Some(error.to_string())),
    };
    let mut present: Vec<&Benchmark> = Vec::new();
    for name in missing {
        if let Some(benchmark) = benchmark_of(&probed, name) {
            present.push(benchmark);
            continue;
        }
        let reason = unbuilt.clone().unwrap_or_else(|| absence(&probed, name));
        let outcome = TimelineOutcome::Failed { reason };
        kept.keep(name, &outcome)?;
        outcomes.insert(name.clone(), outcome);
    }
    run_in_parallel(
        &present,
        plan.workers,
        interruption,
        |benchmark| probes::timeline(benchmark, &probed.table, interruption),
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
    match taken {
        Ok(timeline) => Ok(TimelineOutcome::Taken(timeline)),
        Err(ProfilerError::Interrupted { .. }) => Err(VisitError::Interrupted.into()),
        Err(error @ ProfilerError::Io { .. }) => Err(TimelinesError::Profiler {
            commit,
            benchmark: benchmark.name.clone(),
            reason: error.to_string(),
        }),
        Err(error) => Ok(TimelineOutcome::Failed {
            reason: error.to_string(),
        }),
    }
}

fn benchmark_of<'p>(probed: &'p ProbedSuite, name: &str) -> Option<&'p Benchmark> {
    let benchmarks = &probed.suite.benchmarks;
    benchmarks.iter().find(|benchmark| benchmark.name == name)
}

/// Why a version that builds has no benchmark of a name.
fn absence(probed: &ProbedSuite, name: &str) -> String {
    let mut failures = probed.suite.failures.iter();
    let failure = failures.find(|failure| failure.target == name);
    failure.map_or_else(
        || "this version has no benchmark of this name".to_owned(),
        |failure| failure.reason.clone(),
    )
}
