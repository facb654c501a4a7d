//! A measured regression and the prediction of the same pair of versions into the changes that may be why, and into what
//! is said at their lines.
//!
//! Measures nothing: a change is blamed because the regressed benchmark executes it, not because it was run alone.

use analyzer::score::{BenchmarkEffect, ScoredChange};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, VerdictReport};

use super::labels;
use crate::number_format;
use crate::score::{ScoreDocument, labels as score_words};
use crate::text;

/// Benchmarks that a message names.
const NAMED: usize = 3;

/// One blamed change, with what it is predicted to do to the regressed benchmarks, worst first.
pub(crate) struct BlamedChange<'a> {
    pub(crate) change: &'a ScoredChange,
    pub(crate) effects: Vec<&'a BenchmarkEffect>,
}

/// The changes with an effect on a benchmark that got worse, costliest first. What can only have saved something is
/// not blamed.
pub(crate) fn blamed<'a>(report: &VerdictReport, score: Option<&'a ScoreDocument>) -> Vec<BlamedChange<'a>> {
    let regressed = |benchmark: &str| {
        report
            .benchmarks
            .iter()
            .any(|entry| entry.name == benchmark && entry.verdict == BenchmarkOutcome::Regression)
    };
    let mut blamed: Vec<BlamedChange<'_>> = score
        .into_iter()
        .flat_map(|score| &score.changes)
        .filter_map(|change| {
            let mut effects: Vec<&BenchmarkEffect> = change
                .effects
                .iter()
                .filter(|effect| effect.high > 0.0 && regressed(&effect.benchmark))
                .collect();
            effects.sort_by(|a, b| b.share.total_cmp(&a.share));
            (!effects.is_empty()).then_some(BlamedChange { change, effects })
        })
        .collect();
    blamed.sort_by(|a, b| b.effects[0].share.total_cmp(&a.effects[0].share));
    blamed
}

/// The changes blamed for one benchmark, each with its effect on it, costliest first.
pub(crate) fn blamed_for<'a>(
    benchmark: &str,
    blamed: &[BlamedChange<'a>],
) -> Vec<(&'a ScoredChange, &'a BenchmarkEffect)> {
    let mut changes: Vec<(&ScoredChange, &BenchmarkEffect)> = blamed
        .iter()
        .flat_map(|blamed| blamed.effects.iter().map(|effect| (blamed.change, *effect)))
        .filter(|(_, effect)| effect.benchmark == benchmark)
        .collect();
    changes.sort_by(|a, b| b.1.share.total_cmp(&a.1.share));
    changes
}

/// The regressions and the change, as plain text; the first sentence stands alone where space is short.
pub(crate) fn message(blamed: &BlamedChange<'_>, report: &VerdictReport) -> String {
    let measured: Vec<String> = blamed
        .effects
        .iter()
        .take(NAMED)
        .map(|effect| {
            format!(
                "{} got worse: {} (this change: {} predicted)",
                text::safe(&effect.benchmark),
                regressions(report, &effect.benchmark),
                number_format::change(effect.share)
            )
        })
        .collect();
    let mut message = measured.join("; ");
    if blamed.effects.len() > NAMED {
        let more = number_format::counted_noun(blamed.effects.len() - NAMED, "more benchmark");
        message.push_str(&format!("; and {more}"));
    }
    message.push_str(&format!(". Here: {}.", change_label(blamed.change)));
    message
}

/// `call added (krate::check)`.
pub(crate) fn change_label(change: &ScoredChange) -> String {
    let kind = score_words::kind(change.kind);
    match &change.callee {
        Some(callee) => format!("{kind} ({})", text::safe(callee)),
        None => kind.to_owned(),
    }
}

/// `instructions +10.0%, wall time +8.1%`.
fn regressions(report: &VerdictReport, benchmark: &str) -> String {
    let by = |entry: &BenchmarkVerdict| format!("{} {}", entry.metric, labels::change(entry));
    let metrics: Vec<String> = report
        .benchmarks
        .iter()
        .filter(|entry| entry.name == benchmark && entry.verdict == BenchmarkOutcome::Regression)
        .map(by)
        .collect();
    metrics.join(", ")
}

/// Whether a path stays in the repository, as one from a comparison of its trees always does.
pub(crate) fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{report, score};
    use super::*;

    #[test]
    fn savings_and_changes_elsewhere_are_not_blamed() {
        let (report, mut score) = (report(), score());
        assert_eq!(blamed(&report, Some(&score)).len(), 2);
        score.changes[0].effects[0].high = -0.01;
        score.changes[1].effects[0].benchmark = String::from("elsewhere");
        assert!(blamed(&report, Some(&score)).is_empty());
        assert!(blamed(&report, None).is_empty());
    }
}
