//! From bounds to a probability.
//!
//! The relative change is taken to be distributed as a normal with one standard deviation below its
//! expectation and another above (a two-piece normal, each half with its own width), the bounds lying
//! `bounds_at` deviations out. The figure ranks versions; it is not calibrated on history.

use crate::cost::{Estimate, Risk};

/// Probability that a change of this size reaches `threshold` in either direction, in 0..=1.
#[must_use]
pub(super) fn of_reaching(share: Estimate, threshold: f64, risk: &Risk) -> f64 {
    let slower = above(
        threshold - share.expected,
        (share.high - share.expected) / risk.bounds_at,
        share,
        risk,
    );
    let faster = above(
        threshold + share.expected,
        (share.expected - share.low) / risk.bounds_at,
        -share,
        risk,
    );
    (slower + faster).clamp(0.0, 1.0)
}

/// Probability of lying at least `distance` above the expectation. Below the expectation the other half's
/// deviation counts.
fn above(distance: f64, deviation: f64, share: Estimate, risk: &Risk) -> f64 {
    if distance > 0.0 {
        normal_tail(distance, deviation)
    } else {
        let below = (share.expected - share.low) / risk.bounds_at;
        1.0 - normal_tail(-distance, below)
    }
}

/// P(X ≥ x) for a normal of mean 0 and the given standard deviation; a step where that is 0.
fn normal_tail(x: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return if x <= 0.0 { 1.0 } else { 0.0 };
    }
    0.5 * complementary_error(x / deviation / std::f64::consts::SQRT_2)
}

/// erfc, by Abramowitz and Stegun, Handbook of Mathematical Functions, formula 7.1.26: absolute error below
/// 1.5e-7.
fn complementary_error(x: f64) -> f64 {
    const P: f64 = 0.327_591_1;
    const A: [f64; 5] = [
        0.254_829_592,
        -0.284_496_736,
        1.421_413_741,
        -1.453_152_027,
        1.061_405_429,
    ];
    let t = 1.0 / (1.0 + P * x.abs());
    let series = A
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    let tail = series * (-x * x).exp();
    if x < 0.0 { 2.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RISK: Risk = Risk {
        bounds_at: 2.0,
        select_at: 0.05,
        without_sample: 0.5,
    };

    #[test]
    fn the_error_function_agrees_with_its_table() {
        // Handbook of Mathematical Functions, table 7.1.
        for (x, erf) in [
            (0.0, 0.0),
            (0.5, 0.520_499_877_8),
            (1.0, 0.842_700_792_9),
            (2.0, 0.995_322_265_0),
        ] {
            assert!(
                (1.0 - complementary_error(x) - erf).abs() < 1.5e-7,
                "erf({x})"
            );
            assert!(
                (complementary_error(-x) - 1.0 - erf).abs() < 1.5e-7,
                "erf(-{x})"
            );
        }
    }

    #[test]
    fn a_certain_change_reaches_the_threshold_or_not() {
        assert!((of_reaching(Estimate::exactly(0.06), 0.05, &RISK) - 1.0).abs() < f64::EPSILON);
        assert!(of_reaching(Estimate::exactly(0.04), 0.05, &RISK) < f64::EPSILON);
        assert!((of_reaching(Estimate::exactly(-0.06), 0.05, &RISK) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn wider_bounds_are_more_probable_to_reach_it() {
        let narrow = of_reaching(Estimate::between(-0.01, 0.0, 0.01), 0.05, &RISK);
        let wide = of_reaching(Estimate::between(-0.10, 0.0, 0.10), 0.05, &RISK);
        assert!(
            narrow < 1e-6 && (0.2..0.5).contains(&wide),
            "{narrow} {wide}"
        );
    }

    #[test]
    fn beyond_the_threshold_the_width_towards_it_counts_in_either_direction() {
        // 0.05 back to the threshold with a deviation of 0.03: five thirds of one, Φ(5/3).
        for share in [
            Estimate::between(0.04, 0.10, 0.50),
            Estimate::between(-0.50, -0.10, -0.04),
        ] {
            let reached = of_reaching(share, 0.05, &RISK);
            assert!((reached - 0.952_209_6).abs() < 1e-6, "{reached}");
        }
    }

    #[test]
    fn each_direction_has_its_own_width() {
        let only_slower = of_reaching(Estimate::between(0.0, 0.0, 0.10), 0.05, &RISK);
        let both = of_reaching(Estimate::between(-0.10, 0.0, 0.10), 0.05, &RISK);
        assert!((2.0 * only_slower - both).abs() < 1e-9);
    }
}
