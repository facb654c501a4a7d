//! The event that started a workflow → what is to be done because of it. Its payload is GitHub's, but branches,
//! comments and names in it are somebody else's text.

use std::str::FromStr as _;

use runner::git::{CommitId, Repository as History};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::EngineError;

/// The event that started the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GithubEvent {
    /// A version is to be judged.
    Judge(JudgeRequest),
    /// There is nothing to judge, with the reason in one sentence.
    Nothing(String),
    /// A run of the measuring workflow has ended, whose number this is: its result is to be posted.
    Measured(u64),
    /// Somebody wrote a comment on a pull request.
    Comment(CommentReference),
}

/// The judged version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeRequest {
    pub head: CommitId,
    pub base: BaseSelector,
    /// The pull request, if it is one.
    pub pull: Option<u64>,
    /// The text of the pull request, as its author wrote it; empty without one.
    pub description: String,
}

/// The base of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseSelector {
    /// Where the head left the branch whose tip this is.
    LeftAt(CommitId),
    /// This version.
    Exactly(CommitId),
    /// The version before it.
    Before,
}

/// A comment on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentReference {
    pub pull: u64,
    pub comment: u64,
}

/// Why a payload is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GithubEventError {
    #[error("it is not an event of this kind: {0}")]
    Payload(String),
    #[error("`{field}` is not a commit id: {text}")]
    NoCommit { field: &'static str, text: String },
}

#[derive(Deserialize)]
struct PullRequestEvent {
    action: String,
    number: u64,
    pull_request: PullRequestPayload,
}

#[derive(Deserialize)]
struct PullRequestPayload {
    state: String,
    body: Option<String>,
    head: BranchTipPayload,
    base: BranchTipPayload,
}

#[derive(Deserialize)]
struct BranchTipPayload {
    sha: String,
}

#[derive(Deserialize)]
struct MergeGroupEvent {
    action: String,
    merge_group: MergeGroupPayload,
}

#[derive(Deserialize)]
struct MergeGroupPayload {
    head_sha: String,
    base_sha: String,
}

#[derive(Deserialize)]
struct PushEvent {
    #[serde(rename = "ref")]
    reference: String,
    before: String,
    after: String,
    #[serde(default)]
    deleted: bool,
    #[serde(default)]
    forced: bool,
}

#[derive(Deserialize)]
struct WorkflowRunEvent {
    workflow_run: WorkflowRunPayload,
}

#[derive(Deserialize)]
struct WorkflowRunPayload {
    id: u64,
}

#[derive(Deserialize)]
struct CommentEvent {
    action: String,
    issue: IssuePayload,
    comment: CommentPayload,
}

#[derive(Deserialize)]
struct IssuePayload {
    number: u64,
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct CommentPayload {
    id: u64,
}

impl JudgeRequest {
    /// The version that the head is compared with.
    pub fn base(&self, history: &History) -> Result<CommitId, EngineError> {
        match self.base {
            BaseSelector::LeftAt(tip) => Ok(history.merge_base(tip, self.head)?),
            BaseSelector::Exactly(base) => Ok(history.resolve(&base.to_string())?),
            BaseSelector::Before => history.default_base(self.head)?.ok_or_else(|| first_version(self.head)),
        }
    }
}

/// Why a version can't be judged that has none before it.
pub fn first_version(head: CommitId) -> EngineError {
    EngineError::request(format_args!(
        "judging {}: it is the first version, so there is none to compare it with; name one with --base",
        head.short()
    ))
}

impl GithubEvent {
    /// Reads an event's payload; `name` is what GitHub calls the event.
    pub fn read(name: &str, payload: &str) -> Result<Self, GithubEventError> {
        match name {
            "pull_request" | "pull_request_target" => of_pull_request(&parsed(payload)?),
            "merge_group" => of_merge_group(&parsed(payload)?),
            "push" => of_push(&parsed(payload)?),
            "workflow_run" => {
                let event: WorkflowRunEvent = parsed(payload)?;
                Ok(Self::Measured(event.workflow_run.id))
            }
            "issue_comment" => Ok(of_comment(&parsed(payload)?)),
            other => Ok(Self::Nothing(format!(
                "the event `{other}` is about no version in particular"
            ))),
        }
    }
}

fn of_pull_request(event: &PullRequestEvent) -> Result<GithubEvent, GithubEventError> {
    if event.action == "closed" || event.pull_request.state == "closed" {
        return Ok(GithubEvent::Nothing(format!("pull request {} is closed", event.number)));
    }
    Ok(GithubEvent::Judge(JudgeRequest {
        head: commit("pull_request.head.sha", &event.pull_request.head.sha)?,
        base: BaseSelector::LeftAt(commit("pull_request.base.sha", &event.pull_request.base.sha)?),
        pull: Some(event.number),
        description: event.pull_request.body.clone().unwrap_or_default(),
    }))
}

fn of_merge_group(event: &MergeGroupEvent) -> Result<GithubEvent, GithubEventError> {
    if event.action != "checks_requested" {
        return Ok(GithubEvent::Nothing(String::from("the merge group is gone")));
    }
    Ok(GithubEvent::Judge(JudgeRequest {
        head: commit("merge_group.head_sha", &event.merge_group.head_sha)?,
        base: BaseSelector::Exactly(commit("merge_group.base_sha", &event.merge_group.base_sha)?),
        pull: None,
        description: String::new(),
    }))
}

fn of_push(event: &PushEvent) -> Result<GithubEvent, GithubEventError> {
    if !event.reference.starts_with("refs/heads/") {
        return Ok(GithubEvent::Nothing(String::from("the push is not to a branch")));
    }
    if event.deleted {
        return Ok(GithubEvent::Nothing(String::from("the branch was deleted")));
    }
    let new = event.before.bytes().all(|digit| digit == b'0');
    let base = if new || event.forced {
        // The replaced commit may be missing from this clone, and need not be an ancestor.
        BaseSelector::Before
    } else {
        BaseSelector::Exactly(commit("before", &event.before)?)
    };
    Ok(GithubEvent::Judge(JudgeRequest {
        head: commit("after", &event.after)?,
        base,
        pull: None,
        description: String::new(),
    }))
}

fn of_comment(event: &CommentEvent) -> GithubEvent {
    if event.issue.pull_request.is_none() {
        return GithubEvent::Nothing(String::from("the comment is on no pull request"));
    }
    // An edited comment may have been answered already.
    if event.action != "created" {
        return GithubEvent::Nothing(String::from("the comment is not new"));
    }
    GithubEvent::Comment(CommentReference {
        pull: event.issue.number,
        comment: event.comment.id,
    })
}

fn parsed<T: DeserializeOwned>(payload: &str) -> Result<T, GithubEventError> {
    serde_json::from_str(payload).map_err(|error| GithubEventError::Payload(error.to_string()))
}

fn commit(field: &'static str, text: &str) -> Result<CommitId, GithubEventError> {
    CommitId::from_str(text).map_err(|_| GithubEventError::NoCommit {
        field,
        text: text.chars().take(50).collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn id(digit: char) -> String {
        digit.to_string().repeat(40)
    }

    fn oid(digit: char) -> CommitId {
        id(digit).parse().unwrap()
    }

    fn pull(action: &str, state: &str) -> String {
        json!({
            "action": action, "number": 7,
            "pull_request": {
                "state": state, "draft": false,
                "head": { "sha": id('a') }, "base": { "sha": id('b') },
            },
        })
        .to_string()
    }

    #[test]
    fn a_pull_request_is_judged_against_where_it_left_its_base() {
        for action in ["opened", "synchronize", "reopened", "ready_for_review"] {
            let event = GithubEvent::read("pull_request", &pull(action, "open")).unwrap();
            let judged = JudgeRequest {
                head: oid('a'),
                base: BaseSelector::LeftAt(oid('b')),
                pull: Some(7),
                description: String::new(),
            };
            assert_eq!(event, GithubEvent::Judge(judged));
        }
    }

    #[test]
    fn the_text_of_a_pull_request_is_read_where_it_has_one() {
        for (body, expected) in [(json!("lito: a unchanged"), "lito: a unchanged"), (json!(null), "")] {
            let mut payload: serde_json::Value = serde_json::from_str(&pull("opened", "open")).unwrap();
            payload["pull_request"]["body"] = body;
            let event = GithubEvent::read("pull_request", &payload.to_string()).unwrap();
            let GithubEvent::Judge(judged) = event else {
                panic!("{event:?}")
            };
            assert_eq!(judged.description, expected);
        }
    }

    #[test]
    fn what_is_closed_is_not_judged() {
        let event = GithubEvent::read("pull_request", &pull("closed", "closed")).unwrap();
        assert!(matches!(event, GithubEvent::Nothing(_)), "{event:?}");
    }

    #[test]
    fn a_merge_group_is_judged_against_its_own_base() {
        let payload = |action: &str| {
            json!({ "action": action, "merge_group": { "head_sha": id('a'), "base_sha": id('b') } }).to_string()
        };
        let event = GithubEvent::read("merge_group", &payload("checks_requested")).unwrap();
        let GithubEvent::Judge(judged) = event else {
            panic!("{event:?}")
        };
        assert_eq!(judged.base, BaseSelector::Exactly(oid('b')));
        let event = GithubEvent::read("merge_group", &payload("destroyed")).unwrap();
        assert!(matches!(event, GithubEvent::Nothing(_)), "{event:?}");
    }

    #[test]
    fn a_push_is_judged_against_what_was_there_if_it_builds_on_it() {
        let push = |reference: &str, before: String, forced: bool| {
            let payload = json!({ "ref": reference, "before": before, "after": id('a'), "forced": forced });
            GithubEvent::read("push", &payload.to_string()).unwrap()
        };
        let base = |event: GithubEvent| match event {
            GithubEvent::Judge(judged) => Some(judged.base),
            _ => None,
        };
        let on = "refs/heads/main";
        assert_eq!(base(push(on, id('b'), false)), Some(BaseSelector::Exactly(oid('b'))));
        assert_eq!(base(push(on, id('b'), true)), Some(BaseSelector::Before));
        assert_eq!(base(push(on, id('0'), false)), Some(BaseSelector::Before));
        assert_eq!(base(push("refs/tags/v1", id('0'), false)), None);
    }

    #[test]
    fn only_new_comments_on_pull_requests_are_heard() {
        let comment = |action: &str, on: serde_json::Value| {
            let payload = json!({ "action": action, "issue": on, "comment": { "id": 5 } });
            GithubEvent::read("issue_comment", &payload.to_string()).unwrap()
        };
        let on_pull = json!({ "number": 7, "pull_request": { "url": "" } });
        let said = CommentReference { pull: 7, comment: 5 };
        assert_eq!(comment("created", on_pull.clone()), GithubEvent::Comment(said));
        assert!(matches!(comment("edited", on_pull), GithubEvent::Nothing(_)));
        assert!(matches!(
            comment("created", json!({ "number": 7 })),
            GithubEvent::Nothing(_)
        ));
    }

    #[test]
    fn the_end_of_a_run_is_about_that_run() {
        let payload = json!({ "action": "completed", "workflow_run": { "id": 42, "name": "lito" } });
        let event = GithubEvent::read("workflow_run", &payload.to_string()).unwrap();
        assert_eq!(event, GithubEvent::Measured(42));
    }

    #[test]
    fn other_events_are_about_no_version() {
        for name in ["schedule", "workflow_dispatch", "release"] {
            assert!(matches!(
                GithubEvent::read(name, "{}").unwrap(),
                GithubEvent::Nothing(_)
            ));
        }
    }

    #[test]
    fn a_payload_that_names_no_commit_is_refused() {
        let payload = pull("opened", "open").replace(&id('a'), "--upload-pack=touch /tmp/x");
        let error = GithubEvent::read("pull_request", &payload).unwrap_err();
        assert!(matches!(error, GithubEventError::NoCommit { .. }), "{error}");
        assert!(GithubEvent::read("pull_request", "[]").is_err());
        assert!(GithubEvent::read("push", "").is_err());
    }
}
