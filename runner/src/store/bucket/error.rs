//! Reasons why a transfer between a store and a bucket fails, each with its remedy.

use std::time::Duration;

use super::super::StoreError;

/// Failure of a transfer. The store here is intact after each of them, and so is the one in the bucket.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// An address that names no bucket.
    #[error("looking for the bucket `{asked}`: {why}")]
    BadAddress {
        /// The requested address, without secrets.
        asked: String,
        /// The reason.
        why: &'static str,
    },
    /// The variables that say how the bucket is reached contradict each other, are incomplete, or do not fit the storage.
    #[error("{attempt}: {bucket}: {why}: check the AWS_ variables")]
    Settings {
        /// The attempted operation.
        attempt: &'static str,
        /// The bucket.
        bucket: String,
        /// The reason.
        why: String,
    },
    /// The storage does not accept the credentials, or they lack a permission.
    #[error("{attempt}: {bucket}: not allowed: {said}: {remedy}")]
    Denied {
        /// The attempted operation.
        attempt: &'static str,
        /// The bucket.
        bucket: String,
        /// Its message.
        said: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// There is no such bucket.
    #[error("{attempt}: {bucket}: there is no such bucket: create it, or check the address and AWS_ENDPOINT_URL")]
    NotThere {
        /// The attempted operation.
        attempt: &'static str,
        /// The bucket.
        bucket: String,
    },
    /// The network or the server failed repeatedly.
    #[error(
        "{attempt}: {bucket}: not reachable in {attempts} attempts: {said}: try again later; what was sent is kept, and the local store is not affected"
    )]
    Unreachable {
        /// The attempted operation.
        attempt: &'static str,
        /// The bucket.
        bucket: String,
        /// Number of attempts.
        attempts: u32,
        /// The last failure.
        said: String,
    },
    /// The time limit of a request passed.
    #[error(
        "{attempt}: {bucket}: no answer within {limit:?}: try again, or raise --time-limit; the local store is not affected"
    )]
    TimedOut {
        /// The attempted operation.
        attempt: &'static str,
        /// The bucket.
        bucket: String,
        /// The limit.
        limit: Duration,
    },
    /// The place holds something else than a store that this lito reads. It is not written to.
    #[error("{attempt}: {bucket}: {why}: nothing was changed there; {remedy}")]
    Theirs {
        /// The attempted operation.
        attempt: &'static str,
        /// The bucket.
        bucket: String,
        /// The reason.
        why: String,
        /// The remedy.
        remedy: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Our own store, or the repository.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BucketError {
    /// True if the user can fix it by another command line.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::BadAddress { .. })
    }
}
