//! A judgement → its files in every format that other programs read, and the comparison that explains its regressions.

use std::borrow::Cow;
use std::path::Path;

use report::github::{self, MeasurementOrigin, PostingContent};
use report::score::ScoreDocument;
use report::verdict as words;
use runner::call_trees::CallTreesEvent;
use runner::git::CommitId;
use runner::whole_file;
use verdict::{BenchmarkOutcome, JobMeasurements, VerdictReport};

use crate::call_trees::CallTreeRequest;
use crate::compare;
use crate::error::EngineError;
use crate::pipeline::GateJudgement;
use crate::views::{self, VersionLabels};

/// Regressions that are explained: a report of more is too large, and takes too long.
const MOST_EXPLAINED: usize = 8;

/// The judgement as it is shown before anything is accepted, measured by this process.
#[must_use]
pub fn posting_without_acknowledgements(judgement: &GateJudgement, threshold: f64) -> PostingContent<'_> {
    PostingContent {
        report: &judgement.report,
        score: Some(Cow::Owned(ScoreDocument::of(&judgement.score))),
        acknowledgements: &[],
        measured_by: MeasurementOrigin::Ourselves,
        policy: github::CheckPolicy::default(),
        threshold,
        notes: &[],
        compared_in: None,
    }
}

/// Writes the verdict into a folder, in each format that other programs read.
pub fn write_verdict_files(posting: &PostingContent<'_>, folder: &Path) -> Result<(), EngineError> {
    let (report, score) = (posting.report, posting.score.as_deref());
    let files = [
        ("verdict.json", words::json(report, score)),
        ("verdict.md", github::summary(posting)),
        ("verdict.sarif", words::sarif(report, score)),
        ("verdict.junit.xml", words::junit(report)),
        ("metrics.txt", words::open_metrics(report)),
        ("code-quality.json", words::code_quality(report, score)),
    ];
    files.iter().try_for_each(|(name, text)| write_file(folder, name, text))
}

/// Writes the measured values into a folder, for a stage that judges them anew.
pub fn write_measurements(measurements: &JobMeasurements, folder: &Path) -> Result<(), EngineError> {
    let text = serde_json::to_string(measurements).map_err(EngineError::environment)?;
    write_file(folder, github::MEASUREMENTS, &text)
}

fn write_file(folder: &Path, name: &str, text: &str) -> Result<(), EngineError> {
    whole_file::write(&folder.join(name), text).map_err(|error| {
        EngineError::environment(format_args!(
            "writing the verdict: on {error}; name another folder with --report"
        ))
    })
}

/// The benchmarks whose regressions are explained, by name.
#[must_use]
pub fn regressions_to_explain(report: &VerdictReport) -> Vec<String> {
    let mut slower: Vec<String> = (report.benchmarks.iter())
        .filter(|entry| entry.gating && entry.verdict == BenchmarkOutcome::Regression)
        .filter(|entry| entry.metric.is_of_benchmark())
        .map(|entry| entry.name.clone())
        .collect();
    slower.sort_unstable();
    slower.dedup();
    slower.truncate(MOST_EXPLAINED);
    slower
}

/// The result of explaining regressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegressionExplanation {
    /// The HTML report is written.
    Written,
    /// The versions could not be compared, with the reasons. The verdict stands all the same.
    NotCompared(Vec<String>),
}

/// Writes an HTML report that compares regressed benchmarks between two versions.
pub fn write_regression_report(
    request: &CallTreeRequest<'_>,
    benchmarks: &[String],
    versions: (CommitId, CommitId),
    draft: bool,
    file: &Path,
    events: &mut dyn FnMut(&CallTreesEvent<'_>),
) -> Result<RegressionExplanation, EngineError> {
    let labels = VersionLabels::of(request.repository)?;
    let names = [versions.0, versions.1].map(|commit| labels.label(commit));
    let labels_of_both = [names[0].as_str(), &names[1]];
    let compared = compare::compare_measured(request, versions, draft, labels_of_both, benchmarks, events);
    let compared = match compared {
        Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
        Err(failure @ (EngineError::Request(_) | EngineError::Environment(_))) => {
            return Ok(RegressionExplanation::NotCompared(vec![failure.to_string()]));
        }
        Ok(compared) if compared.comparisons.is_empty() => {
            let reasons = compared.missing.iter().map(ToString::to_string).collect();
            return Ok(RegressionExplanation::NotCompared(reasons));
        }
        Ok(compared) => compared,
    };
    let view = views::html_report_of_versions(request.repository, request.root, &labels, &compared)?;
    views::write(&view, file)?;
    Ok(RegressionExplanation::Written)
}
