//! A benchmark → how long its iterations take, one process start at a time; and both sides of a comparison,
//! interleaved.
//!
//! A framework that times its iterations returns its own values. For the others, a start's value is the process's whole
//! wall time: starting it, linking it to its libraries and its own set-up are included. This is about a millisecond on
//! Linux, and hides a proportional part of a change in the subject. Programs that end sooner than
//! [`crate::frameworks::SHORTEST_START`] are run several times per start, and each run is a value. Nothing else is
//! started meanwhile.

#[cfg(test)]
mod tests;

use verdict::{MeasurementRound, ProcessStart};

use super::retries::run_with_retries;
use super::sides::{BaseOrHead, MeasuredSides};
use super::{MeasurementError, RunConditions, TrialResult};
use crate::frameworks::{Benchmark, TimedStart, TimingError};

/// Times one start of a benchmark, in nanoseconds. The checkout must be at its side, and nothing else should run.
///
/// # Errors
/// [`MeasurementError`].
pub fn time_start(
    benchmark: &Benchmark,
    conditions: &RunConditions<'_>,
) -> Result<TrialResult<ProcessStart>, MeasurementError> {
    run_with_retries(benchmark.time_limit, conditions, |limit| {
        let values = benchmark.framework.time(&TimedStart {
            benchmark,
            limit,
            interruption: conditions.interruption,
        })?;
        if values.is_empty() || values.iter().any(|value| !value.is_finite() || *value < 0.0) {
            return Err(MeasurementError::failed("its times are no times"));
        }
        Ok(ProcessStart(values))
    })
}

/// The three starts of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoundStart {
    Base,
    Control,
    Head,
}

/// Every order that the starts of a round can have.
const ORDERS: [[RoundStart; 3]; 6] = {
    use RoundStart::{Base, Control, Head};
    [
        [Base, Control, Head],
        [Base, Head, Control],
        [Control, Base, Head],
        [Control, Head, Base],
        [Head, Base, Control],
        [Head, Control, Base],
    ]
};

/// The order of one round: the same seed, benchmark and number give the same order, whatever was run before.
fn order(seed: u64, benchmark: &str, number: u32) -> [RoundStart; 3] {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(&seed.to_le_bytes())
        .update(&number.to_le_bytes())
        .update(benchmark.as_bytes());
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    // 64 bits modulo 6 favour some orders by one in 10¹⁸.
    let count = u64::try_from(ORDERS.len()).expect("a handful");
    let at = usize::try_from(u64::from_le_bytes(bytes) % count).expect("below the length");
    ORDERS[at]
}

/// A number of rounds of one benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundsRequest<'a> {
    /// The benchmark, which must be on both sides.
    pub benchmark: &'a str,
    /// Number of the first: the number of rounds that exist already.
    pub first: u32,
    /// Number of rounds.
    pub count: u32,
    /// The seed of the random orders.
    pub seed: u64,
}

/// A side whose benchmark has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at the {which}: {why}")]
pub struct SideMeasurementError {
    /// The side.
    pub which: BaseOrHead,
    /// Why.
    pub why: MeasurementError,
}

/// Times rounds of a benchmark: base, base again and head, strictly one after another, in an order that is random
/// within each round. The checkout is written before each start, so that the three differ in nothing but the program. An error discards the rounds of this call: request few at a time.
///
/// # Errors
/// The side that could not be timed.
pub fn time_rounds(
    sides: &mut MeasuredSides,
    wanted: &RoundsRequest<'_>,
    conditions: &RunConditions<'_>,
) -> Result<TrialResult<Vec<MeasurementRound>>, SideMeasurementError> {
    let mut taken = TrialResult {
        value: Vec::new(),
        retries: 0,
    };
    for number in (wanted.first..).take(wanted.count as usize) {
        let mut round = MeasurementRound {
            base: ProcessStart::default(),
            control: ProcessStart::default(),
            head: ProcessStart::default(),
        };
        for turn in order(wanted.seed, wanted.benchmark, number) {
            let (which, place) = match turn {
                RoundStart::Base => (BaseOrHead::Base, &mut round.base),
                RoundStart::Control => (BaseOrHead::Base, &mut round.control),
                RoundStart::Head => (BaseOrHead::Head, &mut round.head),
            };
            let started = start_at(sides, turn, wanted.benchmark, conditions)
                .map_err(|why| SideMeasurementError { which, why })?;
            *place = started.value;
            taken.retries += started.retries;
        }
        taken.value.push(round);
    }
    Ok(taken)
}

fn start_at(
    sides: &mut MeasuredSides,
    turn: RoundStart,
    name: &str,
    conditions: &RunConditions<'_>,
) -> Result<TrialResult<ProcessStart>, MeasurementError> {
    let which = match turn {
        RoundStart::Base | RoundStart::Control => BaseOrHead::Base,
        RoundStart::Head => BaseOrHead::Head,
    };
    // Before the base's second start as well: two of three starts would never be treated like the third.
    sides
        .restore(which)
        .map_err(|error| MeasurementError::machine(&error))?;
    let benchmark = match turn {
        RoundStart::Control => sides
            .control_benchmark(name)
            .map_err(|error| MeasurementError::machine(&error))?,
        RoundStart::Base | RoundStart::Head => sides.side(which).benchmark(name).cloned(),
    };
    let benchmark = benchmark.ok_or_else(|| MeasurementError::failed(format!("no benchmark is named {name}")))?;
    time_start(&benchmark, conditions)
}

impl From<TimingError> for MeasurementError {
    fn from(error: TimingError) -> Self {
        match error {
            TimingError::Process(error) => error.into(),
            TimingError::Failed(reason) => Self::failed(reason),
            TimingError::Machine(reason) => Self::Machine { reason },
        }
    }
}
