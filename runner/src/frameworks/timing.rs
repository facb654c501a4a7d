//! One start of a benchmark that is timed: its command line, its run, and the failures of both.
//!
//! Each framework turns a start into values, see [`super::BenchmarkFramework::time`]. Retries nothing.

use std::ffi::OsString;
use std::fmt::Display;
use std::time::Duration;

use super::Benchmark;
use crate::process::{self, FinishedProcess, InterruptionFlag, Invocation, ProcessError};

/// Intended time of the timed iterations of one start: long against a scheduler's slices of some milliseconds, and
/// short enough for many starts, since most of the noise is between starts.
pub(super) const MEASURED: Duration = Duration::from_millis(200);

/// Warm-up time of a framework before that: caches and branch predictors need milliseconds.
pub(super) const WARM_UP: Duration = Duration::from_millis(100);

/// Lines of a failed program's output that are shown.
const LINES_SHOWN: usize = 3;

/// The reason why a start has no times.
#[derive(Debug, thiserror::Error)]
pub enum TimingError {
    /// The program can't be run, hangs, or the user stopped it.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// The benchmark failed, or printed no times.
    #[error("{0}")]
    Failed(String),
    /// A file can't be read or written.
    #[error("{0}")]
    Machine(String),
}

impl TimingError {
    pub(super) fn machine(reason: impl Display) -> Self {
        Self::Machine(reason.to_string())
    }
}

/// One start of a benchmark.
#[derive(Debug, Clone, Copy)]
pub struct TimedStart<'a> {
    /// The benchmark.
    pub benchmark: &'a Benchmark,
    /// The longest that each of its runs may take.
    pub limit: Duration,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

impl TimedStart<'_> {
    /// Runs the benchmark's program once with these arguments and additional variables.
    ///
    /// # Errors
    /// If it can't be run, or fails.
    pub(super) fn run(
        &self,
        arguments: Vec<OsString>,
        more: &[(OsString, OsString)],
    ) -> Result<FinishedProcess, TimingError> {
        let benchmark = self.benchmark;
        let invocation = Invocation::new(&benchmark.program, &benchmark.directory, self.limit).arguments(arguments);
        let invocation = benchmark
            .environment
            .iter()
            .chain(more)
            .fold(invocation, |invocation, (name, value)| invocation.variable(name, value));
        let finished = process::run(&invocation, self.interruption)?;
        if let Some(left) = &finished.left_running {
            return Err(TimingError::Failed(format!(
                "running `{invocation}`: it left {left}, so not all of its work is timed: let it wait for what it starts"
            )));
        }
        if finished.status.success() {
            return Ok(finished);
        }
        let words = [&finished.stderr, &finished.stdout].map(|output| output.last_lines(LINES_SHOWN));
        let words = words.into_iter().find(|words| !words.is_empty());
        Err(TimingError::Failed(format!(
            "running `{invocation}`: it {}: {}",
            finished.ending(),
            words.unwrap_or_else(|| "no output".to_owned())
        )))
    }

    /// The arguments that run the benchmark once, with the first `--test` replaced by others.
    pub(super) fn arguments_replacing_test(&self, others: &[String]) -> Vec<OsString> {
        let arguments = &self.benchmark.arguments;
        let at = arguments.iter().position(|argument| argument == "--test");
        let (before, after) = match at {
            Some(at) => (&arguments[..at], &arguments[at + 1..]),
            None => (&arguments[..0], &arguments[..]),
        };
        before
            .iter()
            .cloned()
            .chain(others.iter().map(OsString::from))
            .chain(after.iter().cloned())
            .collect()
    }
}

/// The only item; `None` if there is none, or another one.
pub(super) fn only_one<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next();
    first.filter(|_| found.next().is_none())
}

/// The last line of an unexpected output, shortened.
pub(super) fn shown(output: &str) -> String {
    /// Characters shown.
    const LONGEST: usize = 120;
    let line = output
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("nothing");
    line.trim().chars().take(LONGEST).collect()
}
