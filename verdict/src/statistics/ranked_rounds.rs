//! Rounds of one start of the head and two of the base → evidence that the head differs, and an interval for its ratio,
//! both valid after every round.
//!
//! Knows times only by their order within a round: neither the noise's distribution nor a stall of the machine matters.

use super::ConfidenceInterval;
use super::quantile::{median, of_sorted};
use crate::{MeasurementRound, ProcessStart};

/// Starts of the base in a round: the base and its control.
const RIVALS: f64 = 2.0;

/// How strongly the head's place is bet on: the logarithm of how much likelier one place is taken to be than the next.
/// Of 1/2, it suits a head that differs by half of what starts differ by (a standard deviation); of 4, one that is the
/// slowest in all rounds. Evidence is the mean over the four, so at least a quarter of what the best of them gives.
const BETS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// The ratios head / base of all rounds, each start of the head with both of the base in its round.
///
/// If the head is the base's code, the three starts of a round are exchangeable, because their order is drawn at random:
/// the head is as likely the slowest as the middle or the fastest, whatever happened in the rounds before. A bet `κ`
/// on a slow head multiplies its stake by `3·exp(κ·s) / (exp(κ) + 1 + exp(−κ))`, where `s` is 1 if the head is slowest,
/// −1 if it is fastest, else 0; the expected factor is one. Ties count half. A tied head then has an expected factor
/// below one, as the exponential function is convex. So the product over the rounds is a test martingale against
/// permutations within rounds (Koning, *Measuring evidence against exchangeability and group invariance with e-values*,
/// arXiv 2310.01153), and so is the mean of several bets (Robbins' mixtures, *Statistical methods related to the law of
/// the iterated logarithm*, Annals of Mathematical Statistics 41, 1970). By Ville's inequality (Ramdas, Grünwald, Vovk
/// and Shafer, *Game-theoretic statistics and safe anytime-valid inference*, Statistical Science 38, 2023) it ever
/// exceeds `1/α` with probability `α` at most.
///
/// The sum of `s` is the number of ratios above 1 less the number of rounds, so that the sorted ratios say everything.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedRounds {
    /// Logarithms, ascending, two of each round.
    log_ratios: Vec<f64>,
}

impl RankedRounds {
    /// Takes the median of each start. Rounds in which one of the three is no positive finite number are left out.
    #[must_use]
    pub fn of(rounds: &[MeasurementRound]) -> Self {
        let logs = rounds.iter().filter_map(|round| {
            Some([
                start_log(&round.base)?,
                start_log(&round.control)?,
                start_log(&round.head)?,
            ])
        });
        let mut log_ratios: Vec<f64> = logs
            .flat_map(|[base, control, head]| [head - base, head - control])
            .collect();
        log_ratios.sort_by(f64::total_cmp);
        Self { log_ratios }
    }

    /// The e-value against the head being the base's code: expected to be 1 at most if it is, whenever the rounds end. Half of
    /// the stake is on a slow head, half on a fast one. 1 without rounds.
    #[must_use]
    pub fn evidence(&self) -> f64 {
        let above = self.log_ratios.iter().filter(|ratio| **ratio > 0.0).count() as f64;
        let below = self.log_ratios.iter().filter(|ratio| **ratio < 0.0).count() as f64;
        let lead = (above - below) / RIVALS;
        (self.one_sided(lead) + self.one_sided(-lead)) / 2.0
    }

    /// The ratio by which the head must be divided to be as often the slowest as the fastest: the median of all ratios.
    /// `None` without rounds.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        of_sorted(&self.log_ratios, 0.5).map(f64::exp)
    }

    /// A confidence sequence for the ratio (Howard, Ramdas, McAuliffe and Sekhon, *Time-uniform, nonparametric,
    /// nonasymptotic confidence sequences*, Annals of Statistics 49, 2021, equation 1): with probability `confidence`, the intervals
    /// after all rounds hold it, if the head's times are the base's times the ratio. It has the ratios by which the head can be
    /// divided without one side's evidence reaching `2 / (1 − confidence)`, so its bounds are two of the measured ratios. `None`
    /// while there are too few rounds for any bound.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<ConfidenceInterval> {
        let needed = 2.0 / (1.0 - confidence);
        let count = self.log_ratios.len();
        // Divided by anything below ratio number `passed`, the head is slower in all but that many pairs.
        let refuted = |passed: &usize| self.one_sided(count as f64 / RIVALS - *passed as f64) >= needed;
        let bound = (0..count).take_while(refuted).last()?;
        Some(ConfidenceInterval {
            low: self.log_ratios[bound].exp(),
            high: self.log_ratios[count - 1 - bound].exp(),
        })
    }

    /// The evidence of bets on a slow head, from the rounds in which it was slowest less those in which it was fastest.
    fn one_sided(&self, lead: f64) -> f64 {
        let rounds = self.log_ratios.len() as f64 / RIVALS;
        let won = BETS.map(|bet| {
            let mean = (bet.exp() + 1.0 + (-bet).exp()) / 3.0;
            (bet * lead - rounds * mean.ln()).exp()
        });
        won.iter().sum::<f64>() / BETS.len() as f64
    }
}

/// The logarithm of a start: of the median of its iterations, if that is a positive number.
pub(super) fn start_log(start: &ProcessStart) -> Option<f64> {
    median(&start.0)
        .filter(|median| median.is_finite() && *median > 0.0)
        .map(f64::ln)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn rounds_of(times: &[[f64; 3]]) -> RankedRounds {
        let start = |time: f64| ProcessStart(vec![time]);
        let rounds: Vec<MeasurementRound> = (times.iter())
            .map(|[base, control, head]| MeasurementRound {
                base: start(*base),
                control: start(*control),
                head: start(*head),
            })
            .collect();
        RankedRounds::of(&rounds)
    }

    /// The mean evidence over all assignments of each round's three times to the head.
    fn mean_over_assignments(rounds: &[[f64; 3]]) -> f64 {
        let assignments = 3usize.pow(u32::try_from(rounds.len()).unwrap());
        let total: f64 = (0..assignments)
            .map(|assignment| {
                let assigned: Vec<[f64; 3]> = (rounds.iter().enumerate())
                    .map(|(index, round)| {
                        let mut round = *round;
                        round.rotate_left(assignment / 3usize.pow(u32::try_from(index).unwrap()) % 3);
                        round
                    })
                    .collect();
                rounds_of(&assigned).evidence()
            })
            .sum();
        total / assignments as f64
    }

    #[test]
    fn the_evidence_is_the_formula_computed_elsewhere() {
        // Six rounds with the slowest head, in Python: the mean over the four bets of
        // (3 e^k / (e^k + 1 + e^-k))^6, half of it on a slow head, and the same with e^-k in the numerator.
        let evidence = rounds_of(&[[1.0, 1.5, 2.0]; 6]).evidence();
        assert!((evidence - 129.655077719).abs() < 1e-6, "{evidence}");
        assert_eq!(rounds_of(&[]).evidence(), 1.0);
    }

    #[test]
    fn bounds_are_measured_ratios_and_need_five_rounds() {
        let times: Vec<[f64; 3]> = (0..5).map(|round| [100.0, 100.0, 104.0 + f64::from(round)]).collect();
        assert_eq!(rounds_of(&times[..4]).interval(0.95), None);
        let interval = rounds_of(&times).interval(0.95).unwrap();
        assert!(
            (interval.low - 1.04).abs() < 1e-12 && (interval.high - 1.08).abs() < 1e-12,
            "{interval:?}"
        );
    }

    #[test]
    fn starts_without_a_time_are_left_out() {
        assert_eq!(
            rounds_of(&[[0.0, 1.0, 1.0], [1.0, f64::NAN, 1.0], [1.0, 1.0, f64::INFINITY]]).ratio(),
            None
        );
    }

    proptest! {
        #[test]
        fn identical_code_expects_one_at_most_and_exactly_one_without_ties(
            rounds in prop::collection::vec([1u8..6, 1u8..6, 1u8..6], 1..6),
        ) {
            let rounds: Vec<[f64; 3]> = rounds.iter().map(|round| round.map(f64::from)).collect();
            let mean = mean_over_assignments(&rounds);
            prop_assert!(mean <= 1.0 + 1e-9, "{mean}");
            let tied = rounds.iter().any(|[a, b, c]| a == b || b == c || a == c);
            prop_assert_eq!(tied, mean < 1.0 - 1e-9, "{}", mean);
        }

        #[test]
        fn the_interval_has_what_the_evidence_does_not_refute(
            rounds in prop::collection::vec([0.5f64..2.0, 0.5f64..2.0, 0.5f64..2.0], 5..40),
            ratio in 0.3f64..3.0,
        ) {
            let divided: Vec<[f64; 3]> = rounds.iter().map(|[base, control, head]| [*base, *control, head / ratio]).collect();
            let divided = rounds_of(&divided);
            let above = divided.log_ratios.iter().filter(|log| **log > 0.0).count() as f64;
            let lead = above - rounds.len() as f64;
            let refuted = divided.one_sided(lead) >= 40.0 || divided.one_sided(-lead) >= 40.0;
            let held = (rounds_of(&rounds).interval(0.95)).is_none_or(|bounds| bounds.low <= ratio && ratio <= bounds.high);
            prop_assert_eq!(held, !refuted);
        }
    }
}
