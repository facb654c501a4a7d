//! Reasons why a transfer between two stores fails, each with its remedy.

use std::path::PathBuf;
use std::time::Duration;

use super::super::StoreError;

/// Failure of a transfer. Both stores are intact after each of them.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The repository has no remote.
    #[error(
        "looking for a remote: {}: the repository has none: name an address, as in `lito store fetch URL`, or add one with `git remote add origin URL`",
        repository.display()
    )]
    NoRemote {
        /// The repository.
        repository: PathBuf,
    },
    /// Several remotes, and none was chosen.
    #[error("looking for a remote: there is no `origin`: name one of {}", listed(known))]
    SeveralRemotes {
        /// Their names.
        known: Vec<String>,
    },
    /// The remote does not exist.
    #[error(
        "looking for the remote `{asked}`: no remote has this name, and it is not an address: {}",
        match known.as_slice() {
            [] => String::from("add it with `git remote add`"),
            known => format!("the remotes are {}", listed(known)),
        }
    )]
    UnknownRemote {
        /// The requested remote.
        asked: String,
        /// The known remotes.
        known: Vec<String>,
    },
    /// An argument that git must not receive.
    #[error("looking for the remote `{asked}`: {why}")]
    BadRemote {
        /// The requested remote.
        asked: String,
        /// The reason.
        why: &'static str,
    },
    /// The variable does not contain a token.
    #[error(
        "reading {}: it is not a token: set it to the token alone, one line of letters, digits and signs",
        super::TOKEN_VARIABLE
    )]
    BadToken,
    /// The git program is missing.
    #[error("{attempt}: {why}: install git 2.31 or newer")]
    NoGit {
        /// The attempted operation.
        attempt: &'static str,
        /// The reason.
        why: String,
    },
    /// The other side does not accept the credentials, or lacks the permission.
    #[error("{attempt}: {remote}: not allowed: {said}: {}", match *attempt {
        "pushing the store" =>
            "the token needs the permission `contents: write` (in a workflow, `permissions: contents: write` for this job); \
             set LITO_STORE_TOKEN, or configure git's credentials",
        _ => "the token needs the permission `contents: read`; set LITO_STORE_TOKEN, or configure git's credentials",
    })]
    Denied {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// Its message.
        said: String,
    },
    /// The other side rejected the push.
    #[error(
        "{attempt}: {remote}: refused: {said}: ask whoever runs it to let lito write its ref; the local store is not affected"
    )]
    Refused {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// Its message.
        said: String,
    },
    /// There is no repository at this address.
    #[error(
        "{attempt}: {remote}: there is no such repository, or it is not readable: {said}: check the address and the token"
    )]
    NotThere {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// Git's message.
        said: String,
    },
    /// The network or the server failed repeatedly.
    #[error(
        "{attempt}: {remote}: not reachable in {attempts} attempts: {said}: try again later; the local store is not affected"
    )]
    Unreachable {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// Number of attempts.
        attempts: u32,
        /// Git's message.
        said: String,
    },
    /// The time limit passed.
    #[error(
        "{attempt}: {remote}: stopped at its time limit of {limit:?}: try again, or raise --time-limit; the local store is not affected"
    )]
    TimedOut {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// The limit.
        limit: Duration,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Other writers kept changing the ref.
    #[error(
        "pushing the store: {remote}: others changed it or held its lock in each of {attempts} attempts: try again; the local store is not affected"
    )]
    Contended {
        /// The other side.
        remote: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// The other side's store can't be merged. It is not overwritten.
    #[error("{attempt}: {remote}: {why}: nothing was changed there; {remedy}")]
    Theirs {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// The reason.
        why: String,
        /// The remedy.
        remedy: String,
    },
    /// Any other failure of git.
    #[error("{attempt}: {remote}: git failed: {said}: {remedy}")]
    Git {
        /// The attempted operation.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// Git's message.
        said: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A file that can't be written, or does not contain a store.
    #[error("{attempt}: {}: {why}: {remedy}", path.display())]
    File {
        /// The attempted operation.
        attempt: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// Our own store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RemoteError {
    /// The error of another store that can't be merged.
    pub(super) fn theirs(attempt: &'static str, remote: &str, reference: &str, error: StoreError) -> Self {
        let (why, remedy) = match error {
            StoreError::Newer {
                found, known, remedy, ..
            } => (
                format!("its store has format {found}, this lito reads formats up to {known}"),
                remedy,
            ),
            StoreError::Unreadable { why, .. } => (
                format!("its store can't be read: {why}"),
                format!("restore its {reference}, or store elsewhere by setting `[store] url` in lito.toml"),
            ),
            other => return Self::Store(other),
        };
        Self::Theirs {
            attempt,
            remote: remote.to_owned(),
            why,
            remedy,
        }
    }

    /// True if the user can fix it by another command line.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoRemote { .. }
                | Self::SeveralRemotes { .. }
                | Self::UnknownRemote { .. }
                | Self::BadRemote { .. }
                | Self::BadToken
                | Self::Store(StoreError::BadUrl { .. })
        )
    }
}

fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
