//! Measured movements and the cost that their changes put at risk → the calibration with the highest probability of
//! these movements.
//!
//! Maximises Σ over the observations and [`THRESHOLDS`] of the log-probability of the outcome: threshold reached or not
//! reached. A weak normal prior on the logarithms of the parameters keeps rarely seen classes near their prior.
//! Deterministic.

use super::bfgs::minimise;
use super::calibration_parameters::{FeatureVector, features, parameters, starting_at, with_parameters};
use analyzer::cost::{Calibration, PredictionTerms};

/// The movements at which the probability is fitted.
pub const THRESHOLDS: [f64; 5] = [0.01, 0.02, 0.05, 0.10, 0.20];

/// Standard deviation of the prior on a logarithm: a factor of four in either direction is not unusual.
const PRIOR_DEVIATION: f64 = 1.4;

/// One benchmark at one version, with the data for fitting a calibration.
#[derive(Debug, Clone, Copy)]
pub struct FitObservation<'a> {
    /// The cost at risk from the version's changes.
    pub terms: &'a PredictionTerms,
    /// D.
    pub change: f64,
    /// Weight: 1 divided by the number of the version's benchmarks, which move together.
    pub weight: f64,
}

/// The best calibration of the form of `prior`, held near it. Without observations, `prior`.
#[must_use]
pub fn fit(observations: &[FitObservation<'_>], prior: &Calibration) -> Calibration {
    fit_from(observations, prior, prior)
}

/// The best calibration, with a starting point other than the prior.
pub(super) fn fit_from(observations: &[FitObservation<'_>], prior: &Calibration, start: &Calibration) -> Calibration {
    let cases = cases(observations, prior);
    let centre = parameters(prior);
    let found = minimise(parameters(&starting_at(prior, start)), |parameters, slope| {
        loss(&cases, &centre, parameters, slope)
    });
    Calibration {
        priced_beyond: priced_beyond(observations, prior.priced_beyond),
        ..with_parameters(prior, &found)
    }
}

/// How many observations the prior of [`Calibration::priced_beyond`] counts for.
const PRIOR_OBSERVATIONS: f64 = 2.0;

/// The share of the observations that reached a threshold, of those whose whole priced range lies beyond it.
fn priced_beyond(observations: &[FitObservation<'_>], prior: f64) -> f64 {
    let (mut reached, mut all) = (prior * PRIOR_OBSERVATIONS, PRIOR_OBSERVATIONS);
    for observation in observations.iter().filter(|observation| observation.change.is_finite()) {
        for threshold in THRESHOLDS {
            if observation.terms.is_priced_beyond(threshold) {
                all += observation.weight;
                reached += observation.weight * f64::from(u8::from(observation.change.abs() >= threshold));
            }
        }
    }
    reached / all
}

struct FitCase {
    touches: FeatureVector,
    reached: [bool; THRESHOLDS.len()],
    weight: f64,
}

fn cases(observations: &[FitObservation<'_>], form: &Calibration) -> Vec<FitCase> {
    observations
        .iter()
        .filter(|observation| observation.change.is_finite())
        .map(|observation| FitCase {
            touches: features(form, observation.terms),
            reached: THRESHOLDS.map(|threshold| observation.change.abs() >= threshold),
            weight: observation.weight,
        })
        // Without any cost at risk the probability is 0 under all parameters.
        .filter(|case| !case.touches.is_empty())
        .collect()
}

/// Negative log-posterior; writes its gradient into `slope`. With z = b (ln s − ln t), the probability is 1 / (1 +
/// e^−z).
fn loss(cases: &[FitCase], centre: &[f64], parameters: &[f64], slope: &mut [f64]) -> f64 {
    let mut loss = 0.0;
    for ((s, parameter), centre) in slope.iter_mut().zip(parameters).zip(centre) {
        let off = (parameter - centre) / PRIOR_DEVIATION;
        loss += off * off / 2.0;
        *s = off / PRIOR_DEVIATION;
    }
    let figures: Vec<f64> = parameters.iter().map(|parameter| parameter.exp()).collect();
    let shape = figures[0];
    let log_thresholds = THRESHOLDS.map(f64::ln);
    let mut slopes = Vec::new();
    for case in cases {
        let log_scale = case.touches.log_scale(&figures, &mut slopes);
        let mut by_log_scale = 0.0;
        for (log_threshold, reached) in log_thresholds.iter().zip(case.reached) {
            let z = shape * (log_scale - log_threshold);
            let miss = if reached { -z } else { z };
            // ln(1 + e^miss) and e^miss / (1 + e^miss), without overflow.
            let small = (-miss.abs()).exp();
            loss += case.weight * (miss.max(0.0) + small.ln_1p());
            let wrong = if miss > 0.0 { 1.0 } else { small } / (1.0 + small);
            let by_z = case.weight * if reached { -wrong } else { wrong };
            by_log_scale += by_z * shape;
            slope[0] += by_z * z;
        }
        for &(index, derivative) in &slopes {
            slope[index] += by_log_scale * derivative;
        }
    }
    loss
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::calibration_parameters::prior_calibration;
    use super::*;
    use analyzer::cost::ChangeClass;

    /// Evenly spread numbers in 0..1, the same for every call (additive recurrence with the golden ratio and others).
    fn spread(n: usize, step: f64) -> f64 {
        (0.5 + n as f64 * step).fract()
    }

    fn simulated(truth: &Calibration, count: usize) -> Vec<(PredictionTerms, f64)> {
        (0..count)
            .map(|n| {
                let touched = BTreeMap::from([
                    (ChangeClass::Rebuilt, 10f64.powf(-3.0 * spread(n, 0.618_033_988_7))),
                    (ChangeClass::Calls, 10f64.powf(-3.0 * spread(n, 0.754_877_666_2))),
                ]);
                let terms = PredictionTerms { expected: 0.0, touched };
                // The quantile function of the log-logistic distribution.
                let u = spread(n, 0.569_840_290_9).clamp(1e-9, 1.0 - 1e-9);
                let change = truth.scale(&terms) * (u / (1.0 - u)).powf(1.0 / truth.shape);
                (terms, if n % 2 == 0 { change } else { -change })
            })
            .collect()
    }

    fn observations(rows: &[(PredictionTerms, f64)]) -> Vec<FitObservation<'_>> {
        rows.iter()
            .map(|(terms, change)| FitObservation {
                terms,
                change: *change,
                weight: 1.0,
            })
            .collect()
    }

    #[test]
    fn recovers_the_figures_behind_simulated_movements() {
        let mut truth = prior_calibration();
        truth.shape = 1.7;
        truth.weights.insert(ChangeClass::Rebuilt, 0.02);
        truth.weights.insert(ChangeClass::Calls, 0.6);
        let rows = simulated(&truth, 4000);
        let found = fit(&observations(&rows), &prior_calibration());
        assert!((found.shape / 1.7 - 1.0).abs() < 0.08, "{}", found.shape);
        for class in [ChangeClass::Rebuilt, ChangeClass::Calls] {
            let ratio = found.weights[&class] / truth.weights[&class];
            assert!((0.75..1.33).contains(&ratio), "{class:?}: {ratio}");
        }
        // Never seen: as the prior has it.
        let prior = prior_calibration().weights[&ChangeClass::Type];
        assert!((found.weights[&ChangeClass::Type] - prior).abs() < 1e-9);
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let rows = simulated(&prior_calibration(), 50);
        let prior = prior_calibration();
        let cases = cases(&observations(&rows), &prior);
        let centre = parameters(&prior);
        let mut at = centre.clone();
        at[0] = 0.3;
        at[2] = -1.0;
        let mut slope = vec![0.0; at.len()];
        loss(&cases, &centre, &at, &mut slope);
        let mut scratch = slope.clone();
        for index in 0..at.len() {
            let mut side = |step: f64| {
                let mut moved = at.clone();
                moved[index] += step;
                loss(&cases, &centre, &moved, &mut scratch)
            };
            let numeric = (side(1e-5) - side(-1e-5)) / 2e-5;
            assert!(
                (numeric - slope[index]).abs() < 1e-5 * (1.0 + numeric.abs()),
                "{index}: {numeric} {}",
                slope[index]
            );
        }
    }

    #[test]
    fn a_whole_range_beyond_a_threshold_is_as_probable_as_it_was() {
        let exactly = |expected| PredictionTerms {
            expected,
            touched: BTreeMap::from([(ChangeClass::Work, 0.0001)]),
        };
        // Beyond 1% and 2%; a quarter reached both, a quarter the first.
        let rows: Vec<(PredictionTerms, f64)> = [0.03, 0.011, 0.0, 0.0]
            .into_iter()
            .cycle()
            .take(400)
            .map(|change| (exactly(0.03), change))
            .collect();
        let found = fit(&observations(&rows), &prior_calibration());
        assert!((found.priced_beyond - 0.375).abs() < 0.001, "{}", found.priced_beyond);
    }

    #[test]
    fn without_observations_the_prior_stays() {
        let found = fit(&[], &prior_calibration());
        for (class, weight) in prior_calibration().weights {
            assert!((found.weights[&class] - weight).abs() < 1e-12);
        }
    }
}
