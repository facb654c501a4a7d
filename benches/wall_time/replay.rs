//! Recorded rounds → rounds as another hour might have had them, with an effect of known size; and both rules on the same
//! rounds.

use verdict::wall_time::{MOST_ROUNDS, WallTimeCriteria, final_findings, replay_rounds};
use verdict::{BenchmarkOutcome, MeasurementRound};

/// Rounds in a row that are drawn together: a busy minute of the machine stays one.
const TOGETHER: usize = 8;

/// A benchmark's outcome, how many rounds it took, and what is said of the ratio head / base then.
#[derive(Clone, Copy)]
pub(crate) struct Replayed {
    pub(crate) outcome: BenchmarkOutcome,
    pub(crate) rounds: usize,
    pub(crate) estimate: f64,
    /// Lower and upper bound.
    pub(crate) interval: (f64, f64),
}

/// A random sequence (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014).
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    /// From 0 to `limit` − 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(mixed ^ (mixed >> 31)) * limit as u128) >> 64) as usize
    }
}

/// As many rounds as a rule may take, drawn from recorded ones by blocks, the head's times longer by a share. Which of the three
/// recorded programs is the head is drawn once: what its copy is slower by, it stays slower by.
pub(crate) fn resampled(recorded: &[MeasurementRound], effect: f64, draws: &mut Draws) -> Vec<MeasurementRound> {
    let roles = draws.below(6);
    let mut rounds = Vec::new();
    while rounds.len() < MOST_ROUNDS {
        let start = draws.below(recorded.len());
        rounds.extend((start..start + TOGETHER).map(|at| {
            let round = &recorded[at % recorded.len()];
            let mut starts = [&round.base, &round.control, &round.head];
            starts.rotate_left(roles % 3);
            if roles >= 3 {
                starts.swap(0, 1);
            }
            let [base, control, head] = starts.map(Clone::clone);
            let mut round = MeasurementRound { base, control, head };
            round.head.0.iter_mut().for_each(|time| *time *= 1.0 + effect);
            round
        }));
    }
    rounds.truncate(MOST_ROUNDS);
    rounds
}

/// The gate's rule on the benchmarks of a run.
pub(crate) fn sequential(run: &[Vec<MeasurementRound>]) -> Vec<Replayed> {
    let terms = WallTimeCriteria {
        benchmarks: run.len(),
        minimum_change: None,
    };
    let standings: Vec<_> = run.iter().map(|rounds| replay_rounds(rounds, terms)).collect();
    let outcomes = final_findings(&standings).into_iter().zip(&standings);
    outcomes
        .map(|(finding, standing)| Replayed {
            outcome: finding.outcome,
            rounds: standing.rounds,
            estimate: standing.estimate,
            interval: (standing.low, standing.high),
        })
        .collect()
}
