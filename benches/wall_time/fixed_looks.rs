//! The rule that the sequential one replaced: looks after 10, 20, 40 and 80 rounds.
//!
//! An alarm took the signed-rank test of head / base, each look with a quarter of the level, the rate of Benjamini and
//! Hochberg over all benchmarks, and a bootstrap interval without 1; the effect had to exceed 2% and the bootstrap interval of
//! control / base. A pass took a bootstrap interval within 2%. The control took no part in the comparison.

use verdict::statistics::{adjust_p_values, median, quantile};
use verdict::wall_time::{FALSE_DISCOVERIES, MINIMUM_CHANGE};
use verdict::{BenchmarkOutcome, MeasurementRound, ProcessStart};

use crate::replay::{Draws, Replayed};

const LOOKS: [usize; 4] = [10, 20, 40, 80];

const RESAMPLES: usize = 1000;

struct Standing {
    rounds: usize,
    estimate: f64,
    interval: (f64, f64),
    noise: f64,
    p: f64,
}

/// The outcomes of the benchmarks of a run.
pub(crate) fn replay(run: &[Vec<MeasurementRound>]) -> Vec<Replayed> {
    let standings: Vec<Standing> = (run.iter())
        .map(|rounds| {
            let at = |look: usize| Standing::after(&rounds[..look]);
            let decided = |standing: &Standing| {
                standing.is_within() || standing.p * run.len() as f64 <= FALSE_DISCOVERIES && standing.moved().is_some()
            };
            LOOKS.map(at).into_iter().find(decided).unwrap_or_else(|| at(80))
        })
        .collect();
    let p_values: Vec<f64> = standings.iter().map(|standing| standing.p).collect();
    let outcome = |(standing, q): (&Standing, f64)| Replayed {
        rounds: standing.rounds,
        estimate: standing.estimate.exp(),
        interval: (standing.interval.0.exp(), standing.interval.1.exp()),
        outcome: match standing.moved() {
            Some(moved) if q <= FALSE_DISCOVERIES => moved,
            _ if standing.is_within() => BenchmarkOutcome::Pass,
            _ => BenchmarkOutcome::Inconclusive,
        },
    };
    let settled = standings.iter().zip(adjust_p_values(&p_values, run.len()));
    settled.map(outcome).collect()
}

impl Standing {
    fn after(rounds: &[MeasurementRound]) -> Self {
        let heads: Vec<f64> = rounds.iter().map(|round| log_ratio(&round.head, &round.base)).collect();
        let looks = LOOKS.into_iter().filter(|look| *look <= rounds.len());
        let p = looks.map(|look| signed_rank_p(&heads[..look]) * LOOKS.len() as f64);
        let (low, high) = interval(rounds, |round| &round.control);
        Self {
            rounds: rounds.len(),
            estimate: pseudomedian(&heads),
            interval: interval(rounds, |round| &round.head),
            noise: high.max(-low),
            p: p.fold(1.0, f64::min),
        }
    }

    fn moved(&self) -> Option<BenchmarkOutcome> {
        let threshold = self.noise.max(MINIMUM_CHANGE.ln_1p());
        if self.interval.0 > 0.0 && self.estimate > threshold {
            Some(BenchmarkOutcome::Regression)
        } else if self.interval.1 < 0.0 && self.estimate < -threshold {
            Some(BenchmarkOutcome::Improvement)
        } else {
            None
        }
    }

    fn is_within(&self) -> bool {
        let limit = MINIMUM_CHANGE.ln_1p();
        self.interval.0 >= -limit && self.interval.1 <= limit
    }
}

fn log_ratio(above: &ProcessStart, below: &ProcessStart) -> f64 {
    (median(&above.0).unwrap() / median(&below.0).unwrap()).ln()
}

/// The median of the means of all pairs, each value with itself included.
fn pseudomedian(values: &[f64]) -> f64 {
    let mut means = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (index, first) in values.iter().enumerate() {
        means.extend(values[index..].iter().map(|second| (first + second) / 2.0));
    }
    let middle = means.len() / 2;
    *means.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The percentiles of the pseudomedian over resamples of the rounds and of the iterations of their starts, at 95%.
fn interval(rounds: &[MeasurementRound], side: fn(&MeasurementRound) -> &ProcessStart) -> (f64, f64) {
    let logs = |start: &ProcessStart| start.0.iter().map(|time| time.ln()).collect();
    let pairs: Vec<(Vec<f64>, Vec<f64>)> = (rounds.iter())
        .map(|round| (logs(side(round)), logs(&round.base)))
        .collect();
    let mut draws = Draws(0);
    let mut drawn = Vec::new();
    let mut middle = |draws: &mut Draws, times: &[f64]| {
        drawn.clear();
        drawn.extend((0..times.len()).map(|_| times[draws.below(times.len())]));
        drawn.sort_by(f64::total_cmp);
        (drawn[(drawn.len() - 1) / 2] + drawn[drawn.len() / 2]) / 2.0
    };
    let estimates: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let resampled = (0..pairs.len()).map(|_| {
                let (above, below) = &pairs[draws.below(pairs.len())];
                middle(&mut draws, above) - middle(&mut draws, below)
            });
            pseudomedian(&resampled.collect::<Vec<f64>>())
        })
        .collect();
    (
        quantile(&estimates, 0.025).unwrap(),
        quantile(&estimates, 0.975).unwrap(),
    )
}

/// Two-sided, from the exact distribution of the sum of ranks.
fn signed_rank_p(differences: &[f64]) -> f64 {
    let mut sorted = differences.to_vec();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let total = sorted.len() * (sorted.len() + 1) / 2;
    let ranked = sorted.iter().enumerate();
    let positive: usize = ranked
        .filter(|(_, value)| **value > 0.0)
        .map(|(index, _)| index + 1)
        .sum();
    let least = positive.min(total - positive);
    let mut probability = vec![0.0; least + 1];
    probability[0] = 1.0;
    for rank in 1..=sorted.len() {
        for sum in (0..=least).rev() {
            let with = if sum >= rank { probability[sum - rank] } else { 0.0 };
            probability[sum] = 0.5 * (probability[sum] + with);
        }
    }
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}
