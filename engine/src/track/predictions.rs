//! The versions of a track → the benchmarks that a gate would run for each, against the version before it.
//!
//! Scored on what is stored by now: of each version, the newest sample at or before the one that it follows.

use analyzer::score::VersionScore;
use report::track::VersionPrediction;
use runner::git::CommitId;

use super::TrackRequest;
use crate::error::EngineError;
use crate::pipeline::left_out_for_good;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// One prediction a version, `None` for the oldest.
pub(super) fn predictions(
    request: &TrackRequest<'_>,
    commits: &[CommitId],
) -> Result<Vec<Option<VersionPrediction>>, EngineError> {
    let sampling = &request.sampling;
    let mut samples = SampleLoader::new(sampling.repository, sampling.store)?;
    let pairs: Vec<(CommitId, CommitId)> = commits.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let mut found = vec![None];
    scoring::score_pairs(sampling.repository, &pairs, &mut samples, request.scoring, |score| {
        if sampling.interruption.is_raised() {
            return Err(EngineError::Interrupted);
        }
        found.push(Some(prediction(&score)));
        Ok(())
    })?;
    Ok(found)
}

fn prediction(score: &VersionScore) -> VersionPrediction {
    let left_out = left_out_for_good(score);
    VersionPrediction {
        is_flagged: left_out.is_some(),
        risk: score.probability,
        left_out: left_out.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use analyzer::change::ChangeKind;
    use analyzer::score::{BenchmarkEffect, BenchmarkPrediction, ScoreDecision, ScoredChange};

    use super::*;
    use crate::score_fixture;

    /// A change that one benchmark executes, for next to nothing.
    fn cheap_change(benchmark: &str) -> ScoredChange {
        ScoredChange {
            kind: ChangeKind::CallAddition,
            function: Some(String::from("print")),
            file: String::from("src/lib.rs"),
            line: 1,
            callee: None,
            resolved_by: None,
            effects: vec![BenchmarkEffect {
                benchmark: benchmark.to_owned(),
                executions: 1,
                unit_cost: 1.0,
                terms: Vec::new(),
                cost: 1.0,
                share: 1e-6,
                low: 0.0,
                high: 1e-6,
            }],
            input_of: None,
        }
    }

    /// A score that selects the first of three benchmarks of its sample. The second executes a change that costs next to
    /// nothing, the third executes none.
    fn score(decision: ScoreDecision) -> VersionScore {
        let benchmark = |name: &str, selected| BenchmarkPrediction {
            name: name.to_owned(),
            selected,
            ..BenchmarkPrediction::default()
        };
        let benchmarks = vec![
            benchmark("parse", decision == ScoreDecision::Benchmark),
            benchmark("print", false),
            benchmark("scan", false),
        ];
        VersionScore {
            changes: vec![cheap_change("print")],
            ..score_fixture::score(decision, benchmarks)
        }
    }

    fn flags(prediction: &VersionPrediction) -> [bool; 4] {
        ["parse", "print", "scan", "new"].map(|name| prediction.flags(name))
    }

    #[test]
    fn a_flagged_version_runs_all_but_what_is_predicted_to_be_cheap() {
        let prediction = prediction(&score(ScoreDecision::Benchmark));
        assert_eq!(flags(&prediction), [true, false, true, true]);
    }

    #[test]
    fn a_version_that_only_newer_benchmarks_flag_leaves_out_what_is_predicted_to_be_cheap() {
        let mut flagged = score(ScoreDecision::Benchmark);
        for benchmark in &mut flagged.benchmarks {
            benchmark.selected = false;
        }
        flagged.changes.push(cheap_change("parse"));
        let prediction = prediction(&flagged);
        assert_eq!(flags(&prediction), [false, false, true, true]);
    }

    #[test]
    fn a_version_that_changes_a_benchmark_runs_all_though_the_score_skips_it() {
        let mut skipped = score(ScoreDecision::Skip);
        assert_eq!(flags(&prediction(&skipped)), [false; 4]);
        skipped.changed_benchmarks = vec![String::from("benches/parse.rs")];
        assert_eq!(flags(&prediction(&skipped)), [true; 4]);
    }
}
