//! A sample into its quantiles.
//!
//! Orders values by `total_cmp`: the caller leaves out NaN.

/// The quantile of `values` at `at` (0 to 1, clamped): linear between order statistics, at position
/// `(n − 1) · at`. Definition 7 of Hyndman and Fan, *Sample quantiles in statistical packages*, The American
/// Statistician 50 (1996), the default of R and NumPy. `None` without values.
#[must_use]
pub fn quantile(values: &[f64], at: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    of_sorted(&sorted, at)
}

/// The median: the [`quantile`] at one half.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    (!values.is_empty()).then(|| select_median(&mut values))
}

/// The [`quantile`] of values in ascending order.
pub(super) fn of_sorted(sorted: &[f64], at: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = last as f64 * at.clamp(0.0, 1.0);
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(between(sorted[below], sorted[above], position - below as f64))
}

/// The median of values that may be reordered; in linear time. Of no values: 0.
pub(super) fn select_median(values: &mut [f64]) -> f64 {
    let count = values.len();
    if count == 0 {
        return 0.0;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(count / 2, f64::total_cmp);
    if count % 2 == 1 {
        return upper;
    }
    let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(upper);
    between(lower, upper, 0.5)
}

/// Linear from `low` to `high`. Weighs both instead of adding a difference, so that mirrored samples have mirrored
/// quantiles to the last bit at one half.
fn between(low: f64, high: f64, share: f64) -> f64 {
    if low == high {
        return low;
    }
    low * (1.0 - share) + high * share
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_agree_with_numpy() {
        // numpy.quantile(values, at), NumPy 2, whose default is the definition named above.
        let values = [9.0, 1.5, 11.0, 2.25, 7.5, 3.0, 10.5];
        for (at, expected) in [
            (0.0, 1.5),
            (0.1, 1.95),
            (0.25, 2.625),
            (0.5, 7.5),
            (0.75, 9.75),
            (0.9, 10.7),
            (1.0, 11.0),
        ] {
            assert!((quantile(&values, at).unwrap() - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn no_values_have_no_quantile() {
        assert_eq!((quantile(&[], 0.5), median(&[])), (None, None));
        assert_eq!(median(&[4.0]), Some(4.0));
    }

    proptest! {
        #[test]
        fn both_medians_are_the_same(values in prop::collection::vec(-1e6f64..1e6, 1..40)) {
            prop_assert_eq!(median(&values), quantile(&values, 0.5));
        }

        #[test]
        fn quantiles_rise(values in prop::collection::vec(-1e6f64..1e6, 1..40), a in 0.0f64..1.0, b in 0.0f64..1.0) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(quantile(&values, low).unwrap() <= quantile(&values, high).unwrap() + 1e-9);
        }
    }
}
