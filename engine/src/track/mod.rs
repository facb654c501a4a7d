//! Versions → what each benchmark cost at each of them: from the store, measured now, or carried over from an earlier
//! version where the score proves that nothing of it changed.
//!
//! What was measured before is not measured again, and what is measured is stored at once: an interrupted track goes on
//! where it stopped. Only samples of one environment are looked at. Shows nothing.

mod changes;
mod drawn;
mod proof;
mod rewritten;

use std::collections::{BTreeMap, BTreeSet};

use analyzer::outline::Outline;
use analyzer::score::Scoring;
use profile::Profile;
use report::track::{Benchmark, Point, State, Track, Version};
use runner::benchmark::glob_matches;
use runner::git::CommitId;
use runner::sample::{Event, VersionState};
use runner::store::{EnvironmentId, Outcome, SampleRecord, SampleState};

pub use drawn::{Drawn, Step};
use rewritten::Rewrites;

use crate::error::EngineError;
use crate::samples::Samples;
use crate::sampling;

/// What the versions are tracked with.
pub struct Request<'a> {
    pub sampling: sampling::Request<'a>,
    pub scoring: &'a Scoring,
    /// The one that the points come from.
    pub environment: EnvironmentId,
    pub which: Which,
}

/// Which versions are measured, of those that have no sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that may differ from an earlier version.
    MayHaveChanged,
    /// All.
    All,
}

/// What is known of one version.
#[derive(Debug)]
pub struct Known {
    commit: CommitId,
    state: State,
    /// The version whose sample its costs are from.
    measured: Option<CommitId>,
    /// By benchmark: its cost, or why there is none. Empty where the whole version is a gap.
    costs: BTreeMap<String, Result<u64, String>>,
    /// Why the version as a whole has no points.
    missing: Option<String>,
}

/// What happened to a version.
pub enum Told<'a> {
    /// It is being sampled.
    Sampling(&'a Event<'a>),
    /// Its points are there without sampling.
    Settled,
}

/// Finds the points of versions, given oldest first.
pub fn points(
    request: &Request<'_>,
    commits: &[CommitId],
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<Vec<Known>, EngineError> {
    let sampling = &request.sampling;
    let mut samples = Samples::new(sampling.repository, sampling.store)?;
    let mut measured: Option<SampleRecord> = None;
    let mut points = Vec::new();
    for &commit in commits {
        if sampling.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        let stored = stored(request, commit)?.filter(|record| record.state != SampleState::InProgress);
        let known = match (stored, &measured) {
            (Some(record), _) => {
                tell(Told::Settled);
                let known = Known::of(commit, &record);
                measured = Some(record).filter(SampleRecord::is_baseline).or(measured);
                known
            }
            (None, Some(before))
                if request.which == Which::MayHaveChanged
                    && proof::is_unchanged(request, before, commit, &mut samples)? =>
            {
                tell(Told::Settled);
                Known {
                    commit,
                    state: State::Carried,
                    ..Known::of(before.commit, before)
                }
            }
            (None, _) => {
                let state = sampling::take_one(sampling, commit, &mut |event| tell(Told::Sampling(event)))?;
                match stored_now(request, commit, state)? {
                    Ok(record) => {
                        let known = Known::of(commit, &record);
                        measured = Some(record).filter(SampleRecord::is_baseline).or(measured);
                        known
                    }
                    Err(reason) => Known::gap(commit, reason),
                }
            }
        };
        points.push(known);
    }
    Ok(points)
}

/// What the store holds of a version in the environment of the track.
fn stored(request: &Request<'_>, commit: CommitId) -> Result<Option<SampleRecord>, EngineError> {
    let records = request.sampling.store.sample(commit)?.samples;
    let ours = |record: &SampleRecord| record.environment.id() == request.environment;
    Ok(records.into_iter().find(ours))
}

/// What a benchmark executed at a version that was measured; `None` where that can no longer be read.
pub fn profile(request: &Request<'_>, commit: CommitId, benchmark: &str) -> Result<Option<Profile>, EngineError> {
    let record = stored(request, commit)?;
    let outcome = record.and_then(|mut record| record.benchmarks.remove(benchmark));
    let Some(Outcome::Profiled { profile, .. }) = outcome else {
        return Ok(None);
    };
    let bytes = request.sampling.store.object(profile)?;
    Ok(profile::format::binary::decode(&bytes).ok())
}

/// What sampling has just stored, or why it stored nothing that belongs to this track.
fn stored_now(
    request: &Request<'_>,
    commit: CommitId,
    state: VersionState,
) -> Result<Result<SampleRecord, String>, EngineError> {
    if let VersionState::NoBenchmark { reason } = state {
        return Ok(Err(reason));
    }
    Ok(stored(request, commit)?.ok_or_else(|| {
        String::from(
            "it is built in another environment than the checkout, as with a toolchain of its own, so that its costs \
             can't be compared",
        )
    }))
}

impl Known {
    fn of(commit: CommitId, record: &SampleRecord) -> Self {
        if let SampleState::BuildFailed { reason } = &record.state {
            return Self::gap(commit, format!("it does not build: {reason}"));
        }
        let cost = |outcome: &Outcome| match outcome {
            Outcome::Profiled { total, .. } => Ok(*total),
            Outcome::Failed { reason } => Err(reason.clone()),
            Outcome::TimedOut { seconds } => Err(format!("it did not end within {seconds} s")),
        };
        let costs = (record.benchmarks.iter()).map(|(name, outcome)| (name.clone(), cost(outcome)));
        Self {
            commit,
            state: State::Measured,
            measured: Some(record.commit),
            costs: costs.collect(),
            missing: None,
        }
    }

    fn gap(commit: CommitId, reason: String) -> Self {
        Self {
            commit,
            state: State::Gap,
            measured: None,
            costs: BTreeMap::new(),
            missing: Some(reason),
        }
    }
}

/// The points as a series for each benchmark that matches one of the globs, all if there is none, with the places where
/// it changes. `outlines` are the sources of the same versions.
pub fn track(
    request: &Request<'_>,
    known: &[Known],
    outlines: &[Outline],
    unit: &'static str,
    globs: &[String],
) -> Result<Track, EngineError> {
    let repository = request.sampling.repository;
    let names: BTreeSet<&String> = known.iter().flat_map(|version| version.costs.keys()).collect();
    if let Some(glob) = (globs.iter()).find(|glob| !names.iter().any(|name| glob_matches(glob, name))) {
        return Err(EngineError::request(format_args!(
            "tracking: --bench {glob}: none of the {} in these versions has such a name; `lito bench list` shows them",
            report::number::of(names.len(), "benchmark")
        )));
    }
    let mut reasons = Reasons::default();
    let versions = known.iter().map(|version| {
        Ok(Version {
            commit: version.commit.to_string(),
            summary: repository.summary(version.commit)?,
            time: repository.committed_at(version.commit)?,
            state: version.state,
            reason: (version.missing.as_ref()).map(|reason| reasons.index(reason)),
        })
    });
    let versions = versions.collect::<Result<Vec<Version>, EngineError>>()?;
    let taken = names
        .into_iter()
        .filter(|name| globs.is_empty() || globs.iter().any(|glob| glob_matches(glob, name)));
    let sources = Rewrites::of(known, outlines);
    let benchmarks = taken.map(|name| {
        let points: Vec<Point> = (known.iter())
            .map(|version| point(version, name, &mut reasons))
            .collect();
        let rewritten = sources.of_benchmark(request, known, name)?;
        Ok(Benchmark {
            name: name.clone(),
            changes: changes::changes(&points, &rewritten),
            points,
            rewritten,
        })
    });
    let benchmarks = benchmarks.collect::<Result<Vec<Benchmark>, EngineError>>()?;
    Ok(Track {
        unit,
        versions,
        benchmarks,
        reasons: reasons.0,
    })
}

fn point(version: &Known, benchmark: &str, reasons: &mut Reasons) -> Point {
    match (version.costs.get(benchmark), &version.missing) {
        (Some(Ok(cost)), _) if version.state == State::Carried => Point::Carried(*cost),
        (Some(Ok(cost)), _) => Point::Measured(*cost),
        (Some(Err(reason)), _) => Point::Gap(reasons.index(&format!("it failed: {reason}"))),
        (None, Some(reason)) => Point::Gap(reasons.index(reason)),
        (None, None) => Point::Gap(reasons.index("the version has no such benchmark")),
    }
}

/// Reasons of gaps, each once.
#[derive(Default)]
struct Reasons(Vec<String>);

impl Reasons {
    fn index(&mut self, reason: &str) -> usize {
        let known = self.0.iter().position(|known| known == reason);
        known.unwrap_or_else(|| {
            self.0.push(reason.to_owned());
            self.0.len() - 1
        })
    }
}
