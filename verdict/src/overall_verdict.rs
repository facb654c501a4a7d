//! The entries of all benchmarks → the overall verdict, its reason, and the order they are shown in.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::{
    BenchmarkOutcome, BenchmarkVerdict, Metric, MovedBenchmarks, UnchangedBenchmarks, UncountedRegressions,
    UndecidedBenchmarks, VerdictCause, VerdictReason,
};

/// The reason of the verdict over all gating entries; [`VerdictCause::verdict`] is the verdict.
#[must_use]
pub fn overall_verdict(entries: &[BenchmarkVerdict]) -> VerdictReason {
    VerdictReason {
        cause: cause(entries),
        uncounted: uncounted(entries),
    }
}

/// The decision table, first matching row first: regressions and improvements, regressions, undecided, improvements,
/// unchanged, skipped.
///
/// A regression does not wait for the undecided benchmarks. Undecided benchmarks come before *improvement* and *pass*,
/// since they may hide a regression. Benchmarks that compile to the same code are known not to have changed, so they
/// pass; of skipped ones that is only a prediction.
fn cause(entries: &[BenchmarkVerdict]) -> VerdictCause {
    let worse = moved(entries, BenchmarkOutcome::Regression);
    let better = moved(entries, BenchmarkOutcome::Improvement);
    let undecided = undecided(entries);
    let unchanged = unchanged(entries);
    match (worse, better) {
        (Some(worse), Some(better)) => VerdictCause::Mixed { worse, better },
        (Some(worse), None) => VerdictCause::Regressed(worse),
        (None, _) if !undecided.is_empty() => VerdictCause::Undecided(undecided),
        (None, Some(better)) => VerdictCause::Improved(better),
        (None, None) if unchanged.measured + unchanged.added + unchanged.same_code > 0 => {
            VerdictCause::Unchanged(unchanged)
        }
        (None, None) if unchanged.skipped > 0 => VerdictCause::AllSkipped {
            benchmarks: unchanged.skipped,
            risk: highest_risk(entries),
        },
        (None, None) => VerdictCause::NoBenchmark,
    }
}

/// Puts the entries into the order of the report: regressions, then what can't be told, then improvements, then the
/// rest; of these the gating ones first, then the largest change; then by name and metric. Sizes and build times that
/// nobody asked for come after all others.
pub fn sort_for_report(entries: &mut [BenchmarkVerdict]) {
    entries.sort_by(|a, b| {
        (a.is_byproduct().cmp(&b.is_byproduct()))
            .then(a.verdict.cmp(&b.verdict))
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

/// Regressions in metrics that do not count, of benchmarks without a regression that counts: a *pass* never conceals a
/// measured loss. Sizes that nobody asked for are reported in a place of their own.
fn uncounted(entries: &[BenchmarkVerdict]) -> Option<UncountedRegressions> {
    let known = benchmarks(entries, BenchmarkOutcome::Regression);
    let worse: BTreeSet<(&str, Metric)> = entries
        .iter()
        .filter(|entry| !entry.gating && !entry.metric.is_byproduct() && entry.verdict == BenchmarkOutcome::Regression)
        .filter(|entry| !known.contains(entry.name.as_str()))
        .map(|entry| (entry.name.as_str(), entry.metric))
        .collect();
    let names: BTreeSet<&str> = worse.iter().map(|(name, _)| *name).collect();
    worse.first().map(|(benchmark, metric)| UncountedRegressions {
        count: names.len(),
        benchmark: (*benchmark).to_owned(),
        metric: *metric,
    })
}

fn moved(entries: &[BenchmarkVerdict], outcome: BenchmarkOutcome) -> Option<MovedBenchmarks> {
    let largest = gating(entries)
        .filter(|entry| entry.verdict == outcome)
        .min_by(|a, b| {
            by_size(a, b)
                .then_with(|| a.name.cmp(&b.name))
                .then(a.metric.cmp(&b.metric))
        })?;
    Some(MovedBenchmarks {
        count: benchmarks(entries, outcome).len(),
        largest: largest.name.clone(),
        metric: largest.metric,
        change: largest.change,
    })
}

fn undecided(entries: &[BenchmarkVerdict]) -> UndecidedBenchmarks {
    let names = |outcome| benchmarks(entries, outcome).into_iter().map(str::to_owned).collect();
    UndecidedBenchmarks {
        failed: names(BenchmarkOutcome::Failed),
        removed: names(BenchmarkOutcome::Removed),
        inconclusive: names(BenchmarkOutcome::Inconclusive),
    }
}

fn unchanged(entries: &[BenchmarkVerdict]) -> UnchangedBenchmarks {
    let count = |outcome| benchmarks(entries, outcome).len();
    UnchangedBenchmarks {
        measured: count(BenchmarkOutcome::Pass),
        added: count(BenchmarkOutcome::Added),
        same_code: count(BenchmarkOutcome::SameCode),
        skipped: count(BenchmarkOutcome::Skipped),
    }
}

/// The highest predicted probability among the skipped benchmarks.
fn highest_risk(entries: &[BenchmarkVerdict]) -> Option<f64> {
    gating(entries)
        .filter(|entry| entry.verdict == BenchmarkOutcome::Skipped)
        .filter_map(|entry| entry.probability)
        .max_by(f64::total_cmp)
}

/// The benchmarks with an outcome, each once however many metrics it has.
fn benchmarks(entries: &[BenchmarkVerdict], outcome: BenchmarkOutcome) -> BTreeSet<&str> {
    gating(entries)
        .filter(|entry| entry.verdict == outcome)
        .map(|entry| entry.name.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Verdict;

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
        BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
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
            let verdict = overall_verdict(&entries).cause.verdict();
            assert_eq!(verdict, expected(&present), "{present:?}");
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
            let alone = overall_verdict(&gating).cause;
            for illustrates in [1 << 9].into_iter().flat_map(|end| (0..end).step_by(7)) {
                let mut entries = gating.clone();
                entries.extend(subset(illustrates).iter().map(|outcome| BenchmarkVerdict {
                    gating: false,
                    ..entry("i", *outcome)
                }));
                assert_eq!(overall_verdict(&entries).cause, alone);
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
        let worse = |count| {
            VerdictCause::Regressed(MovedBenchmarks {
                count,
                largest: String::from("parse/large"),
                metric: Metric::Instructions,
                change: Some(0.1),
            })
        };
        assert_eq!(overall_verdict(&entries).cause, worse(2));
        assert_eq!(overall_verdict(&entries[..2]).cause, worse(1));
    }

    #[test]
    fn the_other_reasons_name_or_count_their_benchmarks() {
        let cause = |outcomes: &[(&str, BenchmarkOutcome)]| {
            let entries: Vec<BenchmarkVerdict> = outcomes.iter().map(|(name, o)| entry(name, *o)).collect();
            overall_verdict(&entries).cause
        };
        assert_eq!(
            cause(&[
                ("a", BenchmarkOutcome::Pass),
                ("b", BenchmarkOutcome::SameCode),
                ("c", BenchmarkOutcome::SameCode),
                ("d", BenchmarkOutcome::Skipped)
            ]),
            VerdictCause::Unchanged(UnchangedBenchmarks {
                measured: 1,
                added: 0,
                same_code: 2,
                skipped: 1
            })
        );
        assert_eq!(
            cause(&[
                ("a", BenchmarkOutcome::Failed),
                ("b", BenchmarkOutcome::Inconclusive),
                ("c", BenchmarkOutcome::Inconclusive)
            ]),
            VerdictCause::Undecided(UndecidedBenchmarks {
                failed: vec![String::from("a")],
                removed: Vec::new(),
                inconclusive: vec![String::from("b"), String::from("c")],
            })
        );
        assert_eq!(
            cause(&[("a", BenchmarkOutcome::Skipped)]),
            VerdictCause::AllSkipped {
                benchmarks: 1,
                risk: None
            }
        );
        assert_eq!(cause(&[]), VerdictCause::NoBenchmark);
    }

    #[test]
    fn a_pass_reports_a_loss_that_does_not_count() {
        let mut time = changed("parse", BenchmarkOutcome::Regression, 0.08);
        (time.metric, time.gating) = (Metric::WallTime, false);
        let entries = [entry("parse", BenchmarkOutcome::Pass), time];
        let reason = overall_verdict(&entries);
        assert_eq!(reason.cause.verdict(), Verdict::Pass);
        let uncounted = UncountedRegressions {
            count: 1,
            benchmark: String::from("parse"),
            metric: Metric::WallTime,
        };
        assert_eq!(reason.uncounted, Some(uncounted));
        let entries = [changed("parse", BenchmarkOutcome::Regression, 0.1), entries[1].clone()];
        assert_eq!(overall_verdict(&entries).uncounted, None);
    }

    #[test]
    fn a_size_that_nobody_asked_for_is_not_part_of_the_sentence() {
        let mut size = changed("speed", BenchmarkOutcome::Regression, 0.5);
        (size.metric, size.gating) = (Metric::BinarySize, false);
        let pass = entry("parse", BenchmarkOutcome::Pass);
        let alone = overall_verdict(std::slice::from_ref(&pass));
        assert_eq!(overall_verdict(&[pass.clone(), size.clone()]), alone);
        size.gating = true;
        assert_eq!(overall_verdict(&[pass, size]).cause.verdict(), Verdict::Regression);
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
        let mut size = changed("program", BenchmarkOutcome::Regression, 0.5);
        (size.metric, size.gating) = (Metric::BinarySize, false);
        entries.insert(0, size);
        sort_for_report(&mut entries);
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "from-nothing",
                "worst",
                "worse",
                "time",
                "failed",
                "better",
                "same",
                "program"
            ]
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
