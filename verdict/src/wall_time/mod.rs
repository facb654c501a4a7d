//! Rounds of interleaved starts → findings of wall time, look by look.
//!
//! The caller measures rounds up to [`next_look`], looks with [`analyze_rounds`], and goes on while the benchmark is
//! [`InterimDecision::Undecided`] and its budget lasts; when all benchmarks are done, [`final_findings`] decides.
//!
//! Safeguards against alarms on identical code:
//! - the signed-rank test over the rounds, exact because the order within a round is drawn at random ([`signed_rank_p`]);
//! - looking more than once is paid for: each look has its [share](LOOKS) of the level, and a p-value is the least of
//!   `p / share` over the looks so far (a weighted Bonferroni correction), valid whenever the caller stops;
//! - the false discovery rate over all benchmarks ([`adjust_p_values`]) is held at [`FALSE_DISCOVERIES`];
//! - an effect counts only beyond [`MINIMUM_CHANGE`] and beyond what the base does to itself (the A/A bound). The test
//!   knows chance only; builds of the same code that happen to be laid out in memory differently do differ, and that
//!   does not matter.

use crate::statistics::{
    ConfidenceInterval, ResamplingOptions, adjust_p_values, log_ratios, median, pseudomedian, ratio_interval,
    signed_rank_p,
};
use crate::{
    BenchmarkOutcome, FindingReason, MeasurementRound, Metric, MetricFinding, ProcessStart, TimedChange, TimingReason,
    TimingThreshold,
};

/// Rounds after which to look, and the share of the level that each look may spend. Ten rounds are enough for a change
/// that shows in every one of them: p is then 2 · 2⁻¹⁰ = 0.002, a fifth of the level, so the first share must not be
/// less. In simulation (a start in twenty stalled by 30%), starts that differ by 3% (standard deviation) need 29 rounds
/// on average to tell a change of 5%, and all of 100 trials told it; starts that differ by 5% need 54, and 94 did. What
/// needs more than eighty is too small, or the machine too noisy, to be worth the wait.
pub const LOOKS: [(usize, f64); 4] = [(10, 0.25), (20, 0.25), (40, 0.25), (80, 0.25)];

/// Expected share of false ones among all alarms of a run; where nothing moved at all, the probability that a run
/// raises any.
pub const FALSE_DISCOVERIES: f64 = 0.01;

/// Smallest relative change that counts. Layout alone moves wall time by a per cent or two.
pub const MINIMUM_CHANGE: f64 = 0.02;

/// The share of intervals that hold the true ratio.
pub const CONFIDENCE: f64 = 0.95;

/// Resamples behind an interval: the number that Efron and Tibshirani ask for at least.
const RESAMPLES: u32 = 1000;

/// The criteria for rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallTimeCriteria {
    /// How many benchmarks of this run are judged by their wall time. An alarm stops a benchmark early only if the
    /// false discovery rate will keep it whatever the others do.
    pub benchmarks: usize,
    /// A least relative change that the user set; only what is above [`MINIMUM_CHANGE`] has an effect.
    pub minimum_change: Option<f64>,
    /// Where the random numbers of the intervals start.
    pub seed: u64,
}

/// Whether a benchmark needs more rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterimDecision {
    /// More rounds may tell.
    Undecided,
    /// No further round is needed: a regression, an improvement or a pass.
    Decided(BenchmarkOutcome),
}

/// The result of the rounds of one benchmark so far. Ratios are head / base.
#[derive(Debug, Clone, PartialEq)]
pub struct InterimResult {
    /// Rounds with a figure on both sides, those after the last look left out.
    pub rounds: usize,
    /// The base's median start, in nanoseconds; 0 without rounds.
    pub base: f64,
    /// The head's median start.
    pub head: f64,
    /// The pseudomedian of the rounds' ratios; 1 without rounds.
    pub estimate: f64,
    /// Bounds of the ratio at [`CONFIDENCE`].
    pub low: f64,
    /// Upper bound of the ratio.
    pub high: f64,
    /// The relative change that the base shows against itself: the further bound of its interval. 0 without a control.
    pub noise: f64,
    /// The relative change that counts: the user's minimum, or [`MINIMUM_CHANGE`].
    pub minimum: f64,
    /// The p-value over all looks so far; 1 before the first.
    pub p: f64,
    /// Whether more rounds are needed.
    pub state: InterimDecision,
}

/// The number of rounds to have before the next look; `None` after the last look.
#[must_use]
pub fn next_look(rounds: usize) -> Option<usize> {
    LOOKS.iter().map(|(at, _)| *at).find(|at| *at > rounds)
}

/// Analyses the rounds. Leaves out impossible times, rounds without a time on both sides, and those beyond the last look.
/// Decides nothing before the first look.
#[must_use]
pub fn analyze_rounds(rounds: &[MeasurementRound], terms: WallTimeCriteria) -> InterimResult {
    let usable = usable(rounds);
    let minimum = terms.minimum_change.unwrap_or(0.0).max(MINIMUM_CHANGE);
    let resampling = ResamplingOptions {
        seed: terms.seed,
        resamples: RESAMPLES,
        confidence: CONFIDENCE,
    };
    let ratios = log_ratios(&usable, |round| &round.head, |round| &round.base);
    let none = ConfidenceInterval { low: 1.0, high: 1.0 };
    let interval = ratio_interval(&usable, |r| &r.head, |r| &r.base, resampling).unwrap_or(none);
    let control = ratio_interval(&usable, |r| &r.control, |r| &r.base, resampling).unwrap_or(none);
    let mut standing = InterimResult {
        rounds: usable.len(),
        base: typical(&usable, |round| &round.base),
        head: typical(&usable, |round| &round.head),
        estimate: pseudomedian(&ratios).unwrap_or(0.0).exp(),
        low: interval.low,
        high: interval.high,
        noise: control.high.max(1.0 / control.low) - 1.0,
        minimum,
        p: p_over_looks(&ratios),
        state: InterimDecision::Undecided,
    };
    standing.state = standing.decide(terms.benchmarks.max(1));
    standing
}

/// The finding of one benchmark with these rounds, look by look, on as few of them as a decision takes. Evaluates the
/// rules on rounds that were measured for another purpose.
#[must_use]
pub fn replay_rounds(rounds: &[MeasurementRound], terms: WallTimeCriteria) -> MetricFinding {
    let mut taken = LOOKS[0].0.min(rounds.len());
    loop {
        let standing = analyze_rounds(&rounds[..taken], terms);
        match next_look(taken).filter(|next| *next <= rounds.len()) {
            Some(next) if standing.state == InterimDecision::Undecided => taken = next,
            _ => {
                let mut settled = final_findings(std::slice::from_ref(&standing));
                return settled.remove(0);
            }
        }
    }
}

/// The verdicts, when no more rounds come: those that the looks decided; an alarm for what moved and is kept by the
/// false discovery rate over all benchmarks of the run; *inconclusive* for the rest. In the order of the standings.
#[must_use]
pub fn final_findings(standings: &[InterimResult]) -> Vec<MetricFinding> {
    let p_values: Vec<f64> = standings.iter().map(|standing| standing.p).collect();
    standings
        .iter()
        .zip(adjust_p_values(&p_values, standings.len()))
        .map(|(standing, q)| standing.finding(q, standings.len()))
        .collect()
}

impl InterimResult {
    /// The effect that an alarm has to exceed.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.minimum.max(self.noise)
    }

    fn decide(&self, benchmarks: usize) -> InterimDecision {
        if self.rounds < LOOKS[0].0 {
            return InterimDecision::Undecided;
        }
        // The strictest of Benjamini and Hochberg's levels: that of the smallest p-value.
        let sure = self.p * benchmarks as f64 <= FALSE_DISCOVERIES;
        match self.direction() {
            Some(outcome) if sure => InterimDecision::Decided(outcome),
            _ if self.stays_within() => InterimDecision::Decided(BenchmarkOutcome::Pass),
            _ => InterimDecision::Undecided,
        }
    }

    /// Where the benchmark moved, if its interval excludes no change and its effect exceeds the threshold. A ratio and
    /// its reciprocal are equally large effects.
    fn direction(&self) -> Option<BenchmarkOutcome> {
        let limit = 1.0 + self.threshold();
        if self.low > 1.0 && self.estimate > limit {
            Some(BenchmarkOutcome::Regression)
        } else if self.high < 1.0 && self.estimate < 1.0 / limit {
            Some(BenchmarkOutcome::Improvement)
        } else {
            None
        }
    }

    /// True if the whole interval is within the change that counts: shown not to have moved, which is more than not
    /// shown to have moved (Schuirmann's two one-sided tests, 1987).
    fn stays_within(&self) -> bool {
        let limit = 1.0 + self.minimum;
        self.low >= 1.0 / limit && self.high <= limit
    }

    fn finding(&self, q: f64, benchmarks: usize) -> MetricFinding {
        let (outcome, reason) = self.outcome(q, benchmarks);
        let reason = FindingReason::Timed(reason);
        if self.rounds == 0 {
            return MetricFinding::without_values(Metric::WallTime, outcome, reason);
        }
        MetricFinding {
            metric: Metric::WallTime,
            base: Some(self.base),
            head: Some(self.head),
            change: Some(self.estimate - 1.0),
            low: Some(self.low - 1.0),
            high: Some(self.high - 1.0),
            significant: matches!(outcome, BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement),
            outcome,
            reason,
        }
    }

    /// The outcome after the last round, with the rule that decided; `q` is the p-value adjusted over all `benchmarks`.
    fn outcome(&self, q: f64, benchmarks: usize) -> (BenchmarkOutcome, TimingReason) {
        let (p, minimum, needed) = (self.p, self.minimum, LOOKS[0].0);
        let change = TimedChange {
            estimate: self.estimate - 1.0,
            low: self.low - 1.0,
            high: self.high - 1.0,
            rounds: self.rounds,
        };
        let threshold = if self.noise > self.minimum {
            TimingThreshold::BaseNoise(self.noise)
        } else {
            TimingThreshold::Minimum(self.minimum)
        };
        let inconclusive = |reason| (BenchmarkOutcome::Inconclusive, reason);
        if self.rounds == 0 {
            return inconclusive(TimingReason::NoRound);
        }
        if self.rounds < needed {
            let rounds = self.rounds;
            return inconclusive(TimingReason::TooFewRounds { rounds, needed });
        }
        match self.direction() {
            Some(outcome) if q <= FALSE_DISCOVERIES => (outcome, TimingReason::Significant { change, threshold, p }),
            _ if self.stays_within() => (BenchmarkOutcome::Pass, TimingReason::WithinMinimum { change, minimum }),
            Some(_) => inconclusive(TimingReason::NotSignificant { change, p, benchmarks }),
            None if self.low > 1.0 || self.high < 1.0 => {
                inconclusive(TimingReason::BelowThreshold { change, threshold })
            }
            None => inconclusive(TimingReason::TooNoisy { change, minimum }),
        }
    }
}

/// The least of `p / share` over the looks that these rounds have reached: valid whenever the caller stops, since the
/// shares add up to one.
fn p_over_looks(log_ratios: &[f64]) -> f64 {
    LOOKS
        .iter()
        .filter_map(|(at, share)| Some(signed_rank_p(log_ratios.get(..*at)?) / share))
        .fold(1.0, f64::min)
}

/// The rounds that have a time on both sides, up to the last look, without the iterations that have none.
fn usable(rounds: &[MeasurementRound]) -> Vec<MeasurementRound> {
    let last = LOOKS[LOOKS.len() - 1].0;
    let times = |start: &ProcessStart| ProcessStart(start.0.iter().copied().filter(|time| is_time(*time)).collect());
    rounds
        .iter()
        .map(|round| MeasurementRound {
            base: times(&round.base),
            control: times(&round.control),
            head: times(&round.head),
        })
        .filter(|round| !round.base.0.is_empty() && !round.head.0.is_empty())
        .take(last)
        .collect()
}

/// Between a picosecond and some thirty years, in nanoseconds: any other value is not a time.
fn is_time(value: f64) -> bool {
    (1e-3..1e18).contains(&value)
}

/// The median over the rounds of a side's starts.
fn typical<'a>(rounds: &'a [MeasurementRound], side: impl Fn(&'a MeasurementRound) -> &'a ProcessStart) -> f64 {
    let starts: Vec<f64> = rounds.iter().filter_map(|round| median(&side(round).0)).collect();
    median(&starts).unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
