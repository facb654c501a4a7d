//! A marker and a text → one comment on a pull request, created once and updated in place.
//!
//! A comment is ours if it begins with the marker *and* was written by the token's account: anybody can copy the marker
//! alone. The text is posted unchanged; making it safe is the report's task.

use http::Method;
use serde::Deserialize;
use serde_json::json;

use super::retry::RetryBudget;
use super::transport::ApiCall;
use super::{CreateOutcome, GithubClient, GithubError};

const READ: &str = "pull_requests=read";
const WRITE: &str = "pull_requests=write";

/// A comment in the conversation of a pull request or issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueComment {
    /// Its id on GitHub.
    pub id: u64,
    /// Its web address.
    pub url: String,
    /// The pull request or issue that it belongs to.
    pub issue: u64,
    /// The login of its author; `ghost` if the account was deleted.
    pub author: String,
    /// Its text.
    pub body: String,
}

/// Result of posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostOutcome {
    /// There was none of ours: created.
    Created,
    /// Ours had another text: updated.
    Updated,
    /// Ours has this text already; nothing was written.
    Unchanged,
}

/// A comment that was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedComment {
    /// Result of posting.
    pub posting: PostOutcome,
    /// The comment's id on GitHub.
    pub id: u64,
    /// Its web address.
    pub url: String,
}

/// A comment in GitHub's format.
#[derive(Debug, Deserialize)]
struct CommentResponse {
    id: u64,
    html_url: String,
    issue_url: String,
    user: Option<CommentAuthor>,
    body: Option<String>,
}

#[derive(Debug, Deserialize)]
struct CommentAuthor {
    login: String,
}

impl From<CommentResponse> for IssueComment {
    fn from(wire: CommentResponse) -> Self {
        let issue = wire.issue_url.rsplit('/').next().and_then(|number| number.parse().ok());
        Self {
            id: wire.id,
            url: wire.html_url,
            // No issue has the number 0.
            issue: issue.unwrap_or(0),
            author: wire.user.map_or_else(|| "ghost".to_owned(), |user| user.login),
            body: wire.body.unwrap_or_default(),
        }
    }
}

impl GithubClient {
    /// Our comment with this marker on a pull request; the oldest if there are several.
    ///
    /// # Errors
    /// GitHub can't be reached.
    pub fn comment(&self, pull: u64, marker: &str) -> Result<Option<IssueComment>, GithubError> {
        Ok(self.marked(pull, marker, &mut self.budget())?.map(IssueComment::from))
    }

    /// Posts a text as our comment with this marker. There is never a second one: the list is read before a comment is
    /// created, and after each try with an unknown result.
    ///
    /// # Errors
    /// The text does not begin with the marker, or GitHub can't be reached or refuses.
    pub fn upsert_comment(&self, pull: u64, marker: &str, body: &str) -> Result<PostedComment, GithubError> {
        if marker.is_empty() || !body.starts_with(marker) {
            return Err(GithubError::Invalid {
                what: "a comment's marker",
                value: super::api_fault::printable_line(marker),
                why: "the text does not begin with it, so the comment would not be found again",
                remedy: "write the marker before the text",
            });
        }
        let mut budget = self.budget();
        let budget = &mut budget;
        let Some(old) = self.marked(pull, marker, budget)? else {
            let call = ApiCall {
                on: format!("{}#{pull}", self.repository),
                body: Some(json!({ "body": body })),
                ..self.call(
                    Method::POST,
                    "posting a comment",
                    WRITE,
                    &format!("/issues/{pull}/comments"),
                )
            };
            let look = |budget: &mut RetryBudget<'_>| self.marked(pull, marker, budget);
            let (CreateOutcome::Now(made) | CreateOutcome::Before(made)) = self.create(&call, budget, look)?;
            return Ok(posted(PostOutcome::Created, &made));
        };
        if same_text(old.body.as_deref().unwrap_or_default(), body) {
            return Ok(posted(PostOutcome::Unchanged, &old));
        }
        let call = ApiCall {
            on: format!("{}#{pull}", self.repository),
            body: Some(json!({ "body": body })),
            ..self.call(
                Method::PATCH,
                "updating a comment",
                WRITE,
                &format!("/issues/comments/{}", old.id),
            )
        };
        let updated: CommentResponse = self.send(&call, budget)?.decode(&call)?;
        Ok(posted(PostOutcome::Updated, &updated))
    }

    /// Reads the comment with this id, whoever wrote it.
    ///
    /// # Errors
    /// It does not exist, or GitHub can't be reached.
    pub fn issue_comment(&self, id: u64) -> Result<IssueComment, GithubError> {
        let call = ApiCall {
            on: format!("{}, comment {id}", self.repository),
            ..self.call(
                Method::GET,
                "reading a comment",
                READ,
                &format!("/issues/comments/{id}"),
            )
        };
        let wire: CommentResponse = self.send(&call, &mut self.budget())?.decode(&call)?;
        Ok(wire.into())
    }

    fn marked(
        &self,
        pull: u64,
        marker: &str,
        budget: &mut RetryBudget<'_>,
    ) -> Result<Option<CommentResponse>, GithubError> {
        let call = ApiCall {
            on: format!("{}#{pull}", self.repository),
            ..self.call(
                Method::GET,
                "listing comments",
                READ,
                &format!("/issues/{pull}/comments"),
            )
        };
        let all: Vec<CommentResponse> = self.pages(&call, budget, |page| page)?;
        let marked = all.into_iter().filter(|comment| {
            comment
                .body
                .as_ref()
                .is_some_and(|body| body.trim_start().starts_with(marker))
        });
        let marked: Vec<CommentResponse> = marked.collect();
        if marked.is_empty() {
            // Without candidates, our own login is not needed.
            return Ok(None);
        }
        let ours = self.login(budget)?;
        let written_by_us = |comment: &CommentResponse| {
            comment
                .user
                .as_ref()
                .is_some_and(|user| user.login.eq_ignore_ascii_case(ours))
        };
        Ok(marked
            .into_iter()
            .filter(written_by_us)
            .min_by_key(|comment| comment.id))
    }
}

fn posted(posting: PostOutcome, comment: &CommentResponse) -> PostedComment {
    PostedComment {
        posting,
        id: comment.id,
        url: comment.html_url.clone(),
    }
}

/// Whether two texts are equal except for changes that GitHub makes on storing one.
fn same_text(stored: &str, wanted: &str) -> bool {
    let lines = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
    lines(stored) == lines(wanted)
}
