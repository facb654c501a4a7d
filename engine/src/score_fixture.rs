//! Scores for tests.

use analyzer::score::{BenchmarkPrediction, DecisionReason, SampleReference, ScoreDecision, VersionScore};

/// A score of these benchmarks on a sample of the version before; nothing changed.
pub(crate) fn score(decision: ScoreDecision, benchmarks: Vec<BenchmarkPrediction>) -> VersionScore {
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
        probability: 0.0,
        benchmarks,
        changes: Vec::new(),
        degraded: Vec::new(),
        unused: Vec::new(),
        newer_benchmarks: Vec::new(),
        changed_benchmarks: Vec::new(),
        reach: None,
    }
}
