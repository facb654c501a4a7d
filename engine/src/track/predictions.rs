//! The versions of a track → what the score says of each, against the one before it.
//!
//! Scored on what is stored by now: of each version, the newest sample at or before the one that it follows.

use analyzer::score::{ScoreDecision, VersionScore};
use report::track::VersionPrediction;
use runner::git::CommitId;

use super::TrackRequest;
use crate::error::EngineError;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// One prediction a version, `None` for the oldest.
pub(super) fn predictions(
    request: &TrackRequest<'_>,
    commits: &[CommitId],
) -> Result<Vec<Option<VersionPrediction>>, EngineError> {
    let sampling = &request.sampling;
    let mut samples = SampleLoader::new(sampling.repository, sampling.store)?;
    let mut found = vec![None];
    for pair in commits.windows(2) {
        if sampling.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        let score = scoring::score_pair(sampling.repository, (pair[0], pair[1]), &mut samples, request.scoring)?;
        found.push(Some(prediction(score)));
        samples.forget_unused();
    }
    Ok(found)
}

fn prediction(score: VersionScore) -> VersionPrediction {
    let selected = score.benchmarks.into_iter().filter(|benchmark| benchmark.selected);
    VersionPrediction {
        is_flagged: score.decision == ScoreDecision::Benchmark,
        risk: score.probability,
        selected: selected.map(|benchmark| benchmark.name).collect(),
    }
}
