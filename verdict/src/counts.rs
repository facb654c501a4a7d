//! A few runs of each version in a counted metric (instructions, operations, memory) → their finding.
//!
//! Counts nearly repeat, so no test is needed: a change beyond every ordinary one is a change. What counts can't show
//! (waiting, locks, caches, system calls) is the business of [`super::wall_time`].

use crate::statistics::{median, outlier_fence};
use crate::{
    BenchmarkOutcome, ComparedVersion, CountReason, CountedThreshold, FindingReason, Metric, MetricFinding,
    ThresholdSource,
};

/// Runs of each side at most. Three give a median that one odd run can't move.
pub const RUNS: usize = 3;

/// Smallest relative change that counts. Randomly seeded hash maps alone were seen to move a count by 0.03%; half a
/// per cent is an order of magnitude beyond that, and an order below what anyone calls a regression.
pub const FLOOR: f64 = profile::COUNT_NOISE_FLOOR;

/// Changes that a history must have before its quartiles are believed: with fewer, one real regression among them
/// stands near the third quartile.
pub const HISTORY_AT_LEAST: usize = 10;

/// Bytes by which memory has to differ to count at all: a line buffer, or the first table of a hash map, that one of
/// the sides happened to set up.
pub const SMALL_BYTES: f64 = 1024.0;

/// Allocations by which the sides have to differ to count at all, for the same reason.
pub const SMALL_ALLOCATIONS: f64 = 4.0;

/// The runs so far. Negative values and NaN are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountedRuns<'a> {
    /// The metric.
    pub metric: Metric,
    /// A value for each run of the base.
    pub base: &'a [f64],
    /// A value for each run of the head.
    pub head: &'a [f64],
}

/// The criteria for the runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CountedCriteria<'a> {
    /// Relative changes that this benchmark made in this metric from version to version; direction does not matter.
    pub history: &'a [f64],
    /// A least relative change that the user set; only what is above [`FLOOR`] has an effect.
    pub minimum_change: Option<f64>,
}

/// Whether another run of each side can matter. Up to [`RUNS`], but none
/// - once the change is within the threshold: more runs can only widen that;
/// - once two runs of each side gave the very same counts: so will the third.
#[must_use]
pub fn needs_more_runs(runs: CountedRuns<'_>, terms: CountedCriteria<'_>) -> bool {
    let (base, head) = (CountedSide::of(runs.base), CountedSide::of(runs.head));
    let done = runs.base.len().min(runs.head.len());
    match (base, head) {
        _ if done >= RUNS => false,
        (Some(base), Some(head)) => {
            let repeated = done >= 2 && base.spread() == 0.0 && head.spread() == 0.0;
            judge(runs, terms).outcome != BenchmarkOutcome::Pass && !repeated
        }
        _ => true,
    }
}

/// The verdict on the runs. The change is that of the medians; its bounds are those of the most distant runs:
/// `min(head) / max(base) − 1` to `max(head) / min(base) − 1`. It counts if it exceeds each of
/// - [`FLOOR`], or the user's minimum;
/// - the outlier fence of the history ([`outlier_fence`]), if that has [`HISTORY_AT_LEAST`] changes;
/// - the spread of the runs of one version, `max / min − 1`, of the side where that is larger: an A/A bound;
///
/// and, of memory, if the difference is at least [`SMALL_BYTES`] or [`SMALL_ALLOCATIONS`].
#[must_use]
pub fn judge(runs: CountedRuns<'_>, terms: CountedCriteria<'_>) -> MetricFinding {
    let metric = runs.metric;
    let (Some(base), Some(head)) = (CountedSide::of(runs.base), CountedSide::of(runs.head)) else {
        let reason = FindingReason::Counted(CountReason::NoCount);
        return MetricFinding::without_values(metric, BenchmarkOutcome::Inconclusive, reason);
    };
    let (outcome, reason) = decide(metric, base, head, terms);
    let relative = |head: f64, base: f64| Some(head / base - 1.0).filter(|change| base > 0.0 && change.is_finite());
    let same = base.highest == 0.0 && head.highest == 0.0;
    let change = |of_head: f64, of_base: f64| {
        if same { Some(0.0) } else { relative(of_head, of_base) }
    };
    MetricFinding {
        metric,
        base: Some(base.median),
        head: Some(head.median),
        change: change(head.median, base.median),
        low: change(head.lowest, base.highest),
        high: change(head.highest, base.lowest),
        significant: matches!(outcome, BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement),
        outcome,
        reason: FindingReason::Counted(reason),
    }
}

fn decide(
    metric: Metric,
    base: CountedSide,
    head: CountedSide,
    terms: CountedCriteria<'_>,
) -> (BenchmarkOutcome, CountReason) {
    if base.median == head.median {
        return (BenchmarkOutcome::Pass, CountReason::Equal);
    }
    let memory = smallest_difference(metric);
    if memory.is_none() && (base.median == 0.0 || head.median == 0.0) {
        let version = if base.median == 0.0 {
            ComparedVersion::Base
        } else {
            ComparedVersion::Head
        };
        let reason = CountReason::SubjectNotReached(version);
        return (BenchmarkOutcome::Inconclusive, reason);
    }
    let outcome = if head.median > base.median {
        BenchmarkOutcome::Regression
    } else {
        BenchmarkOutcome::Improvement
    };
    let difference = (head.median - base.median).abs();
    if let Some(smallest) = memory.filter(|smallest| difference < *smallest) {
        let reason = CountReason::SmallDifference { difference, smallest };
        return (BenchmarkOutcome::Pass, reason);
    }
    if base.median == 0.0 {
        return (outcome, CountReason::FromZero { head: head.median });
    }
    let change = head.median / base.median - 1.0;
    let threshold = threshold(base, head, terms);
    if change.abs() <= threshold.value {
        let reason = CountReason::WithinThreshold { change, threshold };
        return (BenchmarkOutcome::Pass, reason);
    }
    (outcome, CountReason::BeyondThreshold { change, threshold })
}

/// The absolute difference below which a metric of memory says nothing; `None` for what is not memory.
fn smallest_difference(metric: Metric) -> Option<f64> {
    match metric {
        Metric::AllocatedBytes | Metric::PeakBytes => Some(SMALL_BYTES),
        Metric::Allocations => Some(SMALL_ALLOCATIONS),
        Metric::Instructions | Metric::Operations | Metric::WallTime => None,
    }
}

/// The runs of one side.
#[derive(Debug, Clone, Copy)]
struct CountedSide {
    median: f64,
    lowest: f64,
    highest: f64,
}

impl CountedSide {
    fn of(values: &[f64]) -> Option<Self> {
        let counts: Vec<f64> = values.iter().copied().filter(|value| is_count(*value)).collect();
        Some(Self {
            median: median(&counts)?,
            lowest: counts.iter().copied().fold(f64::INFINITY, f64::min),
            highest: counts.iter().copied().fold(0.0, f64::max),
        })
    }

    /// Infinite where one run counted nothing and another something.
    fn spread(self) -> f64 {
        if self.highest == self.lowest {
            return 0.0;
        }
        self.highest / self.lowest - 1.0
    }
}

/// Nothing, or what a mean of counts can be: so that no quotient of two of them is beyond what a number can hold.
fn is_count(value: f64) -> bool {
    value == 0.0 || (1e-3..1e18).contains(&value)
}

/// The largest relative change that is noise.
fn threshold(base: CountedSide, head: CountedSide, terms: CountedCriteria<'_>) -> CountedThreshold {
    let mut threshold = CountedThreshold {
        value: FLOOR,
        source: ThresholdSource::NoiseFloor,
    };
    let history: Vec<f64> = terms
        .history
        .iter()
        .map(|change| change.abs())
        .filter(|change| change.is_finite())
        .collect();
    let ordinary = outlier_fence(&history).filter(|_| history.len() >= HISTORY_AT_LEAST);
    let candidates = [
        (
            terms.minimum_change.filter(|change| change.is_finite()),
            ThresholdSource::UserMinimum,
        ),
        (ordinary, ThresholdSource::History),
        (Some(base.spread().max(head.spread())), ThresholdSource::RunSpread),
    ];
    for (value, source) in candidates {
        if let Some(value) = value.filter(|value| *value > threshold.value) {
            threshold = CountedThreshold { value, source };
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn instructions<'a>(base: &'a [f64], head: &'a [f64]) -> CountedRuns<'a> {
        CountedRuns {
            metric: Metric::Instructions,
            base,
            head,
        }
    }

    fn memory<'a>(metric: Metric, base: &'a [f64], head: &'a [f64]) -> CountedRuns<'a> {
        CountedRuns { metric, base, head }
    }

    #[test]
    fn a_change_beyond_the_floor_is_a_regression_with_its_bounds() {
        let finding = judge(
            instructions(&[1000.0, 1001.0, 1000.0], &[1100.0, 1100.0, 1102.0]),
            CountedCriteria::default(),
        );
        assert_eq!(finding.outcome, BenchmarkOutcome::Regression);
        assert!((finding.change.unwrap() - 0.1).abs() < 1e-12);
        assert!((finding.low.unwrap() - (1100.0 / 1001.0 - 1.0)).abs() < 1e-12);
        assert!((finding.high.unwrap() - 0.102).abs() < 1e-12);
        let FindingReason::Counted(CountReason::BeyondThreshold { change, threshold }) = finding.reason else {
            panic!("{finding:?}");
        };
        assert!((change - 0.1).abs() < 1e-12);
        assert_eq!(
            threshold,
            CountedThreshold {
                value: FLOOR,
                source: ThresholdSource::NoiseFloor
            }
        );
    }

    #[test]
    fn what_is_ordinary_in_the_history_is_none() {
        let history: Vec<f64> = (0..12).map(|step| f64::from(step) * -0.002).collect();
        let runs = instructions(&[1000.0], &[1040.0]);
        let terms = CountedCriteria {
            history: &history,
            minimum_change: None,
        };
        assert_eq!(judge(runs, terms).outcome, BenchmarkOutcome::Pass);
        // Too short a history has no say.
        let terms = CountedCriteria {
            history: &history[..9],
            minimum_change: None,
        };
        assert_eq!(judge(runs, terms).outcome, BenchmarkOutcome::Regression);
    }

    #[test]
    fn what_lies_between_runs_of_one_version_is_none() {
        let finding = judge(
            instructions(&[1000.0, 1030.0, 1000.0], &[1020.0; 3]),
            CountedCriteria::default(),
        );
        assert_eq!(finding.outcome, BenchmarkOutcome::Pass);
        let FindingReason::Counted(CountReason::WithinThreshold { change, threshold }) = finding.reason else {
            panic!("{finding:?}");
        };
        assert!((change - 0.02).abs() < 1e-12 && (threshold.value - 0.03).abs() < 1e-12);
        assert_eq!(threshold.source, ThresholdSource::RunSpread);
    }

    #[test]
    fn the_user_raises_the_floor_and_never_lowers_it() {
        let judged = |minimum: f64, head: f64| {
            let terms = CountedCriteria {
                history: &[],
                minimum_change: Some(minimum),
            };
            judge(instructions(&[1000.0], &[head]), terms).outcome
        };
        assert_eq!(judged(0.05, 1040.0), BenchmarkOutcome::Pass);
        assert_eq!(judged(0.05, 1060.0), BenchmarkOutcome::Regression);
        assert_eq!(judged(0.0, 1004.0), BenchmarkOutcome::Pass);
        assert_eq!(judged(f64::NAN, 1004.0), BenchmarkOutcome::Pass);
    }

    #[test]
    fn memory_that_was_none_has_no_quotient_and_says_so() {
        let finding = judge(
            memory(Metric::PeakBytes, &[0.0], &[65_536.0]),
            CountedCriteria::default(),
        );
        assert_eq!(finding.outcome, BenchmarkOutcome::Regression);
        assert_eq!((finding.change, finding.low, finding.high), (None, None, None));
        assert_eq!(
            finding.reason,
            FindingReason::Counted(CountReason::FromZero { head: 65_536.0 })
        );
        let finding = judge(memory(Metric::Allocations, &[40.0], &[0.0]), CountedCriteria::default());
        assert_eq!(
            (finding.outcome, finding.change),
            (BenchmarkOutcome::Improvement, Some(-1.0))
        );
    }

    #[test]
    fn a_little_memory_is_no_change() {
        for (metric, base, head) in [
            (Metric::PeakBytes, 0.0, 1023.0),
            (Metric::AllocatedBytes, 1024.0, 2000.0),
            (Metric::Allocations, 1.0, 4.0),
        ] {
            let finding = judge(memory(metric, &[base], &[head]), CountedCriteria::default());
            assert_eq!(finding.outcome, BenchmarkOutcome::Pass, "{metric}");
        }
        let finding = judge(memory(Metric::Allocations, &[1.0], &[5.0]), CountedCriteria::default());
        assert_eq!(finding.outcome, BenchmarkOutcome::Regression);
    }

    #[test]
    fn nothing_on_both_sides_is_no_change() {
        for metric in Metric::ALL {
            let finding = judge(memory(metric, &[0.0], &[0.0]), CountedCriteria::default());
            assert_eq!((finding.outcome, finding.change), (BenchmarkOutcome::Pass, Some(0.0)));
        }
    }

    #[test]
    fn a_subject_that_was_not_reached_is_not_an_improvement() {
        for (base, head) in [(0.0, 9000.0), (9000.0, 0.0)] {
            let finding = judge(instructions(&[base], &[head]), CountedCriteria::default());
            assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
        }
        let finding = judge(instructions(&[], &[9000.0]), CountedCriteria::default());
        assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
    }

    #[test]
    fn runs_are_only_repeated_where_that_can_matter() {
        let needed = |base: &[f64], head: &[f64]| needs_more_runs(instructions(base, head), CountedCriteria::default());
        assert!(needed(&[], &[]));
        assert!(!needed(&[1000.0], &[1004.0]), "within the floor at once");
        assert!(needed(&[1000.0], &[1100.0]), "beyond it");
        assert!(!needed(&[1000.0, 1000.0], &[1100.0, 1100.0]), "repeats exactly");
        assert!(needed(&[1000.0, 1002.0], &[1100.0, 1100.0]));
        assert!(!needed(&[1000.0, 1002.0, 999.0], &[1100.0, 1100.0, 1101.0]));
        assert!(
            !needed(&[f64::NAN; RUNS], &[1.0; RUNS]),
            "garbage does not go on for ever"
        );
    }

    fn counts() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(
            prop_oneof![
                4 => (0u32..2_000_000).prop_map(f64::from),
                1 => Just(0.0),
                1 => Just(f64::NAN),
                1 => Just(f64::INFINITY),
                1 => Just(f64::MAX),
                1 => Just(f64::MIN_POSITIVE),
                1 => Just(-1.0),
            ],
            0..5,
        )
    }

    proptest! {
        #[test]
        fn no_runs_give_numbers_that_json_can_not_write(
            base in counts(),
            head in counts(),
            metric in prop::sample::select(&Metric::ALL[..]),
        ) {
            let finding = judge(CountedRuns { metric, base: &base, head: &head }, CountedCriteria::default());
            for number in [finding.base, finding.head, finding.change, finding.low, finding.high].into_iter().flatten() {
                prop_assert!(number.is_finite());
            }
        }

        #[test]
        fn the_same_runs_always_pass(runs in prop::collection::vec(0.0f64..1e9, 1..4)) {
            for metric in Metric::ALL {
                let runs = CountedRuns { metric, base: &runs, head: &runs };
                prop_assert_eq!(judge(runs, CountedCriteria::default()).outcome, BenchmarkOutcome::Pass);
                prop_assert!(!needs_more_runs(runs, CountedCriteria::default()));
            }
        }

        #[test]
        fn worse_on_one_side_is_better_on_the_other(base in 1e3f64..1e9, factor in 1.01f64..3.0) {
            let head = base * factor;
            prop_assert_eq!(judge(instructions(&[base], &[head]), CountedCriteria::default()).outcome, BenchmarkOutcome::Regression);
            prop_assert_eq!(
                judge(instructions(&[head], &[base]), CountedCriteria { minimum_change: Some(0.005), ..CountedCriteria::default() }).outcome,
                BenchmarkOutcome::Improvement
            );
        }

        #[test]
        fn a_longer_way_never_turns_an_alarm_off(base in 1e3f64..1e9, less in 0.0f64..0.5, more in 0.0f64..0.5) {
            let judged = |change: f64| judge(instructions(&[base], &[base * (1.0 + change)]), CountedCriteria::default()).significant;
            let (less, more) = (less.min(more), less.max(more));
            prop_assert!(judged(more) || !judged(less));
        }
    }
}
