//! Questions and reports to GitHub → its answers as values: pull requests, check runs, comments, permissions, runs of
//! workflows and their artifacts.
//!
//! Synchronous: a runtime for one thread is hidden inside. Nothing here decides what is reported, and nothing that
//! GitHub says is believed further than the types say: sizes, times and counts are bounded. Requests are repeated in
//! one place (`retry`); one that makes something is repeated only after looking whether it was made.

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

/// GitHub's own API, where `GITHUB_API_URL` names no other.
pub const DEFAULT_API: &str = "https://api.github.com";

/// Who the token of a workflow acts as. Such a token may not ask.
const ACTIONS_BOT: &str = "github-actions[bot]";

/// What the name of an account ends with that belongs to an app.
const BOT_SUFFIX: &str = "[bot]";

/// Entries of one page: the most that GitHub gives.
const PAGE: usize = 100;

/// Pages read of one list: 10,000 comments or check runs. GitHub allows 2,500 comments on one pull request.
const MOST_PAGES: usize = 100;

/// Where GitHub is, and as whom it is asked.
#[derive(Debug, Clone)]
pub struct GithubConnection {
    /// The API's address: `GITHUB_API_URL`, or [`DEFAULT_API`].
    pub api_url: String,
    /// The token. Without one only what is public can be read, and nothing written.
    pub token: Option<GithubToken>,
    /// The repository that pull requests are made to.
    pub repository: RepositoryName,
    /// The login that the token acts as, for the token of an app other than GitHub's own: such a token may not ask.
    pub bot: Option<String>,
}

/// A secret that stands in no message.
#[derive(Clone)]
pub struct GithubToken(String);

impl GithubToken {
    /// Takes a token as it was handed in; white space around it is not part of it.
    ///
    /// # Errors
    /// If it is empty or holds what no header can.
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
            return Err(invalid("it holds characters that no token has"));
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
    /// Whose it is.
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

/// One repository on GitHub, asked as one account.
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
    /// If the API's address is not one that a token may be sent to, or the machine can't speak TLS.
    pub fn new(connection: &GithubConnection, patience: RetryPolicy) -> Result<Self, GithubError> {
        Ok(Self {
            exchange: ApiTransport::new(connection)?,
            repository: connection.repository.clone(),
            patience,
            bot: connection.bot.clone(),
            identity: OnceLock::new(),
        })
    }

    /// The login that the token acts as: what is ours was written by it.
    ///
    /// # Errors
    /// If GitHub does not say, for another reason than that the token is a workflow's.
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
            attempt: "asking who the token belongs to",
            on: self.repository.to_string(),
            needs: "metadata=read",
            method: Method::GET,
            path: "/user".to_owned(),
            body: None,
        };
        let login = match self.send(&call, budget) {
            Ok(answer) => answer.decode::<TokenUser>(&call)?.login,
            // What GitHub answers to the tokens of installations: they are nobody.
            Err(GithubError::Forbidden { .. }) => ACTIONS_BOT.to_owned(),
            Err(error) => return Err(error),
        };
        Ok(self.identity.get_or_init(|| login))
    }

    fn budget(&self) -> RetryBudget<'_> {
        RetryBudget::new(&self.patience)
    }

    /// A call on this repository; `path` is what follows its name.
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

    /// Sends a request that may be carried out twice without harm, until it succeeds or patience ends.
    fn send(&self, call: &ApiCall, budget: &mut RetryBudget<'_>) -> Result<ApiResponse, GithubError> {
        loop {
            match self.exchange.send_once(call, self.patience.request_timeout) {
                Ok(answer) => return Ok(answer),
                Err(fault) => budget.pause_or_fail(fault, call)?,
            }
        }
    }

    /// Sends a request that makes something. Where it is unknown whether it did, `look` is asked first, and only if it
    /// finds nothing the request is sent again. What GitHub carries out after that look is the limit of this.
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
            // At the end of the patience the last try may still have been carried out: that is worth one look.
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

    /// All entries of a list, page by page. `of` takes the entries out of a page.
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
            // Not every proxy hands the header on: a full page may have a successor all the same.
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

/// What a request to make something came to.
enum CreateOutcome<T> {
    /// This request made it.
    Now(T),
    /// A request before, whose answer was lost.
    Before(T),
}

/// A commit's name, fit for an address.
fn commit(sha: &str) -> Result<&str, GithubError> {
    if (40..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(sha);
    }
    Err(GithubError::Invalid {
        what: "a commit",
        value: api_fault::printable_line(sha),
        why: "it is not a whole commit id",
        remedy: "give all 40 hexadecimal digits",
    })
}

/// Text as one part of an address.
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
