//! The p-values of many tests into ones that may be compared with a single level.

/// The adjusted p-values of Benjamini and Hochberg, *Controlling the false discovery rate*, Journal of the Royal
/// Statistical Society B 57 (1995), in the order of the input. Those at most `q` are the discoveries: of them, a share
/// of `q` at most is expected to be false. `tests` counts the tests that were made, where not all of them have a
/// p-value here; the others count as 1.
#[must_use]
pub fn adjust_p_values(p_values: &[f64], tests: usize) -> Vec<f64> {
    let tests = tests.max(p_values.len()) as f64;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least: f64 = 1.0;
    for (rank, &index) in order.iter().enumerate().rev() {
        least = least.min(p_values[index] * tests / (rank + 1) as f64);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The article's example, a trial of treatments after infarction: fifteen p-values, four of them discoveries at 5%.
    const PUBLISHED: [f64; 15] = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1.0,
    ];

    #[test]
    fn the_published_example_has_four_discoveries() {
        let values = adjust_p_values(&PUBLISHED, 0);
        assert_eq!(values.iter().filter(|value| **value <= 0.05).count(), 4);
        // scipy.stats.false_discovery_control of the same values.
        let expected = [0.0015, 0.003, 0.0095, 0.035_625, 0.0603];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{value}");
        }
        assert!((values[5] - 0.063_857_142_857).abs() < 1e-9);
    }

    #[test]
    fn tests_without_a_p_value_count_too() {
        assert_eq!(adjust_p_values(&[0.001], 10), [0.01]);
        assert!(adjust_p_values(&[], 4).is_empty());
    }

    proptest! {
        #[test]
        fn the_order_does_not_matter(p_values in prop::collection::vec(0.0f64..=1.0, 1..20)) {
            let mut reversed: Vec<f64> = p_values.iter().rev().copied().collect();
            let mut values = adjust_p_values(&reversed, 0);
            values.reverse();
            reversed.clear();
            prop_assert_eq!(values, adjust_p_values(&p_values, 0));
        }

        #[test]
        fn lies_between_the_value_itself_and_bonferroni(p_values in prop::collection::vec(0.0f64..=1.0, 1..20)) {
            for (p, value) in p_values.iter().zip(adjust_p_values(&p_values, 0)) {
                prop_assert!(*p <= value + 1e-15);
                prop_assert!(value <= (p * p_values.len() as f64).min(1.0) + 1e-12);
            }
        }
    }
}
