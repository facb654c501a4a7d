//! Paired differences into the probability that chance alone gives differences as lopsided as these.
//!
//! Says nothing of how large the differences are.

/// Differences up to which the null distribution is computed exactly; the work grows with the cube of their number,
/// and no plan of looks comes near.
pub const EXACT_UP_TO: usize = 200;

/// Two-sided p-value of Wilcoxon's signed-rank test (*Individual comparisons by ranking methods*, Biometrics Bulletin
/// 1, 1945): how likely a sum of ranks at least this far from its mean is if each difference could as well have had
/// the other sign.
///
/// That is what happens when both sides run the same code and which of them goes first is drawn at random, whatever
/// noise the machine makes: the p-value is then exact, or too large, never too small.
///
/// Equal differences share their mean rank; zeros are ranked and then left out (Pratt, JASA 54, 1959): having no sign,
/// they speak for no side, and a pair of clock readings that are equal is not a reason to believe the others more. The
/// distribution is that of these ranks, computed by adding one rank after the other. Beyond [`EXACT_UP_TO`]
/// differences it is bounded by Hoeffding's inequality (JASA 58, 1963, theorem 2), which errs to the safe side. What is
/// no number is left out; without differences, 1.
#[must_use]
pub fn signed_rank_p(differences: &[f64]) -> f64 {
    let ranks = signed_ranks(differences);
    let total: usize = ranks.iter().map(|rank| rank.doubled).sum();
    let positive: usize = ranks.iter().filter(|rank| rank.positive).map(|rank| rank.doubled).sum();
    let lesser = positive.min(total - positive);
    if ranks.len() > EXACT_UP_TO {
        return bound(&ranks, total, lesser);
    }
    (2.0 * at_most(&ranks, lesser)).min(1.0)
}

/// The rank of one difference. Doubled, so that mean ranks of ties are whole.
struct SignedRank {
    doubled: usize,
    positive: bool,
}

fn signed_ranks(differences: &[f64]) -> Vec<SignedRank> {
    let mut sorted: Vec<f64> = differences
        .iter()
        .copied()
        .filter(|difference| !difference.is_nan())
        .collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let mut ranks = Vec::with_capacity(sorted.len());
    let mut start = 0;
    for tied in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let end = start + tied.len();
        // The mean of the ranks start + 1 ..= end, twice.
        let doubled = start + 1 + end;
        ranks.extend(
            tied.iter()
                .filter(|difference| **difference != 0.0)
                .map(|difference| SignedRank {
                    doubled,
                    positive: *difference > 0.0,
                }),
        );
        start = end;
    }
    ranks
}

/// The probability that the ranks of one sign add up to `sum` at most. The distribution is symmetrical, so sums beyond
/// the observed one are never needed.
fn at_most(ranks: &[SignedRank], sum: usize) -> f64 {
    let mut probability = vec![0.0; sum + 1];
    probability[0] = 1.0;
    for rank in ranks {
        for target in (0..=sum).rev() {
            let with = if target >= rank.doubled {
                probability[target - rank.doubled]
            } else {
                0.0
            };
            probability[target] = 0.5 * (probability[target] + with);
        }
    }
    probability.iter().sum()
}

/// 2 · exp(−2 t² / Σ r²) for a sum of independent terms, each 0 or r, that is t below its mean.
fn bound(ranks: &[SignedRank], total: usize, lesser: usize) -> f64 {
    let below = total as f64 / 2.0 - lesser as f64;
    let squares: f64 = ranks.iter().map(|rank| (rank.doubled as f64).powi(2)).sum();
    (2.0 * (-2.0 * below * below / squares).exp()).min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-12, "{actual} ≠ {expected}");
    }

    #[test]
    fn agrees_with_published_examples() {
        // scipy.stats.wilcoxon's documentation: Darwin's maize, statistic 24, p = 0.041259765625.
        let maize = [
            6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0,
        ];
        assert_close(signed_rank_p(&maize), 0.041_259_765_625);
        // scipy 1.17, method='exact'.
        let other = [1.1, -0.4, 2.3, 0.7, 3.1, -0.2, 1.9, 0.6, 2.8, 1.4];
        assert_close(signed_rank_p(&other), 0.009_765_625);
    }

    #[test]
    fn reaches_the_critical_values_of_the_tables() {
        // Two-sided critical values at 5% and 1% for n = 10 are 8 and 3 (e.g. Hollander and Wolfe, table A.4).
        let with_sum = |negative: &[usize]| {
            let differences: Vec<f64> = (1..=10)
                .map(|rank| {
                    if negative.contains(&rank) {
                        -(rank as f64)
                    } else {
                        rank as f64
                    }
                })
                .collect();
            signed_rank_p(&differences)
        };
        assert_close(with_sum(&[8]), 50.0 / 1024.0);
        assert!(with_sum(&[9]) > 0.05);
        assert_close(with_sum(&[3]), 10.0 / 1024.0);
        assert!(with_sum(&[4]) > 0.01);
        assert_close(with_sum(&[]), 2.0 / 1024.0);
    }

    #[test]
    fn ties_share_their_rank() {
        // All 512 signs counted in NumPy over scipy.stats.rankdata.
        assert_close(
            signed_rank_p(&[1.0, 1.0, -2.0, 3.0, 3.0, 3.0, -1.0, 4.0, 5.0]),
            0.058_593_75,
        );
    }

    #[test]
    fn nothing_to_compare_is_no_evidence() {
        for differences in [&[][..], &[0.0; 12], &[f64::NAN]] {
            assert_eq!(signed_rank_p(differences), 1.0);
        }
    }

    #[test]
    fn the_bound_is_never_below_the_exact_value() {
        let ranks: Vec<SignedRank> = (1..=60)
            .map(|rank| SignedRank {
                doubled: 2 * rank,
                positive: true,
            })
            .collect();
        let total = 60 * 61;
        for lesser in (0..=total / 2).step_by(61) {
            let exact = (2.0 * at_most(&ranks, lesser)).min(1.0);
            assert!(bound(&ranks, total, lesser) >= exact, "{lesser}");
        }
        let many: Vec<f64> = (1..=5000).map(f64::from).collect();
        assert!(signed_rank_p(&many) < 1e-12);
    }

    /// Every assignment of signs, counted.
    fn counted(differences: &[f64]) -> f64 {
        let ranks = signed_ranks(differences);
        let total: usize = ranks.iter().map(|rank| rank.doubled).sum();
        let far = |sum: usize| (2 * sum).abs_diff(total);
        let observed = far(ranks.iter().filter(|rank| rank.positive).map(|rank| rank.doubled).sum());
        let assignments = 1usize << ranks.len();
        let as_far = (0..assignments)
            .filter(|signs| {
                let sum = ranks
                    .iter()
                    .enumerate()
                    .filter(|(bit, _)| signs >> bit & 1 == 1)
                    .map(|(_, rank)| rank.doubled)
                    .sum();
                far(sum) >= observed
            })
            .count();
        as_far as f64 / assignments as f64
    }

    proptest! {
        #[test]
        fn is_the_share_of_signs_that_are_as_lopsided(values in prop::collection::vec(-4i8..=4, 0..11)) {
            let differences: Vec<f64> = values.into_iter().map(f64::from).collect();
            prop_assert!((signed_rank_p(&differences) - counted(&differences)).abs() < 1e-12);
        }

        #[test]
        fn is_the_same_in_other_units_and_from_the_other_side(
            differences in prop::collection::vec(-10.0f64..10.0, 0..30),
            factor in 1e-3f64..1e3,
        ) {
            let p = signed_rank_p(&differences);
            let scaled: Vec<f64> = differences.iter().map(|difference| difference * factor).collect();
            let mirrored: Vec<f64> = differences.iter().map(|difference| -difference).collect();
            prop_assert!((signed_rank_p(&scaled) - p).abs() < 1e-12);
            prop_assert_eq!(signed_rank_p(&mirrored), p);
        }

        #[test]
        fn agreeing_differences_only_strengthen_it(count in 2usize..60) {
            let fewer: Vec<f64> = (1..count).map(|step| step as f64).collect();
            let more: Vec<f64> = (1..=count).map(|step| step as f64).collect();
            prop_assert!(signed_rank_p(&more) < signed_rank_p(&fewer));
        }
    }
}
