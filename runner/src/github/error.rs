//! Reasons why a request to GitHub fails, each with its remedy. No variant contains a token or a signed address, and
//! server messages are cut to one short line.

use std::time::Duration;

/// Failure of a request to GitHub, after all permitted retries.
#[derive(Debug, thiserror::Error)]
pub enum GithubError {
    /// An invalid setting or argument.
    #[error("using {what}: `{value}`: {why}: {remedy}")]
    Invalid {
        /// The setting or argument.
        what: &'static str,
        /// Its value; empty if it is secret.
        value: String,
        /// The reason.
        why: &'static str,
        /// The remedy.
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
    /// No answer: the network or GitHub took too long, or the connection was dropped.
    #[error(
        "{attempt}: {on}: no answer after {tries} tries: {why}: check the network and GitHub's status page, then repeat"
    )]
    Unreachable {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// Number of failed tries.
        tries: u32,
        /// Reason of the last failure.
        why: String,
    },
    /// The proxy lets nobody through without a name and a password, or not with these.
    #[error(
        "{attempt}: {on}: {why}: name a user in the proxy's address, as in HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT, then repeat"
    )]
    ProxyRefusal {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// Its answer, and the proxy without its password.
        why: String,
    },
    /// GitHub answered with a server error.
    #[error(
        "{attempt}: {on}: GitHub answered {status} after {tries} tries{}: check GitHub's status page, then repeat",
        colon(said)
    )]
    Failing {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// The last status.
        status: u16,
        /// Number of failed tries.
        tries: u32,
        /// The server's message.
        said: String,
    },
    /// GitHub requested a longer wait than this run may take.
    #[error(
        "{attempt}: {on}: GitHub's rate limit asks for a wait of {} seconds, after {} already waited: repeat later",
        asked.as_secs(), waited.as_secs()
    )]
    Limited {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// The last wait that GitHub requested.
        asked: Duration,
        /// Time waited before.
        waited: Duration,
    },
    /// GitHub does not accept the token.
    #[error(
        "{attempt}: {on}: GitHub does not accept the token{}: set a valid one, in a workflow `GITHUB_TOKEN: ${{{{ github.token }}}}`",
        colon(said)
    )]
    BadToken {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// GitHub's message.
        said: String,
    },
    /// The token is valid, but lacks a permission.
    #[error(
        "{attempt}: {on}: the token lacks a permission{}: grant `{}`, in a workflow under `permissions:`",
        colon(said),
        permission(needs)
    )]
    Forbidden {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// The missing permission, as GitHub calls it: `pull_requests=write`.
        needs: String,
        /// GitHub's message.
        said: String,
    },
    /// The target does not exist, or the token may not see it.
    #[error(
        "{attempt}: {on}: not found, or not visible to this token: check the name and the token's permission `{}`",
        permission(needs)
    )]
    NotFound {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// The permission that shows it.
        needs: &'static str,
    },
    /// GitHub understood the request and refused it.
    #[error(
        "{attempt}: {on}: GitHub refused the request with status {status}{}: check its parameters",
        colon(said)
    )]
    Rejected {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// The status.
        status: u16,
        /// GitHub's message.
        said: String,
    },
    /// An answer that does not follow GitHub's API.
    #[error(
        "{attempt}: {on}: the answer can't be used: {why}: check that the API's address is right and no proxy answers in its place"
    )]
    Unreadable {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
        /// The reason.
        why: String,
    },
    /// An artifact that lito did not write, or that is incomplete.
    #[error("reading an artifact: {on}: {why}: run the workflow that uploads it again")]
    Artifact {
        /// The artifact.
        on: String,
        /// The reason.
        why: String,
    },
    /// The user asked to stop during a pause.
    #[error("{attempt}: {on}: interrupted while waiting to repeat it")]
    Interrupted {
        /// The attempted operation.
        attempt: &'static str,
        /// Its target.
        on: String,
    },
}

impl GithubError {
    /// The permission that the token lacks (`checks=write`), if this is the reason of the failure.
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

/// A permission as written in a workflow: `pull_requests=write` → `pull-requests: write`.
fn permission(needs: &str) -> String {
    needs.replace('_', "-").replace('=', ": ")
}
