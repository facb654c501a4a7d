//! What `measure` and `gate` share: the question put to the pipeline, the answer kept, written and turned into an
//! exit code.

use std::fs;
use std::path::Path;

use ::verdict::{BenchmarkOutcome, Verdict, VerdictReport};
use report::github::{self, MeasurementOrigin, PostingContent};
use report::verdict;
use runner::git::{CommitId, Repository};
use runner::store::Store;

use super::compare::show_call_tree_progress;
use super::{checkout, interruption};
use crate::cli::{MeasuringArguments, VerdictFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::EngineError;
use engine::call_trees;
use engine::compare::{self, BenchmarkPairing};
use engine::pipeline::{self, GateContext, GateJudgement, GateRequest, GateThoroughness, SelectionRequest};
use engine::profiling;
use engine::progress::{Progress, ProgressEvent};
use engine::settings::{GateMetric, Settings};
use engine::skipping_audit;
use engine::views::{self, VersionLabels};

/// Benchmarks that are drawn: the report of more is too large, and takes too long.
const MOST_DRAWN: usize = 8;

/// What somebody wants to know.
pub(super) struct VerdictRequest<'a> {
    pub(super) base: CommitId,
    pub(super) head: CommitId,
    pub(super) which: SelectionRequest<'a>,
    pub(super) measuring: &'a MeasuringArguments,
}

/// An answer.
pub(super) struct VerdictAnswer {
    pub(super) judgement: GateJudgement,
    /// Whether it was drawn where what got slower comes from.
    pub(super) drawn: bool,
}

/// Answers, writes the answer where it is to be written, and keeps it where it is the gate's.
pub(super) fn judge_and_report(
    repository: &Repository,
    settings: &Settings,
    asked: &VerdictRequest<'_>,
    terminal: &Terminal,
) -> Result<VerdictAnswer, Failure> {
    let arguments = asked.measuring;
    let interruption = interruption()?;
    let named: Vec<GateMetric> = arguments.metrics.iter().map(|&metric| metric.into()).collect();
    let question = GateRequest {
        base: asked.base,
        head: asked.head,
        which: asked.which,
        metrics: if named.is_empty() {
            &settings.gate.metrics
        } else {
            &named
        },
        budget: arguments.budget.unwrap_or(settings.gate.budget).0,
        fresh: arguments.fresh,
        thoroughness: GateThoroughness::Gate,
    };
    let store = Store::open(repository, &settings.store.url)?;
    let progress = terminal.waiting("measuring");
    let show = |event: ProgressEvent<'_>| progress.show(event);
    let workplace = GateContext {
        repository,
        settings,
        store: &store,
        profiler: arguments.profiler.into(),
        interruption: &interruption,
        progress: Progress::new(&show),
    };
    let mut judgement = pipeline::judge(&question, &workplace)?;
    drop(progress);
    if matches!(asked.which, SelectionRequest::Flagged { .. }) {
        if judgement.report.verdict != Verdict::Skipped {
            store.record_verdict(&judgement.report, repository.committed_at(asked.head)?)?;
        }
        judgement.report.audit = skipping_audit::audit_of_verdicts(&store.verdicts()?.verdicts);
    }
    let threshold = settings.gate.threshold.share();
    let mut drawn = false;
    if let Some(folder) = &arguments.report {
        write_files(&posting_without_acknowledgements(&judgement, threshold), folder)?;
        let profiler = profiling::choose_profiler(arguments.profiler.into(), &interruption, |_| {})?;
        let ground = call_trees::CallTreeRequest {
            repository,
            definitions: &settings.benchmarks,
            root: checkout(repository, "comparing")?,
            profiler: &profiler,
            interruption: &interruption,
        };
        let file = folder.join(github::COMPARISON);
        drawn = draw(&ground, &judgement.report, (asked.base, asked.head), &file, terminal)?;
    }
    terminal.print(&rendered(&judgement, threshold, arguments.format, terminal))?;
    Ok(VerdictAnswer { judgement, drawn })
}

/// Draws where that comes from which got slower, if something did. What stands in the way of a picture does not stand in
/// the way of the verdict.
fn draw(
    ground: &call_trees::CallTreeRequest<'_>,
    report: &VerdictReport,
    versions: (CommitId, CommitId),
    file: &Path,
    terminal: &Terminal,
) -> Result<bool, Failure> {
    let mut slower: Vec<String> = (report.benchmarks.iter())
        .filter(|entry| entry.gating && entry.verdict == BenchmarkOutcome::Regression)
        .map(|entry| entry.name.clone())
        .collect();
    slower.sort_unstable();
    slower.dedup();
    slower.truncate(MOST_DRAWN);
    if slower.is_empty() {
        return Ok(false);
    }
    let labels = VersionLabels::of(ground.repository)?;
    let names = [versions.0, versions.1].map(|commit| labels.label(commit));
    let progress = terminal.progress(2, "comparing");
    let compared = compare::compare_versions(
        ground,
        versions,
        [&names[0], &names[1]],
        BenchmarkPairing::WithItself(&slower),
        &mut |event| show_call_tree_progress(event, &progress),
    );
    drop(progress);
    match compared {
        Err(EngineError::Interrupted) => Err(Failure::Interrupted),
        Err(failure) => {
            terminal.warn(&format!("nothing is drawn of what got slower: {failure}"));
            Ok(false)
        }
        Ok(compared) if compared.comparisons.is_empty() => {
            for missing in &compared.missing {
                terminal.warn(&format!("nothing is drawn of what got slower: {missing}"));
            }
            Ok(false)
        }
        Ok(compared) => {
            let view = views::html_report_of_versions(ground.repository, ground.root, &labels, &compared)?;
            views::write(&view, file)?;
            Ok(true)
        }
    }
}

fn rendered(judgement: &GateJudgement, threshold: f64, format: VerdictFormat, terminal: &Terminal) -> String {
    let GateJudgement { report, score, .. } = judgement;
    match format {
        VerdictFormat::Human => verdict::human(report, Some(score), terminal.page()),
        VerdictFormat::Json => verdict::json(report, Some(score)),
        VerdictFormat::Markdown => github::summary(&posting_without_acknowledgements(judgement, threshold)),
        VerdictFormat::Sarif => verdict::sarif(report, Some(score)),
    }
}

/// A judgement as it is told where nothing is accepted yet, and we measured.
pub(super) fn posting_without_acknowledgements(judgement: &GateJudgement, threshold: f64) -> PostingContent<'_> {
    PostingContent {
        report: &judgement.report,
        score: Some(&judgement.score),
        acknowledgements: &[],
        measured_by: MeasurementOrigin::Ourselves,
        threshold,
        notes: &[],
        compared_in: None,
    }
}

/// The verdict in every format that other programs read.
pub(super) fn write_files(posting: &PostingContent<'_>, folder: &Path) -> Result<(), Failure> {
    let refused = |path: &Path, error: std::io::Error| {
        Failure::environment(format_args!(
            "writing the verdict: on {}: {error}; name another folder with --report",
            path.display()
        ))
    };
    fs::create_dir_all(folder).map_err(|error| refused(folder, error))?;
    let (report, score) = (posting.report, posting.score);
    let files = [
        ("verdict.json", verdict::json(report, score)),
        ("verdict.md", github::summary(posting)),
        ("verdict.sarif", verdict::sarif(report, score)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| refused(&path, error))?;
    }
    Ok(())
}

/// What a verdict means for the exit code.
pub(super) fn exit_of_verdict(report: &VerdictReport) -> CommandExit {
    match report.verdict {
        Verdict::Pass | Verdict::Improvement | Verdict::Skipped => CommandExit::Passed,
        Verdict::Regression | Verdict::Mixed => CommandExit::Regression,
        Verdict::Inconclusive => CommandExit::Inconclusive,
    }
}
