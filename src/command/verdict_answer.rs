//! The common part of `measure` and `gate`: arguments → a question for the pipeline; its answer → output and exit code.

use std::path::Path;

use ::verdict::claims::{ClaimOutcome, ClaimSource, MOST_CLAIMS, RequestedClaim};
use ::verdict::{Verdict, VerdictReport};
use report::github;
use report::score::ScoreDocument;
use report::verdict;
use runner::git::{CommitId, Repository};
use runner::store::Store;

use super::compare::show_call_tree_progress;
use super::{checkout, interruption};
use crate::cli::{MeasuredArgument, MeasuringArguments, VerdictFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::call_trees;
use engine::pipeline::{self, GateContext, GateJudgement, GateRequest, GateReuse, GateThoroughness, SelectionRequest};
use engine::profiling;
use engine::progress::{Progress, ProgressEvent};
use engine::settings::Settings;
use engine::verdict_files::{self, RegressionExplanation, posting_without_acknowledgements};

/// A question about two versions.
pub(super) struct VerdictRequest<'a> {
    pub(super) base: CommitId,
    pub(super) head: CommitId,
    /// The name of a head that is not committed: its verdict is shown by this name, and not kept.
    pub(super) draft: Option<&'static str>,
    pub(super) which: SelectionRequest<'a>,
    /// True if the job that posts the verdict scores the sources itself.
    pub(super) is_scored_again: bool,
    /// Claims about the change, besides those of the arguments.
    pub(super) claims: Vec<RequestedClaim>,
    pub(super) measuring: &'a MeasuringArguments,
}

/// An answer.
pub(super) struct VerdictAnswer {
    pub(super) judgement: GateJudgement,
    /// Whether a report that explains the regressions was written.
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
    let named = MeasuredArgument::gate_metrics(&arguments.metrics)?;
    let mut claims = claims_of_arguments(&arguments.claims)?;
    claims.extend_from_slice(&asked.claims);
    let question = GateRequest {
        base: asked.base,
        head: asked.head,
        which: asked.which,
        claims: &claims,
        metrics: if named.is_empty() {
            &settings.gate.metrics
        } else {
            &named
        },
        budget: arguments.budget.unwrap_or(settings.gate.budget).0,
        draft: asked.draft.is_some(),
        is_scored_again: asked.is_scored_again,
        reuse: GateReuse::unless(arguments.fresh),
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
    let mut judgement = pipeline::judge_and_record(&question, &workplace)?;
    if let Some(name) = asked.draft {
        name.clone_into(&mut judgement.report.head);
        name.clone_into(&mut judgement.score.commit);
    }
    drop(progress);
    let threshold = settings.gate.threshold.share();
    if interruption.is_raised() {
        terminal.print(&rendered(&judgement, threshold, arguments.format, terminal))?;
        return Err(Failure::Interrupted);
    }
    let mut drawn = false;
    if let Some(folder) = &arguments.report {
        verdict_files::write_verdict_files(&posting_without_acknowledgements(&judgement, threshold), folder)?;
        verdict_files::write_measurements(&judgement.measurements, folder)?;
        let profiler = profiling::choose_profiler(arguments.profiler.into(), &interruption, |_| {})?;
        let ground = call_trees::CallTreeRequest {
            repository,
            definitions: &settings.benchmarks,
            root: checkout(repository, "comparing")?,
            profiler: &profiler,
            interruption: &interruption,
        };
        let file = folder.join(github::COMPARISON);
        drawn = draw(&ground, asked, &judgement.report, &file, terminal)?;
    }
    terminal.print(&rendered(&judgement, threshold, arguments.format, terminal))?;
    Ok(VerdictAnswer { judgement, drawn })
}

/// Reads the claims of the command line.
fn claims_of_arguments(texts: &[String]) -> Result<Vec<RequestedClaim>, Failure> {
    if texts.len() > MOST_CLAIMS {
        return Err(Failure::usage(format_args!(
            "reading the claims: there are {}: at most {MOST_CLAIMS} are checked; use `*` in the names of benchmarks",
            texts.len()
        )));
    }
    let read = texts.iter().map(|text| {
        let requested = RequestedClaim::read(text, ClaimSource::CommandLine);
        match &requested.claim {
            Ok(_) => Ok(requested),
            Err(error) => Err(Failure::usage(format_args!(
                "reading the claim `{}`: {}",
                requested.text,
                verdict::claims::claim_error(error)
            ))),
        }
    });
    read.collect()
}

/// Writes a report that explains the regressions, if there are any. An obstacle to the report does not change the
/// verdict.
fn draw(
    ground: &call_trees::CallTreeRequest<'_>,
    asked: &VerdictRequest<'_>,
    report: &VerdictReport,
    file: &Path,
    terminal: &Terminal,
) -> Result<bool, Failure> {
    let slower = verdict_files::regressions_to_explain(report);
    if slower.is_empty() {
        return Ok(false);
    }
    let progress = terminal.progress(2, "comparing");
    let (versions, draft) = ((asked.base, asked.head), asked.draft.is_some());
    let written = verdict_files::write_regression_report(ground, &slower, versions, draft, file, &mut |event| {
        show_call_tree_progress(event, &progress);
    });
    drop(progress);
    match written? {
        RegressionExplanation::Written => Ok(true),
        RegressionExplanation::NotCompared(reasons) => {
            for reason in &reasons {
                terminal.warn(&format!("the regressions are not explained: {reason}"));
            }
            Ok(false)
        }
    }
}

fn rendered(judgement: &GateJudgement, threshold: f64, format: VerdictFormat, terminal: &Terminal) -> String {
    let report = &judgement.report;
    let score = ScoreDocument::of(&judgement.score);
    match format {
        VerdictFormat::Human => verdict::human(report, Some(&score), terminal.page()),
        VerdictFormat::Json => verdict::json(report, Some(&score)),
        VerdictFormat::Markdown => github::summary(&posting_without_acknowledgements(judgement, threshold)),
        VerdictFormat::Sarif => verdict::sarif(report, Some(&score)),
    }
}

/// The exit code of a verdict and the claims of the command line: a refuted one is like a regression, one that cannot be
/// told like a benchmark that cannot be. What a pull request claims changes nothing: its author must not choose the result.
pub(super) fn exit_of_answer(report: &VerdictReport) -> CommandExit {
    let own = |outcome| {
        (report.claims.iter()).any(|claim| claim.source == ClaimSource::CommandLine && claim.outcome == outcome)
    };
    match exit_of_verdict(report) {
        CommandExit::Passed | CommandExit::Inconclusive if own(ClaimOutcome::Refuted) => CommandExit::Regression,
        CommandExit::Passed if own(ClaimOutcome::CannotBeTold) || own(ClaimOutcome::Malformed) => {
            CommandExit::Inconclusive
        }
        exit => exit,
    }
}

/// The exit code of a verdict.
pub(super) fn exit_of_verdict(report: &VerdictReport) -> CommandExit {
    match report.verdict {
        Verdict::Pass | Verdict::Improvement | Verdict::Skipped => CommandExit::Passed,
        Verdict::Regression | Verdict::Mixed => CommandExit::Regression,
        Verdict::Inconclusive => CommandExit::Inconclusive,
    }
}
