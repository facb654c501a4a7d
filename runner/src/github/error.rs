//! What can go wrong with GitHub, each with what to do about it. No variant holds a token or a signed address, and
//! what the server said is cut to one short line.

use std::time::Duration;

/// Failure of a request to GitHub, after what could be repeated was repeated.
#[derive(Debug, thiserror::Error)]
pub enum GithubError {
    /// A setting or argument that no request can be made with.
    #[error("using {what}: `{value}`: {why}: {remedy}")]
    Invalid {
        /// Which setting or argument.
        what: &'static str,
        /// Its value; empty where it is secret.
        value: String,
        /// What is wrong with it.
        why: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// This machine can't speak TLS or start its timers.
    #[error("preparing to reach GitHub: {url}: {why}: install the system's certificates (package `ca-certificates`)")]
    Setup {
        /// The address of the API.
        url: String,
        /// The reason.
        why: String,
    },
    /// No answer: the network, or GitHub, took too long or dropped the connection.
    #[error(
        "{attempt}: {on}: no answer after {tries} tries, the last failed with: {why}: check the network and GitHub's status page, then repeat"
    )]
    Unreachable {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// How often this operation failed.
        tries: u32,
        /// Why the last try failed.
        why: String,
    },
    /// GitHub answered with a server error.
    #[error(
        "{attempt}: {on}: GitHub answered {status} after {tries} tries{}: check GitHub's status page, then repeat",
        colon(said)
    )]
    Failing {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// The last status.
        status: u16,
        /// How often this operation failed.
        tries: u32,
        /// What it said.
        said: String,
    },
    /// GitHub asked to wait for longer, or more often, than this run may.
    #[error(
        "{attempt}: {on}: GitHub's rate limit: it asked to wait {} seconds more than the {} already waited: repeat then",
        asked.as_secs(), waited.as_secs()
    )]
    Limited {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// How long GitHub asked to wait, the last time.
        asked: Duration,
        /// How long was waited before.
        waited: Duration,
    },
    /// GitHub does not accept the token.
    #[error(
        "{attempt}: {on}: GitHub does not accept the token{}: hand in one that is valid, in a workflow `GITHUB_TOKEN: ${{{{ github.token }}}}`",
        colon(said)
    )]
    BadToken {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// What GitHub said.
        said: String,
    },
    /// The token is good, but may not do this.
    #[error(
        "{attempt}: {on}: the token may not do this{}: give it `{}`, in a workflow under `permissions:`",
        colon(said),
        permission(needs)
    )]
    Forbidden {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// The permission that is missing, as GitHub names it: `pull_requests=write`.
        needs: String,
        /// What GitHub said.
        said: String,
    },
    /// There is no such thing, or the token may not see it.
    #[error(
        "{attempt}: {on}: GitHub does not know it, or does not show it to this token: check the name and the token's permission `{}`",
        permission(needs)
    )]
    NotFound {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// The permission that shows it.
        needs: &'static str,
    },
    /// GitHub understood the request and refused it.
    #[error(
        "{attempt}: {on}: GitHub refused it with {status}{}: check what was asked for",
        colon(said)
    )]
    Rejected {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// The status.
        status: u16,
        /// What is wrong with it, in GitHub's words.
        said: String,
    },
    /// An answer that is not what GitHub's API gives.
    #[error(
        "{attempt}: {on}: the answer can't be used: {why}: check that the API's address is right and no proxy answers in its place"
    )]
    Unreadable {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
        /// What is wrong with it.
        why: String,
    },
    /// An artifact that is not one of ours, or not whole.
    #[error("reading an artifact: {on}: {why}: run the workflow that uploads it again")]
    Artifact {
        /// Which artifact.
        on: String,
        /// What is wrong with it.
        why: String,
    },
    /// The user asked to stop while a pause lasted.
    #[error("{attempt}: {on}: interrupted while waiting to repeat it")]
    Interrupted {
        /// What was attempted.
        attempt: &'static str,
        /// On what.
        on: String,
    },
}

impl GithubError {
    /// The permission that the token lacks (`checks=write`), where that is what failed.
    #[must_use]
    pub fn missing_permission(&self) -> Option<&str> {
        match self {
            Self::Forbidden { needs, .. } => Some(needs),
            _ => None,
        }
    }
}

fn colon(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!(" (\"{said}\")")
    }
}

/// A permission as it is written in a workflow: `pull_requests=write` → `pull-requests: write`.
fn permission(needs: &str) -> String {
    needs.replace('_', "-").replace('=', ": ")
}
