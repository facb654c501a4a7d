//! A failed request → a pause and another try, or an error: the only place that repeats requests.
//!
//! The sender decides whether a request may be repeated: see [`super::GithubClient::send`] and
//! [`super::GithubClient::create`].

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::GithubError;
use super::api_fault::ApiFault;
use super::transport::ApiCall;
use crate::backoff::backoff_pause;
use crate::process::InterruptionFlag;

/// Most failures of one operation. Outages longer than four repetitions with doubling pauses (1, 2, 4, 8 seconds) are
/// not worth the machine time of a job.
const ATTEMPTS: u32 = 5;

/// Pause after the first failure; doubled after each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Longest sum of the pauses of one operation. GitHub's secondary limits ask for a minute or a few; its hourly limit
/// can ask for almost an hour, which costs more machine time than posting later.
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// Time limit of one request. GitHub itself gives up after ten seconds.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Time limit of one artifact: enough for the largest accepted one over 3 Mbit/s.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(2 * 60);

/// Interval at which a pause checks for an interruption.
const INTERRUPTION_INTERVAL: Duration = Duration::from_millis(50);

/// Limits and pauses of retries.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    /// Most failures of one operation; the last one is final.
    pub attempts: u32,
    /// Pause after the first failure; doubled after each further one.
    pub first_pause: Duration,
    /// Longest sum of the pauses of one operation.
    pub longest_wait: Duration,
    /// Time limit of one request.
    pub request_timeout: Duration,
    /// Time limit of the download of one artifact.
    pub download_timeout: Duration,
    /// Implementation of pauses.
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

/// Implementation of a pause: sleeping, or recording its length.
#[derive(Clone)]
pub struct RetryPause(Arc<dyn Fn(Duration) -> bool + Send + Sync>);

impl RetryPause {
    /// Sleeps until the time is over or the user asks to stop.
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

    /// Pauses by calling a function; it returns false if the user asked to stop.
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

/// Remaining retries of one operation, which may consist of several requests.
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

    /// Pauses after a failure, before the request is sent again.
    ///
    /// # Errors
    /// The failure itself, if repeating does not help or the budget is used up.
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

    /// Converts a failure to an error, without waiting.
    pub(super) fn end(&self, fault: ApiFault, call: &ApiCall) -> GithubError {
        fault.into_error(call, self.failures.max(1), self.waited)
    }

    fn backoff(&self) -> Duration {
        backoff_pause(
            self.patience.first_pause,
            Duration::MAX,
            self.failures.saturating_sub(1),
        )
    }
}
