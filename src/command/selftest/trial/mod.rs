//! A planted change and the pipeline's answer → what was found, missed, or wrong.

use analyzer::change::ChangeKind;
use analyzer::score::Decision;
use analyzer::seed::{Place, Seed};
use report::selftest::{Compared, Measured, Seen, Trial};
use verdict::Metric;
use verdict::{BenchmarkVerdict, Outcome};

use engine::pipeline::Judgement;

/// What became of a planted change.
pub(super) fn of(seed: &Seed, judgement: &Judgement, threshold: f64) -> Trial {
    let score = &judgement.score;
    let flagged = score.decision == Decision::Benchmark;
    let measured = match &judgement.unbuilt {
        Some(why) => Measured::NotCompiled(why.clone()),
        None => match compared(seed, judgement, threshold) {
            Some(compared) => Measured::Changes(compared),
            None => Measured::Failed(judgement.report.reason.clone()),
        },
    };
    Trial {
        kind: seed.kind,
        place: seed.place,
        file: seed.file.to_string(),
        function: seed.function.to_string(),
        line: seed.line,
        description: seed.description.clone(),
        aim: seed.aim.clone(),
        probability: score.probability,
        flagged,
        measured,
    }
}

fn compared(seed: &Seed, judgement: &Judgement, threshold: f64) -> Option<Compared> {
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
    let flagged = judgement.score.decision == Decision::Benchmark;
    let selected = |name: &str| {
        let benchmarks = &judgement.score.benchmarks;
        let found = benchmarks.iter().find(|prediction| prediction.name == name);
        flagged && found.is_none_or(|prediction| prediction.selected)
    };
    let seen = |metric: Metric| {
        let entry = entries
            .iter()
            .find(|entry| entry.name == most.name && entry.metric == metric)?;
        Some(Seen {
            metric,
            change: entry.change?,
            outcome: entry.verdict,
        })
    };
    Some(Compared {
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
fn is_right(seed: &Seed, entry: &BenchmarkVerdict, threshold: f64) -> bool {
    let Some(change) = entry.change else {
        // The same code, or not there.
        return entry.verdict != Outcome::Failed && entry.verdict != Outcome::Inconclusive;
    };
    if change.abs() < threshold {
        return match entry.verdict {
            Outcome::Regression => change > 0.0,
            Outcome::Improvement => change < 0.0,
            other => other == Outcome::Pass,
        };
    }
    let meant = match seed.kind {
        ChangeKind::CallDeletion => Outcome::Improvement,
        _ => Outcome::Regression,
    };
    let called = if change > 0.0 {
        Outcome::Regression
    } else {
        Outcome::Improvement
    };
    seed.place != Place::Unreached && entry.verdict == called && called == meant
}

#[cfg(test)]
mod tests;
