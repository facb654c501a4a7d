//! Costs of a node on both sides → its difference in each measure, and which differences are noise.

use crate::COUNT_NOISE_FLOOR;
use schemars::JsonSchema;
use serde::Serialize;

/// Number of standard errors that 95 of 100 purely random differences stay within.
const STANDARD_ERRORS: f64 = 1.96;

/// Measure by which two nodes are compared. Its number is the index in [`CostDifference::heights`] and the bit in
/// [`CostDifference::noise`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostMeasure {
    /// Inclusive cost as a share of the run.
    ShareInclusive = 0,
    /// Self cost as a share of the run.
    ShareSelf = 1,
    /// Inclusive cost, in the unit of the run.
    CostInclusive = 2,
    /// Self cost, in the unit of the run.
    CostSelf = 3,
}

/// How costs were obtained, which decides which differences chance can explain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostNoise {
    /// Counts that repeat almost exactly: a difference is noise if it is at most [`COUNT_NOISE_FLOOR`] of the larger
    /// value.
    Counted,
    /// Numbers of samples, which are Poisson distributed. A difference between a before and b after is noise if
    /// |b − a| ≤ 1.96 √(a + b); and shares of m and n samples by the test of two proportions with the pooled share p, if
    /// |b/n − a/m| ≤ 1.96 √(p (1 − p) (1/m + 1/n)).
    Sampled,
}

/// Before and after.
pub(super) type BeforeAfterCost = [u64; 2];

/// Costs of one node that are compared.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NodeCosts {
    pub(super) inclusive: BeforeAfterCost,
    pub(super) own: BeforeAfterCost,
}

/// Difference between the two sides of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostDifference {
    /// By [`CostMeasure`], after minus before: shares as fractions of 1, costs in the unit of the run.
    pub heights: [f64; 4],
    /// Bit `1 << measure` is set where the difference is zero or small enough to be noise.
    pub noise: u8,
}

impl CostMeasure {
    /// All measures, in the order of their numbers.
    pub const ALL: [Self; 4] = [
        Self::ShareInclusive,
        Self::ShareSelf,
        Self::CostInclusive,
        Self::CostSelf,
    ];
}

impl CostDifference {
    /// The difference in one measure.
    #[must_use]
    pub fn height(&self, measure: CostMeasure) -> f64 {
        self.heights[measure as usize]
    }

    /// True if the difference in one measure is noise.
    #[must_use]
    pub fn is_noise(&self, measure: CostMeasure) -> bool {
        self.noise & (1 << measure as u8) != 0
    }

    /// Section III of the paper: H = E2 − E1, where E is a node's share of its execution's total; or the cost itself.
    pub(super) fn of(costs: NodeCosts, totals: BeforeAfterCost, noise: CostNoise) -> Self {
        let mut difference = Self {
            heights: [0.0; 4],
            noise: 0,
        };
        for measure in CostMeasure::ALL {
            let values = match measure {
                CostMeasure::ShareInclusive | CostMeasure::CostInclusive => costs.inclusive,
                CostMeasure::ShareSelf | CostMeasure::CostSelf => costs.own,
            };
            let (height, is_noise) = match measure {
                CostMeasure::ShareInclusive | CostMeasure::ShareSelf => of_shares(values, totals, noise),
                CostMeasure::CostInclusive | CostMeasure::CostSelf => of_costs(values, noise),
            };
            // A share varies with the rest of the run: where the cost itself was counted to be the same, nothing happened.
            let is_same = noise == CostNoise::Counted && of_costs(values, noise).1;
            difference.heights[measure as usize] = height;
            difference.noise |= u8::from(is_noise || is_same) << measure as u8;
        }
        difference
    }
}

/// Cost as a share of a run; 0 if the run cost nothing. Costs are far below 2^53, above which the last digits would be
/// lost.
pub(super) fn share(cost: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { cost as f64 / total as f64 }
}

fn of_costs([before, after]: BeforeAfterCost, noise: CostNoise) -> (f64, bool) {
    let magnitude = number(after.abs_diff(before));
    let limit = match noise {
        CostNoise::Counted => COUNT_NOISE_FLOOR * number(before.max(after)),
        CostNoise::Sampled => STANDARD_ERRORS * (number(before) + number(after)).sqrt(),
    };
    let height = if after < before { -magnitude } else { magnitude };
    (height, magnitude <= limit)
}

fn of_shares([before, after]: BeforeAfterCost, totals: BeforeAfterCost, noise: CostNoise) -> (f64, bool) {
    let shares = [share(before, totals[0]), share(after, totals[1])];
    let height = shares[1] - shares[0];
    let limit = match noise {
        CostNoise::Counted => COUNT_NOISE_FLOOR * shares[0].max(shares[1]),
        CostNoise::Sampled => {
            let [m, n] = totals.map(number);
            let pooled = (number(before) + number(after)) / (m + n);
            STANDARD_ERRORS * (pooled * (1.0 - pooled) * (m.recip() + n.recip())).sqrt()
        }
    };
    // without samples on one side the limit is infinite or not a number: every difference may be noise
    (height, limit.is_nan() || height.abs() <= limit)
}

fn number(cost: u64) -> f64 {
    cost as f64
}

#[cfg(test)]
mod tests {
    use super::{CostDifference, CostMeasure, CostNoise, NodeCosts};

    fn compare(values: [u64; 2], totals: [u64; 2], noise: CostNoise) -> CostDifference {
        let costs = NodeCosts {
            inclusive: values,
            own: [0, 0],
        };
        CostDifference::of(costs, totals, noise)
    }

    #[test]
    fn a_share_may_fall_while_the_cost_rises() {
        let difference = compare([50, 60], [100, 240], CostNoise::Counted);
        assert_eq!(difference.heights, [-0.25, 0.0, 10.0, 0.0]);
        assert_eq!(difference.noise, 0b1010, "no difference is noise");
    }

    #[test]
    fn of_counts_half_a_per_cent_is_noise_and_more_is_not() {
        let is_noise =
            |after| compare([9950, after], [20_000, 20_000], CostNoise::Counted).is_noise(CostMeasure::CostInclusive);
        assert!(is_noise(10_000) && is_noise(9_901));
        assert!(!is_noise(10_001) && !is_noise(9_900));
        assert!(
            !compare([0, 1], [9, 9], CostNoise::Counted).is_noise(CostMeasure::ShareInclusive),
            "new is no noise"
        );
    }

    #[test]
    fn random_differences_of_samples_are_noise() {
        let difference = |after| compare([100, after], [1000, 1000], CostNoise::Sampled);
        // 1.96 √(100 + 129) is 29.66, and 1.96 √(100 + 130) is 29.72
        assert!(difference(129).is_noise(CostMeasure::CostInclusive));
        assert!(!difference(130).is_noise(CostMeasure::CostInclusive));
        // the test of two proportions is sharper by the factor √(1 − p): the limit lies between 0.128 and 0.129
        assert!(difference(127).is_noise(CostMeasure::ShareInclusive));
        assert!(!difference(129).is_noise(CostMeasure::ShareInclusive));
    }

    #[test]
    fn a_run_without_cost_has_shares_of_zero() {
        for noise in [CostNoise::Counted, CostNoise::Sampled] {
            let difference = compare([0, 5], [0, 10], noise);
            assert_eq!(difference.heights, [0.5, 0.0, 5.0, 0.0]);
            assert!(compare([0, 0], [0, 0], noise).is_noise(CostMeasure::ShareInclusive));
        }
        assert!(compare([0, 5], [0, 10], CostNoise::Sampled).is_noise(CostMeasure::ShareInclusive));
    }

    #[test]
    fn the_largest_costs_have_a_difference() {
        let difference = compare([u64::MAX, 0], [u64::MAX, 0], CostNoise::Counted);
        assert!(difference.height(CostMeasure::CostInclusive) < -1e19);
    }
}
