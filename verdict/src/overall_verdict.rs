//! The entries of all benchmarks → the verdict over all of them, its reason, and the order they are shown in.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::finding::{format_signed_percent, pluralize};
use super::{BenchmarkOutcome, BenchmarkVerdict, Verdict};
use crate::Metric;

/// The decision table: the first row of which every outcome is among the gating entries gives the verdict.
///
/// What is worse and what is better are told before what can't be told: an alarm does not wait for the rest. What
/// can't be told comes before *improvement* and *pass*, since it may hide a regression. Benchmarks that compile to the
/// same code are known not to have moved, so they pass; of skipped ones that is a prediction only.
const TABLE: [(&[BenchmarkOutcome], Verdict); 9] = [
    (
        &[BenchmarkOutcome::Regression, BenchmarkOutcome::Improvement],
        Verdict::Mixed,
    ),
    (&[BenchmarkOutcome::Regression], Verdict::Regression),
    (&[BenchmarkOutcome::Failed], Verdict::Inconclusive),
    (&[BenchmarkOutcome::Removed], Verdict::Inconclusive),
    (&[BenchmarkOutcome::Inconclusive], Verdict::Inconclusive),
    (&[BenchmarkOutcome::Improvement], Verdict::Improvement),
    (&[BenchmarkOutcome::Pass], Verdict::Pass),
    (&[BenchmarkOutcome::Added], Verdict::Pass),
    (&[BenchmarkOutcome::SameCode], Verdict::Pass),
];

/// The verdict over all gating entries, with its reason in one sentence; [`Verdict::Skipped`] if none was measured.
#[must_use]
pub fn overall_verdict(entries: &[BenchmarkVerdict]) -> (Verdict, String) {
    let present: BTreeSet<BenchmarkOutcome> = gating(entries).map(|entry| entry.verdict).collect();
    let verdict = TABLE
        .iter()
        .find(|(outcomes, _)| outcomes.iter().all(|outcome| present.contains(outcome)))
        .map_or(Verdict::Skipped, |(_, verdict)| *verdict);
    (verdict, reason(verdict, entries) + &aside(entries))
}

/// Puts the entries into the order of the report: regressions, then what can't be told, then improvements, then the
/// rest; of these the gating ones first, then the largest change; then by name and metric.
pub fn sort_for_report(entries: &mut [BenchmarkVerdict]) {
    entries.sort_by(|a, b| {
        a.verdict
            .cmp(&b.verdict)
            .then(b.gating.cmp(&a.gating))
            .then_with(|| by_size(a, b))
            .then_with(|| a.name.cmp(&b.name))
            .then(a.metric.cmp(&b.metric))
            .then_with(|| a.tool.cmp(&b.tool))
    });
}

/// The larger change first. A change without a quotient, from nothing to something, is larger than any.
fn by_size(a: &BenchmarkVerdict, b: &BenchmarkVerdict) -> Ordering {
    let size = |entry: &BenchmarkVerdict| entry.change.map_or(f64::INFINITY, f64::abs);
    size(b).total_cmp(&size(a))
}

fn gating(entries: &[BenchmarkVerdict]) -> impl Iterator<Item = &BenchmarkVerdict> {
    entries.iter().filter(|entry| entry.gating)
}

fn reason(verdict: Verdict, entries: &[BenchmarkVerdict]) -> String {
    match verdict {
        Verdict::Regression => moved(entries, BenchmarkOutcome::Regression, "worse"),
        Verdict::Improvement => moved(entries, BenchmarkOutcome::Improvement, "better"),
        Verdict::Mixed => format!(
            "{}; {}",
            moved(entries, BenchmarkOutcome::Regression, "worse"),
            moved(entries, BenchmarkOutcome::Improvement, "better")
        ),
        Verdict::Inconclusive => untold(entries),
        Verdict::Pass => format!("nothing moved: {}", counted(entries)),
        Verdict::Skipped if gating(entries).next().is_some() => {
            let skipped = benchmarks(entries, BenchmarkOutcome::Skipped).len();
            let whom = pluralize(skipped, "benchmark");
            format!("nothing was run: the score rules out that {whom} moved")
        }
        Verdict::Skipped => String::from("nothing was run: there is no benchmark to compare"),
    }
}

/// What got worse in a metric that does not count, of benchmarks that did not in one that does: so that *pass* never
/// stands above a measured loss without a word.
fn aside(entries: &[BenchmarkVerdict]) -> String {
    let known = benchmarks(entries, BenchmarkOutcome::Regression);
    let worse: BTreeSet<(&str, Metric)> = entries
        .iter()
        .filter(|entry| !entry.gating && entry.verdict == BenchmarkOutcome::Regression)
        .filter(|entry| !known.contains(entry.name.as_str()))
        .map(|entry| (entry.name.as_str(), entry.metric))
        .collect();
    let names: BTreeSet<&str> = worse.iter().map(|(name, _)| *name).collect();
    match (worse.first(), names.len()) {
        (Some((name, metric)), 1) => {
            format!("; not part of the verdict: `{name}` got worse in {metric}")
        }
        (Some(_), count) => {
            format!("; not part of the verdict: {count} benchmarks got worse in other metrics")
        }
        (None, _) => String::new(),
    }
}

/// `2 benchmarks got worse, `parse/large` most: instructions +10.0%`.
fn moved(entries: &[BenchmarkVerdict], outcome: BenchmarkOutcome, how: &str) -> String {
    let names = benchmarks(entries, outcome);
    let Some(most) = gating(entries)
        .filter(|entry| entry.verdict == outcome)
        .min_by(|a, b| by_size(a, b).then_with(|| a.name.cmp(&b.name)))
    else {
        return format!("nothing got {how}");
    };
    let by = most
        .change
        .map_or_else(|| String::from("from none"), format_signed_percent);
    if names.len() == 1 {
        return format!("`{}` got {how}: {} {by}", most.name, most.metric);
    }
    format!(
        "{} got {how}, most of all `{}`: {} {by}",
        pluralize(names.len(), "benchmark"),
        most.name,
        most.metric
    )
}

/// `nothing got worse as far as can be told, but 1 benchmark fails at the head and 2 benchmarks can't be told`.
fn untold(entries: &[BenchmarkVerdict]) -> String {
    let parts: Vec<String> = [
        (BenchmarkOutcome::Failed, "fails at the head", "fail at the head"),
        (BenchmarkOutcome::Removed, "is gone", "are gone"),
        (
            BenchmarkOutcome::Inconclusive,
            "could not be decided",
            "could not be decided",
        ),
    ]
    .into_iter()
    .filter_map(|(outcome, one, more)| {
        let names = benchmarks(entries, outcome);
        let verb = if names.len() == 1 { one } else { more };
        match (names.len(), names.first()) {
            (0, _) | (_, None) => None,
            (1, Some(name)) => Some(format!("`{name}` {verb}")),
            (count, _) => Some(format!("{} {verb}", pluralize(count, "benchmark"))),
        }
    })
    .collect();
    format!("nothing got worse as far as can be told, but {}", parts.join(", and "))
}

/// `3 benchmarks measured, 2 compiled to the same code, 14 skipped by the score`.
fn counted(entries: &[BenchmarkVerdict]) -> String {
    [
        (BenchmarkOutcome::Pass, "measured"),
        (BenchmarkOutcome::Added, "new"),
        (BenchmarkOutcome::SameCode, "compiled to the same code"),
        (BenchmarkOutcome::Skipped, "ruled out by the score"),
    ]
    .into_iter()
    .filter_map(|(outcome, what)| match benchmarks(entries, outcome).len() {
        0 => None,
        count => Some(format!("{count} {what}")),
    })
    .collect::<Vec<_>>()
    .join(", ")
}

/// The names behind an outcome, each once however many metrics it has.
fn benchmarks(entries: &[BenchmarkVerdict], outcome: BenchmarkOutcome) -> BTreeSet<&str> {
    gating(entries)
        .filter(|entry| entry.verdict == outcome)
        .map(|entry| entry.name.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::MetricFinding;
    use super::*;

    const OUTCOMES: [BenchmarkOutcome; 9] = [
        BenchmarkOutcome::Regression,
        BenchmarkOutcome::Failed,
        BenchmarkOutcome::Removed,
        BenchmarkOutcome::Inconclusive,
        BenchmarkOutcome::Improvement,
        BenchmarkOutcome::Pass,
        BenchmarkOutcome::Added,
        BenchmarkOutcome::SameCode,
        BenchmarkOutcome::Skipped,
    ];

    fn entry(name: &str, outcome: BenchmarkOutcome) -> BenchmarkVerdict {
        MetricFinding::unmeasured(Metric::Instructions, outcome, "").into_entry(name, "callgrind")
    }

    fn changed(name: &str, outcome: BenchmarkOutcome, change: f64) -> BenchmarkVerdict {
        BenchmarkVerdict {
            change: Some(change),
            ..entry(name, outcome)
        }
    }

    /// The rules in prose, written down a second time.
    fn expected(present: &[BenchmarkOutcome]) -> Verdict {
        let has = |outcome| present.contains(&outcome);
        let untold =
            has(BenchmarkOutcome::Failed) || has(BenchmarkOutcome::Removed) || has(BenchmarkOutcome::Inconclusive);
        let stayed = has(BenchmarkOutcome::Pass) || has(BenchmarkOutcome::Added) || has(BenchmarkOutcome::SameCode);
        match (has(BenchmarkOutcome::Regression), has(BenchmarkOutcome::Improvement)) {
            (true, true) => Verdict::Mixed,
            (true, false) => Verdict::Regression,
            (false, _) if untold => Verdict::Inconclusive,
            (false, true) => Verdict::Improvement,
            (false, false) if stayed => Verdict::Pass,
            (false, false) => Verdict::Skipped,
        }
    }

    /// Each of the 3⁹ ways in which every outcome is absent, there once, or there twice.
    #[test]
    fn every_combination_of_outcomes_has_the_verdict_of_the_rules() {
        let mut seen = BTreeSet::new();
        for combination in 0..3usize.pow(9) {
            let times = |index: usize| combination / 3usize.pow(index as u32) % 3;
            let entries: Vec<BenchmarkVerdict> = OUTCOMES
                .iter()
                .enumerate()
                .flat_map(|(index, outcome)| vec![entry("b", *outcome); times(index)])
                .collect();
            let present: Vec<BenchmarkOutcome> = entries.iter().map(|entry| entry.verdict).collect();
            let (verdict, reason) = overall_verdict(&entries);
            assert_eq!(verdict, expected(&present), "{present:?}");
            assert!(!reason.is_empty() && !reason.ends_with([' ', ':', ',']), "{reason}");
            seen.insert(format!("{verdict:?}"));
        }
        assert_eq!(seen.len(), 6, "every verdict occurs: {seen:?}");
    }

    /// Each pair of a set of gating and a set of illustrating outcomes.
    #[test]
    fn what_only_illustrates_never_alters_the_verdict() {
        let subset = |bits: usize| -> Vec<BenchmarkOutcome> {
            (0..9)
                .filter(|bit| bits >> bit & 1 == 1)
                .map(|bit| OUTCOMES[bit])
                .collect()
        };
        for gates in 0..1 << 9 {
            let gating: Vec<BenchmarkVerdict> = subset(gates).iter().map(|o| entry("g", *o)).collect();
            let (alone, reason) = overall_verdict(&gating);
            for illustrates in [1 << 9].into_iter().flat_map(|end| (0..end).step_by(7)) {
                let mut entries = gating.clone();
                entries.extend(subset(illustrates).iter().map(|outcome| BenchmarkVerdict {
                    gating: false,
                    ..entry("i", *outcome)
                }));
                let (verdict, with) = overall_verdict(&entries);
                assert_eq!(verdict, alone);
                assert!(with.starts_with(&reason), "{with}");
            }
        }
    }

    #[test]
    fn the_reason_names_the_worst_and_counts_benchmarks_not_metrics() {
        let mut memory = changed("parse/large", BenchmarkOutcome::Regression, 0.02);
        memory.metric = Metric::PeakBytes;
        let entries = [
            changed("parse/large", BenchmarkOutcome::Regression, 0.1),
            memory,
            changed("parse/small", BenchmarkOutcome::Regression, 0.05),
            entry("other", BenchmarkOutcome::Inconclusive),
        ];
        let (verdict, reason) = overall_verdict(&entries);
        assert_eq!(verdict, Verdict::Regression);
        assert_eq!(
            reason,
            "2 benchmarks got worse, most of all `parse/large`: instructions +10.0%"
        );
        assert_eq!(
            overall_verdict(&entries[..2]).1,
            "`parse/large` got worse: instructions +10.0%"
        );
    }

    #[test]
    fn the_other_reasons_say_what_was_done() {
        let said = |outcomes: &[(&str, BenchmarkOutcome)]| {
            let entries: Vec<BenchmarkVerdict> = outcomes.iter().map(|(name, o)| entry(name, *o)).collect();
            overall_verdict(&entries).1
        };
        assert_eq!(
            said(&[
                ("a", BenchmarkOutcome::Pass),
                ("b", BenchmarkOutcome::SameCode),
                ("c", BenchmarkOutcome::SameCode),
                ("d", BenchmarkOutcome::Skipped)
            ]),
            "nothing moved: 1 measured, 2 compiled to the same code, 1 ruled out by the score"
        );
        assert_eq!(
            said(&[
                ("a", BenchmarkOutcome::Failed),
                ("b", BenchmarkOutcome::Inconclusive),
                ("c", BenchmarkOutcome::Inconclusive)
            ]),
            "nothing got worse as far as can be told, but `a` fails at the head, and 2 benchmarks could not be \
             decided"
        );
        assert_eq!(
            said(&[("a", BenchmarkOutcome::Skipped)]),
            "nothing was run: the score rules out that 1 benchmark moved"
        );
        assert_eq!(said(&[]), "nothing was run: there is no benchmark to compare");
    }

    #[test]
    fn a_pass_does_not_keep_silent_about_a_loss_that_does_not_count() {
        let mut time = changed("parse", BenchmarkOutcome::Regression, 0.08);
        (time.metric, time.gating) = (Metric::WallTime, false);
        let entries = [entry("parse", BenchmarkOutcome::Pass), time];
        assert_eq!(
            overall_verdict(&entries),
            (
                Verdict::Pass,
                String::from("nothing moved: 1 measured; not part of the verdict: `parse` got worse in wall time")
            )
        );
        let entries = [changed("parse", BenchmarkOutcome::Regression, 0.1), entries[1].clone()];
        assert!(!overall_verdict(&entries).1.contains("not part"));
    }

    #[test]
    fn regressions_come_first_and_the_worst_of_them_at_the_top() {
        let mut illustrating = changed("time", BenchmarkOutcome::Regression, 0.9);
        illustrating.gating = false;
        let mut entries = vec![
            entry("same", BenchmarkOutcome::SameCode),
            changed("better", BenchmarkOutcome::Improvement, -0.5),
            changed("worse", BenchmarkOutcome::Regression, 0.02),
            illustrating,
            entry("from-nothing", BenchmarkOutcome::Regression),
            changed("worst", BenchmarkOutcome::Regression, 0.2),
            entry("failed", BenchmarkOutcome::Failed),
        ];
        sort_for_report(&mut entries);
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(
            names,
            ["from-nothing", "worst", "worse", "time", "failed", "better", "same"]
        );
    }

    proptest! {
        #[test]
        fn the_order_of_the_entries_does_not_matter(
            picks in prop::collection::vec((0usize..9, -0.5f64..0.5, "[ab]{1,2}"), 0..8),
            turn in 0usize..8,
        ) {
            let entries: Vec<BenchmarkVerdict> =
                picks.iter().map(|(pick, change, name)| changed(name, OUTCOMES[*pick], *change)).collect();
            let mut turned = entries.clone();
            turned.rotate_left(turn.min(entries.len()));
            prop_assert_eq!(overall_verdict(&entries), overall_verdict(&turned));
        }
    }
}
