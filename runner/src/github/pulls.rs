//! The number of a pull request, or the commit at its head → the pull request on GitHub.
//!
//! The pull request of a commit comes from GitHub, and is compared with GitHub's statement about its head: nothing that
//! the pull request's author writes can choose it.

use std::collections::BTreeMap;

use http::Method;
use serde::Deserialize;

use super::retry::RetryBudget;
use super::transport::ApiCall;
use super::{GithubClient, GithubError, commit, encoded};

const READ: &str = "pull_requests=read";

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GithubPullRequest {
    /// Its number.
    pub number: u64,
    /// Its web address.
    pub url: String,
    /// Whether it is open.
    pub open: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// The login of its author; `ghost` if the account was deleted.
    pub author: String,
    /// The commit at its head now.
    pub head_sha: String,
    /// The name of its head's branch, as its author chose it.
    pub head_branch: String,
    /// The repository of its head; `None` if it was deleted.
    pub head_repository: Option<u64>,
    /// The commit that it is based on.
    pub base_sha: String,
    /// The branch that it targets.
    pub base_branch: String,
    /// Whether that is the repository's default branch.
    pub into_default_branch: bool,
    /// The names of its labels, sorted.
    pub labels: Vec<String>,
    /// Its text, as its author wrote it; empty without one.
    pub description: String,
}

/// The head of a pull request, as in the event that started a trusted workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestHead {
    /// The commit.
    pub sha: String,
    /// The id of its repository.
    pub repository_id: u64,
    /// The login of that repository's owner.
    pub owner: String,
    /// The branch.
    pub branch: String,
}

#[derive(Debug, Deserialize)]
struct PullRequestResponse {
    number: u64,
    html_url: String,
    state: String,
    draft: Option<bool>,
    user: Option<PullRequestAuthor>,
    head: PullRequestBranch,
    base: PullRequestBranch,
    #[serde(default)]
    labels: Vec<PullRequestLabel>,
    body: Option<String>,
}

#[derive(Debug, Deserialize)]
struct PullRequestAuthor {
    login: String,
}

#[derive(Debug, Deserialize)]
struct PullRequestBranch {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    repo: Option<BranchRepository>,
}

#[derive(Debug, Deserialize)]
struct BranchRepository {
    id: u64,
    default_branch: Option<String>,
}

#[derive(Debug, Deserialize)]
struct PullRequestLabel {
    name: String,
}

impl From<PullRequestResponse> for GithubPullRequest {
    fn from(wire: PullRequestResponse) -> Self {
        let mut labels: Vec<String> = wire.labels.into_iter().map(|label| label.name).collect();
        labels.sort();
        let default_branch = wire.base.repo.and_then(|repository| repository.default_branch);
        Self {
            number: wire.number,
            url: wire.html_url,
            open: wire.state == "open",
            draft: wire.draft.unwrap_or(false),
            author: wire.user.map_or_else(|| "ghost".to_owned(), |user| user.login),
            head_sha: wire.head.sha,
            head_branch: wire.head.branch,
            head_repository: wire.head.repo.map(|repository| repository.id),
            base_sha: wire.base.sha,
            into_default_branch: default_branch.as_ref() == Some(&wire.base.branch),
            base_branch: wire.base.branch,
            labels,
            description: wire.body.unwrap_or_default(),
        }
    }
}

impl GithubClient {
    /// A pull request by its number.
    ///
    /// # Errors
    /// It does not exist, or GitHub can't be reached.
    pub fn pull(&self, number: u64) -> Result<GithubPullRequest, GithubError> {
        let call = ApiCall {
            on: format!("{}#{number}", self.repository),
            ..self.call(Method::GET, "reading a pull request", READ, &format!("/pulls/{number}"))
        };
        let wire: PullRequestResponse = self.send(&call, &mut self.budget())?.decode(&call)?;
        Ok(wire.into())
    }

    /// The pull requests whose head is exactly this commit in exactly that repository, the newest for each branch that is
    /// targeted: the open ones; without any, the newest of the others. Empty if there is none, or its head has moved on.
    ///
    /// # Errors
    /// GitHub can't be reached.
    pub fn pulls_by_head(&self, head: &PullRequestHead) -> Result<Vec<GithubPullRequest>, GithubError> {
        let mut budget = self.budget();
        let by_commit = self.pulls_with(head, &mut budget)?;
        // Pull requests from a fork are not always listed by commit.
        let all = by_commit.into_iter().chain(self.pulls_from(head, &mut budget)?);
        let (open, others): (Vec<GithubPullRequest>, Vec<_>) = all.partition(|pull| pull.open);
        if open.is_empty() {
            return Ok(others.into_iter().max_by_key(|pull| pull.number).into_iter().collect());
        }
        let mut newest: BTreeMap<String, GithubPullRequest> = BTreeMap::new();
        for pull in open {
            match newest.get(&pull.base_branch) {
                Some(other) if other.number >= pull.number => {}
                _ => drop(newest.insert(pull.base_branch.clone(), pull)),
            }
        }
        Ok(newest.into_values().collect())
    }

    fn pulls_with(
        &self,
        head: &PullRequestHead,
        budget: &mut RetryBudget<'_>,
    ) -> Result<Vec<GithubPullRequest>, GithubError> {
        let call = ApiCall {
            on: format!("{} at {}", self.repository, head.sha),
            ..self.call(
                Method::GET,
                "listing the pull requests of a commit",
                READ,
                &format!("/commits/{}/pulls", commit(&head.sha)?),
            )
        };
        match self.pages(&call, budget, |page: Vec<PullRequestResponse>| page) {
            Ok(pulls) => Ok(matching(pulls, head)),
            // The commit exists only in a fork.
            Err(GithubError::NotFound { .. } | GithubError::Rejected { status: 409 | 422, .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn pulls_from(
        &self,
        head: &PullRequestHead,
        budget: &mut RetryBudget<'_>,
    ) -> Result<Vec<GithubPullRequest>, GithubError> {
        let source = encoded(&format!("{}:{}", head.owner, head.branch));
        let call = ApiCall {
            on: format!(
                "{} from {}",
                self.repository,
                super::api_fault::printable_line(&head.owner)
            ),
            ..self.call(
                Method::GET,
                "listing the pull requests of a branch",
                READ,
                &format!("/pulls?state=all&head={source}"),
            )
        };
        let pulls = self.pages(&call, budget, |page: Vec<PullRequestResponse>| page)?;
        Ok(matching(pulls, head))
    }
}

/// Pull requests with exactly this head. GitHub silently ignores a filter that it does not understand.
fn matching(pulls: Vec<PullRequestResponse>, head: &PullRequestHead) -> Vec<GithubPullRequest> {
    let pulls = pulls.into_iter().map(GithubPullRequest::from);
    pulls
        .filter(|pull| {
            pull.head_sha.eq_ignore_ascii_case(&head.sha) && pull.head_repository == Some(head.repository_id)
        })
        .collect()
}
