//! The entries of a report into the parts that every rendering has: what moved, what can't be told, and how many stay
//! out of sight.

use std::collections::{BTreeMap, BTreeSet};

use verdict::{BenchmarkOutcome, BenchmarkVerdict, VerdictReport};

/// The entries, in the report's order.
pub(crate) struct VerdictSections<'a> {
    /// Got worse.
    pub(crate) worse: Vec<&'a BenchmarkVerdict>,
    /// Failed, removed, inconclusive.
    pub(crate) untold: Vec<&'a BenchmarkVerdict>,
    /// Got better.
    pub(crate) better: Vec<&'a BenchmarkVerdict>,
    /// The remaining benchmarks, by outcome.
    pub(crate) quiet: Vec<(BenchmarkOutcome, BTreeSet<&'a str>)>,
    /// Sizes and build times that nobody asked for and that changed enough to be told: the largest change first. In no
    /// other part.
    pub(crate) byproducts: Vec<&'a BenchmarkVerdict>,
}

impl<'a> VerdictSections<'a> {
    pub(crate) fn of(report: &'a VerdictReport) -> Self {
        let having = |outcomes: &[BenchmarkOutcome]| {
            report
                .benchmarks
                .iter()
                .filter(|entry| outcomes.contains(&entry.verdict) && !entry.is_byproduct())
                .collect()
        };
        let notable = report.benchmarks.iter().filter(|entry| entry.is_notable_byproduct());
        let mut byproducts: Vec<&BenchmarkVerdict> = notable.collect();
        let size = |entry: &BenchmarkVerdict| entry.change.map_or(f64::INFINITY, f64::abs);
        byproducts.sort_by(|a, b| size(b).total_cmp(&size(a)));
        Self {
            worse: having(&[BenchmarkOutcome::Regression]),
            untold: having(&[
                BenchmarkOutcome::Failed,
                BenchmarkOutcome::Removed,
                BenchmarkOutcome::Inconclusive,
            ]),
            better: having(&[BenchmarkOutcome::Improvement]),
            quiet: quiet(report),
            byproducts,
        }
    }
}

/// A benchmark counts once, by the most serious of what its metrics say.
fn quiet(report: &VerdictReport) -> Vec<(BenchmarkOutcome, BTreeSet<&str>)> {
    let mut foremost: BTreeMap<&str, BenchmarkOutcome> = BTreeMap::new();
    for entry in report.benchmarks.iter().filter(|entry| !entry.is_byproduct()) {
        let outcome = foremost.entry(&entry.name).or_insert(entry.verdict);
        *outcome = entry.verdict.min(*outcome);
    }
    [
        BenchmarkOutcome::Pass,
        BenchmarkOutcome::Added,
        BenchmarkOutcome::SameCode,
        BenchmarkOutcome::Skipped,
    ]
    .into_iter()
    .map(|wanted| {
        let names: BTreeSet<&str> = foremost
            .iter()
            .filter(|(_, outcome)| **outcome == wanted)
            .map(|(name, _)| *name)
            .collect();
        (wanted, names)
    })
    .filter(|(_, names)| !names.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use verdict::Metric;

    use super::super::fixture::{entry, report};
    use super::*;

    #[test]
    fn a_benchmark_that_moved_in_one_metric_is_not_unchanged() {
        let mut report = report();
        report.benchmarks = vec![
            entry("a", BenchmarkOutcome::Regression),
            entry("a", BenchmarkOutcome::Pass),
            entry("b", BenchmarkOutcome::Pass),
            entry("b", BenchmarkOutcome::Pass),
        ];
        let sections = VerdictSections::of(&report);
        assert_eq!(sections.worse.len(), 1);
        assert_eq!(sections.quiet, [(BenchmarkOutcome::Pass, BTreeSet::from(["b"]))]);
    }

    #[test]
    fn sizes_and_build_times_that_nobody_asked_for_have_a_part_of_their_own() {
        let size = |name: &str, outcome: BenchmarkOutcome, change: f64, gating: bool| BenchmarkVerdict {
            metric: Metric::BinarySize,
            change: Some(change),
            significant: outcome != BenchmarkOutcome::Pass,
            gating,
            ..entry(name, outcome)
        };
        let mut report = report();
        report.benchmarks = vec![
            size("asked", BenchmarkOutcome::Regression, 0.5, true),
            size("little", BenchmarkOutcome::Regression, 0.02, false),
            size("much", BenchmarkOutcome::Improvement, -0.3, false),
            size("same", BenchmarkOutcome::Pass, 0.0, false),
        ];
        let sections = VerdictSections::of(&report);
        let names = |entries: &[&BenchmarkVerdict]| entries.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&sections.worse), ["asked"]);
        assert_eq!(names(&sections.byproducts), ["much", "little"]);
        assert!(sections.better.is_empty() && sections.untold.is_empty() && sections.quiet.is_empty());
    }
}
