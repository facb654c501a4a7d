//! Rounds of interleaved starts → findings of wall time, round by round.
//!
//! The caller measures a round, asks [`analyze_rounds`], and goes on while the benchmark is [`InterimDecision::Undecided`],
//! has less than [`MOST_ROUNDS`] and its budget lasts; when all benchmarks are done, [`final_findings`] decides.
//!
//! Safeguards against alarms on identical code:
//! - evidence that is valid after every round, so that it may be asked for after each ([`RankedRounds`]). It rests on nothing
//!   but the order within a round, which is drawn at random;
//! - the false discovery rate over all benchmarks is held at [`FALSE_DISCOVERIES`], however the benchmarks depend on each
//!   other: the e-BH procedure (Wang and Ramdas, *False discovery rate control with e-values*, Journal of the Royal Statistical
//!   Society B 84, 2022), which is that of Benjamini and Hochberg on the reciprocals of e-values;
//! - an effect counts only beyond [`MINIMUM_CHANGE`] and beyond what the base does to itself (the A/A bound). The evidence
//!   knows chance only; builds of the same code that happen to be laid out in memory differently do differ, and that
//!   does not matter.

use crate::statistics::{ConfidenceInterval, RankedRounds, adjust_p_values, median, median_interval};
use crate::{
    BenchmarkOutcome, FindingReason, MeasurementRound, Metric, MetricFinding, ProcessStart, TimedChange, TimingReason,
    TimingThreshold,
};

/// Rounds before the first decision. One round less never has enough evidence for an alarm, nor a bound of what the base does to
/// itself.
pub const FEWEST_ROUNDS: usize = 6;

/// Rounds after which a benchmark that is still undecided is *inconclusive*: what needs more is too small, or the
/// machine too noisy, to be worth the wait.
pub const MOST_ROUNDS: usize = 80;

/// Expected share of false ones among all alarms of a run; where nothing moved at all, the probability that a run
/// raises any.
pub const FALSE_DISCOVERIES: f64 = 0.01;

/// Smallest relative change that counts. Layout alone moves wall time by a per cent or two.
pub const MINIMUM_CHANGE: f64 = 0.02;

/// The share of benchmarks whose intervals hold the true ratio after every round.
pub const CONFIDENCE: f64 = 0.95;

/// The criteria for rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallTimeCriteria {
    /// How many benchmarks of this run are judged by their wall time. An alarm stops a benchmark early only if the
    /// false discovery rate will keep it whatever the others do.
    pub benchmarks: usize,
    /// A least relative change that the user set; only what is above [`MINIMUM_CHANGE`] has an effect.
    pub minimum_change: Option<f64>,
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
    /// Rounds with a time of all three starts, those beyond [`MOST_ROUNDS`] left out.
    pub rounds: usize,
    /// The base's median start, in nanoseconds; 0 without rounds.
    pub base: f64,
    /// The head's median start.
    pub head: f64,
    /// The estimated ratio; 1 without rounds.
    pub estimate: f64,
    /// Bounds of the ratio at [`CONFIDENCE`], after however many rounds; 0 with too few.
    pub low: f64,
    /// Upper bound of the ratio; infinite with too few rounds.
    pub high: f64,
    /// The relative change that the base shows against itself: the further bound of its interval. Infinite with too few rounds.
    pub noise: f64,
    /// The relative change that counts: the user's minimum, or [`MINIMUM_CHANGE`].
    pub minimum: f64,
    /// The p-value: the reciprocal of the evidence, 1 at most. Valid after however many rounds.
    pub p: f64,
    /// Whether more rounds are needed.
    pub state: InterimDecision,
}

/// Analyses the rounds. Leaves out impossible times, rounds without a time of all three starts, and those beyond
/// [`MOST_ROUNDS`]. Decides nothing before [`FEWEST_ROUNDS`].
#[must_use]
pub fn analyze_rounds(rounds: &[MeasurementRound], terms: WallTimeCriteria) -> InterimResult {
    let usable = usable(rounds);
    let ranked = RankedRounds::of(&usable);
    let unbounded = ConfidenceInterval {
        low: 0.0,
        high: f64::INFINITY,
    };
    let interval = ranked.interval(CONFIDENCE).unwrap_or(unbounded);
    let mut standing = InterimResult {
        rounds: usable.len(),
        base: typical(&usable, |round| &round.base),
        head: typical(&usable, |round| &round.head),
        estimate: ranked.ratio().unwrap_or(1.0),
        low: interval.low,
        high: interval.high,
        noise: noise(&usable),
        minimum: terms.minimum_change.unwrap_or(0.0).max(MINIMUM_CHANGE),
        p: ranked.evidence().recip().min(1.0),
        state: InterimDecision::Undecided,
    };
    standing.state = standing.decide(terms.benchmarks.max(1));
    standing
}

/// What the gate would have said of these rounds, had it measured no more of them than it needs for a decision. Evaluates the
/// rules on rounds that were measured for another purpose.
#[must_use]
pub fn replay_rounds(rounds: &[MeasurementRound], terms: WallTimeCriteria) -> InterimResult {
    let after = |count: usize| analyze_rounds(&rounds[..count], terms);
    (FEWEST_ROUNDS..rounds.len())
        .map(after)
        .find(|standing| standing.state != InterimDecision::Undecided)
        .unwrap_or_else(|| after(rounds.len()))
}

/// The verdicts, when no more rounds come: those that the looks decided; an alarm for what moved and is kept by the
/// false discovery rate over all benchmarks of the run; *inconclusive* for the rest. In the order of the standings.
#[must_use]
pub fn final_findings(standings: &[InterimResult]) -> Vec<MetricFinding> {
    // What is no alarm for another reason is taken out first: a smaller e-value is one as well.
    let p_of_alarm = |standing: &InterimResult| standing.direction().map_or(1.0, |_| standing.p);
    let p_values: Vec<f64> = standings.iter().map(p_of_alarm).collect();
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
        if self.rounds < FEWEST_ROUNDS {
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
            low: (self.low > 0.0).then_some(self.low - 1.0),
            high: self.high.is_finite().then_some(self.high - 1.0),
            significant: matches!(outcome, BenchmarkOutcome::Regression | BenchmarkOutcome::Improvement),
            outcome,
            reason,
        }
    }

    /// The outcome after the last round, with the rule that decided; `q` is the p-value adjusted over all `benchmarks`.
    fn outcome(&self, q: f64, benchmarks: usize) -> (BenchmarkOutcome, TimingReason) {
        let (p, minimum, needed) = (self.p, self.minimum, FEWEST_ROUNDS);
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

/// The relative change that the base shows against itself: the further bound of the median of control / base. No error rate
/// rests on it, so it is an interval for this number of rounds.
fn noise(rounds: &[MeasurementRound]) -> f64 {
    let ratio = |round: &MeasurementRound| Some(median(&round.control.0)? / median(&round.base.0)?);
    let interval = median_interval(rounds.iter().filter_map(ratio).collect(), CONFIDENCE);
    interval.map_or(f64::INFINITY, |bounds| bounds.high.max(bounds.low.recip()) - 1.0)
}

/// The rounds that have a time of all three starts, [`MOST_ROUNDS`] of them, without the iterations that have none.
fn usable(rounds: &[MeasurementRound]) -> Vec<MeasurementRound> {
    let times = |start: &ProcessStart| ProcessStart(start.0.iter().copied().filter(|time| is_time(*time)).collect());
    rounds
        .iter()
        .map(|round| MeasurementRound {
            base: times(&round.base),
            control: times(&round.control),
            head: times(&round.head),
        })
        .filter(|round| {
            [&round.base, &round.control, &round.head]
                .iter()
                .all(|start| !start.0.is_empty())
        })
        .take(MOST_ROUNDS)
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
