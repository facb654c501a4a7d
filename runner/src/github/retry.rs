//! A failed request → a pause and another try, or an error: the only place where anything is repeated.
//!
//! What may be repeated is decided by who sends it: see [`super::Client::send`] and [`super::Client::create`].

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::GithubError;
use super::api_fault::ApiFault;
use super::transport::ApiCall;
use crate::backoff::backoff_pause;
use crate::process::InterruptionFlag;

/// Failures that one operation bears. Outages that four repetitions with doubling pauses (1, 2, 4, 8 seconds) don't
/// outlast are longer than a job should hold its machine for.
const ATTEMPTS: u32 = 5;

/// Pause after the first failure; doubled after each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Pauses of one operation together. GitHub's secondary limits ask for a minute or a few; its hourly limit can ask for
/// almost an hour, which costs more machine time than posting later.
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// One request with its answer. GitHub itself gives up after ten seconds.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// One artifact: the largest that is accepted comes in this time over 3 Mbit/s.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(2 * 60);

/// How often a pause looks whether the user wants to stop.
const INTERRUPTION_INTERVAL: Duration = Duration::from_millis(50);

/// How long, and how often, GitHub is waited for.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    /// Failures that one operation bears, the last of which is final.
    pub attempts: u32,
    /// Pause after the first failure.
    pub first_pause: Duration,
    /// Longest sum of the pauses of one operation.
    pub longest_wait: Duration,
    /// Limit of one request.
    pub request_timeout: Duration,
    /// Limit of the download of one artifact.
    pub download_timeout: Duration,
    /// How pauses are made.
    pub pauses: RetryPause,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: ATTEMPTS,
            first_pause: FIRST_PAUSE,
            longest_wait: LONGEST_WAIT,
            request_timeout: REQUEST_TIMEOUT,
            download_timeout: DOWNLOAD_TIMEOUT,
            pauses: RetryPause::default(),
        }
    }
}

/// How a pause is made: by sleeping, or by noting how long it would have been.
#[derive(Clone)]
pub struct RetryPause(Arc<dyn Fn(Duration) -> bool + Send + Sync>);

impl RetryPause {
    /// Sleeps, until the user asks to stop.
    #[must_use]
    pub fn until(interruption: InterruptionFlag) -> Self {
        Self::by(move |pause| {
            let started = Instant::now();
            while !interruption.is_raised() {
                let left = pause.saturating_sub(started.elapsed());
                if left.is_zero() {
                    return true;
                }
                std::thread::sleep(left.min(INTERRUPTION_INTERVAL));
            }
            false
        })
    }

    /// Pauses by a function; false from it means that the user asked to stop.
    pub fn by(pause: impl Fn(Duration) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(pause))
    }
}

impl Default for RetryPause {
    fn default() -> Self {
        Self::by(|pause| {
            std::thread::sleep(pause);
            true
        })
    }
}

impl fmt::Debug for RetryPause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pauses")
    }
}

/// What one operation, which may be several requests, has left of its patience.
pub(super) struct RetryBudget<'a> {
    patience: &'a RetryPolicy,
    failures: u32,
    waited: Duration,
}

impl<'a> RetryBudget<'a> {
    pub(super) fn new(patience: &'a RetryPolicy) -> Self {
        Self {
            patience,
            failures: 0,
            waited: Duration::ZERO,
        }
    }

    /// Pauses after a failure, so that the request may be sent again.
    ///
    /// # Errors
    /// The failure itself, where repeating does not help or the patience is at its end.
    pub(super) fn pause_or_fail(&mut self, fault: ApiFault, call: &ApiCall) -> Result<(), GithubError> {
        self.failures = self.failures.saturating_add(1);
        let pause = match &fault {
            ApiFault::Limited { wait, .. } => (*wait).max(self.patience.first_pause),
            ApiFault::Failing { wait, .. } => self.backoff().max(wait.unwrap_or_default()),
            ApiFault::Lost { .. } => self.backoff(),
            _ => return Err(self.end(fault, call)),
        };
        let waited = self.waited.saturating_add(pause);
        if self.failures >= self.patience.attempts || waited > self.patience.longest_wait {
            return Err(self.end(fault, call));
        }
        if !(self.patience.pauses.0)(pause) {
            return Err(GithubError::Interrupted {
                attempt: call.attempt,
                on: call.on.clone(),
            });
        }
        self.waited = waited;
        Ok(())
    }

    /// The failure as an error, without waiting.
    pub(super) fn end(&self, fault: ApiFault, call: &ApiCall) -> GithubError {
        fault.into_error(call, self.failures.max(1), self.waited)
    }

    fn backoff(&self) -> Duration {
        backoff_pause(self.patience.first_pause, Duration::MAX, self.failures.saturating_sub(1))
    }
}
