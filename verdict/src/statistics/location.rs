//! Paired starts into log ratios, and these into one robust figure.
//!
//! Logarithms make the comparison symmetrical: what doubles and what halves are equally far from no change.

use super::quantile::{median, select_median};
use crate::{MeasurementRound, ProcessStart};

/// The logarithm of `numerator / denominator` of each round, a side being the median of its start's iterations.
/// Rounds in which a side has no positive finite median say nothing and are left out.
#[must_use]
pub fn log_ratios<'a>(
    rounds: &'a [MeasurementRound],
    numerator: impl Fn(&'a MeasurementRound) -> &'a ProcessStart,
    denominator: impl Fn(&'a MeasurementRound) -> &'a ProcessStart,
) -> Vec<f64> {
    rounds
        .iter()
        .filter_map(|round| Some(start_median(numerator(round))?.ln() - start_median(denominator(round))?.ln()))
        .collect()
}

/// The estimate of Hodges and Lehmann, *Estimates of location based on rank tests*, Annals of Mathematical Statistics
/// 34 (1963): the median of the means of all pairs, each value with itself included. Up to 29% of the values may be
/// arbitrary, at 95% of the mean's efficiency under normal noise. Quadratic in time and memory. `None` without values.
#[must_use]
pub fn pseudomedian(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| of_pairs(values, &mut Vec::new()))
}

/// The value of a start: the median of its iterations, if that is a positive number.
pub(super) fn start_median(start: &ProcessStart) -> Option<f64> {
    median(&start.0).filter(|median| median.is_finite() && *median > 0.0)
}

/// [`pseudomedian`] with the memory for the pairs lent.
pub(super) fn of_pairs(values: &[f64], pairs: &mut Vec<f64>) -> f64 {
    pairs.clear();
    for (index, first) in values.iter().enumerate() {
        pairs.extend(values[index..].iter().map(|second| (first + second) * 0.5));
    }
    select_median(pairs)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_estimate_agrees_with_the_definition_computed_elsewhere() {
        // The definition above in NumPy.
        let values = [1.1, -0.4, 2.3, 0.7, 3.1, -0.2, 1.9, 0.6, 2.8, 1.4];
        assert!((pseudomedian(&values).unwrap() - 1.3).abs() < 1e-12);
        // Darwin's maize (Fisher, The Design of Experiments, section 17).
        let maize = [
            6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0,
        ];
        assert_eq!(pseudomedian(&maize), Some(25.0));
    }

    #[test]
    fn a_quarter_of_wild_values_does_not_carry_the_estimate_off() {
        let mut values = vec![0.01; 15];
        values.extend([9.0; 5]);
        assert_eq!(pseudomedian(&values), Some(0.01));
    }

    #[test]
    fn rounds_without_a_figure_are_left_out() {
        let start = |values: &[f64]| ProcessStart(values.to_vec());
        let round = |base: &[f64], head: &[f64]| MeasurementRound {
            base: start(base),
            control: start(&[]),
            head: start(head),
        };
        let rounds = [
            round(&[1.0, 2.0, 9.0], &[4.0]),
            round(&[], &[4.0]),
            round(&[0.0], &[4.0]),
            round(&[f64::NAN], &[4.0]),
            round(&[1.0], &[f64::INFINITY]),
        ];
        let ratios = log_ratios(&rounds, |round| &round.head, |round| &round.base);
        assert_eq!(ratios.len(), 1);
        assert!((ratios[0] - 2f64.ln()).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn the_estimate_shifts_and_mirrors(values in prop::collection::vec(-10.0f64..10.0, 1..25), by in -5.0f64..5.0) {
            let estimate = pseudomedian(&values).unwrap();
            let shifted: Vec<f64> = values.iter().map(|value| value + by).collect();
            prop_assert!((pseudomedian(&shifted).unwrap() - estimate - by).abs() < 1e-9);
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            prop_assert_eq!(pseudomedian(&mirrored).unwrap(), -estimate);
        }
    }
}
