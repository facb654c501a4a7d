//! The cost that the changes of a version put at risk → the probability that the benchmark moves by a threshold.
//!
//! |D| is assumed to be log-logistic: P(|D| ≥ t) = 1 / (1 + (t / s)^b), where the scale s, the median movement, is the
//! weighted sum of the cost at risk by class of change. Without any cost at risk the benchmark cannot move. This file
//! holds the form only. The study fits its parameters, through [`Calibration::parameters`] and [`FeatureVector`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cost::{ChangeClass, PredictionTerms};

/// The parameters that turn evidence into a probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// b: how steeply the probability falls as the threshold passes the scale. Above 0.
    pub shape: f64,
    /// Weight of a priced change of 1, in either direction, in the scale.
    pub expected: f64,
    /// Weight of each class in the scale, for a cost at risk of 1 (the benchmark's whole cost). A missing class has
    /// weight 0.
    pub weights: BTreeMap<ChangeClass, f64>,
}

/// Limits a cost at risk to the benchmark's whole cost: bounds of code that never ran can multiply to thousands. A
/// value that is not a number counts as the whole cost.
fn credible(share: f64) -> f64 {
    // The minimum of a number and NaN is the number.
    share.abs().min(1.0)
}

/// The class whose weight is never learned: benchmarks of a harness are compiled with the harness's settings and
/// today's compiler, so histories say nothing about the settings of old versions.
const GIVEN: ChangeClass = ChangeClass::Optimisation;

/// Weight of a class before any measurement: half of the changes to code move it by less than a twentieth of its cost.
const UNSEEN: f64 = 0.05;

impl Calibration {
    /// The assumptions before any measurement. Classes that were never seen keep them.
    #[must_use]
    pub fn prior() -> Self {
        Self {
            shape: 1.0,
            expected: 0.5,
            weights: ChangeClass::ALL.iter().map(|class| (*class, UNSEEN)).collect(),
        }
    }

    /// Removes some classes: their cost at risk counts as 0, and no fit restores them.
    #[must_use]
    pub fn without(&self, classes: &[ChangeClass]) -> Self {
        let mut kept = self.clone();
        kept.weights.retain(|class, _| !classes.contains(class));
        kept
    }

    /// The median movement, as a share of the benchmark's cost; 0 without any cost at risk.
    #[must_use]
    pub fn scale(&self, terms: &PredictionTerms) -> f64 {
        let touched: f64 = terms
            .touched
            .iter()
            .filter_map(|(class, share)| Some(self.weights.get(class)? * credible(*share)))
            .sum();
        touched + self.expected * credible(terms.expected)
    }

    /// P(|D| ≥ threshold), in 0..=1; 0 without any cost at risk. `threshold` is above 0.
    #[must_use]
    pub fn probability(&self, terms: &PredictionTerms, threshold: f64) -> f64 {
        let scale = self.scale(terms);
        if scale <= 0.0 {
            return 0.0;
        }
        1.0 / (1.0 + (threshold / scale).powf(self.shape))
    }

    /// Logarithms of the parameters that are above 0, in a fixed order; the others are constant.
    pub fn parameters(&self) -> Vec<f64> {
        let mut parameters = vec![self.shape.ln()];
        parameters.extend(self.scales().map(|(_, weight)| weight.ln()));
        parameters
    }

    /// The parameters of this form, with the values of another calibration where it has them.
    pub fn starting_at(&self, other: &Self) -> Self {
        let mut start = self.clone();
        start.shape = other.shape;
        if start.expected > 0.0 && other.expected > 0.0 {
            start.expected = other.expected;
        }
        for (class, weight) in &mut start.weights {
            let known = other.weights.get(class).filter(|known| **known > 0.0);
            if let (true, Some(known)) = (*weight > 0.0, known) {
                *weight = *known;
            }
        }
        start
    }

    /// The same form with other parameters.
    pub fn with_parameters(&self, parameters: &[f64]) -> Self {
        let mut other = self.clone();
        other.shape = parameters[0].exp();
        for ((class, _), parameter) in self.scales().zip(&parameters[1..]) {
            match class {
                None => other.expected = parameter.exp(),
                Some(class) => {
                    other.weights.insert(class, parameter.exp());
                }
            }
        }
        other
    }

    /// The cost at risk, by index of the parameter that weighs it.
    pub fn touches(&self, terms: &PredictionTerms) -> FeatureVector {
        let amounts = self
            .scales()
            .zip(1..)
            .filter_map(|((class, _), index)| {
                let amount = match class {
                    None => credible(terms.expected),
                    Some(class) => credible(*terms.touched.get(&class)?),
                };
                (amount > 0.0).then_some((index, amount))
            })
            .collect();
        FeatureVector(amounts)
    }

    /// The priced share (without a class), then each class that a study can teach; those with weight 0 are left out.
    fn scales(&self) -> impl Iterator<Item = (Option<ChangeClass>, f64)> + '_ {
        std::iter::once((None, self.expected))
            .chain(self.weights.iter().map(|(class, w)| (Some(*class), *w)))
            .filter(|(class, weight)| *weight > 0.0 && *class != Some(GIVEN))
    }
}

/// Amounts by index of the parameter that weighs them.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureVector(Vec<(usize, f64)>);

impl FeatureVector {
    /// True without any cost at risk.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// ln of the scale, and its derivative by each parameter that it depends on. Takes the parameters themselves and
    /// derives by their logarithms.
    pub fn log_scale(&self, figures: &[f64], slopes: &mut Vec<(usize, f64)>) -> f64 {
        slopes.clear();
        let mut scale = 0.0;
        for &(index, amount) in &self.0 {
            let part = figures[index] * amount;
            slopes.push((index, part));
            scale += part;
        }
        slopes.iter_mut().for_each(|(_, part)| *part /= scale);
        scale.ln()
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

    #[test]
    fn the_median_movement_is_reached_in_half_of_the_cases() {
        let calibration = Calibration::prior();
        let terms = terms(-0.1, &[(ChangeClass::Rebuilt, 0.4)]);
        // 0.5 · 0.1 + 0.05 · 0.4
        assert!((calibration.scale(&terms) - 0.07).abs() < 1e-12);
        assert!((calibration.probability(&terms, 0.07) - 0.5).abs() < 1e-12);
        assert!((calibration.probability(&terms, 0.14) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_touched_moves_nothing_and_nonsense_is_a_risk() {
        let calibration = Calibration::prior();
        assert_eq!(calibration.probability(&terms(0.0, &[]), 0.05), 0.0);
        let everything = calibration.probability(&terms(1.0, &[]), 0.05);
        for nonsense in [f64::NAN, f64::INFINITY, -1e300] {
            let reached = calibration.probability(&terms(nonsense, &[]), 0.05);
            assert_eq!(reached, everything);
        }
    }

    #[test]
    fn the_larger_the_threshold_the_less_probable() {
        let calibration = Calibration::prior();
        let terms = terms(0.02, &[(ChangeClass::Calls, 0.3)]);
        let probabilities: Vec<f64> = [0.01, 0.05, 0.2, 0.5]
            .map(|threshold| calibration.probability(&terms, threshold))
            .into();
        assert!(probabilities.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn parameters_go_there_and_back_and_absent_classes_stay_absent() {
        let calibration = Calibration::prior().without(&[ChangeClass::Macro]);
        let back = calibration.with_parameters(&calibration.parameters());
        assert!((back.expected - 0.5).abs() < 1e-12);
        assert_eq!(back.weights.len(), ChangeClass::ALL.len() - 1);
        assert!(
            calibration
                .touches(&terms(0.0, &[(ChangeClass::Macro, 1.0)]))
                .is_empty()
        );
    }
}
