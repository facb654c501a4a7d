//! The id of a workflow run → the run.

use http::Method;
use serde::Deserialize;

use super::transport::ApiCall;
use super::{GithubClient, GithubError};

/// One run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRun {
    /// Its id.
    pub id: u64,
    /// Its web address.
    pub url: String,
    /// The name of the workflow.
    pub name: Option<String>,
    /// The file of the workflow, in the repository.
    pub path: String,
    /// The event that started it: `pull_request`.
    pub event: String,
    /// Its status, such as `completed`.
    pub status: Option<String>,
    /// Its conclusion, such as `success`; `None` while it runs.
    pub conclusion: Option<String>,
    /// The commit that it ran for.
    pub head_sha: String,
    /// The branch of that commit.
    pub head_branch: Option<String>,
    /// The id of that commit's repository; `None` if it was deleted.
    pub head_repository: Option<u64>,
    /// The login of that repository's owner.
    pub head_owner: Option<String>,
    /// True if the commit comes from another repository than the run's, as far as GitHub says.
    pub is_fork: bool,
}

#[derive(Debug, Deserialize)]
struct WorkflowRunResponse {
    id: u64,
    html_url: String,
    name: Option<String>,
    path: String,
    event: String,
    status: Option<String>,
    conclusion: Option<String>,
    head_sha: String,
    head_branch: Option<String>,
    head_repository: Option<WorkflowRunRepository>,
    repository: WorkflowRunRepository,
}

#[derive(Debug, Deserialize)]
struct WorkflowRunRepository {
    id: u64,
    owner: Option<RepositoryOwner>,
}

#[derive(Debug, Deserialize)]
struct RepositoryOwner {
    login: String,
}

impl GithubClient {
    /// Reads a run of a workflow of this repository.
    ///
    /// # Errors
    /// It does not exist, or GitHub can't be reached.
    pub fn workflow_run(&self, id: u64) -> Result<WorkflowRun, GithubError> {
        let call = ApiCall {
            on: format!("{}, run {id}", self.repository),
            ..self.call(
                Method::GET,
                "reading a workflow's run",
                "actions=read",
                &format!("/actions/runs/{id}"),
            )
        };
        let wire: WorkflowRunResponse = self.send(&call, &mut self.budget())?.decode(&call)?;
        let head_repository = wire.head_repository.as_ref().map(|repository| repository.id);
        Ok(WorkflowRun {
            id: wire.id,
            url: wire.html_url,
            name: wire.name,
            path: wire.path,
            event: wire.event,
            status: wire.status,
            conclusion: wire.conclusion,
            head_sha: wire.head_sha,
            head_branch: wire.head_branch,
            is_fork: head_repository != Some(wire.repository.id),
            head_repository,
            head_owner: wire
                .head_repository
                .and_then(|repository| repository.owner)
                .map(|owner| owner.login),
        })
    }
}
