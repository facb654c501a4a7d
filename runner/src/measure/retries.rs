//! A way to run a benchmark once → its outcome after as many attempts as are allowed, within all limits.

use std::path::Path;
use std::time::Duration;

use super::Deadline;
use crate::process::{InterruptionFlag, ProcessError};

/// How often a failed run is repeated: a program that fails one time in ten fails three times in a row once in a
/// thousand runs.
pub const MOST_RETRIES: u32 = 2;

/// The conditions of all runs.
#[derive(Debug, Clone, Copy)]
pub struct RunConditions<'a> {
    /// When measuring ends.
    pub deadline: Deadline,
    /// The library by which counted programs share starts: see [`super::shared_starts`].
    pub shared_start: Option<&'a Path>,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

/// A measured value, and the number of retries that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialResult<T> {
    /// The value.
    pub value: T,
    /// Starts that failed and were tried again; not 0: the benchmark is flaky.
    pub retries: u32,
}

/// The reason why a benchmark has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeasurementError {
    /// It fails, or prints unreadable output, every time.
    #[error("{reason} (tried {} times)", .retries + 1)]
    Failed {
        /// The reason of the last attempt.
        reason: String,
        /// Attempts after the first.
        retries: u32,
    },
    /// It exceeded its own limit. Not repeated: a second attempt costs as much.
    #[error(
        "it did not end within {} s and was stopped: raise `time_limit` or reduce the input",
        .limit.as_secs_f64()
    )]
    TimedOut {
        /// Its limit.
        limit: Duration,
    },
    /// The time for all measuring was used up, before or during the run.
    #[error("the time for measuring was used up: raise the budget, or measure fewer benchmarks")]
    OutOfTime,
    /// The tool that measures is missing or can't run anything: another way to measure may work.
    #[error("{reason}")]
    NoTool {
        /// The tool, and what to do.
        reason: String,
    },
    /// The machine's fault: no space, no right to write.
    #[error("{reason}")]
    Machine {
        /// The reason.
        reason: String,
    },
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl MeasurementError {
    /// The benchmark's own fault; another attempt may succeed.
    pub(super) fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
            retries: 0,
        }
    }

    pub(super) fn machine(reason: &impl ToString) -> Self {
        Self::Machine {
            reason: reason.to_string(),
        }
    }
}

impl From<ProcessError> for MeasurementError {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::TimedOut { limit, .. } => Self::TimedOut { limit },
            ProcessError::Interrupted { .. } => Self::Interrupted,
            ProcessError::Start { .. } => Self::failed(error.to_string()),
            ProcessError::Wait { .. } => Self::machine(&error),
        }
    }
}

/// Runs a benchmark until it succeeds or the attempts are used up. `run` receives its time limit.
pub(super) fn run_with_retries<T>(
    limit: Duration,
    conditions: &RunConditions<'_>,
    mut run: impl FnMut(Duration) -> Result<T, MeasurementError>,
) -> Result<TrialResult<T>, MeasurementError> {
    let mut retries = 0;
    loop {
        if conditions.interruption.is_raised() {
            return Err(MeasurementError::Interrupted);
        }
        let (limit, shortened) = conditions.deadline.limit_run(limit);
        if limit.is_zero() && shortened {
            return Err(MeasurementError::OutOfTime);
        }
        match run(limit) {
            Ok(value) => return Ok(TrialResult { value, retries }),
            Err(MeasurementError::Failed { reason, .. }) if retries == MOST_RETRIES => {
                return Err(MeasurementError::Failed { reason, retries });
            }
            Err(MeasurementError::Failed { .. }) => retries += 1,
            Err(MeasurementError::TimedOut { .. }) if shortened => return Err(MeasurementError::OutOfTime),
            Err(other) => return Err(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(interruption: &InterruptionFlag) -> RunConditions<'_> {
        RunConditions {
            deadline: Deadline::NEVER,
            shared_start: None,
            interruption,
        }
    }

    #[test]
    fn what_works_in_the_end_is_flaky() {
        let interruption = InterruptionFlag::default();
        let mut tries = 0;
        let taken = run_with_retries(Duration::MAX, &conditions(&interruption), |_| {
            tries += 1;
            if tries < 3 {
                Err(MeasurementError::failed("no"))
            } else {
                Ok(7)
            }
        });
        assert_eq!(taken, Ok(TrialResult { value: 7, retries: 2 }));
    }

    #[test]
    fn what_always_fails_is_given_up_and_a_hang_is_not_repeated() {
        let interruption = InterruptionFlag::default();
        let mut tries = 0;
        let taken: Result<TrialResult<()>, _> = run_with_retries(Duration::MAX, &conditions(&interruption), |_| {
            tries += 1;
            Err(MeasurementError::failed(format!("no {tries}")))
        });
        let reason = "no 3".to_owned();
        assert_eq!(taken, Err(MeasurementError::Failed { reason, retries: 2 }));
        let mut tries = 0;
        let limit = Duration::from_secs(1);
        let taken: Result<TrialResult<()>, _> = run_with_retries(limit, &conditions(&interruption), |limit| {
            tries += 1;
            Err(MeasurementError::TimedOut { limit })
        });
        assert_eq!((taken, tries), (Err(MeasurementError::TimedOut { limit }), 1));
    }

    #[test]
    fn nothing_is_started_after_the_deadline_or_an_interruption() {
        let interruption = InterruptionFlag::default();
        let late = RunConditions {
            deadline: Deadline::after(Duration::ZERO),
            shared_start: None,
            interruption: &interruption,
        };
        let never = |_| -> Result<(), MeasurementError> { unreachable!("not to be started") };
        let limit = Duration::from_secs(1);
        assert_eq!(run_with_retries(limit, &late, never), Err(MeasurementError::OutOfTime));
        interruption.raise();
        let stopped = run_with_retries(limit, &conditions(&interruption), never);
        assert_eq!(stopped, Err(MeasurementError::Interrupted));
    }

    #[test]
    fn a_run_that_the_deadline_cut_short_did_not_outlive_its_own_limit() {
        let interruption = InterruptionFlag::default();
        let soon = RunConditions {
            deadline: Deadline::after(Duration::from_secs(60)),
            shared_start: None,
            interruption: &interruption,
        };
        let cut = |limit| -> Result<(), MeasurementError> { Err(MeasurementError::TimedOut { limit }) };
        let long = Duration::from_secs(3600);
        assert_eq!(run_with_retries(long, &soon, cut), Err(MeasurementError::OutOfTime));
    }
}
