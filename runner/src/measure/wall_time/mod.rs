//! A benchmark → how long its iterations take, one process start at a time; and both sides of a comparison,
//! interleaved.
//!
//! Where a framework times its iterations, its own values are taken. Elsewhere a start's value is the process's whole
//! wall time: starting it, linking it to its libraries and its own set-up included, about a millisecond on Linux,
//! which hides a change of the subject in proportion. Programs that end sooner than [`SHORTEST_START`] are run several
//! times a start, and each run is a value. Nothing else is started meanwhile.

mod criterion;
mod divan;
mod libtest;
mod process;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::time::Duration;

use verdict::{MeasurementRound, ProcessStart};

use super::retries::run_with_retries;
use super::sides::{BaseOrHead, MeasuredSides};
use super::{MeasurementError, RunLimits, TrialResult};
use crate::frameworks::Benchmark;
use crate::process::{FinishedProcess, Invocation, run};

/// How long the timed iterations of one start take, as far as that can be chosen: long against a scheduler's slices
/// of some milliseconds, short enough for many starts, between which most of the noise is.
const MEASURED: Duration = Duration::from_millis(200);

/// How long a framework warms up before: caches and branch predictors need milliseconds.
const WARM_UP: Duration = Duration::from_millis(100);

/// Programs that end sooner are run again until all runs of the start together took this long.
pub const SHORTEST_START: Duration = Duration::from_millis(50);

/// Most runs of a program in one start.
pub const MOST_RUNS: usize = 10;

/// What times a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BenchmarkClock {
    /// Criterion: its samples, each the mean of some iterations.
    Criterion,
    /// Divan: the median of its samples, with the four digits that it prints.
    Divan,
    /// The standard test harness's `Bencher`: the median that it prints.
    Libtest,
    /// The process as a whole.
    Process,
}

/// What times a benchmark.
#[must_use]
pub fn clock(benchmark: &Benchmark) -> BenchmarkClock {
    match benchmark.framework {
        "criterion" => BenchmarkClock::Criterion,
        "divan" => BenchmarkClock::Divan,
        "libtest" if libtest::is_bench(benchmark) => BenchmarkClock::Libtest,
        _ => BenchmarkClock::Process,
    }
}

/// Times one start of a benchmark, in nanoseconds. The checkout must be at its side, and nothing else should run.
///
/// # Errors
/// [`MeasurementError`].
pub fn time_start(
    benchmark: &Benchmark,
    conditions: &RunLimits<'_>,
) -> Result<TrialResult<ProcessStart>, MeasurementError> {
    let once = match clock(benchmark) {
        BenchmarkClock::Criterion => criterion::start,
        BenchmarkClock::Divan => divan::start,
        BenchmarkClock::Libtest => libtest::start,
        BenchmarkClock::Process => process::start,
    };
    run_with_retries(benchmark.time_limit, conditions, |limit| {
        let values = once(benchmark, limit, conditions)?;
        if values.is_empty() || values.iter().any(|value| !value.is_finite() || *value < 0.0) {
            return Err(MeasurementError::failed("its times are no times"));
        }
        Ok(ProcessStart(values))
    })
}

/// Which of the three starts of a round.
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

/// The order of one round: the same seed, benchmark and number give the same one, whatever was run before.
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

/// Which rounds of which benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundsRequest<'a> {
    /// The benchmark, which must be on both sides.
    pub benchmark: &'a str,
    /// Number of the first: how many rounds there are already.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// What the orders come from.
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
/// within each round. Rounds that are there when something goes wrong are lost: ask for few at a time.
///
/// # Errors
/// The side that could not be timed.
pub fn time_rounds(
    sides: &mut MeasuredSides,
    wanted: &RoundsRequest<'_>,
    conditions: &RunLimits<'_>,
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
    conditions: &RunLimits<'_>,
) -> Result<TrialResult<ProcessStart>, MeasurementError> {
    let which = match turn {
        RoundStart::Base | RoundStart::Control => BaseOrHead::Base,
        RoundStart::Head => BaseOrHead::Head,
    };
    sides
        .switch_to(which)
        .map_err(|error| MeasurementError::machine(&error))?;
    let benchmark = match turn {
        RoundStart::Control => sides
            .control_benchmark(name)
            .map_err(|error| MeasurementError::machine(&error))?,
        RoundStart::Base | RoundStart::Head => sides.side(which).benchmark(name).cloned(),
    };
    let benchmark = benchmark.ok_or_else(|| MeasurementError::failed(format!("there is no benchmark {name}")))?;
    time_start(&benchmark, conditions)
}

/// The benchmark's command with these arguments, run once; a program that fails is the benchmark's failure.
fn finish(
    benchmark: &Benchmark,
    arguments: Vec<OsString>,
    more: &[(OsString, OsString)],
    limit: Duration,
    conditions: &RunLimits<'_>,
) -> Result<FinishedProcess, MeasurementError> {
    let invocation = Invocation::new(&benchmark.program, &benchmark.directory, limit).arguments(arguments);
    let invocation = benchmark
        .environment
        .iter()
        .chain(more)
        .fold(invocation, |invocation, (name, value)| invocation.variable(name, value));
    let finished = run(&invocation, conditions.interruption)?;
    if finished.status.success() {
        return Ok(finished);
    }
    let words = [finished.stderr.last_lines(3), finished.stdout.last_lines(3)];
    let words = words.into_iter().find(|words| !words.is_empty());
    Err(MeasurementError::failed(format!(
        "running `{invocation}`: it {}: {}",
        finished.ending(),
        words.unwrap_or_else(|| "no output".to_owned())
    )))
}

/// The arguments that run the benchmark once, with the first `--test` replaced by others.
fn arguments_replacing_test(benchmark: &Benchmark, others: &[String]) -> Vec<OsString> {
    let at = benchmark.arguments.iter().position(|argument| argument == "--test");
    let (before, after) = match at {
        Some(at) => (&benchmark.arguments[..at], &benchmark.arguments[at + 1..]),
        None => (&benchmark.arguments[..0], &benchmark.arguments[..]),
    };
    before
        .iter()
        .cloned()
        .chain(others.iter().map(OsString::from))
        .chain(after.iter().cloned())
        .collect()
}

/// How a program's odd output is shown: its last line, cut.
fn shown(output: &str) -> String {
    /// Characters shown.
    const LONGEST: usize = 120;
    let line = output
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("nothing");
    line.trim().chars().take(LONGEST).collect()
}
