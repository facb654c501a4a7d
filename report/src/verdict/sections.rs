//! The entries of a report into the parts that every rendering has: what moved, what can't be told, and how many stay
//! out of sight.

use std::collections::{BTreeMap, BTreeSet};

use verdict::{BenchmarkVerdict, Outcome, Report};

/// The entries, in the report's order.
pub(crate) struct Sections<'a> {
    /// Got worse.
    pub(crate) worse: Vec<&'a BenchmarkVerdict>,
    /// Failed, removed, inconclusive.
    pub(crate) untold: Vec<&'a BenchmarkVerdict>,
    /// Got better.
    pub(crate) better: Vec<&'a BenchmarkVerdict>,
    /// The benchmarks of which nothing of the above is to be said, by what is.
    pub(crate) quiet: Vec<(Outcome, BTreeSet<&'a str>)>,
}

impl<'a> Sections<'a> {
    pub(crate) fn of(report: &'a Report) -> Self {
        let having = |outcomes: &[Outcome]| {
            report
                .benchmarks
                .iter()
                .filter(|entry| outcomes.contains(&entry.verdict))
                .collect()
        };
        Self {
            worse: having(&[Outcome::Regression]),
            untold: having(&[Outcome::Failed, Outcome::Removed, Outcome::Inconclusive]),
            better: having(&[Outcome::Improvement]),
            quiet: quiet(report),
        }
    }
}

/// A benchmark counts once, by the most serious of what its metrics say.
fn quiet(report: &Report) -> Vec<(Outcome, BTreeSet<&str>)> {
    let mut foremost: BTreeMap<&str, Outcome> = BTreeMap::new();
    for entry in &report.benchmarks {
        let outcome = foremost.entry(&entry.name).or_insert(entry.verdict);
        *outcome = entry.verdict.min(*outcome);
    }
    [Outcome::Pass, Outcome::Added, Outcome::SameCode, Outcome::Skipped]
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
    use super::super::sample::{entry, report};
    use super::*;

    #[test]
    fn a_benchmark_that_moved_in_one_metric_is_not_unchanged() {
        let mut report = report();
        report.benchmarks = vec![
            entry("a", Outcome::Regression),
            entry("a", Outcome::Pass),
            entry("b", Outcome::Pass),
            entry("b", Outcome::Pass),
        ];
        let sections = Sections::of(&report);
        assert_eq!(sections.worse.len(), 1);
        assert_eq!(sections.quiet, [(Outcome::Pass, BTreeSet::from(["b"]))]);
    }
}
