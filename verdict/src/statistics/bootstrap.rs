//! Rounds of starts into an interval for the ratio of their two sides, by resampling.
//!
//! Resamples rounds whole, so that what slowed both sides of a round down stays paired.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::location::{of_pairs, start_median};
use super::quantile::{of_sorted, select_median};
use crate::{MeasurementRound, ProcessStart};

/// Iterations of a start that are resampled; of more, as many evenly spaced quantiles stand for all. That makes
/// resampling cheap, and the interval if anything wider.
const ITERATIONS_RESAMPLED: usize = 64;

/// From where to where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceInterval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// How an interval is resampled. The same numbers give the same interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResamplingOptions {
    /// Where the random numbers start.
    pub seed: u64,
    /// How many resamples are drawn.
    pub resamples: u32,
    /// The share of such intervals that is to hold the true ratio, 0 to 1.
    pub confidence: f64,
}

/// The interval of the ratio `numerator / denominator` over the rounds: the percentiles (Efron and Tibshirani, *An
/// Introduction to the Bootstrap*, 1993, chapter 13) of the exponentiated [`pseudomedian`] of the log ratios over
/// resamples of the rounds and, within each start, of its iterations. Resampling level by level follows Kalibera and
/// Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013; their levels are starts and iterations here. Drawing
/// at both levels counts the noise within a start twice, so the interval is if anything too wide. Rounds in which a side has no positive finite median are left out; `None` if none is left.
///
/// [`pseudomedian`]: super::pseudomedian
#[must_use]
pub fn ratio_interval<'a>(
    rounds: &'a [MeasurementRound],
    numerator: impl Fn(&'a MeasurementRound) -> &'a ProcessStart,
    denominator: impl Fn(&'a MeasurementRound) -> &'a ProcessStart,
    resampling: ResamplingOptions,
) -> Option<ConfidenceInterval> {
    let pairs: Vec<(LogTimes, LogTimes)> = rounds
        .iter()
        .filter_map(|round| Some((LogTimes::of(numerator(round))?, LogTimes::of(denominator(round))?)))
        .collect();
    if pairs.is_empty() {
        return None;
    }
    let mut draws = RandomDraws(ChaCha8Rng::seed_from_u64(resampling.seed));
    let (mut ratios, mut means, mut iterations) = (Vec::new(), Vec::new(), Vec::new());
    let mut estimates: Vec<f64> = (0..resampling.resamples.max(1))
        .map(|_| {
            ratios.clear();
            for _ in 0..pairs.len() {
                let (above, below) = &pairs[draws.below(pairs.len())];
                ratios.push(
                    above.resampled_median(&mut draws, &mut iterations)
                        - below.resampled_median(&mut draws, &mut iterations),
                );
            }
            of_pairs(&ratios, &mut means)
        })
        .collect();
    estimates.sort_by(f64::total_cmp);
    let tail = (1.0 - resampling.confidence.clamp(0.0, 1.0)) / 2.0;
    Some(ConfidenceInterval {
        low: of_sorted(&estimates, tail)?.exp(),
        high: of_sorted(&estimates, 1.0 - tail)?.exp(),
    })
}

/// The logarithms of a start's iterations.
struct LogTimes(Vec<f64>);

impl LogTimes {
    fn of(start: &ProcessStart) -> Option<Self> {
        let summary = start_median(start)?;
        let mut logs: Vec<f64> = start
            .0
            .iter()
            .filter(|time| time.is_finite() && **time > 0.0)
            .map(|time| time.ln())
            .collect();
        if logs.len() < 2 {
            return Some(Self(vec![summary.ln()]));
        }
        logs.sort_by(f64::total_cmp);
        if logs.len() > ITERATIONS_RESAMPLED {
            let last = (ITERATIONS_RESAMPLED - 1) as f64;
            logs = (0..ITERATIONS_RESAMPLED)
                .filter_map(|step| of_sorted(&logs, step as f64 / last))
                .collect();
        }
        Some(Self(logs))
    }

    fn resampled_median(&self, draws: &mut RandomDraws, drawn: &mut Vec<f64>) -> f64 {
        if let [only] = self.0[..] {
            return only;
        }
        drawn.clear();
        drawn.extend((0..self.0.len()).map(|_| self.0[draws.below(self.0.len())]));
        select_median(drawn)
    }
}

/// Random numbers that are the same on every machine: ChaCha with eight rounds, whose stream is specified.
pub(super) struct RandomDraws(pub(super) ChaCha8Rng);

impl RandomDraws {
    /// A number from 0 to `limit` − 1. The upper half of a product of 128 bits: uniform to within limit / 2⁶⁴.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.0.next_u64()) * limit as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::super::{log_ratios, pseudomedian};
    use super::*;

    fn resampling(seed: u64) -> ResamplingOptions {
        ResamplingOptions {
            seed,
            resamples: 400,
            confidence: 0.95,
        }
    }

    fn head_over_base(rounds: &[MeasurementRound], resampling: ResamplingOptions) -> Option<ConfidenceInterval> {
        ratio_interval(rounds, |round| &round.head, |round| &round.base, resampling)
    }

    fn rounds_of(pairs: impl IntoIterator<Item = (Vec<f64>, Vec<f64>)>) -> Vec<MeasurementRound> {
        pairs
            .into_iter()
            .map(|(base, head)| MeasurementRound {
                base: ProcessStart(base),
                control: ProcessStart(Vec::new()),
                head: ProcessStart(head),
            })
            .collect()
    }

    /// A sum of uniform numbers: bell-shaped, with a variance of one.
    fn noise(draws: &mut RandomDraws) -> f64 {
        let sum: f64 = (0..12).map(|_| draws.below(1 << 30) as f64 / f64::from(1 << 30)).sum();
        sum - 6.0
    }

    fn simulated(seed: u64, rounds: usize, iterations: usize, ratio: f64) -> Vec<MeasurementRound> {
        let mut draws = RandomDraws(ChaCha8Rng::seed_from_u64(seed));
        rounds_of((0..rounds).map(|_| {
            let machine = (0.2 * noise(&mut draws)).exp();
            let mut start = |factor: f64| {
                let start = factor * (0.02 * noise(&mut draws)).exp();
                (0..iterations)
                    .map(|_| 1e6 * machine * start * (0.03 * noise(&mut draws)).exp())
                    .collect()
            };
            (start(1.0), start(ratio))
        }))
    }

    #[test]
    fn the_interval_holds_the_true_ratio_as_often_as_it_says() {
        let trials = 200;
        for (rounds, iterations) in [(10, 5), (20, 1)] {
            let held = (0..trials)
                .filter(|seed| {
                    let rounds = simulated(*seed, rounds, iterations, 1.05);
                    let interval = head_over_base(&rounds, resampling(*seed)).unwrap();
                    interval.low <= 1.05 && 1.05 <= interval.high
                })
                .count();
            // 95% of 200 is 190; 180 and 199 are beyond three standard deviations of that.
            assert!((180..=199).contains(&held), "{held} of {trials}");
        }
    }

    #[test]
    fn noise_that_both_sides_share_does_not_widen_it() {
        let interval = head_over_base(&simulated(1, 20, 5, 1.0), resampling(1)).unwrap();
        // The machine's noise has a standard deviation of 20%, the starts' of 2%.
        assert!(interval.high - interval.low < 0.04, "{interval:?}");
    }

    #[test]
    fn a_seed_fixes_the_interval() {
        let rounds = simulated(7, 10, 5, 1.1);
        assert_eq!(
            head_over_base(&rounds, resampling(3)),
            head_over_base(&rounds, resampling(3))
        );
        assert_ne!(
            head_over_base(&rounds, resampling(3)),
            head_over_base(&rounds, resampling(4))
        );
    }

    #[test]
    fn one_steady_round_is_its_own_interval() {
        let rounds = rounds_of([(vec![100.0], vec![110.0])]);
        let interval = head_over_base(&rounds, resampling(0)).unwrap();
        assert!((interval.low - 1.1).abs() < 1e-12 && (interval.high - 1.1).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_compared_is_left_out() {
        assert_eq!(head_over_base(&[], resampling(0)), None);
        let rounds = rounds_of([(vec![], vec![1.0]), (vec![f64::NAN], vec![1.0])]);
        assert_eq!(head_over_base(&rounds, resampling(0)), None);
    }

    #[test]
    fn thousands_of_iterations_are_thinned() {
        let many: Vec<f64> = (1..=10_000).map(f64::from).collect();
        let thinned = LogTimes::of(&ProcessStart(many)).unwrap();
        assert_eq!(thinned.0.len(), ITERATIONS_RESAMPLED);
        assert_eq!((thinned.0[0], thinned.0[63]), (0.0, 10_000f64.ln()));
    }

    fn few_rounds() -> impl Strategy<Value = Vec<MeasurementRound>> {
        prop::collection::vec((1.0f64..1e6, 1.0f64..1e6), 1..12)
            .prop_map(|pairs| rounds_of(pairs.into_iter().map(|(a, b)| (vec![a], vec![b]))))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn exchanged_sides_give_the_reciprocal(rounds in few_rounds(), seed in any::<u64>()) {
            let forth = head_over_base(&rounds, resampling(seed)).unwrap();
            let back = ratio_interval(&rounds, |round| &round.base, |round| &round.head, resampling(seed)).unwrap();
            prop_assert!((forth.low * back.high - 1.0).abs() < 1e-9);
            prop_assert!((forth.high * back.low - 1.0).abs() < 1e-9);
        }

        #[test]
        fn another_unit_of_time_changes_nothing(rounds in few_rounds(), factor in 1e-3f64..1e3) {
            let scaled: Vec<MeasurementRound> = rounds_of(rounds.iter().map(|round| {
                (vec![round.base.0[0] * factor], vec![round.head.0[0] * factor])
            }));
            let (one, other) = (
                head_over_base(&rounds, resampling(5)).unwrap(),
                head_over_base(&scaled, resampling(5)).unwrap(),
            );
            prop_assert!((one.low / other.low - 1.0).abs() < 1e-9);
            prop_assert!((one.high / other.high - 1.0).abs() < 1e-9);
        }

        #[test]
        fn more_confidence_is_a_wider_interval(rounds in few_rounds(), less in 0.1f64..0.9) {
            let estimate = pseudomedian(&log_ratios(&rounds, |round| &round.head, |round| &round.base)).unwrap().exp();
            let narrow = head_over_base(&rounds, ResamplingOptions { confidence: less, ..resampling(2) }).unwrap();
            let wide = head_over_base(&rounds, ResamplingOptions { confidence: 0.99, ..resampling(2) }).unwrap();
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
            let extremes = log_ratios(&rounds, |round| &round.head, |round| &round.base);
            let (least, most) = extremes.iter().fold((f64::MAX, f64::MIN), |(a, b), r| (a.min(*r), b.max(*r)));
            prop_assert!(least.exp() <= estimate * (1.0 + 1e-9) && estimate <= most.exp() * (1.0 + 1e-9));
            prop_assert!(least.exp() <= wide.low * (1.0 + 1e-9) && wide.high <= most.exp() * (1.0 + 1e-9));
        }
    }
}
