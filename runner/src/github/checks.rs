//! A conclusion with its annotations → a completed check run on a commit, created once and updated in place.
//!
//! GitHub only ever adds annotations to a check run, and accepts 50 per request. So an update sends only missing ones;
//! annotations that are no longer wanted stay. A check run is ours if its app, name and external id match: jobs of
//! workflows are check runs of the same app, under names that anybody may choose.

use std::collections::BTreeMap;

use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::retry::RetryBudget;
use super::transport::ApiCall;
use super::{BOT_SUFFIX, CreateOutcome, GithubClient, GithubError, commit, encoded};

const READ: &str = "checks=read";
const WRITE: &str = "checks=write";

/// Most annotations that GitHub accepts in one request.
const BATCH: usize = 50;

/// The app that owns the tokens of workflows.
const ACTIONS_APP: &str = "github-actions";

/// The desired check run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckRun {
    /// Its displayed name.
    pub name: String,
    /// The commit that it belongs to.
    pub head_sha: String,
    /// Identifier that distinguishes it from others of its name on that commit.
    pub external_id: String,
    /// Link to more information.
    pub details_url: Option<String>,
    /// Its conclusion.
    pub conclusion: CheckConclusion,
    /// One line.
    pub title: String,
    /// Markdown, at most 65,535 characters.
    pub summary: String,
    /// Remarks on lines of files.
    pub annotations: Vec<CheckAnnotation>,
}

/// Conclusion of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckConclusion {
    /// Passed.
    Success,
    /// Failed.
    Failure,
    /// Neither: does not block a merge.
    Neutral,
    /// There was nothing to do.
    Skipped,
}

/// A remark on lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckAnnotation {
    /// The file, in the repository.
    pub path: String,
    /// Its first line, from 1.
    pub start_line: u64,
    /// Its last line.
    pub end_line: u64,
    /// How it is shown.
    #[serde(rename = "annotation_level")]
    pub level: AnnotationLevel,
    /// At most 255 characters; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// At most 64 KiB.
    pub message: String,
}

/// How an annotation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationLevel {
    /// Of note.
    Notice,
    /// A warning.
    Warning,
    /// A failure.
    Failure,
}

/// A check run on GitHub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    /// Its id.
    pub id: u64,
    /// Its displayed name.
    pub name: String,
    /// Its external id. Jobs of workflows have one made by GitHub.
    pub external_id: Option<String>,
    /// The commit that it belongs to.
    pub head_sha: String,
    /// Its web address.
    pub url: Option<String>,
    /// Its conclusion, such as `success`; `None` while it runs.
    pub conclusion: Option<String>,
    /// One line.
    pub title: Option<String>,
    /// Markdown.
    pub summary: Option<String>,
}

#[derive(Debug, Deserialize)]
struct CheckRunPage {
    check_runs: Vec<CheckRunResponse>,
}

#[derive(Debug, Deserialize)]
struct CheckRunResponse {
    id: u64,
    name: String,
    external_id: Option<String>,
    head_sha: String,
    html_url: Option<String>,
    conclusion: Option<String>,
    output: Option<CheckRunOutput>,
    app: Option<CheckRunApp>,
}

#[derive(Debug, Deserialize)]
struct CheckRunOutput {
    title: Option<String>,
    summary: Option<String>,
}

#[derive(Debug, Deserialize)]
struct CheckRunApp {
    slug: Option<String>,
}

impl From<CheckRunResponse> for CheckRun {
    fn from(wire: CheckRunResponse) -> Self {
        let (title, summary) = wire
            .output
            .map_or((None, None), |output| (output.title, output.summary));
        Self {
            id: wire.id,
            name: wire.name,
            external_id: wire.external_id,
            head_sha: wire.head_sha,
            url: wire.html_url,
            conclusion: wire.conclusion,
            title,
            summary,
        }
    }
}

/// An annotation on GitHub.
#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct AnnotationResponse {
    path: String,
    start_line: u64,
    end_line: u64,
    annotation_level: Option<String>,
    #[serde(default)]
    title: Option<String>,
    message: Option<String>,
}

impl From<&CheckAnnotation> for AnnotationResponse {
    fn from(annotation: &CheckAnnotation) -> Self {
        let level = match annotation.level {
            AnnotationLevel::Notice => "notice",
            AnnotationLevel::Warning => "warning",
            AnnotationLevel::Failure => "failure",
        };
        Self {
            path: annotation.path.clone(),
            start_line: annotation.start_line,
            end_line: annotation.end_line,
            annotation_level: Some(level.to_owned()),
            title: Some(annotation.title.clone()).filter(|title| !title.is_empty()),
            message: Some(annotation.message.clone()),
        }
    }
}

impl GithubClient {
    /// The newest check run with this name on this commit that our app created.
    ///
    /// # Errors
    /// GitHub can't be reached.
    pub fn check(&self, head_sha: &str, name: &str) -> Result<Option<CheckRun>, GithubError> {
        let found = self.newest_check(head_sha, name, |_| true, &mut self.budget())?;
        Ok(found.map(CheckRun::from))
    }

    /// Creates a completed check run, or updates the one with this name and external id on this commit.
    ///
    /// # Errors
    /// GitHub can't be reached or refuses.
    pub fn upsert_check(&self, new: &NewCheckRun) -> Result<CheckRun, GithubError> {
        let mut budget = self.budget();
        let budget = &mut budget;
        let same = |wire: &CheckRunResponse| wire.external_id.as_deref() == Some(new.external_id.as_str());
        let find = |budget: &mut RetryBudget<'_>| self.newest_check(&new.head_sha, &new.name, same, budget);
        let first: Vec<&CheckAnnotation> = new.annotations.iter().take(BATCH).collect();
        let (wire, missing) = if let Some(old) = find(budget)? {
            let call = self.update(new, old.id, &[]);
            let wire: CheckRunResponse = self.send(&call, budget)?.decode(&call)?;
            let missing = self.missing(new, wire.id, budget)?;
            (wire, missing)
        } else {
            let call = ApiCall {
                on: self.at(&new.head_sha),
                body: Some(content(new, &first, Some(commit(&new.head_sha)?))),
                ..self.call(Method::POST, "creating a check run", WRITE, "/check-runs")
            };
            match self.create(&call, budget, find)? {
                CreateOutcome::Now(wire) => (wire, new.annotations.iter().skip(BATCH).collect()),
                CreateOutcome::Before(wire) => {
                    let missing = self.missing(new, wire.id, budget)?;
                    (wire, missing)
                }
            }
        };
        self.annotate(new, wire.id, missing, budget)?;
        Ok(wire.into())
    }

    /// Adds annotations, one batch per request.
    fn annotate<'a>(
        &self,
        new: &'a NewCheckRun,
        id: u64,
        mut missing: Vec<&'a CheckAnnotation>,
        budget: &mut RetryBudget<'_>,
    ) -> Result<(), GithubError> {
        while !missing.is_empty() {
            let batch = missing.len().min(BATCH);
            let call = self.update(new, id, &missing[..batch]);
            match self.exchange.send_once(&call, self.patience.request_timeout) {
                Ok(_) => {
                    missing.drain(..batch);
                }
                Err(fault) => {
                    let ambiguous = fault.is_ambiguous();
                    budget.pause_or_fail(fault, &call)?;
                    if ambiguous {
                        missing = self.missing(new, id, budget)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The annotations that a check run lacks.
    fn missing<'a>(
        &self,
        new: &'a NewCheckRun,
        id: u64,
        budget: &mut RetryBudget<'_>,
    ) -> Result<Vec<&'a CheckAnnotation>, GithubError> {
        if new.annotations.is_empty() {
            return Ok(Vec::new());
        }
        let call = ApiCall {
            on: self.at(&new.head_sha),
            ..self.call(
                Method::GET,
                "listing a check run's annotations",
                READ,
                &format!("/check-runs/{id}/annotations"),
            )
        };
        let mut there: BTreeMap<AnnotationResponse, usize> = BTreeMap::new();
        for mut annotated in self.pages(&call, budget, |page: Vec<AnnotationResponse>| page)? {
            annotated.title = annotated.title.filter(|title| !title.is_empty());
            *there.entry(annotated).or_default() += 1;
        }
        let missing =
            new.annotations.iter().filter(
                |annotation| match there.get_mut(&AnnotationResponse::from(*annotation)) {
                    Some(left) if *left > 0 => {
                        *left -= 1;
                        false
                    }
                    _ => true,
                },
            );
        Ok(missing.collect())
    }

    fn update(&self, new: &NewCheckRun, id: u64, annotations: &[&CheckAnnotation]) -> ApiCall {
        ApiCall {
            on: self.at(&new.head_sha),
            body: Some(content(new, annotations, None)),
            ..self.call(
                Method::PATCH,
                "updating a check run",
                WRITE,
                &format!("/check-runs/{id}"),
            )
        }
    }

    fn newest_check(
        &self,
        head_sha: &str,
        name: &str,
        wanted: impl Fn(&CheckRunResponse) -> bool,
        budget: &mut RetryBudget<'_>,
    ) -> Result<Option<CheckRunResponse>, GithubError> {
        let call = ApiCall {
            on: self.at(head_sha),
            ..self.call(
                Method::GET,
                "listing check runs",
                READ,
                // All of them and not only the latest: a newer check run of another app with that name would hide ours.
                &format!(
                    "/commits/{}/check-runs?filter=all&check_name={}",
                    commit(head_sha)?,
                    encoded(name)
                ),
            )
        };
        let all = self.pages(&call, budget, |page: CheckRunPage| page.check_runs)?;
        let named = all.into_iter().filter(|check| check.name == name && wanted(check));
        let named: Vec<CheckRunResponse> = named.collect();
        if named.is_empty() {
            return Ok(None);
        }
        let login = self.login(budget)?;
        // Only apps create check runs: with a person's token, ours are those of the workflows.
        let ours = login.strip_suffix(BOT_SUFFIX).unwrap_or(ACTIONS_APP);
        let made_by_us = |check: &CheckRunResponse| {
            let app = check.app.as_ref().and_then(|app| app.slug.as_deref());
            app.is_some_and(|slug| slug.eq_ignore_ascii_case(ours))
        };
        Ok(named.into_iter().filter(made_by_us).max_by_key(|check| check.id))
    }

    fn at(&self, head_sha: &str) -> String {
        format!("{} at {}", self.repository, super::api_fault::printable_line(head_sha))
    }
}

/// The body of a request. The commit is only part of a creation.
fn content(new: &NewCheckRun, annotations: &[&CheckAnnotation], head_sha: Option<&str>) -> Value {
    let mut output = json!({ "title": new.title, "summary": new.summary });
    if !annotations.is_empty() {
        output["annotations"] = json!(annotations);
    }
    let mut content = json!({
        "name": new.name,
        "external_id": new.external_id,
        "status": "completed",
        "conclusion": new.conclusion,
        "output": output,
    });
    if let Some(head_sha) = head_sha {
        content["head_sha"] = json!(head_sha);
    }
    if let Some(url) = &new.details_url {
        content["details_url"] = json!(url);
    }
    content
}
