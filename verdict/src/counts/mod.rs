//! A few runs of each version in a counted metric (instructions, operations, memory) → their finding.
//!
//! Counts nearly repeat, so no test is needed: a change beyond what runs of the base differ by is a change. What counts
//! can't show (waiting, locks, caches, system calls) is the business of [`super::wall_time`].

use crate::byproducts::NOTABLE_SIZE_CHANGE;
use crate::drift::{DriftHistory, drift_of};
use crate::statistics::median;
use crate::{
    BenchmarkOutcome, ComparedVersion, CountReason, CountedThreshold, FindingReason, Metric, MetricFinding,
    ThresholdSource,
};

/// Runs of each side at least, where they do not repeat. Three give a median that one odd run can't move.
pub const RUNS_OF_SCATTER: usize = 3;

/// Runs of each side at most: where they do not repeat, and the change is not within the threshold. If both sides are
/// the same noise, all five runs of the head are beyond the base's median by more than the base's own spread in 1 or 2
/// of 1000 comparisons (simulated for normal, uniform and exponential noise); with three runs, in 40 to 50.
pub const MOST_RUNS: usize = 5;

/// Smallest relative change that counts. Counts of one program repeat to the last one, but for randomly seeded hash
/// maps, which were seen to move a count by 0.028%: a tenth of a per cent is several times that.
///
/// It holds because runs are repeated. Where each version ran only once, as in samples and call trees, the larger
/// `COUNT_NOISE_FLOOR` of the profiles holds.
pub const FLOOR: f64 = 0.001;

/// Runs of one version that differ by no more nearly repeat. Where an interpreter's objects lie was seen to move a count by 0.02%,
/// a randomly seeded hash map by 0.028%.
pub const NEARLY: f64 = 0.0003;

/// Versions that differ by more are far apart, where runs of one nearly repeat: by thirty times what those differ by.
pub const FAR: f64 = 0.01;

/// Earlier verdicts that must have repeated their runs before the spread of those runs is believed.
pub const HISTORY_AT_LEAST: usize = 10;

/// The head scatters out of proportion if its runs spread over more than this many thresholds, of which each is at
/// least the base's own spread. For five runs of the same noise on both sides that happens in at most 4 of 1000
/// comparisons (simulated as for [`MOST_RUNS`]).
pub const WIDER_SCATTER: f64 = 10.0;

/// Bytes by which memory has to differ to count at all: a line buffer, or the first table of a hash map, that one of
/// the sides happened to set up.
pub const SMALL_BYTES: f64 = 1024.0;

/// Allocations by which the sides have to differ to count at all, for the same reason.
pub const SMALL_ALLOCATIONS: f64 = 4.0;

/// Bytes by which machine code has to differ to count at all: a line of the instruction cache.
pub const SMALL_CODE_BYTES: f64 = 64.0;

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
    /// For each earlier verdict on this benchmark in this metric that repeated its runs: what runs of one version
    /// differed by, relative, both versions added up ([`run_spread`]). Differences between versions are none of these.
    pub run_spreads: &'a [f64],
    /// A least relative change that the user set; only what is above [`FLOOR`] has an effect.
    pub minimum_change: Option<f64>,
    /// The older counts that slow creep is held against.
    pub drift: Option<&'a DriftHistory>,
    /// True for a size that nobody asked for: it has to change by [`NOTABLE_SIZE_CHANGE`] as well.
    pub is_informational: bool,
}

/// Whether another run of each side can matter. None
/// - where the first run of each side gave the very same count;
/// - where two runs of each side repeated: so will the third;
/// - where two runs of each side nearly repeated ([`NEARLY`]), and the sides are far apart ([`FAR`]);
/// - where they do not repeat, once three runs of each side are within the threshold;
/// - after [`MOST_RUNS`].
#[must_use]
pub fn needs_more_runs(runs: CountedRuns<'_>, terms: CountedCriteria<'_>) -> bool {
    let done = runs.base.len().min(runs.head.len());
    let (Some(base), Some(head)) = (CountedSide::of(runs.base), CountedSide::of(runs.head)) else {
        return done < RUNS_OF_SCATTER;
    };
    let repeated = base.repeats() && head.repeats();
    match done {
        0 => true,
        1 => !(repeated && base.median == head.median),
        _ if repeated || are_far_apart(base, head) => false,
        _ if done < RUNS_OF_SCATTER => true,
        _ if done < MOST_RUNS => judge(runs, terms).outcome != BenchmarkOutcome::Pass,
        _ => false,
    }
}

/// Whether the sides differ by so much more than runs of one side that no further run changes the finding.
fn are_far_apart(base: CountedSide, head: CountedSide) -> bool {
    let nearly_repeat = base.spread() <= NEARLY && head.spread() <= NEARLY;
    nearly_repeat && (head.lowest > base.highest * (1.0 + FAR) || base.lowest > head.highest * (1.0 + FAR))
}

/// What runs of one version differed by, from the bounds of an earlier finding: `(1 + high) / (1 + low) − 1`, which is
/// about the base's spread plus the head's. The change between the versions cancels out. `None` without bounds, or from
/// bounds that no runs can have.
#[must_use]
pub fn run_spread(low: Option<f64>, high: Option<f64>) -> Option<f64> {
    let spread = (1.0 + high?) / (1.0 + low?) - 1.0;
    (spread.is_finite() && spread >= 0.0).then_some(spread)
}

/// The verdict on the runs. The change is that of the medians; its bounds are those of the most distant runs:
/// `min(head) / max(base) − 1` to `max(head) / min(base) − 1`.
///
/// The threshold is the largest of
/// - [`FLOOR`], or the user's minimum;
/// - the spread of the base's runs, `max / min − 1`;
/// - where the base does not repeat: the median of the spreads that runs of one version had in earlier verdicts, if there
///   are [`HISTORY_AT_LEAST`];
/// - for a size that nobody asked for: [`NOTABLE_SIZE_CHANGE`].
///
/// Neither the head's own spread nor any difference between earlier versions raises it. It is a change if each run of
/// the head is beyond the base's median by more than the threshold, and none if the median is not (where the base
/// repeats: if no run is). Between the two, and where the head scatters out of proportion ([`WIDER_SCATTER`]), it is
/// inconclusive.
///
/// Memory has to differ by at least [`SMALL_BYTES`] or [`SMALL_ALLOCATIONS`] as well, machine code by
/// [`SMALL_CODE_BYTES`]. A rise that is no change may be
/// one together with earlier ones: see [`crate::drift`].
#[must_use]
pub fn judge(runs: CountedRuns<'_>, terms: CountedCriteria<'_>) -> MetricFinding {
    let metric = runs.metric;
    let (Some(base), Some(head)) = (CountedSide::of(runs.base), CountedSide::of(runs.head)) else {
        let reason = FindingReason::Counted(CountReason::NoCount);
        return MetricFinding::without_values(metric, BenchmarkOutcome::Inconclusive, reason);
    };
    let (outcome, reason) = match decide(metric, base, head, terms) {
        (BenchmarkOutcome::Pass, reason) => crept(metric, base, head, terms)
            .map_or((BenchmarkOutcome::Pass, reason), |drift| {
                (BenchmarkOutcome::Regression, drift)
            }),
        decided => decided,
    };
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

/// The decision on the step from base to head alone.
fn decide(
    metric: Metric,
    base: CountedSide,
    head: CountedSide,
    terms: CountedCriteria<'_>,
) -> (BenchmarkOutcome, CountReason) {
    if base.repeats() && head.repeats() && base.median == head.median {
        return (BenchmarkOutcome::Pass, CountReason::Equal);
    }
    let smallest = smallest_difference(metric);
    if smallest.is_none() && (base.median == 0.0 || head.median == 0.0) {
        let version = if base.median == 0.0 {
            ComparedVersion::Base
        } else {
            ComparedVersion::Head
        };
        let reason = CountReason::SubjectNotReached(version);
        return (BenchmarkOutcome::Inconclusive, reason);
    }
    // What the most distant run of the head differs by: a small median must not hide a large run.
    let difference = (head.highest - base.median)
        .abs()
        .max((head.lowest - base.median).abs());
    if let Some(smallest) = smallest.filter(|smallest| difference < *smallest) {
        let reason = CountReason::SmallDifference { difference, smallest };
        return (BenchmarkOutcome::Pass, reason);
    }
    if base.median == 0.0 {
        return from_zero(base, head);
    }
    by_threshold(base, head, threshold(base, terms))
}

/// The decision where the base's median is zero, which memory and code can be: no change is relative to that.
fn from_zero(base: CountedSide, head: CountedSide) -> (BenchmarkOutcome, CountReason) {
    if head.lowest > base.highest {
        let reason = CountReason::FromZero { head: head.median };
        return (BenchmarkOutcome::Regression, reason);
    }
    if head.median == 0.0 && head.highest <= base.highest {
        return (BenchmarkOutcome::Pass, CountReason::Equal);
    }
    let reason = CountReason::ZeroInSomeRuns { highest: head.highest };
    (BenchmarkOutcome::Inconclusive, reason)
}

/// The decision where there is a relative change.
fn by_threshold(base: CountedSide, head: CountedSide, threshold: CountedThreshold) -> (BenchmarkOutcome, CountReason) {
    let of_base = |count: f64| count / base.median - 1.0;
    let (change, lowest, highest) = (of_base(head.median), of_base(head.lowest), of_base(head.highest));
    if lowest > threshold.value {
        let reason = CountReason::BeyondThreshold { change, threshold };
        return (BenchmarkOutcome::Regression, reason);
    }
    if highest < -threshold.value {
        let reason = CountReason::BeyondThreshold { change, threshold };
        return (BenchmarkOutcome::Improvement, reason);
    }
    let within = |change: f64| change.abs() <= threshold.value;
    let all_within = within(lowest) && within(highest);
    if !all_within && (base.repeats() || highest - lowest > WIDER_SCATTER * threshold.value) {
        let reason = CountReason::HeadScatters {
            lowest,
            highest,
            base_spread: base.spread(),
            threshold,
        };
        return (BenchmarkOutcome::Inconclusive, reason);
    }
    if within(change) {
        let reason = CountReason::WithinThreshold { change, threshold };
        return (BenchmarkOutcome::Pass, reason);
    }
    (
        BenchmarkOutcome::Inconclusive,
        CountReason::RunsOverlap { change, threshold },
    )
}

/// The rise since an older version, if it counts while the step from base to head does not. A head that adds nothing to
/// its base is not blamed for what came before.
fn crept(metric: Metric, base: CountedSide, head: CountedSide, terms: CountedCriteria<'_>) -> Option<CountReason> {
    if head.median <= base.median {
        return None;
    }
    let threshold = threshold(base, terms);
    let drift = drift_of(terms.drift?, base.median, head.lowest, threshold.value)?;
    let enough = match smallest_difference(metric) {
        Some(smallest) => drift.difference >= smallest,
        // Only memory and code can begin at zero: elsewhere the older subject was not reached.
        None => drift.change.is_some(),
    };
    enough.then(|| CountReason::Drifted {
        step: (base.median > 0.0).then(|| head.median / base.median - 1.0),
        drift,
        threshold,
    })
}

/// The absolute difference below which memory or code says nothing; `None` for what every executed subject has.
fn smallest_difference(metric: Metric) -> Option<f64> {
    match metric {
        Metric::AllocatedBytes | Metric::PeakBytes => Some(SMALL_BYTES),
        Metric::Allocations => Some(SMALL_ALLOCATIONS),
        Metric::ExecutedCodeSize | Metric::BinarySize => Some(SMALL_CODE_BYTES),
        Metric::Instructions | Metric::Operations | Metric::WallTime | Metric::BuildTime => None,
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

    /// Whether all runs gave the very same count.
    fn repeats(self) -> bool {
        self.highest == self.lowest
    }

    /// Infinite where one run counted nothing and another something.
    fn spread(self) -> f64 {
        if self.repeats() {
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
fn threshold(base: CountedSide, terms: CountedCriteria<'_>) -> CountedThreshold {
    let mut threshold = CountedThreshold {
        value: FLOOR,
        source: ThresholdSource::NoiseFloor,
    };
    // A base that repeats has no noise that a history could tell of, whatever its head does.
    let earlier = usual_run_spread(terms.run_spreads).filter(|_| !base.repeats());
    let notable = terms.is_informational.then_some(NOTABLE_SIZE_CHANGE);
    let candidates = [
        (
            terms.minimum_change.filter(|change| change.is_finite()),
            ThresholdSource::UserMinimum,
        ),
        (earlier, ThresholdSource::History),
        (Some(base.spread()), ThresholdSource::RunSpread),
        (notable, ThresholdSource::Notable),
    ];
    for (value, source) in candidates {
        if let Some(value) = value.filter(|value| *value > threshold.value) {
            threshold = CountedThreshold { value, source };
        }
    }
    threshold
}

/// The median: half of the earlier verdicts would have to be odd to move it.
fn usual_run_spread(spreads: &[f64]) -> Option<f64> {
    let spreads: Vec<f64> = (spreads.iter().copied())
        .filter(|spread| spread.is_finite() && *spread >= 0.0)
        .collect();
    if spreads.len() < HISTORY_AT_LEAST {
        return None;
    }
    median(&spreads)
}

#[cfg(test)]
mod tests;
