//! The changed share of a benchmark's cost, by class → the probability that the benchmark moves by a threshold.
//!
//! |D| is taken to be log-logistic: P(|D| ≥ t) = 1 / (1 + (t / s)^b), where the scale s, the median movement, is the
//! weighted sum of the shares that the classes of change touch. A benchmark in which nothing is touched cannot move.
//! This file evaluates the form; the accuracy study fits its figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cost::{ChangeClass, PredictionTerms};

/// The figures that turn evidence into a probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// b: how sharply the probability falls as the threshold passes the scale. Above 0.
    pub shape: f64,
    /// Amount that a priced change of 1 adds to the scale, up or down alike.
    pub expected: f64,
    /// Amount that each class adds to the scale where it touches 1 (the benchmark's whole cost). A class that is
    /// missing adds nothing.
    pub weights: BTreeMap<ChangeClass, f64>,
    /// The least probability of a benchmark whose whole priced range lies beyond the threshold
    /// ([`PredictionTerms::is_priced_beyond`]), in 0..=1: the share of such benchmarks that moved by the threshold. The
    /// classes have one weight each for all their changes; a range that is priced exactly says more than that.
    pub priced_beyond: f64,
}

/// Limits a touched share to the benchmark's whole cost: bounds of code that was never run multiply up to thousands.
/// NaN counts as everything.
#[must_use]
pub fn credible_share(share: f64) -> f64 {
    // `min` of a number and NaN is the number.
    share.abs().min(1.0)
}

impl Calibration {
    /// The median movement, a share of the benchmark's cost: 0 where nothing is touched.
    #[must_use]
    pub fn scale(&self, terms: &PredictionTerms) -> f64 {
        let touched: f64 = terms
            .touched
            .iter()
            .filter_map(|(class, share)| Some(self.weights.get(class)? * credible_share(*share)))
            .sum();
        touched + self.expected * credible_share(terms.expected)
    }

    /// P(|D| ≥ threshold), in 0..=1; 0 where nothing is touched. `threshold` above 0.
    #[must_use]
    pub fn probability(&self, terms: &PredictionTerms, threshold: f64) -> f64 {
        let scale = self.scale(terms);
        if scale <= 0.0 {
            return 0.0;
        }
        let probability = 1.0 / (1.0 + (threshold / scale).powf(self.shape));
        match terms.is_priced_beyond(threshold) {
            true => probability.max(self.priced_beyond),
            false => probability,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(expected: f64, touched: &[(ChangeClass, f64)]) -> PredictionTerms {
        PredictionTerms {
            expected,
            touched: touched.iter().copied().collect(),
        }
    }

    fn calibration() -> Calibration {
        Calibration {
            shape: 1.0,
            expected: 0.5,
            weights: ChangeClass::ALL.iter().map(|class| (*class, 0.05)).collect(),
            priced_beyond: 0.3,
        }
    }

    #[test]
    fn the_median_movement_is_reached_in_half_of_the_cases() {
        let calibration = calibration();
        let terms = terms(-0.1, &[(ChangeClass::Rebuilt, 0.4)]);
        // 0.5 · 0.1 + 0.05 · 0.4
        assert!((calibration.scale(&terms) - 0.07).abs() < 1e-12);
        assert!((calibration.probability(&terms, 0.07) - 0.5).abs() < 1e-12);
        assert!((calibration.probability(&terms, 0.14) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_touched_moves_nothing_and_nonsense_is_a_risk() {
        let calibration = calibration();
        assert_eq!(calibration.probability(&terms(0.0, &[]), 0.05), 0.0);
        let everything = calibration.probability(&terms(1.0, &[]), 0.05);
        for nonsense in [f64::NAN, f64::INFINITY, -1e300] {
            let reached = calibration.probability(&terms(nonsense, &[]), 0.05);
            assert_eq!(reached, everything);
        }
    }

    #[test]
    fn a_range_that_lies_beyond_the_threshold_as_a_whole_is_never_improbable() {
        let faint = Calibration {
            expected: 1e-9,
            ..calibration()
        };
        // +5.7% to +6.7%, and the same as a saving.
        for expected in [0.062, -0.062] {
            let exactly = terms(expected, &[(ChangeClass::Work, 0.005)]);
            assert_eq!(faint.probability(&exactly, 0.05), 0.3);
            assert!(faint.probability(&exactly, 0.06) < 0.01);
            let vaguely = terms(expected, &[(ChangeClass::Calls, 0.012), (ChangeClass::Work, 0.005)]);
            assert!(faint.probability(&vaguely, 0.05) < 0.02);
        }
    }

    #[test]
    fn the_larger_the_threshold_the_less_probable() {
        let calibration = calibration();
        let terms = terms(0.02, &[(ChangeClass::Calls, 0.3)]);
        let probabilities: Vec<f64> = [0.01, 0.05, 0.2, 0.5]
            .map(|threshold| calibration.probability(&terms, threshold))
            .into();
        assert!(probabilities.windows(2).all(|pair| pair[0] > pair[1]));
    }
}
