//! A verdict and the prediction of the same versions into what GitHub shows of them: a comment on the pull request, the
//! job's summary, a check run with annotations, workflow commands and outputs.
//!
//! Texts only: who posts them where, and when, is decided elsewhere. Whatever others wrote (names, reasons, notes) passes
//! [`crate::text`]; what is too long is cut, and says so.

mod check;
mod page;
mod reproduction_command;
mod skipping_risk;
#[cfg(test)]
mod tests;
mod title;
mod workflow_command;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use verdict::{Acknowledgement, BenchmarkOutcome, Verdict, VerdictReport};

pub use check::{CheckReport, CheckReportAnnotation, CheckReportConclusion, CheckReportLevel, check};
pub use page::{comment, summary};
pub use workflow_command::workflow_commands;

use crate::markdown::sentence;
use crate::score::ScoreDocument;
use crate::text::{cut_end, safe};
use crate::verdict::{labels, markdown};

/// The first line of the comment, not shown: by this, and by who wrote it, the comment is found again.
pub const MARKER: &str = "<!-- lito: performance -->";

/// Columns of a reason among the outputs.
const REASON: usize = 1_000;

/// The content of a posting.
#[derive(Debug, Clone)]
pub struct PostingContent<'a> {
    /// The verdict.
    pub report: &'a VerdictReport,
    /// The prediction of the same pair of versions, if there is one.
    pub score: Option<Cow<'a, ScoreDocument>>,
    /// The acknowledgements of this pull request.
    pub acknowledgements: &'a [Acknowledgement],
    /// Where the measurements come from.
    pub measured_by: MeasurementOrigin,
    /// How the check ends where that is for the maintainer to say.
    pub policy: CheckPolicy,
    /// The relative change that the score's probabilities are about, e.g. 0.05.
    pub threshold: f64,
    /// Further notes for the reader, a sentence each.
    pub notes: &'a [String],
    /// Where the run of a workflow is that left a drawn comparison of what got slower, if it did.
    pub compared_in: Option<&'a str>,
}

/// The artifact in which the job that measures leaves its files.
pub const ARTIFACT: &str = "lito-verdict";

/// The file among them that holds the measured values, and nothing that follows from them.
pub const MEASUREMENTS: &str = "measurements.json";

/// The file among them that draws where a difference comes from.
pub const COMPARISON: &str = "comparison.html";

/// Whose machine measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementOrigin {
    /// One that runs what the base's repository says.
    Ourselves,
    /// The fork's own run, which could have written down what it liked.
    Fork,
}

/// How a check ends that lito's own machines can't answer for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckPolicy {
    /// True if values that a fork's run reports can pass the check; else they are advice, and the check is neutral at best.
    pub forks_decide: bool,
    /// True if the check fails where a benchmark that the score flagged was not judged: GitHub lets a neutral one through.
    pub unjudged_fails: bool,
}

impl Default for CheckPolicy {
    fn default() -> Self {
        Self {
            forks_decide: false,
            unjudged_fails: true,
        }
    }
}

/// Whether there is something that a person has to see: a benchmark that counts got worse or better, fails or is gone, or
/// somebody made a claim and waits for the answer.
/// A version that was skipped, passed, or could not be told apart, is not worth a message to everybody.
#[must_use]
pub fn deserves_comment(posting: &PostingContent<'_>) -> bool {
    !posting.report.claims.is_empty() || posting.report.benchmarks.iter().any(markdown::is_news)
}

/// The job's summary where there was no version to judge, with the reason in one clause.
#[must_use]
pub fn no_version_summary(why: &str) -> String {
    format!("### Performance: nothing to judge\n\n{}.\n", sentence(why))
}

/// The check of a version that could not be judged at all, with what went wrong.
#[must_use]
pub fn not_judged(why: &str, policy: CheckPolicy) -> CheckReport {
    CheckReport {
        conclusion: policy.of_unjudged(),
        title: String::from("not judged: the run that posts failed"),
        summary: format!(
            "### ❔ not judged\n\n{}\n\nRun the workflow that posts again once that is mended.\n",
            sentence(why)
        ),
        annotations: Vec::new(),
    }
}

/// Outputs for later steps of a workflow: name and value, one line each.
#[must_use]
pub fn outputs(posting: &PostingContent<'_>) -> Vec<(String, String)> {
    let report = posting.report;
    let probability = posting.score.as_ref().map(|score| score.probability);
    [
        ("verdict", labels::verdict(report.verdict).to_owned()),
        ("reason", cut_end(&safe(&report.reason), REASON).into_owned()),
        ("regressions", regressed(report).len().to_string()),
        ("selected", selected(report).len().to_string()),
        (
            "probability",
            probability.map_or_else(String::new, |p| format!("{p:.4}")),
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// The benchmarks that got worse in a metric that counts.
fn regressed(report: &VerdictReport) -> BTreeSet<&str> {
    names(report, |outcome| outcome == BenchmarkOutcome::Regression)
}

/// The benchmarks that the score did not rule out.
fn selected(report: &VerdictReport) -> BTreeSet<&str> {
    names(report, |outcome| outcome != BenchmarkOutcome::Skipped)
}

/// The benchmarks that were started at least once.
fn run(report: &VerdictReport) -> BTreeSet<&str> {
    (report.benchmarks.iter())
        .filter(|entry| entry.metric.is_of_benchmark())
        .filter(|entry| entry.starts > 0 || entry.base.is_some() || entry.head.is_some())
        .map(|entry| entry.name.as_str())
        .collect()
}

fn names(report: &VerdictReport, of: impl Fn(BenchmarkOutcome) -> bool) -> BTreeSet<&str> {
    (report.benchmarks.iter())
        .filter(|entry| entry.gating && of(entry.verdict))
        .map(|entry| entry.name.as_str())
        .collect()
}

impl PostingContent<'_> {
    /// Whether everything that stood in the way was accepted.
    fn is_accepted(&self) -> bool {
        self.report.is_accepted(self.acknowledgements)
    }

    /// Whether something that counts fails, or can't be told apart: nobody can accept that.
    fn is_open(&self) -> bool {
        !names(self.report, |o| {
            matches!(o, BenchmarkOutcome::Failed | BenchmarkOutcome::Inconclusive)
        })
        .is_empty()
    }

    fn conclusion(&self) -> CheckReportConclusion {
        match self.report.verdict {
            Verdict::Pass | Verdict::Improvement | Verdict::Skipped if self.is_advice() => {
                CheckReportConclusion::Neutral
            }
            Verdict::Pass | Verdict::Improvement | Verdict::Skipped => CheckReportConclusion::Success,
            Verdict::Regression | Verdict::Mixed if !self.is_accepted() => CheckReportConclusion::Failure,
            Verdict::Regression | Verdict::Mixed | Verdict::Inconclusive if self.is_unjudged() => {
                self.policy.of_unjudged()
            }
            Verdict::Regression | Verdict::Mixed | Verdict::Inconclusive => CheckReportConclusion::Neutral,
        }
    }

    /// Whether a benchmark that the score did not rule out has no pair of values, or is gone and nobody accepted that. Values
    /// that are too noisy to decide are a judgement.
    fn is_unjudged(&self) -> bool {
        let report = self.report;
        let lacks_values = (report.benchmarks.iter())
            .filter(|entry| entry.gating)
            .any(|entry| match entry.verdict {
                BenchmarkOutcome::Failed => true,
                BenchmarkOutcome::Inconclusive => entry.base.is_none() || entry.head.is_none(),
                BenchmarkOutcome::Regression
                | BenchmarkOutcome::Removed
                | BenchmarkOutcome::Improvement
                | BenchmarkOutcome::Pass
                | BenchmarkOutcome::Added
                | BenchmarkOutcome::SameCode
                | BenchmarkOutcome::Skipped => false,
            });
        let is_gone = (report.entries_to_accept(self.acknowledgements))
            .any(|(entry, settled)| entry.verdict == BenchmarkOutcome::Removed && settled.is_none());
        // Where nothing was delivered, and no sample names the benchmarks.
        let is_empty = report.verdict == Verdict::Inconclusive && !report.benchmarks.iter().any(|entry| entry.gating);
        lacks_values || is_gone || is_empty
    }

    /// Whether the verdict rests on what a fork's run says of itself. A skip does not: the score is our own.
    fn is_advice(&self) -> bool {
        let rests_on_values =
            || (self.report.benchmarks.iter()).any(|entry| entry.gating && entry.verdict != BenchmarkOutcome::Skipped);
        self.measured_by == MeasurementOrigin::Fork && !self.policy.forks_decide && rests_on_values()
    }
}

impl CheckPolicy {
    fn of_unjudged(self) -> CheckReportConclusion {
        match self.unjudged_fails {
            true => CheckReportConclusion::Failure,
            false => CheckReportConclusion::Neutral,
        }
    }
}
