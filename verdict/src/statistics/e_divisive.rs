//! A series in order → where its distribution changes: the divisive algorithm with the energy statistic.
//!
//! Knows neither what a large change is nor what the values are: whoever asks leaves out what is too small to matter.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::random_draws::RandomDraws;

/// Values that a segment has at least: the distances within one value have no mean.
pub const SEGMENT_AT_LEAST: usize = 2;

/// Permutations that the observed statistic has to exceed; the p-value is a multiple of 1/200.
const PERMUTATIONS: u32 = 199;

/// The level of each test.
const SIGNIFICANCE: f64 = 0.05;

/// Relative difference below which two statistics are equal: sums in another order are rounded otherwise. What is
/// equal speaks against the change.
const ROUNDING: f64 = 1e-9;

/// The indices at which a new segment begins, ascending, by E-divisive: Matteson and James, *A nonparametric approach for
/// multiple change point analysis of multivariate data*, Journal of the American Statistical Association 109 (2014):
/// 334–345, with their α = 1. For two segments `X` of `n` and `Y` of `m` values (sections 2.1 and 2.2)
///
/// `E(X, Y) = 2/(nm) Σᵢⱼ |Xᵢ − Yⱼ| − C(n,2)⁻¹ Σᵢ﹤ₖ |Xᵢ − Xₖ| − C(m,2)⁻¹ Σⱼ﹤ₖ |Yⱼ − Yₖ|`, `Q = nm/(n + m) · E`.
///
/// A segment that begins at `s` is divided at the `τ` where `Q` of `Z[s..τ]` and `Z[τ..κ]` is largest over all `τ` and all
/// ends `κ`. Of all segments (section 2.3) the one with the largest `Q` is divided next, if a permutation test (section
/// 2.4) allows: the values of each segment are shuffled, and `p = (1 + #{Q of a shuffled series ≥ Q}) / (1 + 199)` is at
/// most 0.05; else it ends. No more is shuffled than decides that.
///
/// A short series has few orders, and with that no small p-value: exactly constant stretches are told apart for certain
/// from 5 values beside 5, 3 beside 9 or 2 beside 18 on, and hardly ever below 8 in all. One odd value alone is not a segment.
///
/// The same values and seed give the same indices. Values that are not finite make the answer empty.
#[must_use]
pub fn e_divisive(values: &[f64], seed: u64) -> Vec<usize> {
    let Some(scaled) = scaled(values) else {
        return Vec::new();
    };
    let mut draws = RandomDraws(ChaCha8Rng::seed_from_u64(seed));
    let mut found: Vec<usize> = Vec::new();
    loop {
        let segments = segments(&found, scaled.len());
        let splits = segments.iter().map(|&(from, to)| {
            let split = best_split(&scaled[from..to]);
            split.map(|split| SegmentSplit {
                at: from + split.at,
                ..split
            })
        });
        let Some(best) = splits.flatten().reduce(SegmentSplit::larger) else {
            break;
        };
        if best.q <= ROUNDING || !is_significant(best.q, &scaled, &segments, &mut draws) {
            break;
        }
        found.push(best.at);
        found.sort_unstable();
    }
    found
}

/// A division of a segment.
#[derive(Clone, Copy)]
struct SegmentSplit {
    /// First index of its second part.
    at: usize,
    /// Its statistic.
    q: f64,
}

impl SegmentSplit {
    /// The one with the larger statistic; of equal ones the earlier.
    fn larger(self, other: Self) -> Self {
        if other.q > self.q * (1.0 + ROUNDING) {
            other
        } else {
            self
        }
    }
}

/// The values on a scale from 0 to 1, so that neither their size nor their zero has an effect. `None` where there is
/// nothing to divide.
fn scaled(values: &[f64]) -> Option<Vec<f64>> {
    if values.len() < 2 * SEGMENT_AT_LEAST || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = most - least;
    (range > 0.0 && range.is_finite()).then(|| values.iter().map(|value| (value - least) / range).collect())
}

/// The stretches between the change points, each from its first index to beyond its last.
fn segments(found: &[usize], length: usize) -> Vec<(usize, usize)> {
    let starts = std::iter::once(0).chain(found.iter().copied());
    let ends = found.iter().copied().chain(std::iter::once(length));
    starts.zip(ends).collect()
}

/// True if so large a statistic is rare among shuffled series.
fn is_significant(q: f64, values: &[f64], segments: &[(usize, usize)], draws: &mut RandomDraws) -> bool {
    let allowed = (SIGNIFICANCE * f64::from(PERMUTATIONS + 1)).round() as u32;
    let mut shuffled = values.to_vec();
    // The observed order is one of them.
    let mut as_large = 1;
    for _ in 0..PERMUTATIONS {
        let largest = segments.iter().filter_map(|&(from, to)| {
            let segment = &mut shuffled[from..to];
            shuffle(segment, draws);
            best_split(segment)
        });
        let largest = largest.map(|split| split.q).fold(0.0, f64::max);
        as_large += u32::from(largest >= q * (1.0 - ROUNDING));
        if as_large > allowed {
            return false;
        }
    }
    true
}

/// Every order equally likely (Durstenfeld, *Algorithm 235: Random permutation*, Communications of the ACM 7, 1964).
fn shuffle(values: &mut [f64], draws: &mut RandomDraws) {
    for last in (1..values.len()).rev() {
        values.swap(last, draws.below(last + 1));
    }
}

/// The division of one segment with the largest `Q`, over all places and all ends. Quadratic in its length, in time and
/// in memory.
fn best_split(values: &[f64]) -> Option<SegmentSplit> {
    let count = values.len();
    if count < 2 * SEGMENT_AT_LEAST {
        return None;
    }
    // Row `end` holds at `i` the sum of the distances of values[end] to values[..i], for i up to `end`.
    let mut to_first = vec![0.0; count * (count + 1)];
    // The sum of the distances of all pairs of values[..end].
    let mut pairs = vec![0.0; count + 1];
    for (end, value) in values.iter().enumerate() {
        let row = &mut to_first[end * (count + 1)..][..=end];
        let mut sum = 0.0;
        for (cell, other) in row[1..].iter_mut().zip(values) {
            sum += (value - other).abs();
            *cell = sum;
        }
        pairs[end + 1] = pairs[end] + sum;
    }
    let mut best: Option<SegmentSplit> = None;
    for at in SEGMENT_AT_LEAST..=count - SEGMENT_AT_LEAST {
        let mut between = 0.0;
        for end in at..count {
            between += to_first[end * (count + 1) + at];
            let (n, m) = (at as f64, (end + 1 - at) as f64);
            if end + 1 - at < SEGMENT_AT_LEAST {
                continue;
            }
            let within = pairs[end + 1] - pairs[at] - between;
            let energy = 2.0 * between / (n * m) - pairs[at] / (n * (n - 1.0) / 2.0) - within / (m * (m - 1.0) / 2.0);
            let split = SegmentSplit {
                at,
                q: n * m / (n + m) * energy,
            };
            best = Some(best.map_or(split, |best| best.larger(split)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn steps(of: &[(usize, f64)]) -> Vec<f64> {
        of.iter()
            .flat_map(|&(count, value)| std::iter::repeat_n(value, count))
            .collect()
    }

    /// Uniform between 0 and 1.
    fn noise(count: usize, seed: u64) -> Vec<f64> {
        let mut draws = RandomDraws(ChaCha8Rng::seed_from_u64(seed));
        let steps = 1 << 30;
        (0..count).map(|_| draws.below(steps) as f64 / steps as f64).collect()
    }

    /// The definition, computed as it is written.
    fn q(x: &[f64], y: &[f64]) -> f64 {
        let (n, m) = (x.len() as f64, y.len() as f64);
        let mean_within = |of: &[f64]| {
            let mut sum = 0.0;
            for (index, one) in of.iter().enumerate() {
                sum += of[..index].iter().map(|other| (one - other).abs()).sum::<f64>();
            }
            sum / (of.len() * (of.len() - 1) / 2) as f64
        };
        let between: f64 = (x.iter().flat_map(|one| y.iter().map(move |other| (one - other).abs()))).sum();
        n * m / (n + m) * (2.0 * between / (n * m) - mean_within(x) - mean_within(y))
    }

    #[test]
    fn a_step_between_constant_stretches_is_found_where_it_is() {
        for (before, after) in [(5, 5), (3, 9), (9, 3), (2, 18), (18, 2), (30, 10), (50, 50)] {
            let series = steps(&[(before, 1000.0), (after, 1010.0)]);
            for seed in 0..20 {
                assert_eq!(e_divisive(&series, seed), [before], "{before} beside {after}, {seed}");
            }
        }
    }

    #[test]
    fn a_series_too_short_for_the_test_has_no_change_point() {
        for (before, after) in [(2, 2), (3, 3), (2, 4), (1, 30), (30, 1)] {
            let series = steps(&[(before, 1.0), (after, 2.0)]);
            assert_eq!(e_divisive(&series, 1), Vec::<usize>::new(), "{before} beside {after}");
        }
        assert_eq!(e_divisive(&[], 1), Vec::<usize>::new());
        assert_eq!(e_divisive(&[1.0; 50], 1), Vec::<usize>::new());
        assert_eq!(e_divisive(&[1.0, f64::NAN, 2.0, 2.0, 2.0], 1), Vec::<usize>::new());
    }

    #[test]
    fn several_steps_are_all_found() {
        let series = steps(&[(20, 5.0), (15, 6.0), (25, 5.0), (12, 9.0)]);
        assert_eq!(e_divisive(&series, 7), [20, 35, 60]);
    }

    /// The result of apache-otava 0.8.0 at the same level, by its original algorithm (`compute_change_points_orig`) as by its
    /// variant with Student's test.
    #[test]
    fn five_series_have_the_change_points_that_another_implementation_finds() {
        let noisy: Vec<f64> = (0..80u32)
            .map(|i| f64::from(i * 7919 % 101) / 101.0 + if i >= 40 { 2.0 } else { 0.0 })
            .collect();
        let expected: [(Vec<f64>, &[usize]); 5] = [
            (steps(&[(30, 1000.0), (10, 1010.0)]), &[30]),
            (steps(&[(20, 5.0), (15, 6.0), (25, 5.0), (12, 9.0)]), &[20, 35, 60]),
            (steps(&[(4, 1000.0), (4, 1010.0)]), &[4]),
            (vec![1.0; 100], &[]),
            (noisy, &[40]),
        ];
        for (series, change_points) in expected {
            assert_eq!(e_divisive(&series, 1), change_points);
        }
    }

    #[test]
    fn steps_in_noise_are_found_near_where_they_are() {
        let mut series = noise(40, 3);
        series.extend(noise(40, 4).iter().map(|value| value + 2.0));
        assert_eq!(e_divisive(&series, 1), [40]);
    }

    #[test]
    fn noise_has_change_points_about_as_often_as_the_level_says() {
        let series = 200u64;
        let wrong = (0..series)
            .filter(|&seed| !e_divisive(&noise(24, seed), seed).is_empty())
            .count();
        // 5% are 10; more than 20 of 200 have a probability below 0.2%.
        assert!(wrong <= 20, "{wrong} of {series}");
    }

    #[test]
    fn equal_seeds_give_equal_answers() {
        let series = noise(60, 11);
        assert_eq!(e_divisive(&series, 5), e_divisive(&series, 5));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_best_split_is_that_of_the_definition(values in prop::collection::vec(0.0f64..1.0, 4..14)) {
            let mut largest = 0.0f64;
            for at in 2..=values.len() - 2 {
                for end in at + 2..=values.len() {
                    largest = largest.max(q(&values[..at], &values[at..end]));
                }
            }
            let best = best_split(&values).unwrap();
            prop_assert!((best.q.max(0.0) - largest).abs() < 1e-9);
        }

        #[test]
        fn shift_and_scale_do_not_matter(
            lengths in prop::collection::vec(2usize..9, 1..5), seed: u64, shift in 0u32..1000, factor in 1u32..50,
        ) {
            let mut series = Vec::new();
            for (index, length) in lengths.into_iter().enumerate() {
                series.extend(std::iter::repeat_n((index * index % 7) as f64, length));
            }
            let moved: Vec<f64> = series.iter().map(|value| value * f64::from(factor) + f64::from(shift)).collect();
            prop_assert_eq!(e_divisive(&series, seed), e_divisive(&moved, seed));
        }

        #[test]
        fn segments_are_never_too_short(values in prop::collection::vec(0u8..4, 0..40), seed: u64) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let found = e_divisive(&values, seed);
            let all = segments(&found, values.len());
            if !found.is_empty() {
                prop_assert!(all.iter().all(|(from, to)| to - from >= SEGMENT_AT_LEAST), "{:?}", found);
            }
        }
    }
}
