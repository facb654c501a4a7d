//! What `measure` and `gate` share: the question put to the pipeline, the answer kept, written and turned into an
//! exit code.

use std::fs;
use std::path::Path;

use profile::verdict::{Report, Verdict};
use report::github::{self, MeasuredBy, Posting};
use report::verdict;
use runner::git::{CommitId, Repository};
use runner::store::Store;

use super::interruption;
use crate::audit;
use crate::cli::{MeasuringArguments, VerdictFormat};
use crate::exit::{Exit, Failure};
use crate::pipeline::{self, Judgement, Question, Thoroughness, Which, Workplace};
use crate::settings::Settings;
use crate::terminal::Terminal;

/// What somebody wants to know.
pub(super) struct Asked<'a> {
    pub(super) base: CommitId,
    pub(super) head: CommitId,
    pub(super) which: Which<'a>,
    pub(super) measuring: &'a MeasuringArguments,
}

/// Answers, writes the answer where it is to be written, and keeps it where it is the gate's.
pub(super) fn give(
    repository: &Repository,
    settings: &Settings,
    asked: &Asked<'_>,
    terminal: &Terminal,
) -> Result<Judgement, Failure> {
    let arguments = asked.measuring;
    let interruption = interruption()?;
    let question = Question {
        base: asked.base,
        head: asked.head,
        which: asked.which,
        metrics: match arguments.metrics.as_slice() {
            [] => &settings.gate.metrics,
            named => named,
        },
        budget: arguments.budget.unwrap_or(settings.gate.budget).0,
        fresh: arguments.fresh,
        thoroughness: Thoroughness::Gate,
    };
    let store = Store::open(repository, &settings.store.url)?;
    let progress = terminal.waiting("measuring");
    let workplace = Workplace {
        repository,
        settings,
        store: &store,
        profiler: arguments.profiler,
        interruption: &interruption,
        progress: &progress,
    };
    let mut judgement = pipeline::judge(&question, &workplace)?;
    drop(progress);
    if matches!(asked.which, Which::Flagged { .. }) {
        if judgement.report.verdict != Verdict::Skipped {
            store.record_verdict(&judgement.report, repository.committed_at(asked.head)?)?;
        }
        judgement.report.audit = audit::account(&store.verdicts()?.verdicts);
    }
    let threshold = settings.gate.threshold.share();
    if let Some(folder) = &arguments.report {
        write_files(&told(&judgement, threshold), folder)?;
    }
    terminal.print(&rendered(&judgement, threshold, arguments.format, terminal))?;
    Ok(judgement)
}

fn rendered(
    judgement: &Judgement,
    threshold: f64,
    format: VerdictFormat,
    terminal: &Terminal,
) -> String {
    let Judgement { report, score, .. } = judgement;
    match format {
        VerdictFormat::Human => verdict::human(report, Some(score), terminal.page()),
        VerdictFormat::Json => verdict::json(report, Some(score)),
        VerdictFormat::Markdown => github::summary(&told(judgement, threshold)),
        VerdictFormat::Sarif => verdict::sarif(report, Some(score)),
    }
}

/// A judgement as it is told where nothing is accepted yet, and we measured.
pub(super) fn told(judgement: &Judgement, threshold: f64) -> Posting<'_> {
    Posting {
        report: &judgement.report,
        score: Some(&judgement.score),
        acknowledgements: &[],
        measured_by: MeasuredBy::Ourselves,
        threshold,
        notes: &[],
        compared_in: None,
    }
}

/// The verdict in every format that other programs read.
pub(super) fn write_files(posting: &Posting<'_>, folder: &Path) -> Result<(), Failure> {
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
pub(super) fn exit(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Pass | Verdict::Improvement | Verdict::Skipped => Exit::Passed,
        Verdict::Regression | Verdict::Mixed => Exit::Regression,
        Verdict::Inconclusive => Exit::Inconclusive,
    }
}
