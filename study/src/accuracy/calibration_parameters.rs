//! A calibration as the parameters of a fit, and back.
//!
//! The form itself, which the product evaluates, is [`Calibration`]; this file says where a fit begins, which of its
//! figures a study can learn, and on which of them an observation depends. It minimises nothing: that is [`super::fit`].

use analyzer::cost::{Calibration, ChangeClass, PredictionTerms, credible_share};

/// Classes whose weights are chosen, and never learned. Benchmarks of a harness are compiled with the harness's settings
/// and today's compiler, so that histories say nothing about the build settings of old versions. Values, meanings and
/// inputs hardly ever move anything in the histories; learned, their weights would be near 0, and a value that decides how
/// often a loop runs would be skipped.
const CHOSEN: [(ChangeClass, f64); 4] = [
    (ChangeClass::Optimisation, 0.05),
    (ChangeClass::Value, 0.007),
    (ChangeClass::Redefined, 0.007),
    (ChangeClass::Input, 0.02),
];

/// Weight of a class before anything is known: half of the changes move the code that they touch by less than a
/// twentieth of its cost.
const UNSEEN: f64 = 0.05;

/// Returns the calibration that is assumed without any measurement; classes that were never seen keep its weights.
#[must_use]
pub fn prior_calibration() -> Calibration {
    Calibration {
        shape: 1.0,
        expected: 0.5,
        weights: ChangeClass::ALL
            .iter()
            .map(|class| (*class, chosen(*class).unwrap_or(UNSEEN)))
            .collect(),
        priced_beyond: 0.5,
    }
}

fn chosen(class: ChangeClass) -> Option<f64> {
    CHOSEN
        .iter()
        .find(|(chosen, _)| *chosen == class)
        .map(|(_, weight)| *weight)
}

/// Returns the calibration without some classes: the shares that they touch count for nothing, and no fit brings them
/// back.
pub(super) fn without_classes(calibration: &Calibration, classes: &[ChangeClass]) -> Calibration {
    let mut kept = calibration.clone();
    kept.weights.retain(|class, _| !classes.contains(class));
    kept
}

/// Returns the logarithms of the figures that are above 0, in a fixed order; a fit leaves the others as they are.
pub(super) fn parameters(calibration: &Calibration) -> Vec<f64> {
    let mut parameters = vec![calibration.shape.ln()];
    parameters.extend(scales(calibration).map(|(_, weight)| weight.ln()));
    parameters
}

/// Returns a calibration of the same form with other parameters.
pub(super) fn with_parameters(form: &Calibration, parameters: &[f64]) -> Calibration {
    let mut other = form.clone();
    other.shape = parameters[0].exp();
    for ((class, _), parameter) in scales(form).zip(&parameters[1..]) {
        match class {
            None => other.expected = parameter.exp(),
            Some(class) => {
                other.weights.insert(class, parameter.exp());
            }
        }
    }
    other
}

/// Returns a calibration of the form of one, with the figures of another where that has them.
pub(super) fn starting_at(form: &Calibration, other: &Calibration) -> Calibration {
    let mut start = form.clone();
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

/// Returns the shares that the terms touch, by index of the parameter that weighs them.
pub(super) fn features(form: &Calibration, terms: &PredictionTerms) -> FeatureVector {
    let amounts = scales(form)
        .zip(1..)
        .filter_map(|((class, _), index)| {
            let amount = match class {
                None => credible_share(terms.expected),
                Some(class) => credible_share(*terms.touched.get(&class)?),
            };
            (amount > 0.0).then_some((index, amount))
        })
        .collect();
    FeatureVector(amounts)
}

/// The priced sum (without a class), then each class that a study can teach; without those of weight 0.
fn scales(calibration: &Calibration) -> impl Iterator<Item = (Option<ChangeClass>, f64)> + '_ {
    std::iter::once((None, calibration.expected))
        .chain(calibration.weights.iter().map(|(class, w)| (Some(*class), *w)))
        .filter(|(class, weight)| *weight > 0.0 && class.and_then(chosen).is_none())
}

/// Amounts by index of the parameter that weighs them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeatureVector(Vec<(usize, f64)>);

impl FeatureVector {
    /// True if nothing is touched.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns ln of the scale, and writes its derivative by each parameter that it depends on. Takes the figures
    /// themselves, not their logarithms, by which it derives.
    pub(super) fn log_scale(&self, figures: &[f64], slopes: &mut Vec<(usize, f64)>) -> f64 {
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
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn parameters_go_there_and_back_and_absent_classes_stay_absent() {
        let calibration = without_classes(&prior_calibration(), &[ChangeClass::Macro]);
        let back = with_parameters(&calibration, &parameters(&calibration));
        assert!((back.expected - 0.5).abs() < 1e-12);
        assert_eq!(back.weights.len(), ChangeClass::ALL.len() - 1);
        let terms = PredictionTerms {
            expected: 0.0,
            touched: BTreeMap::from([(ChangeClass::Macro, 1.0)]),
        };
        assert!(features(&calibration, &terms).is_empty());
    }
}
