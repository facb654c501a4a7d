//! A sample → an interval for the median of what it is drawn from.

use super::ConfidenceInterval;

/// The shortest interval between two of the sorted values, equally far from both ends, that holds the median with probability
/// `confidence` at least, whatever the distribution (Thompson, *On confidence ranges for the median*, Annals of
/// Mathematical Statistics 7, 1936): a value is below the median in one half of all cases, so the probability beyond the
/// `k`-th value is that of less than `k` heads among `n` tosses. Orders the values. `None` where even the extremes hold
/// it more rarely, as with fewer than six values at 95%.
#[must_use]
pub fn median_interval(mut values: Vec<f64>, confidence: f64) -> Option<ConfidenceInterval> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    let mut exactly = 0.5f64.powi(i32::try_from(count).ok()?);
    let mut at_most = 0.0;
    let mut bound = None;
    for heads in 0..count {
        at_most += exactly;
        if 2.0 * at_most > 1.0 - confidence {
            break;
        }
        bound = Some(heads);
        exactly *= (count - heads) as f64 / (heads + 1) as f64;
    }
    bound.map(|bound| ConfidenceInterval {
        low: values[bound],
        high: values[count - 1 - bound],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_published_tables() {
        // Ranks from the ends: Conover, Practical Nonparametric Statistics, 3rd edition, table A3, p = 1/2, tail 0.025.
        for (count, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6)] {
            let values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
            let interval = median_interval(values, 0.95);
            let (low, high) = (f64::from(rank), f64::from(count + 1 - rank));
            assert_eq!(interval, Some(ConfidenceInterval { low, high }), "of {count}");
        }
    }

    #[test]
    fn five_values_are_too_few() {
        assert_eq!(median_interval(vec![1.0; 5], 0.95), None);
        assert_eq!(median_interval(Vec::new(), 0.95), None);
    }
}
