//! A planted change and the gate's judgement → whether the change was found, missed, or judged wrongly.

use analyzer::instrument::seed::{PlantedDirection, SeedHotness, SeededChange};
use analyzer::score::ScoreDecision;
use report::selftest::{SelftestTrial, TrialComparison, TrialMeasurement, TrialMetricChange};
use verdict::Metric;
use verdict::{BenchmarkOutcome, BenchmarkVerdict};

use crate::pipeline::GateJudgement;

/// The result of a planted change.
pub(super) fn of(seed: &SeededChange, judgement: &GateJudgement, threshold: f64) -> SelftestTrial {
    let score = &judgement.score;
    let flagged = score.decision == ScoreDecision::Benchmark;
    let measured = match &judgement.unbuilt {
        Some(why) => TrialMeasurement::NotCompiled(why.clone()),
        None => match compared(seed, judgement, threshold) {
            Some(compared) => TrialMeasurement::Changes(compared),
            None => TrialMeasurement::Failed(judgement.report.reason.clone()),
        },
    };
    SelftestTrial {
        kind: seed.kind,
        place: seed.place,
        file: seed.file.to_string(),
        function: seed.function.to_string(),
        line: seed.line,
        description: seed.description.clone(),
        prepared: seed.before.is_some(),
        aim: seed.aim.clone(),
        probability: score.probability,
        flagged,
        measured,
    }
}

fn compared(seed: &SeededChange, judgement: &GateJudgement, threshold: f64) -> Option<TrialComparison> {
    let entries = &judgement.report.benchmarks;
    let counts: Vec<(&BenchmarkVerdict, f64)> = entries
        .iter()
        .filter(|entry| decides(entry.metric))
        .filter_map(|entry| Some((entry, entry.change?)))
        .collect();
    let aimed_at = |name: &str| seed.aim.as_ref().is_none_or(|aim| aim.benchmark == name);
    let (most, _) = counts
        .iter()
        .filter(|(entry, _)| aimed_at(&entry.name))
        .max_by(|one, two| one.1.abs().total_cmp(&two.1.abs()))?;
    let moved = |change: f64| change.abs() >= threshold;
    let flagged = judgement.score.decision == ScoreDecision::Benchmark;
    let selected = |name: &str| {
        let benchmarks = &judgement.score.benchmarks;
        let found = benchmarks.iter().find(|prediction| prediction.name == name);
        flagged && found.is_none_or(|prediction| prediction.selected)
    };
    let seen = |metric: Metric| {
        let entry = entries
            .iter()
            .find(|entry| entry.gating && entry.name == most.name && entry.metric == metric)?;
        Some(TrialMetricChange {
            metric,
            change: entry.change?,
            outcome: entry.verdict,
        })
    };
    Some(TrialComparison {
        benchmark: most.name.clone(),
        // Counts come first among the metrics.
        seen: Metric::ALL.into_iter().filter_map(seen).collect(),
        moved: counts.iter().any(|(_, change)| moved(*change)),
        caught: counts
            .iter()
            .any(|(entry, change)| moved(*change) && selected(&entry.name)),
        verdict: judgement.report.verdict,
        right: entries
            .iter()
            .filter(|entry| decides(entry.metric))
            .all(|entry| is_right(seed, entry, threshold)),
    })
}

/// The metrics that say whether a benchmark moved.
fn decides(metric: Metric) -> bool {
    matches!(metric, Metric::Instructions | Metric::Operations)
}

/// Whether an entry of the verdict is what the planted change allows: it can't move what it does not reach, and it
/// moves the rest in one direction. Small movements may be called or not.
fn is_right(seed: &SeededChange, entry: &BenchmarkVerdict, threshold: f64) -> bool {
    let Some(change) = entry.change else {
        // The same code, or not there.
        return entry.verdict != BenchmarkOutcome::Failed && entry.verdict != BenchmarkOutcome::Inconclusive;
    };
    if change.abs() < threshold {
        return match entry.verdict {
            BenchmarkOutcome::Regression => change > 0.0,
            BenchmarkOutcome::Improvement => change < 0.0,
            other => other == BenchmarkOutcome::Pass,
        };
    }
    let called = if change > 0.0 {
        BenchmarkOutcome::Regression
    } else {
        BenchmarkOutcome::Improvement
    };
    let is_meant = match seed.direction() {
        PlantedDirection::Slower => called == BenchmarkOutcome::Regression,
        PlantedDirection::Faster => called == BenchmarkOutcome::Improvement,
        PlantedDirection::Either => true,
    };
    seed.place != SeedHotness::Unreached && entry.verdict == called && is_meant
}

#[cfg(test)]
mod tests;
