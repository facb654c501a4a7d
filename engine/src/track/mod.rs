//! Versions → what each benchmark cost at each of them: from the store, measured now, or carried over from an earlier
//! version where the score proves that nothing of it changed.
//!
//! Earlier measurements are not repeated, and new ones are stored at once: an interrupted track goes on
//! where it stopped. Only samples of one environment are looked at. If it is to be drawn, call trees and time frames are
//! taken on the same visits. Shows nothing.

mod benchmark_rewrites;
mod changes;
mod html_report;
mod predictions;
mod version_visits;

use std::collections::{BTreeMap, BTreeSet};

use analyzer::outline::SourceOutline;
use analyzer::score::ScoreOptions;
use profile::{CostUnit, Profile};
use report::track::{CostTrack, TrackPoint, TrackedBenchmark, TrackedVersion, TrackedVersionState};
use runner::benchmark::glob_matches;
use runner::build::RepositoryCache;
use runner::call_trees::CallTreesEvent;
use runner::git::CommitId;
use runner::sample::{SampleEvent, SampledVersionState};
use runner::store::{EnvironmentId, SampleOutcome, SampleRecord, SampleState};
use runner::timelines::TimelinesEvent;

use benchmark_rewrites::BenchmarkRewrites;
pub use html_report::TrackReportBuilder;
use version_visits::VersionVisits;

use crate::benchmark_names::{NamedBenchmarks, refuse_unmatched};
use crate::error::EngineError;
use crate::sample_loader::SampleLoader;
use crate::sampling;
use crate::unchanged_proof::{ProofGround, is_unchanged_since_sample};
use crate::views::TrackExecutions;

/// The attempt that errors name.
pub const TRACKING: &str = "tracking";

/// Everything that versions are tracked with.
pub struct TrackRequest<'a> {
    /// How samples are taken.
    pub sampling: sampling::SamplingRequest<'a>,
    /// How predictions are made.
    pub scoring: &'a ScoreOptions,
    /// The environment that all points come from.
    pub environment: EnvironmentId,
    /// The versions that are measured.
    pub which: TrackScope,
    /// The benchmarks whose call trees and time frames are taken, by globs, all if there is none; `None` takes none.
    pub drawn: Option<&'a [String]>,
}

impl<'a> TrackRequest<'a> {
    fn ground(&self) -> ProofGround<'a> {
        ProofGround {
            repository: self.sampling.repository,
            definitions: self.sampling.definitions,
            scoring: self.scoring,
        }
    }
}

/// Which versions are measured, of those that have no sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackScope {
    /// Those that may differ from an earlier version.
    MayHaveChanged,
    /// All.
    All,
}

/// The state of one version.
#[derive(Debug)]
pub struct VersionCosts {
    commit: CommitId,
    state: TrackedVersionState,
    /// The version whose sample its costs are from.
    measured: Option<CommitId>,
    /// By benchmark: its cost, or why there is none. Empty where the whole version is a gap.
    costs: BTreeMap<String, Result<u64, String>>,
    /// Why the version as a whole has no points.
    missing: Option<String>,
}

/// An event of a version.
pub enum TrackEvent<'a> {
    /// It is being sampled.
    Sampling(&'a SampleEvent<'a>),
    /// Its points are there without sampling.
    Settled,
    /// A call tree of it is taken.
    Tree(&'a CallTreesEvent<'a>),
    /// Time frames of it are taken.
    Frames(&'a TimelinesEvent<'a>),
}

/// Finds the points of versions, given oldest first, and the call trees and time frames of those that are measured, as far
/// as the request asks for some.
pub fn points(
    request: &TrackRequest<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(TrackEvent<'_>),
) -> Result<(Vec<VersionCosts>, TrackExecutions), EngineError> {
    let sampling = &request.sampling;
    let cache = RepositoryCache::of_repository(sampling.root).map_err(EngineError::environment)?;
    let mut visits = VersionVisits::new(sampling, &cache);
    let mut executed = TrackExecutions::default();
    let mut samples = SampleLoader::new(sampling.repository, sampling.store)?;
    let mut measured: Option<SampleRecord> = None;
    let mut points = Vec::new();
    for &commit in commits {
        if sampling.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        let stored = stored(request, commit)?.filter(|record| record.state != SampleState::InProgress);
        let known = match (stored, &measured) {
            (Some(record), _) => {
                tell(TrackEvent::Settled);
                let known = VersionCosts::of(commit, &record);
                measured = Some(record).filter(SampleRecord::is_baseline).or(measured);
                known
            }
            (None, Some(before))
                if request.which == TrackScope::MayHaveChanged
                    && is_unchanged_since_sample(request.ground(), before, commit, &mut samples)? =>
            {
                tell(TrackEvent::Settled);
                VersionCosts {
                    commit,
                    state: TrackedVersionState::Carried,
                    ..VersionCosts::of(before.commit, before)
                }
            }
            (None, _) => {
                let sampled = visits.sample(commit, &mut |event| tell(TrackEvent::Sampling(event)))?;
                match stored_now(request, commit, sampled.state)? {
                    Ok(record) => {
                        let known = VersionCosts::of(commit, &record);
                        measured = Some(record).filter(SampleRecord::is_baseline).or(measured);
                        known
                    }
                    Err(reason) => VersionCosts::gap(commit, reason),
                }
            }
        };
        let drawn = request.drawn.map(|globs| known.benchmarks_to_draw(globs));
        if let Some(benchmarks) = drawn.filter(|benchmarks| !benchmarks.is_empty()) {
            visits.executions((points.len(), commit), &benchmarks, &mut executed, tell)?;
        }
        points.push(known);
    }
    Ok((points, executed))
}

/// A version's sample in the store, in the environment of the track.
fn stored(request: &TrackRequest<'_>, commit: CommitId) -> Result<Option<SampleRecord>, EngineError> {
    let records = request.sampling.store.sample(commit)?.samples;
    let ours = |record: &SampleRecord| record.environment.id() == request.environment;
    Ok(records.into_iter().find(ours))
}

/// The profile of a benchmark at a measured version; `None` where it can no longer be read.
pub fn stored_profile(
    request: &TrackRequest<'_>,
    commit: CommitId,
    benchmark: &str,
) -> Result<Option<Profile>, EngineError> {
    let record = stored(request, commit)?;
    let outcome = record.and_then(|mut record| record.benchmarks.remove(benchmark));
    let Some(SampleOutcome::Profiled { profile, .. }) = outcome else {
        return Ok(None);
    };
    let bytes = request.sampling.store.object(profile)?;
    Ok(profile::format::binary::decode(&bytes).ok())
}

/// The sample that was just stored, or why there is none for this track.
fn stored_now(
    request: &TrackRequest<'_>,
    commit: CommitId,
    state: SampledVersionState,
) -> Result<Result<SampleRecord, String>, EngineError> {
    if let SampledVersionState::NoBenchmark { reason } = state {
        return Ok(Err(reason));
    }
    Ok(stored(request, commit)?.ok_or_else(|| {
        String::from(
            "it is built in another environment than the checkout, as with a toolchain of its own, so that its costs \
             can't be compared",
        )
    }))
}

impl VersionCosts {
    fn of(commit: CommitId, record: &SampleRecord) -> Self {
        if let SampleState::BuildFailed { reason } = &record.state {
            return Self::gap(commit, format!("it does not build: {reason}"));
        }
        let cost = |outcome: &SampleOutcome| match outcome {
            SampleOutcome::Profiled { total, .. } => Ok(*total),
            SampleOutcome::Failed { reason } => Err(reason.clone()),
            SampleOutcome::TimedOut { seconds } => Err(format!("it did not end within {seconds} s")),
            SampleOutcome::LeftOut => Err(String::from("it was left out of the sample")),
        };
        let costs = (record.benchmarks.iter()).map(|(name, outcome)| (name.clone(), cost(outcome)));
        Self {
            commit,
            state: TrackedVersionState::Measured,
            measured: Some(record.commit),
            costs: costs.collect(),
            missing: None,
        }
    }

    /// The benchmarks that were measured at this version itself, of those that match one of the globs, all without any.
    fn benchmarks_to_draw(&self, globs: &[String]) -> BTreeSet<String> {
        let measured = (self.costs.iter()).filter(|(_, cost)| cost.is_ok() && self.measured == Some(self.commit));
        let names = measured.map(|(name, _)| name);
        names.filter(|name| is_chosen(globs, name)).cloned().collect()
    }

    fn gap(commit: CommitId, reason: String) -> Self {
        Self {
            commit,
            state: TrackedVersionState::Gap,
            measured: None,
            costs: BTreeMap::new(),
            missing: Some(reason),
        }
    }
}

/// The points as a series for each benchmark that matches one of the globs, all if there is none, with the places where
/// it changes. `outlines` are the sources of the same versions.
pub fn cost_track(
    request: &TrackRequest<'_>,
    known: &[VersionCosts],
    outlines: &[SourceOutline],
    unit: CostUnit,
    globs: &[String],
) -> Result<CostTrack, EngineError> {
    let repository = request.sampling.repository;
    let names: BTreeSet<String> = (known.iter())
        .flat_map(|version| version.costs.keys().cloned())
        .collect();
    refuse_unmatched(NamedBenchmarks::by_option(TRACKING, globs), &names, "")?;
    let mut reasons = GapReasons::default();
    let commits: Vec<CommitId> = known.iter().map(|version| version.commit).collect();
    let predictions = predictions::predictions(request, &commits)?;
    let versions = known.iter().zip(predictions).map(|(version, prediction)| {
        Ok(TrackedVersion {
            commit: version.commit.to_string(),
            summary: repository.summary(version.commit)?,
            time: repository.committed_at(version.commit)?,
            state: version.state,
            reason: (version.missing.as_ref()).map(|reason| reasons.index(reason)),
            prediction,
        })
    });
    let versions = versions.collect::<Result<Vec<TrackedVersion>, EngineError>>()?;
    let taken = names.into_iter().filter(|name| is_chosen(globs, name));
    let sources = BenchmarkRewrites::of(request, known, outlines)?;
    let benchmarks = taken.map(|name| {
        let points: Vec<TrackPoint> = (known.iter())
            .map(|version| point(version, &name, &mut reasons))
            .collect();
        let rewritten = sources.of_benchmark(request, known, &name)?;
        Ok(TrackedBenchmark {
            changes: changes::changes(&points, &rewritten),
            points,
            rewritten,
            name,
        })
    });
    let benchmarks = benchmarks.collect::<Result<Vec<TrackedBenchmark>, EngineError>>()?;
    Ok(CostTrack {
        unit: report::profile::unit(unit),
        threshold: request.scoring.threshold,
        versions,
        benchmarks,
        reasons: reasons.0,
    })
}

/// True if a benchmark matches one of the globs, or there is none.
fn is_chosen(globs: &[String], benchmark: &str) -> bool {
    globs.is_empty() || globs.iter().any(|glob| glob_matches(glob, benchmark))
}

fn point(version: &VersionCosts, benchmark: &str, reasons: &mut GapReasons) -> TrackPoint {
    match (version.costs.get(benchmark), &version.missing) {
        (Some(Ok(cost)), _) if version.state == TrackedVersionState::Carried => TrackPoint::Carried(*cost),
        (Some(Ok(cost)), _) => TrackPoint::Measured(*cost),
        (Some(Err(reason)), _) => TrackPoint::Gap(reasons.index(&format!("it failed: {reason}"))),
        (None, Some(reason)) => TrackPoint::Gap(reasons.index(reason)),
        (None, None) => TrackPoint::Gap(reasons.index("the version has no such benchmark")),
    }
}

/// Reasons of gaps, each once.
#[derive(Default)]
struct GapReasons(Vec<String>);

impl GapReasons {
    fn index(&mut self, reason: &str) -> usize {
        let known = self.0.iter().position(|known| known == reason);
        known.unwrap_or_else(|| {
            self.0.push(reason.to_owned());
            self.0.len() - 1
        })
    }
}
