//! The versions of a track → the benchmarks that a gate would run for each, against the version before it.
//!
//! Scored on what is stored by now: of each version, the newest sample at or before the one that it follows.

use analyzer::score::VersionScore;
use report::track::VersionPrediction;
use runner::git::CommitId;

use super::TrackRequest;
use crate::error::EngineError;
use crate::file_sources;
use crate::pipeline::{SelectionRequest, select};
use crate::sample_loader::SampleLoader;
use crate::scoring;
use crate::skipping_audit::AuditDraw;

/// One prediction a version, `None` for the oldest.
pub(super) fn predictions(
    request: &TrackRequest<'_>,
    commits: &[CommitId],
) -> Result<Vec<Option<VersionPrediction>>, EngineError> {
    let sampling = &request.sampling;
    let mut samples = SampleLoader::new(sampling.repository, sampling.store)?;
    let pairs: Vec<(CommitId, CommitId)> = commits.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let mut found = vec![None];
    let mut scored = pairs.iter();
    scoring::score_pairs(sampling.repository, &pairs, &mut samples, request.scoring, |score| {
        if sampling.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        if let Some((base, head)) = scored.next() {
            let changed_files = file_sources::changed_paths(sampling.repository, *base, *head)?;
            found.push(Some(prediction(&score, &changed_files)));
        }
        Ok(())
    })?;
    Ok(found)
}

fn prediction(score: &VersionScore, changed_files: &[String]) -> VersionPrediction {
    let audit = AuditDraw::NONE;
    let selection = select(score, changed_files, false, SelectionRequest::Flagged { audit });
    let left_out = score
        .benchmarks
        .iter()
        .filter(|benchmark| !selection.takes(&benchmark.name));
    VersionPrediction {
        is_flagged: !selection.is_empty(),
        risk: score.probability,
        left_out: left_out.map(|benchmark| benchmark.name.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use analyzer::score::{BenchmarkPrediction, DecisionReason, SampleReference, ScoreDecision};

    use super::*;

    /// A score that selects the first of these benchmarks of its sample, and leaves out the second.
    fn score(decision: ScoreDecision) -> VersionScore {
        let benchmark = |name: &str, selected| BenchmarkPrediction {
            name: name.to_owned(),
            selected,
            ..BenchmarkPrediction::default()
        };
        VersionScore {
            commit: String::new(),
            parent: None,
            sample: Some(SampleReference {
                commit: String::new(),
                distance: 1,
                profiler: None,
            }),
            decision,
            reason: DecisionReason::NotExecuted,
            probability: 0.1,
            benchmarks: vec![
                benchmark("parse", decision == ScoreDecision::Benchmark),
                benchmark("print", false),
            ],
            changes: Vec::new(),
            degraded: Vec::new(),
            unused: Vec::new(),
            newer_benchmarks: Vec::new(),
            reach: None,
        }
    }

    #[test]
    fn a_flagged_version_runs_what_is_selected_and_what_its_sample_does_not_know() {
        let prediction = prediction(&score(ScoreDecision::Benchmark), &[]);
        assert_eq!(
            ["parse", "print", "new"].map(|name| prediction.flags(name)),
            [true, false, true]
        );
    }

    #[test]
    fn a_version_that_only_newer_benchmarks_flag_leaves_out_those_of_the_sample() {
        let mut flagged = score(ScoreDecision::Benchmark);
        for benchmark in &mut flagged.benchmarks {
            benchmark.selected = false;
        }
        let prediction = prediction(&flagged, &[]);
        assert!(prediction.is_flagged && prediction.flags("new"));
        assert!(!prediction.flags("parse") && !prediction.flags("print"));
    }

    #[test]
    fn a_version_that_changes_a_benchmark_runs_all_though_the_score_skips_it() {
        let skipped = score(ScoreDecision::Skip);
        assert!(!prediction(&skipped, &[]).is_flagged);
        let changed = [String::from("benches/parse.rs")];
        let prediction = prediction(&skipped, &changed);
        assert!(prediction.flags("parse") && prediction.flags("print"));
    }
}
