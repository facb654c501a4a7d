//! Sizes and build times, which come with what is built and counted anyway → their findings, and which of them are worth
//! a line in a report where nobody asked for them.
//!
//! A size is judged like any count, by [`crate::counts`]. A build time is never judged: each version is built once, and
//! one build does not tell what builds of one version differ by.

use std::collections::BTreeSet;

use crate::counts::{CountedCriteria, CountedRuns, judge};
use crate::{BenchmarkOutcome, BenchmarkVerdict, FindingReason, Metric, MetricFinding, VerdictReport};

/// Smallest relative change of a size that is told where nobody asked for it. Most changes of code move the size of a
/// program by less: told from the noise floor on, nearly every report would have such a line.
pub const NOTABLE_SIZE_CHANGE: f64 = 0.01;

/// Smallest relative change of a build time that is told: builds of the same sources on a machine with other work were
/// seen to differ by a tenth.
pub const NOTABLE_TIME_CHANGE: f64 = 0.25;

/// Smallest difference of a build time that is told, in seconds: starting cargo and the compilers takes about one.
pub const NOTABLE_SECONDS: f64 = 2.0;

/// The finding of the sizes of both versions.
#[must_use]
pub fn judge_size(metric: Metric, [base, head]: [u64; 2], terms: CountedCriteria<'_>) -> MetricFinding {
    let runs = CountedRuns {
        metric,
        base: &[base as f64],
        head: &[head as f64],
    };
    judge(runs, terms)
}

/// The finding of one build of each version, in seconds. It is inconclusive whatever the times are.
#[must_use]
pub fn build_time([base, head]: [f64; 2]) -> MetricFinding {
    let change = Some(head / base - 1.0).filter(|change| base > 0.0 && change.is_finite());
    MetricFinding {
        base: Some(base),
        head: Some(head),
        change,
        ..MetricFinding::without_values(
            Metric::BuildTime,
            BenchmarkOutcome::Inconclusive,
            FindingReason::BuiltOnce,
        )
    }
}

impl BenchmarkVerdict {
    /// True for a size or a build time that nobody asked for.
    #[must_use]
    pub fn is_byproduct(&self) -> bool {
        !self.gating && self.metric.is_byproduct()
    }

    /// True for a size or a build time that nobody asked for and that changed enough to be told.
    #[must_use]
    pub fn is_notable_byproduct(&self) -> bool {
        self.is_byproduct()
            && match (self.metric, self.base, self.head, self.change) {
                (Metric::BuildTime, Some(base), Some(head), Some(change)) => {
                    change.abs() >= NOTABLE_TIME_CHANGE && (head - base).abs() >= NOTABLE_SECONDS
                }
                (Metric::BuildTime, ..) => false,
                _ => self.significant,
            }
    }
}

impl VerdictReport {
    /// The names of its benchmarks. Entries of programs and builds are none.
    #[must_use]
    pub fn benchmark_names(&self) -> BTreeSet<&str> {
        (self.benchmarks.iter())
            .filter(|entry| entry.metric.is_of_benchmark())
            .map(|entry| entry.name.as_str())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::SMALL_CODE_BYTES;

    fn outcome(sizes: [u64; 2], is_informational: bool) -> BenchmarkOutcome {
        let terms = CountedCriteria {
            is_informational,
            ..CountedCriteria::default()
        };
        judge_size(Metric::BinarySize, sizes, terms).outcome
    }

    #[test]
    fn a_size_that_nobody_asked_for_moves_from_one_per_cent_on() {
        for (head, of_gate, of_information) in [
            (1_000_000, BenchmarkOutcome::Pass, BenchmarkOutcome::Pass),
            (1_009_999, BenchmarkOutcome::Regression, BenchmarkOutcome::Pass),
            (1_010_001, BenchmarkOutcome::Regression, BenchmarkOutcome::Regression),
            (989_000, BenchmarkOutcome::Improvement, BenchmarkOutcome::Improvement),
        ] {
            assert_eq!(outcome([1_000_000, head], false), of_gate, "{head}");
            assert_eq!(outcome([1_000_000, head], true), of_information, "{head}");
        }
    }

    #[test]
    fn less_than_a_line_of_the_instruction_cache_is_no_change() {
        let line = SMALL_CODE_BYTES as u64;
        assert_eq!(outcome([500, 500 + line - 1], false), BenchmarkOutcome::Pass);
        assert_eq!(outcome([500, 500 + line], false), BenchmarkOutcome::Regression);
    }

    fn entry(finding: MetricFinding) -> BenchmarkVerdict {
        BenchmarkVerdict {
            gating: false,
            ..finding.into_entry("build", "cargo", String::new())
        }
    }

    #[test]
    fn one_build_of_each_version_decides_nothing_and_is_told_where_it_differs_by_much() {
        for (times, is_told) in [
            ([10.0, 12.4], false),
            ([10.0, 12.6], true),
            ([10.0, 7.0], true),
            ([1.0, 2.9], false),
            ([0.0, 20.0], false),
        ] {
            let finding = build_time(times);
            assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
            assert!(!finding.significant);
            assert_eq!(entry(finding).is_notable_byproduct(), is_told, "{times:?}");
        }
    }

    #[test]
    fn a_size_that_was_asked_for_is_told_with_the_verdict_and_not_beside_it() {
        let finding = judge_size(Metric::BinarySize, [1000, 2000], CountedCriteria::default());
        let beside = entry(finding);
        assert!(beside.is_notable_byproduct());
        assert!(!BenchmarkVerdict { gating: true, ..beside }.is_notable_byproduct());
    }
}
