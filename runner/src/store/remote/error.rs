//! What can go wrong between two stores, each with what to do about it.

use std::path::PathBuf;
use std::time::Duration;

use super::super::StoreError;

/// Failure of a transfer. Both stores are whole after each of them.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The repository knows no other.
    #[error(
        "looking for a remote: {}: it has none: name an address, as in `lito store fetch URL`, or add one with `git remote add origin URL`",
        repository.display()
    )]
    NoRemote {
        /// The repository.
        repository: PathBuf,
    },
    /// Nobody said which.
    #[error(
        "looking for a remote: there is no `origin`, but {}: name one of them",
        listed(known)
    )]
    SeveralRemotes {
        /// Their names.
        known: Vec<String>,
    },
    /// No such remote.
    #[error(
        "looking for the remote `{asked}`: no remote has this name, and it is no address: {}",
        match known.as_slice() {
            [] => String::from("add it with `git remote add`"),
            known => format!("there is {}", listed(known)),
        }
    )]
    UnknownRemote {
        /// What was asked for.
        asked: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Nothing that git should be told.
    #[error("looking for the remote `{asked}`: {why}")]
    BadRemote {
        /// What was asked for.
        asked: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The text in the variable is no token.
    #[error(
        "reading {}: it is not a token: set it to the token alone, one line of letters, digits and signs",
        super::TOKEN_VARIABLE
    )]
    BadToken,
    /// The git program is missing.
    #[error("{attempt}: {why}: install git 2.31 or newer")]
    NoGit {
        /// What was attempted.
        attempt: &'static str,
        /// Why it was not started.
        why: String,
    },
    /// The other side knows us not, or does not allow this.
    #[error("{attempt}: {remote}: not allowed: {said}: {}", match *attempt {
        "pushing the store" =>
            "the token needs the permission `contents: write` (in a workflow, `permissions: contents: write` for this job); \
             set LITO_STORE_TOKEN, or log git in",
        _ => "the token needs the permission `contents: read`; set LITO_STORE_TOKEN, or log git in",
    })]
    Denied {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// What it said.
        said: String,
    },
    /// The other side did not take what was pushed.
    #[error(
        "{attempt}: {remote}: refused: {said}: ask whoever runs it to let lito write its ref; what is stored here is kept"
    )]
    Refused {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// What it said.
        said: String,
    },
    /// No repository there.
    #[error(
        "{attempt}: {remote}: there is no such repository, or it may not be read: {said}: check the address and the token"
    )]
    NotThere {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// What git said.
        said: String,
    },
    /// The network or the server failed, more than once.
    #[error(
        "{attempt}: {remote}: it can't be reached, in {attempts} attempts: {said}: try again later; what is stored here is kept"
    )]
    Unreachable {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// How often it was tried.
        attempts: u32,
        /// What git said.
        said: String,
    },
    /// It took too long.
    #[error(
        "{attempt}: {remote}: no end within {limit:?}, so it was stopped: try again, or raise --time-limit; what is stored here is kept"
    )]
    TimedOut {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// The limit.
        limit: Duration,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Others are always faster.
    #[error(
        "pushing the store: {remote}: others changed it, or held its lock, during each of {attempts} attempts: try again; what is stored here is kept"
    )]
    Contended {
        /// The other side.
        remote: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// What lies there can't be merged. It is not overwritten.
    #[error("{attempt}: {remote}: {why}: nothing is changed there; {remedy}")]
    Theirs {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// What is wrong.
        why: String,
        /// What to do.
        remedy: String,
    },
    /// Something else that git says.
    #[error("{attempt}: {remote}: git failed: {said}: {remedy}")]
    Git {
        /// What was attempted.
        attempt: &'static str,
        /// The other side.
        remote: String,
        /// What git said.
        said: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A file that can't be written, or is none that a store travels in.
    #[error("{attempt}: {}: {why}: {remedy}", path.display())]
    File {
        /// What was attempted.
        attempt: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Our own store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RemoteError {
    /// A state that can't be merged, seen from here.
    pub(super) fn theirs(attempt: &'static str, remote: &str, reference: &str, error: StoreError) -> Self {
        let (why, remedy) = match error {
            StoreError::Newer {
                found, known, remedy, ..
            } => (
                format!("its store has format {found}, this lito knows formats up to {known}"),
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

    /// True if whoever typed the command can mend it.
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
