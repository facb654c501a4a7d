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
}

impl<'a> VerdictSections<'a> {
    pub(crate) fn of(report: &'a VerdictReport) -> Self {
        let having = |outcomes: &[BenchmarkOutcome]| {
            report
                .benchmarks
                .iter()
                .filter(|entry| outcomes.contains(&entry.verdict))
                .collect()
        };
        Self {
            worse: having(&[BenchmarkOutcome::Regression]),
            untold: having(&[
                BenchmarkOutcome::Failed,
                BenchmarkOutcome::Removed,
                BenchmarkOutcome::Inconclusive,
            ]),
            better: having(&[BenchmarkOutcome::Improvement]),
            quiet: quiet(report),
        }
    }
}

/// A benchmark counts once, by the most serious of what its metrics say.
fn quiet(report: &VerdictReport) -> Vec<(BenchmarkOutcome, BTreeSet<&str>)> {
    let mut foremost: BTreeMap<&str, BenchmarkOutcome> = BTreeMap::new();
    for entry in &report.benchmarks {
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
}
