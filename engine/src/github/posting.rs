//! A verdict with everything that is posted with it, `lito.posting/1`; and its delivery: a check always, a comment where something
//! changed. What is delivered twice is there once.

use std::borrow::Cow;
use std::path::Path;

use report::github::{self, CheckPolicy, MARKER, MeasurementOrigin};
use report::score::ScoreDocument;
use runner::github::{
    AnnotationLevel, CheckAnnotation, CheckConclusion, GithubClient, GithubError, GithubPullRequest, NewCheckRun,
};
use serde::{Deserialize, Serialize};
use verdict::{Acknowledgement, SCHEMA as VERDICT_SCHEMA, VerdictReport};

use crate::error::EngineError;

/// The version of the contract.
const SCHEMA: &str = "lito.posting/1";

/// The name of the check on what is merged into the default branch, so that it can be required.
const CHECK: &str = "lito";

/// Larger files are no postings: the largest verdict that is taken from an artifact is below.
const FILE_LIMIT: u64 = 64 << 20;

/// A verdict with everything that is posted with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GithubPosting {
    /// [`SCHEMA`].
    pub(super) schema: String,
    /// The pull request; `None` where the version belongs to none that is open.
    pub(super) pull: Option<u64>,
    /// The name of the check.
    #[serde(default = "check_of_default_branch")]
    pub(super) check: String,
    /// How the check ends that lito's own machines can't answer for.
    #[serde(default)]
    pub(super) policy: CheckPolicy,
    /// The run of the workflow that measured.
    pub(super) run: Option<MeasuringRun>,
    /// True if that run was of a fork's pull request: its measurements are advice.
    pub(super) fork: bool,
    /// True if that run left a drawn comparison of what got slower.
    #[serde(default)]
    pub(super) compared: bool,
    /// The change from which a version is worth a benchmark.
    pub(super) threshold: f64,
    pub(super) acknowledgements: Vec<Acknowledgement>,
    /// Further notes, a sentence each.
    pub(super) notes: Vec<String>,
    pub(super) report: VerdictReport,
    pub(super) score: Option<ScoreDocument>,
}

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MeasuringRun {
    pub(super) id: u64,
    pub(super) url: String,
}

/// The result of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryReport {
    /// Actions taken, a sentence each.
    pub done: Vec<String>,
    /// Actions that the token does not allow, each with the missing permission.
    pub denied: Vec<String>,
}

impl GithubPosting {
    /// Reads a posting, or a bare verdict, which is posted to this pull request.
    pub fn read(file: &Path, pull: Option<u64>, threshold: f64) -> Result<Self, EngineError> {
        let failed = |why: &dyn std::fmt::Display| {
            EngineError::request(format_args!(
                "posting: {}: {why}; give the verdict.json or posting.json of an earlier run",
                file.display()
            ))
        };
        let size = std::fs::metadata(file).map_err(|error| failed(&error))?;
        if size.len() > FILE_LIMIT {
            return Err(failed(&"it is too large for one"));
        }
        let bytes = std::fs::read(file).map_err(|error| failed(&error))?;
        let schema = ContractHeader::of(&bytes).map_err(|error| failed(&error))?;
        match schema.as_str() {
            SCHEMA => {
                let posting: Self = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
                Ok(Self {
                    pull: pull.or(posting.pull),
                    ..posting
                })
            }
            VERDICT_SCHEMA => {
                let verdict: VerdictFile = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
                Ok(Self {
                    pull,
                    threshold,
                    ..Self::of(verdict.report, verdict.score)
                })
            }
            _ => Err(failed(&format_args!(
                "it follows neither {SCHEMA} nor {VERDICT_SCHEMA}"
            ))),
        }
    }

    /// A verdict of our own, with nothing else to tell.
    pub(super) fn of(report: VerdictReport, score: Option<ScoreDocument>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            pull: None,
            check: check_of_default_branch(),
            policy: CheckPolicy::default(),
            run: None,
            fork: false,
            compared: false,
            threshold: 0.0,
            acknowledgements: Vec::new(),
            notes: Vec::new(),
            report,
            score,
        }
    }

    /// As it is kept until it is delivered.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers are always encoded")
    }

    /// The pull request; `None` where the version belongs to none.
    pub fn pull(&self) -> Option<u64> {
        self.pull
    }

    /// Whether everything that was lost was accepted.
    pub fn is_accepted(&self) -> bool {
        self.report.is_accepted(&self.acknowledgements)
    }

    /// Posts the check, and the comment where there is something to tell or to correct. What the token may not do is left
    /// out and said.
    pub fn deliver(&self, client: &GithubClient) -> Result<DeliveryReport, GithubError> {
        let mut delivered = DeliveryReport::default();
        delivered.take(self.post_check(client))?;
        if let Some(pull) = self.pull {
            delivered.take(self.post_comment(client, pull))?;
        }
        Ok(delivered)
    }

    fn post_check(&self, client: &GithubClient) -> Result<String, GithubError> {
        let shown = github::check(&self.content());
        let head = self.report.head.clone();
        let check = client.upsert_check(&new_check(shown, &self.check, head, self.run.as_ref()))?;
        Ok(match check.url {
            Some(url) => format!("posted the check: {url}"),
            None => String::from("posted the check"),
        })
    }

    fn post_comment(&self, client: &GithubClient, number: u64) -> Result<String, GithubError> {
        let pull = client.pull(number)?;
        if !pull.open {
            return Ok(format!("pull request {number} is closed, so that it gets no comment"));
        }
        if pull.head_sha != self.report.head {
            return Ok(format!(
                "pull request {number} has moved on to {}, so that it gets no comment",
                pull.head_sha
            ));
        }
        let shown = self.content();
        if !github::deserves_comment(&shown) && client.comment(number, MARKER)?.is_none() {
            return Ok(String::from("nothing changed that a comment would tell of"));
        }
        let posted = client.upsert_comment(number, MARKER, &github::comment(&shown))?;
        Ok(format!("the comment is {}", posted.url))
    }

    /// The content of the posting.
    pub fn content(&self) -> github::PostingContent<'_> {
        github::PostingContent {
            report: &self.report,
            score: self.score.as_ref().map(Cow::Borrowed),
            acknowledgements: &self.acknowledgements,
            measured_by: if self.fork {
                MeasurementOrigin::Fork
            } else {
                MeasurementOrigin::Ourselves
            },
            policy: self.policy,
            threshold: self.threshold,
            notes: &self.notes,
            compared_in: (self.run.as_ref())
                .filter(|_| self.compared)
                .map(|run| run.url.as_str()),
        }
    }
}

impl DeliveryReport {
    fn take(&mut self, step: Result<String, GithubError>) -> Result<(), GithubError> {
        match step {
            Ok(done) => self.done.push(done),
            Err(error @ GithubError::Forbidden { .. }) => self.denied.push(error.to_string()),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// A verdict as `verdict.json` has it.
#[derive(Deserialize)]
struct VerdictFile {
    #[serde(flatten)]
    report: VerdictReport,
    score: Option<ScoreDocument>,
}

/// Which contract a document says that it follows.
#[derive(Deserialize)]
struct ContractHeader {
    schema: String,
}

impl ContractHeader {
    fn of(bytes: &[u8]) -> Result<String, serde_json::Error> {
        serde_json::from_slice::<Self>(bytes).map(|contract| contract.schema)
    }
}

/// The name of the check of a pull request. GitHub keeps checks by commit, and one commit may be the head of pull requests
/// to several branches: what passes one must not pass another.
pub(super) fn check_of(pull: Option<&GithubPullRequest>) -> String {
    match pull {
        Some(pull) if !pull.into_default_branch => format!("{CHECK} ({})", pull.base_branch),
        Some(_) | None => check_of_default_branch(),
    }
}

fn check_of_default_branch() -> String {
    CHECK.to_owned()
}

/// A check as it is shown, on a commit, because of a run.
pub(super) fn new_check(
    shown: github::CheckReport,
    name: &str,
    head: String,
    run: Option<&MeasuringRun>,
) -> NewCheckRun {
    NewCheckRun {
        name: name.to_owned(),
        head_sha: head,
        external_id: run.map(|run| run.id.to_string()).unwrap_or_default(),
        details_url: run.map(|run| run.url.clone()),
        conclusion: conclusion(shown.conclusion),
        title: shown.title,
        summary: shown.summary,
        annotations: shown.annotations.into_iter().map(annotation).collect(),
    }
}

fn conclusion(conclusion: github::CheckReportConclusion) -> CheckConclusion {
    match conclusion {
        github::CheckReportConclusion::Success => CheckConclusion::Success,
        github::CheckReportConclusion::Failure => CheckConclusion::Failure,
        github::CheckReportConclusion::Neutral => CheckConclusion::Neutral,
    }
}

fn annotation(shown: github::CheckReportAnnotation) -> CheckAnnotation {
    let line = u64::from(shown.line);
    CheckAnnotation {
        path: shown.file,
        start_line: line,
        end_line: line,
        level: match shown.level {
            github::CheckReportLevel::Notice => AnnotationLevel::Notice,
            github::CheckReportLevel::Warning => AnnotationLevel::Warning,
            github::CheckReportLevel::Failure => AnnotationLevel::Failure,
        },
        title: shown.title,
        message: shown.message,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A sentence that this version of lito would not write.
    const STORED: &str = "parse may change by +2.0% to +31.0%, as an earlier version worded it";

    #[test]
    fn the_stored_sentence_of_a_score_is_posted_as_it_is() {
        let verdict = serde_json::json!({
            "schema": VERDICT_SCHEMA, "base": "b", "head": "h", "verdict": "skipped", "reason": "nothing was run",
            "benchmarks": [], "stages": [], "audited": false, "environment": {}, "cost_seconds": 0.0,
            "score": {
                "commit": "h", "parent": "b", "sample": null, "decision": "skip", "reason": STORED,
                "probability": 0.01, "benchmarks": [], "changes": [], "degraded": [],
            },
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("verdict.json");
        std::fs::write(&file, verdict.to_string()).unwrap();
        let posting = GithubPosting::read(&file, Some(7), 0.05).unwrap();
        assert_eq!(posting.content().score.unwrap().reason, STORED);
        // As it is kept until it is delivered.
        std::fs::write(&file, posting.json()).unwrap();
        assert_eq!(GithubPosting::read(&file, None, 0.05).unwrap(), posting);
        assert!(github::check(&posting.content()).title.contains(STORED));
    }
}
