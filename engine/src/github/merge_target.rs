//! A run of the measuring workflow → the branches that its commit is to be merged into, by what GitHub says of the run and of its
//! pull requests. Never by anything that the run itself could have written.

use runner::git::CommitId;
use runner::github::{GithubClient, GithubError, GithubPullRequest, PullRequestHead, WorkflowRun};

use super::posting::check_of;

/// The start of the names of a merge queue's branches. Only GitHub makes such branches for this event.
const QUEUE: &str = "gh-readonly-queue/";

/// The event of a merge queue.
const QUEUE_EVENT: &str = "merge_group";

/// A branch that a run's commit is to be merged into.
pub(super) struct MergeTarget {
    /// The pull request whose newest commit it is.
    pub(super) pull: Option<GithubPullRequest>,
    /// The pull request whose acknowledgements count: that one; in a merge queue, the one that the commit adds.
    pub(super) accepted_in: Option<u64>,
    /// The branch; `None`: the default branch.
    pub(super) branch: Option<String>,
    /// The version that the commit is compared with; `None`: where it left the branch.
    pub(super) base: Option<CommitId>,
    /// The name of the check.
    pub(super) check: String,
}

impl MergeTarget {
    /// The branch of a pull request.
    pub(super) fn of_pull(pull: GithubPullRequest) -> Self {
        Self {
            accepted_in: Some(pull.number),
            branch: Some(pull.base_branch.clone()),
            base: None,
            check: check_of(Some(&pull)),
            pull: Some(pull),
        }
    }

    /// The default branch.
    fn default_branch() -> Self {
        Self {
            pull: None,
            accepted_in: None,
            branch: None,
            base: None,
            check: check_of(None),
        }
    }
}

/// The branches that a run's commit is to be merged into, at least one.
///
/// # Errors
/// GitHub can't be reached.
pub(super) fn targets_of(client: &GithubClient, run: &WorkflowRun) -> Result<Vec<MergeTarget>, GithubError> {
    if let Some(entry) = queue_entry(run) {
        let pull = client.pull(entry.pull)?;
        return Ok(vec![MergeTarget {
            // Its newest commit is another one, which has a check of its own.
            pull: None,
            accepted_in: Some(pull.number),
            base: Some(entry.base),
            check: check_of(Some(&pull)),
            branch: Some(pull.base_branch),
        }]);
    }
    let pulls = match (run.head_repository, &run.head_owner, &run.head_branch) {
        (Some(repository_id), Some(owner), Some(branch)) if run.event.starts_with("pull_request") => client
            .pulls_by_head(&PullRequestHead {
                sha: run.head_sha.clone(),
                repository_id,
                owner: owner.clone(),
                branch: branch.clone(),
            })?,
        _ => Vec::new(),
    };
    if pulls.is_empty() {
        return Ok(vec![MergeTarget::default_branch()]);
    }
    Ok(pulls.into_iter().map(MergeTarget::of_pull).collect())
}

/// Whether a run was for an entry of a merge queue.
pub(super) fn is_of_queue(run: &WorkflowRun) -> bool {
    run.event == QUEUE_EVENT && !run.is_fork
}

/// An entry of a merge queue.
#[derive(Debug, PartialEq, Eq)]
struct QueueEntry {
    /// The pull request that it adds.
    pull: u64,
    /// The version that it is added to: the branch's newest, or the entry before.
    base: CommitId,
}

fn queue_entry(run: &WorkflowRun) -> Option<QueueEntry> {
    is_of_queue(run).then(|| entry_of_branch(run.head_branch.as_deref()?))?
}

/// The entry behind `gh-readonly-queue/BRANCH/pr-NUMBER-BASE`. A branch's name may hold such a part itself.
fn entry_of_branch(branch: &str) -> Option<QueueEntry> {
    let (_, entry) = branch.strip_prefix(QUEUE)?.rsplit_once("/pr-")?;
    let (pull, base) = entry.split_once('-')?;
    Some(QueueEntry {
        pull: pull.parse().ok()?,
        base: base.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const BASE: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn the_branch_of_a_queue_names_the_pull_request_and_the_version_that_it_is_added_to() {
        for branch in ["main", "release/1.x", "a/pr-3-b"] {
            let entry = entry_of_branch(&format!("gh-readonly-queue/{branch}/pr-12-{BASE}"));
            let base = BASE.parse().unwrap();
            assert_eq!(entry, Some(QueueEntry { pull: 12, base }), "{branch}");
        }
    }

    /// Anybody may give the branch of a pull request any name.
    #[test]
    fn the_name_of_a_branch_alone_makes_no_entry() {
        let run = |event: &str, is_fork| WorkflowRun {
            id: 1,
            url: String::new(),
            name: None,
            path: String::new(),
            event: event.to_owned(),
            status: None,
            conclusion: None,
            head_sha: BASE.to_owned(),
            head_branch: Some(format!("gh-readonly-queue/main/pr-12-{BASE}")),
            head_repository: Some(1),
            head_owner: None,
            is_fork,
        };
        assert!(queue_entry(&run("merge_group", false)).is_some());
        for (event, is_fork) in [
            ("pull_request", false),
            ("pull_request", true),
            ("push", false),
            ("merge_group", true),
        ] {
            assert_eq!(queue_entry(&run(event, is_fork)), None, "{event}");
        }
    }

    #[test]
    fn another_branch_is_no_entry_of_a_queue() {
        for branch in [
            "main",
            "gh-readonly-queue/main",
            "gh-readonly-queue/main/pr-12",
            "gh-readonly-queue/main/pr-12-0123",
            "gh-readonly-queue/main/pr-x-0123456789abcdef0123456789abcdef01234567",
            "queue/main/pr-12-0123456789abcdef0123456789abcdef01234567",
        ] {
            assert_eq!(entry_of_branch(branch), None, "{branch}");
        }
    }
}
