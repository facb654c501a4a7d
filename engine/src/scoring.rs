//! Versions and samples, read by the runner, into scores, made by the analyzer. Builds and runs nothing.
//!
//! One range of versions is scored in batches on all cores; a batch is returned, oldest first, before the
//! next begins, so that a long range shows its first lines at once and needs the memory of one batch.

use std::cell::OnceCell;
use std::sync::Mutex;

use analyzer::cost::{PriceList, ScoringContext};
use analyzer::score::{CostModel, KnownWords, NearestSample, ScoreOptions, VersionScore, score, with_scoring_context};
use analyzer::syntax::ParseCache;
use rayon::prelude::*;
use runner::benchmark::BenchmarkDefinition;
use runner::git::{CommitId, GitError, Repository};

use crate::error::EngineError;
use crate::file_sources::{changed_paths, unpoisoned, with_version_sources};
use crate::harness_sources::harness_sources;
use crate::sample_loader::{self, SampleLoader};

/// Versions scored before the first of them is returned. All cores wait for the last version of a batch: enough
/// that this is rare, and few enough that the first lines come within a second.
const BATCH: usize = 256;

/// A version with what its prediction stands on.
struct PlannedScore {
    commit: CommitId,
    /// `None` for a root. The parent that a shallow clone cut off is an error instead: comparing with nothing
    /// would call everything new.
    parent: Option<CommitId>,
    nearest: Option<sample_loader::NearestStoredSample>,
}

/// How predictions are made: with the costs that are shipped, for changes of this size or more, of versions that these
/// benchmarks measure.
pub fn scoring_for_model(
    model: CostModel,
    threshold: f64,
    (repository, definitions): (&Repository, &[BenchmarkDefinition]),
) -> ScoreOptions {
    ScoreOptions {
        model,
        threshold,
        outside: harness_sources(repository, definitions),
        costs: PriceList::shipped(),
        parser: ParseCache::default(),
        words: KnownWords::default(),
    }
}

/// Scores versions against their parents, given oldest first, and passes each score on in this order.
pub fn score_versions<E: From<EngineError>>(
    repository: &Repository,
    versions: &[CommitId],
    samples: &mut SampleLoader<'_>,
    scoring: &ScoreOptions,
    hand_on: impl FnMut(VersionScore) -> Result<(), E>,
) -> Result<(), E> {
    let with_parent = |commit: &CommitId| Ok((*commit, repository.parent(*commit)?));
    score_in_batches(repository, versions, with_parent, samples, scoring, hand_on)
}

/// Scores versions against bases that need not be their parents, each pair a base and a head, and passes the scores on in order.
pub fn score_pairs<E: From<EngineError>>(
    repository: &Repository,
    pairs: &[(CommitId, CommitId)],
    samples: &mut SampleLoader<'_>,
    scoring: &ScoreOptions,
    hand_on: impl FnMut(VersionScore) -> Result<(), E>,
) -> Result<(), E> {
    let with_base = |(base, head): &(CommitId, CommitId)| Ok((*head, Some(*base)));
    score_in_batches(repository, pairs, with_base, samples, scoring, hand_on)
}

fn score_in_batches<V, E: From<EngineError>>(
    repository: &Repository,
    versions: &[V],
    with_parent: impl Fn(&V) -> Result<(CommitId, Option<CommitId>), EngineError>,
    samples: &mut SampleLoader<'_>,
    scoring: &ScoreOptions,
    mut hand_on: impl FnMut(VersionScore) -> Result<(), E>,
) -> Result<(), E> {
    // libgit2's handles are not shared between threads: each has its own, opened once.
    let own: Vec<Mutex<Repository>> = (0..rayon::current_num_threads())
        .map(|_| repository.reopen().map(Mutex::new))
        .collect::<Result<_, GitError>>()
        .map_err(EngineError::from)?;
    let of_this_thread = || &own[rayon::current_thread_index().unwrap_or(0) % own.len()];
    for batch in versions.chunks(BATCH) {
        let planned = batch
            .iter()
            .map(|version| plan(with_parent(version)?, samples))
            .collect::<Result<Vec<PlannedScore>, EngineError>>()?;
        let scores: Vec<Result<VersionScore, EngineError>> = planned
            .par_iter()
            .map(|version| score_version(of_this_thread(), version, scoring))
            .collect();
        for score in scores {
            hand_on(score?)?;
        }
        drop(planned);
        samples.forget_unused();
    }
    Ok(())
}

/// Scores one version against one that need not be its parent, on the newest sample at or before that one.
pub fn score_pair(
    repository: &Repository,
    (base, head): (CommitId, CommitId),
    samples: &mut SampleLoader<'_>,
    scoring: &ScoreOptions,
) -> Result<VersionScore, EngineError> {
    let nearest = samples.nearest(base)?;
    score_pair_on_sample(repository, (base, head), nearest, scoring)
}

/// Scores one version against one that need not be its parent, on a sample of the caller's choice.
pub fn score_pair_on_sample(
    repository: &Repository,
    (base, head): (CommitId, CommitId),
    nearest: Option<sample_loader::NearestStoredSample>,
    scoring: &ScoreOptions,
) -> Result<VersionScore, EngineError> {
    let planned = PlannedScore {
        commit: head,
        parent: Some(base),
        nearest,
    };
    let own = Mutex::new(repository.reopen()?);
    score_version(&own, &planned, scoring)
}

/// Runs `then` with the changes of one version against another, put on a sample of the caller's choice.
pub fn with_pair_context<T>(
    repository: &Repository,
    (base, head): (CommitId, CommitId),
    nearest: &sample_loader::NearestStoredSample,
    scoring: &ScoreOptions,
    then: impl FnOnce(&ScoringContext<'_>) -> T,
) -> Result<T, EngineError> {
    let own = Mutex::new(repository.reopen()?);
    with_nearest_sample(&own, head, nearest, |nearest| {
        with_version_sources(&own, head, Some(base), |version| {
            with_scoring_context(version, nearest, scoring, then)
        })
    })
}

fn plan(
    (commit, parent): (CommitId, Option<CommitId>),
    samples: &mut SampleLoader<'_>,
) -> Result<PlannedScore, EngineError> {
    let nearest = match parent {
        Some(parent) => samples.nearest(parent)?,
        None => None,
    };
    Ok(PlannedScore {
        commit,
        parent,
        nearest,
    })
}

fn score_version(
    repository: &Mutex<Repository>,
    planned: &PlannedScore,
    scoring: &ScoreOptions,
) -> Result<VersionScore, EngineError> {
    let score_on = |nearest: Option<NearestSample<'_>>| {
        with_version_sources(repository, planned.commit, planned.parent, |version| {
            score(version, nearest, scoring)
        })
    };
    match &planned.nearest {
        Some(nearest) => with_nearest_sample(repository, planned.commit, nearest, |nearest| score_on(Some(nearest))),
        None => score_on(None),
    }
}

/// Runs `then` with a sample, and with the paths that differ between it and a version.
fn with_nearest_sample<T>(
    repository: &Mutex<Repository>,
    version: CommitId,
    (sample, distance): &sample_loader::NearestStoredSample,
    then: impl FnOnce(NearestSample<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let sampled: CommitId = sample.commit.parse().map_err(EngineError::environment)?;
    let failure = OnceCell::new();
    let changed_since = || {
        let paths = changed_paths(&unpoisoned(repository), sampled, version);
        // Asked for once.
        paths.unwrap_or_else(|error| {
            let _first = failure.set(error);
            Vec::new()
        })
    };
    let found = then(NearestSample {
        sample,
        distance: *distance,
        changed_since: &changed_since,
    })?;
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(found),
    }
}
