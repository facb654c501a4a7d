//! The event that started a workflow → what is to be done because of it. Its payload is GitHub's, but branches,
//! comments and names in it are somebody else's text.

use std::str::FromStr as _;

use runner::git::{CommitId, Repository as History};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::EngineError;

/// What started the workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A version is to be judged.
    Judge(Judged),
    /// There is nothing to judge, with the reason in one sentence.
    Nothing(String),
    /// A run of the measuring workflow has ended, whose number this is: its result is to be posted.
    Measured(u64),
    /// Somebody wrote a comment on a pull request.
    Comment(Said),
}

/// What is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub head: CommitId,
    pub base: Base,
    /// The pull request, if it is one.
    pub pull: Option<u64>,
}

/// What a version is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Where the head left the branch whose tip this is.
    LeftAt(CommitId),
    /// This version.
    Exactly(CommitId),
    /// The version before it.
    Before,
}

/// A comment on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub pull: u64,
    pub comment: u64,
}

/// Why a payload is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("it is no event of this kind: {0}")]
    Payload(String),
    #[error("`{field}` is no commit id: {text}")]
    NoCommit { field: &'static str, text: String },
}

#[derive(Deserialize)]
struct PullRequestEvent {
    action: String,
    number: u64,
    pull_request: PullRequest,
}

#[derive(Deserialize)]
struct PullRequest {
    state: String,
    head: Tip,
    base: Tip,
}

#[derive(Deserialize)]
struct Tip {
    sha: String,
}

#[derive(Deserialize)]
struct MergeGroupEvent {
    action: String,
    merge_group: MergeGroup,
}

#[derive(Deserialize)]
struct MergeGroup {
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
    workflow_run: WorkflowRun,
}

#[derive(Deserialize)]
struct WorkflowRun {
    id: u64,
}

#[derive(Deserialize)]
struct CommentEvent {
    action: String,
    issue: Issue,
    comment: Comment,
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Comment {
    id: u64,
}

impl Judged {
    /// The version that the head is compared with.
    pub fn base(&self, history: &History) -> Result<CommitId, EngineError> {
        match self.base {
            Base::LeftAt(tip) => Ok(history.fork_point(tip, self.head)?),
            Base::Exactly(base) => Ok(history.resolve(&base.to_string())?),
            Base::Before => history.base_of(self.head)?.ok_or_else(|| first_version(self.head)),
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

impl Event {
    /// Reads an event's payload; `name` is what GitHub calls the event.
    pub fn read(name: &str, payload: &str) -> Result<Self, EventError> {
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

fn of_pull_request(event: &PullRequestEvent) -> Result<Event, EventError> {
    if event.action == "closed" || event.pull_request.state == "closed" {
        return Ok(Event::Nothing(format!("pull request {} is closed", event.number)));
    }
    Ok(Event::Judge(Judged {
        head: commit("pull_request.head.sha", &event.pull_request.head.sha)?,
        base: Base::LeftAt(commit("pull_request.base.sha", &event.pull_request.base.sha)?),
        pull: Some(event.number),
    }))
}

fn of_merge_group(event: &MergeGroupEvent) -> Result<Event, EventError> {
    if event.action != "checks_requested" {
        return Ok(Event::Nothing(String::from("the merge group is gone")));
    }
    Ok(Event::Judge(Judged {
        head: commit("merge_group.head_sha", &event.merge_group.head_sha)?,
        base: Base::Exactly(commit("merge_group.base_sha", &event.merge_group.base_sha)?),
        pull: None,
    }))
}

fn of_push(event: &PushEvent) -> Result<Event, EventError> {
    if !event.reference.starts_with("refs/heads/") {
        return Ok(Event::Nothing(String::from("what was pushed is no branch")));
    }
    if event.deleted {
        return Ok(Event::Nothing(String::from("the branch was deleted")));
    }
    let new = event.before.bytes().all(|digit| digit == b'0');
    let base = if new || event.forced {
        // What it replaced need not be in this clone, nor be what it builds on.
        Base::Before
    } else {
        Base::Exactly(commit("before", &event.before)?)
    };
    Ok(Event::Judge(Judged {
        head: commit("after", &event.after)?,
        base,
        pull: None,
    }))
}

fn of_comment(event: &CommentEvent) -> Event {
    if event.issue.pull_request.is_none() {
        return Event::Nothing(String::from("the comment is on no pull request"));
    }
    // An edited comment may have been answered already.
    if event.action != "created" {
        return Event::Nothing(String::from("the comment is not new"));
    }
    Event::Comment(Said {
        pull: event.issue.number,
        comment: event.comment.id,
    })
}

fn parsed<T: DeserializeOwned>(payload: &str) -> Result<T, EventError> {
    serde_json::from_str(payload).map_err(|error| EventError::Payload(error.to_string()))
}

fn commit(field: &'static str, text: &str) -> Result<CommitId, EventError> {
    CommitId::from_str(text).map_err(|_| EventError::NoCommit {
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
            let event = Event::read("pull_request", &pull(action, "open")).unwrap();
            let judged = Judged {
                head: oid('a'),
                base: Base::LeftAt(oid('b')),
                pull: Some(7),
            };
            assert_eq!(event, Event::Judge(judged));
        }
    }

    #[test]
    fn what_is_closed_is_not_judged() {
        let event = Event::read("pull_request", &pull("closed", "closed")).unwrap();
        assert!(matches!(event, Event::Nothing(_)), "{event:?}");
    }

    #[test]
    fn a_merge_group_is_judged_against_its_own_base() {
        let payload = |action: &str| {
            json!({ "action": action, "merge_group": { "head_sha": id('a'), "base_sha": id('b') } }).to_string()
        };
        let event = Event::read("merge_group", &payload("checks_requested")).unwrap();
        let Event::Judge(judged) = event else {
            panic!("{event:?}")
        };
        assert_eq!(judged.base, Base::Exactly(oid('b')));
        let event = Event::read("merge_group", &payload("destroyed")).unwrap();
        assert!(matches!(event, Event::Nothing(_)), "{event:?}");
    }

    #[test]
    fn a_push_is_judged_against_what_was_there_if_it_builds_on_it() {
        let push = |reference: &str, before: String, forced: bool| {
            let payload = json!({ "ref": reference, "before": before, "after": id('a'), "forced": forced });
            Event::read("push", &payload.to_string()).unwrap()
        };
        let base = |event: Event| match event {
            Event::Judge(judged) => Some(judged.base),
            _ => None,
        };
        let on = "refs/heads/main";
        assert_eq!(base(push(on, id('b'), false)), Some(Base::Exactly(oid('b'))));
        assert_eq!(base(push(on, id('b'), true)), Some(Base::Before));
        assert_eq!(base(push(on, id('0'), false)), Some(Base::Before));
        assert_eq!(base(push("refs/tags/v1", id('0'), false)), None);
    }

    #[test]
    fn only_new_comments_on_pull_requests_are_heard() {
        let comment = |action: &str, on: serde_json::Value| {
            let payload = json!({ "action": action, "issue": on, "comment": { "id": 5 } });
            Event::read("issue_comment", &payload.to_string()).unwrap()
        };
        let on_pull = json!({ "number": 7, "pull_request": { "url": "" } });
        let said = Said { pull: 7, comment: 5 };
        assert_eq!(comment("created", on_pull.clone()), Event::Comment(said));
        assert!(matches!(comment("edited", on_pull), Event::Nothing(_)));
        assert!(matches!(comment("created", json!({ "number": 7 })), Event::Nothing(_)));
    }

    #[test]
    fn the_end_of_a_run_is_about_that_run() {
        let payload = json!({ "action": "completed", "workflow_run": { "id": 42, "name": "lito" } });
        let event = Event::read("workflow_run", &payload.to_string()).unwrap();
        assert_eq!(event, Event::Measured(42));
    }

    #[test]
    fn other_events_are_about_no_version() {
        for name in ["schedule", "workflow_dispatch", "release"] {
            assert!(matches!(Event::read(name, "{}").unwrap(), Event::Nothing(_)));
        }
    }

    #[test]
    fn a_payload_that_names_no_commit_is_refused() {
        let payload = pull("opened", "open").replace(&id('a'), "--upload-pack=touch /tmp/x");
        let error = Event::read("pull_request", &payload).unwrap_err();
        assert!(matches!(error, EventError::NoCommit { .. }), "{error}");
        assert!(Event::read("pull_request", "[]").is_err());
        assert!(Event::read("push", "").is_err());
    }
}
