//! Requests to GitHub → its answers as values: pull requests, check runs, comments, permissions, runs of workflows and
//! their artifacts.
//!
//! Synchronous: a runtime for one thread is hidden inside. Does not decide what is reported, and does not trust answers
//! beyond their types: sizes, times and counts are bounded. Requests are repeated in one place (`retry`); a request
//! that creates something is repeated only after checking whether it succeeded.

mod api_fault;
mod artifact_archive;
mod artifacts;
mod checks;
mod comments;
mod error;
mod permissions;
mod pulls;
mod retry;
#[cfg(test)]
mod tests;
mod transport;
mod workflow_runs;

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use artifact_archive::ArtifactLimits;
pub use checks::{AnnotationLevel, CheckAnnotation, CheckConclusion, CheckRun, NewCheckRun};
pub use comments::{IssueComment, PostOutcome, PostedComment};
pub use error::GithubError;
pub use permissions::RepositoryPermission;
pub use pulls::{GithubPullRequest, PullRequestHead};
pub use retry::{RetryPause, RetryPolicy};
pub use workflow_runs::WorkflowRun;

use retry::RetryBudget;
use transport::{ApiCall, ApiResponse, ApiTransport};

use crate::http_connection::ProxySettings;

/// GitHub's own API, unless `GITHUB_API_URL` names another.
pub const DEFAULT_API: &str = "https://api.github.com";

/// Account of workflow tokens. Such a token may not query its own account.
const ACTIONS_BOT: &str = "github-actions[bot]";

/// Suffix of the logins of apps.
const BOT_SUFFIX: &str = "[bot]";

/// Entries per page: GitHub's maximum.
const PAGE: usize = 100;

/// Most pages read of one list: 10,000 comments or check runs. GitHub allows 2,500 comments on one pull request.
const MOST_PAGES: usize = 100;

/// Address, credentials and repository for requests to GitHub.
#[derive(Debug, Clone)]
pub struct GithubConnection {
    /// The API's address: `GITHUB_API_URL`, or [`DEFAULT_API`].
    pub api_url: String,
    /// The token. Without one, only public data can be read, and nothing written.
    pub token: Option<GithubToken>,
    /// The repository that receives pull requests.
    pub repository: RepositoryName,
    /// The token's login, for the token of an app other than GitHub's own: such a token may not query it.
    pub bot: Option<String>,
    /// The proxy that leads to it.
    pub proxy: ProxySettings,
}

/// A secret that no message contains.
#[derive(Clone)]
pub struct GithubToken(String);

impl GithubToken {
    /// Takes a token from the environment, without the white space around it.
    ///
    /// # Errors
    /// It is empty or contains characters that no header can.
    pub fn new(token: &str) -> Result<Self, GithubError> {
        let token = token.trim();
        let invalid = |why| GithubError::Invalid {
            what: "the token",
            value: String::new(),
            why,
            remedy: "set GITHUB_TOKEN to the token, in a workflow `${{ github.token }}`",
        };
        if token.is_empty() {
            return Err(invalid("it is empty"));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(invalid("it contains characters that no token has"));
        }
        Ok(Self(token.to_owned()))
    }
}

impl fmt::Debug for GithubToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

/// A repository as GitHub names it: `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryName {
    owner: String,
    name: String,
}

impl RepositoryName {
    /// Login of its owner.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Its name without the owner.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl FromStr for RepositoryName {
    type Err = GithubError;

    fn from_str(text: &str) -> Result<Self, GithubError> {
        // GitHub's own limits are 39 and 100 characters.
        let plain = |part: &str| {
            (1..=100).contains(&part.len())
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
                && part.bytes().any(|byte| byte != b'.')
        };
        match text.split_once('/') {
            Some((owner, name)) if plain(owner) && plain(name) => Ok(Self {
                owner: owner.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(GithubError::Invalid {
                what: "the repository's name",
                value: api_fault::printable_line(text),
                why: "it is not `owner/name`",
                remedy: "set GITHUB_REPOSITORY to one like `rust-lang/rust`",
            }),
        }
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

/// A client for one repository on GitHub, acting as one account.
pub struct GithubClient {
    exchange: ApiTransport,
    repository: RepositoryName,
    patience: RetryPolicy,
    bot: Option<String>,
    identity: OnceLock<String>,
}

impl fmt::Debug for GithubClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("repository", &self.repository)
            .finish_non_exhaustive()
    }
}

impl GithubClient {
    /// Prepares the connection; nothing is sent yet.
    ///
    /// # Errors
    /// The API's address is not safe for a token, or the machine can't use TLS.
    pub fn new(connection: &GithubConnection, patience: RetryPolicy) -> Result<Self, GithubError> {
        Ok(Self {
            exchange: ApiTransport::new(connection)?,
            repository: connection.repository.clone(),
            patience,
            bot: connection.bot.clone(),
            identity: OnceLock::new(),
        })
    }

    /// The token's login: the author of our own comments.
    ///
    /// # Errors
    /// GitHub does not reveal it, for another reason than that the token is a workflow's.
    pub fn identity(&self) -> Result<&str, GithubError> {
        self.login(&mut self.budget())
    }

    fn login(&self, budget: &mut RetryBudget<'_>) -> Result<&str, GithubError> {
        #[derive(Deserialize)]
        struct TokenUser {
            login: String,
        }
        if let Some(known) = self.bot.as_ref().or_else(|| self.identity.get()) {
            return Ok(known);
        }
        let call = ApiCall {
            attempt: "asking for the token's account",
            on: self.repository.to_string(),
            needs: "metadata=read",
            method: Method::GET,
            path: "/user".to_owned(),
            body: None,
        };
        let login = match self.send(&call, budget) {
            Ok(answer) => answer.decode::<TokenUser>(&call)?.login,
            // GitHub answers this to tokens of app installations, which have no user.
            Err(GithubError::Forbidden { .. }) => ACTIONS_BOT.to_owned(),
            Err(error) => return Err(error),
        };
        Ok(self.identity.get_or_init(|| login))
    }

    fn budget(&self) -> RetryBudget<'_> {
        RetryBudget::new(&self.patience)
    }

    /// A call on this repository; `path` follows its name.
    fn call(&self, method: Method, attempt: &'static str, needs: &'static str, path: &str) -> ApiCall {
        ApiCall {
            attempt,
            on: self.repository.to_string(),
            needs,
            method,
            path: format!("/repos/{}/{}{path}", self.repository.owner, self.repository.name),
            body: None,
        }
    }

    /// Sends a request that is safe to repeat, until it succeeds or the retry budget ends.
    fn send(&self, call: &ApiCall, budget: &mut RetryBudget<'_>) -> Result<ApiResponse, GithubError> {
        loop {
            match self.exchange.send_once(call, self.patience.request_timeout) {
                Ok(answer) => return Ok(answer),
                Err(fault) => budget.pause_or_fail(fault, call)?,
            }
        }
    }

    /// Sends a request that creates something. If the result is unknown, `look` searches for the created object, and
    /// only if it finds nothing the request is sent again. Limit: GitHub may still carry a request out after that
    /// search.
    fn create<T: DeserializeOwned>(
        &self,
        call: &ApiCall,
        budget: &mut RetryBudget<'_>,
        look: impl Fn(&mut RetryBudget<'_>) -> Result<Option<T>, GithubError>,
    ) -> Result<CreateOutcome<T>, GithubError> {
        loop {
            let fault = match self.exchange.send_once(call, self.patience.request_timeout) {
                Ok(answer) => return answer.decode(call).map(CreateOutcome::Now),
                Err(fault) => fault,
            };
            let ambiguous = fault.is_ambiguous();
            let borne = match budget.pause_or_fail(fault, call) {
                Err(stopped @ GithubError::Interrupted { .. }) => return Err(stopped),
                borne => borne,
            };
            // The last try may still have been carried out: one more search.
            if ambiguous {
                match (look(budget), &borne) {
                    (Ok(Some(made)), _) => return Ok(CreateOutcome::Before(made)),
                    (Err(error), Ok(())) => return Err(error),
                    _ => {}
                }
            }
            borne?;
        }
    }

    /// All entries of a list, page by page. `of` extracts the entries of a page.
    fn pages<P: DeserializeOwned, T>(
        &self,
        call: &ApiCall,
        budget: &mut RetryBudget<'_>,
        of: impl Fn(P) -> Vec<T>,
    ) -> Result<Vec<T>, GithubError> {
        let mut entries = Vec::new();
        for page in 1..=MOST_PAGES {
            let separator = if call.path.contains('?') { '&' } else { '?' };
            let call = ApiCall {
                path: format!("{}{separator}per_page={PAGE}&page={page}", call.path),
                ..call.clone()
            };
            let answer = self.send(&call, budget)?;
            let here = of(answer.decode(&call)?);
            let full = here.len() >= PAGE;
            entries.extend(here);
            // Not every proxy forwards the header: a full page may be followed by another nevertheless.
            if !full && !has_next(&answer) {
                return Ok(entries);
            }
        }
        Err(GithubError::Unreadable {
            attempt: call.attempt,
            on: call.on.clone(),
            why: format!("the list has more than {MOST_PAGES} pages"),
        })
    }
}

fn has_next(answer: &ApiResponse) -> bool {
    let links = answer.headers.get(http::header::LINK);
    links
        .and_then(|links| links.to_str().ok())
        .is_some_and(|links| links.contains("rel=\"next\""))
}

/// Result of a request that creates something.
enum CreateOutcome<T> {
    /// Created by this request.
    Now(T),
    /// Created by an earlier request, whose answer was lost.
    Before(T),
}

/// Checks a commit's id for use in an address.
fn commit(sha: &str) -> Result<&str, GithubError> {
    if (40..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(sha);
    }
    Err(GithubError::Invalid {
        what: "a commit",
        value: api_fault::printable_line(sha),
        why: "it is not a complete commit id",
        remedy: "give all 40 hexadecimal digits",
    })
}

/// Encodes text as one part of an address.
fn encoded(text: &str) -> String {
    use fmt::Write;
    let mut part = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            part.push(char::from(byte));
        } else {
            write!(part, "%{byte:02X}").expect("writing to a string does not fail");
        }
    }
    part
}
