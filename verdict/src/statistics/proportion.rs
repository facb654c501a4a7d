//! Hits among trials into an interval for the rate behind them.

use super::ConfidenceInterval;

/// Halvings of [0, 1] after which a bound is as exact as a double can say.
const HALVINGS: u32 = 60;

/// The interval of Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of the
/// binomial*, Biometrika 26 (1934): it holds the true rate with at least the given confidence, at any number of
/// trials. For `hits` of none it reaches from 0 to 1 − (α/2)^(1/trials). More hits than trials count as all of them;
/// without trials, 0 to 1.
#[must_use]
pub fn proportion_interval(hits: u32, trials: u32, confidence: f64) -> ConfidenceInterval {
    let hits = hits.min(trials);
    let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let low = if hits == 0 {
        0.0
    } else {
        // The rate at which this number of hits or more are as rare as the tail: misses are hits of the other outcome.
        1.0 - rate_at_which_at_most(trials - hits, trials, tail)
    };
    let high = if hits == trials {
        1.0
    } else {
        rate_at_which_at_most(hits, trials, tail)
    };
    ConfidenceInterval { low, high }
}

/// The rate at which `hits` or fewer have the probability `tail`; by bisection, since that probability falls as the
/// rate rises.
fn rate_at_which_at_most(hits: u32, trials: u32, tail: f64) -> f64 {
    let ways = ln_binomials(hits, trials);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let rate = (low + high) / 2.0;
        if at_most(&ways, trials, rate) > tail {
            low = rate;
        } else {
            high = rate;
        }
    }
    (low + high) / 2.0
}

/// ln of `trials` choose 0 ..= `hits`.
fn ln_binomials(hits: u32, trials: u32) -> Vec<f64> {
    let mut ways = vec![0.0];
    let mut sum = 0.0;
    for hit in 1..=hits {
        sum += f64::from(trials - hit + 1).ln() - f64::from(hit).ln();
        ways.push(sum);
    }
    ways
}

fn at_most(ways: &[f64], trials: u32, rate: f64) -> f64 {
    let (hit, miss) = (rate.ln(), (-rate).ln_1p());
    ways.iter()
        .zip(0u32..)
        .map(|(ways, hits)| (ways + f64::from(hits) * hit + f64::from(trials - hits) * miss).exp())
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn agrees_with_an_independent_implementation() {
        // scipy.stats.binomtest(hits, trials).proportion_ci(confidence, method='exact'), scipy 1.17.
        for (hits, trials, confidence, low, high) in [
            (0, 300, 0.95, 0.0, 0.012_220_974_694_296_421),
            (1, 20, 0.95, 0.001_265_089_497_956_033_9, 0.248_732_762_772_027_72),
            (10, 20, 0.95, 0.271_957_849_560_791_33, 0.728_042_150_439_208_6),
            (20, 20, 0.95, 0.831_566_529_016_914_5, 1.0),
            (7, 1000, 0.99, 0.002_041_386_571_444_228, 0.017_046_931_835_089_2),
            (3, 7, 0.90, 0.128_756_392_804_236_3, 0.774_678_415_967_554_3),
        ] {
            let interval = proportion_interval(hits, trials, confidence);
            assert!((interval.low - low).abs() < 1e-12, "{interval:?}");
            assert!((interval.high - high).abs() < 1e-12, "{interval:?}");
        }
    }

    #[test]
    fn none_in_three_hundred_is_less_than_one_per_cent_one_sided() {
        let high = proportion_interval(0, 300, 0.90).high;
        assert!((high - (1.0 - 0.05f64.powf(1.0 / 300.0))).abs() < 1e-12);
        assert!(high < 0.01);
    }

    #[test]
    fn without_trials_any_rate_is_possible() {
        assert_eq!(
            proportion_interval(0, 0, 0.95),
            ConfidenceInterval { low: 0.0, high: 1.0 }
        );
    }

    proptest! {
        #[test]
        fn holds_the_observed_rate_and_mirrors(trials in 1u32..400, share in 0.0f64..=1.0) {
            let hits = (f64::from(trials) * share) as u32;
            let interval = proportion_interval(hits, trials, 0.95);
            let rate = f64::from(hits) / f64::from(trials);
            prop_assert!(interval.low <= rate && rate <= interval.high);
            let mirrored = proportion_interval(trials - hits, trials, 0.95);
            prop_assert!((mirrored.low - (1.0 - interval.high)).abs() < 1e-12);
            prop_assert!((mirrored.high - (1.0 - interval.low)).abs() < 1e-12);
        }

        #[test]
        fn more_hits_never_lower_it(trials in 2u32..200, hits in 0u32..199) {
            let hits = hits % trials;
            let (less, more) = (
                proportion_interval(hits, trials, 0.95),
                proportion_interval(hits + 1, trials, 0.95),
            );
            prop_assert!(less.low <= more.low && less.high <= more.high);
        }
    }
}
