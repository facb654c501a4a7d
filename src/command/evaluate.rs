//! `lito evaluate`: a list of projects → results; results, or the store of a repository → tables.

use std::path::Path;
use std::time::Duration;

use engine::progress::{Progress, ProgressEvent};
use runner::sample::FailureRetryPolicy;
use runner::whole_file::{self, FileWriteError};
use study::accuracy::{Evaluation, EvaluationOptions, LearningMode, NamedCase, evaluate};
use study::collection::study_run::{FailedProject, StudyRun, StudyRunSettings, StudyStep};
use study::collection::{StudyContext, StudySampling, result_files, shipped_weights, store_study};
use study::report::{self as shown, EvaluationBasis, StudyBasis};

use super::{interruption, opened, study_tasks};
use crate::cli::{EvaluateArguments, OutputFormat, StudyStepArgument, WeightsArgument};
use crate::exit::{CommandExit, Failure};
use crate::progress_lines::ProgressLines;
use crate::terminal::Terminal;

/// The tables as markdown.
const TABLES: &str = "tables.md";

/// Without a terminal, a line tells of the progress of a study at most this often.
const PROGRESS_EVERY: Duration = Duration::from_secs(30);

/// Runs the requested evaluation and prints its results.
pub(super) fn run(
    repository: &Path,
    arguments: &EvaluateArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    if let Some(folder) = &arguments.report {
        // Checked before hours of work.
        whole_file::prepare_folder(&folder.join(TABLES)).map_err(|error| unwritable(&error))?;
    }
    let (evaluation, basis) = match (&arguments.projects, &arguments.stored) {
        (Some(list), _) => {
            let results = match &arguments.results {
                Some(results) => results.clone(),
                None => list.parent().unwrap_or(Path::new(".")).join("results"),
            };
            match (arguments.executor, arguments.task_folder.as_deref().zip(arguments.task)) {
                (Some(executor), _) => study_tasks::run(list, &results, (arguments, executor), terminal)?,
                (None, Some(task)) => {
                    study_tasks::record(task, || study(list, &results, arguments, terminal))?;
                    return Ok(CommandExit::Passed);
                }
                (None, None) => study(list, &results, arguments, terminal)?,
            }
            if arguments.until != StudyStepArgument::Tables {
                return Ok(CommandExit::Passed);
            }
            stored(&results, weights(arguments)?, terminal)?
        }
        (None, Some(results)) => stored(results, weights(arguments)?, terminal)?,
        (None, None) if arguments.fit.is_some() => {
            return Err(Failure::usage(
                "writing what was learned: nothing is learned from a repository's own store; name a list of projects, or \
                 stored results with --stored",
            ));
        }
        (None, None) if arguments.weights == Some(WeightsArgument::LeftOut) => {
            return Err(Failure::usage(
                "learning weights: a repository's own store has no other project to learn from; name a list of projects, or \
                 stored results with --stored",
            ));
        }
        (None, None) => own(repository, terminal)?,
    };
    if let Some(file) = &arguments.fit {
        study::calibration_file::write(&evaluation, file)?;
    }
    if let Some(folder) = &arguments.report {
        write_files(&evaluation, &basis, folder)?;
    }
    terminal.print(&match arguments.output.format {
        OutputFormat::Human => shown::human(&evaluation, &basis, terminal.page()),
        OutputFormat::Json => shown::json(&evaluation, &basis),
        OutputFormat::Markdown => shown::markdown(&evaluation, &basis),
    })?;
    Ok(CommandExit::Passed)
}

/// The weights to judge with: to write what was learned, something must be learned.
fn weights(arguments: &EvaluateArguments) -> Result<WeightsArgument, Failure> {
    match (arguments.weights, &arguments.fit) {
        (Some(WeightsArgument::Shipped), Some(_)) => Err(Failure::usage(
            "writing what was learned: nothing is learned with --weights shipped; leave out --weights or --fit",
        )),
        (Some(weights), _) => Ok(weights),
        (None, Some(_)) => Ok(WeightsArgument::LeftOut),
        (None, None) => Ok(WeightsArgument::Shipped),
    }
}

/// The evaluation of stored results.
fn stored(
    folder: &Path,
    weights: WeightsArgument,
    terminal: &Terminal,
) -> Result<(Evaluation, EvaluationBasis), Failure> {
    let read = result_files::read(folder)?;
    warn(&read.cut_short, terminal);
    let cases = result_files::cases(folder)?;
    let (learning, basis) = match weights {
        WeightsArgument::LeftOut => (LearningMode::LeaveOneOut, StudyBasis::LeftOut),
        WeightsArgument::Shipped => {
            let fitted_on = shipped_weights::fitted_on(&read.projects);
            (
                LearningMode::Given(shipped_weights::shipped()),
                StudyBasis::Shipped { fitted_on },
            )
        }
    };
    let options = EvaluationOptions {
        ablate: weights == WeightsArgument::LeftOut,
        learning,
        cases: (cases.into_iter())
            .map(|case| NamedCase {
                project: case.project,
                version: case.version,
            })
            .collect(),
        ..EvaluationOptions::default()
    };
    Ok((evaluate(&read.projects, &options), EvaluationBasis::Study(basis)))
}

/// The evaluation of a repository's store.
fn own(directory: &Path, terminal: &Terminal) -> Result<(Evaluation, EvaluationBasis), Failure> {
    let (repository, settings) = opened(directory)?;
    let waiting = terminal.waiting("reading the store");
    let own = store_study::read_store(&repository, &settings)?;
    drop(waiting);
    warn(&own.set_aside, terminal);
    let evaluation = evaluate(&[own.project], &store_study::options(&settings));
    Ok((evaluation, EvaluationBasis::Store(own.rests_on)))
}

fn warn(of: &[String], terminal: &Terminal) {
    for what in of {
        terminal.warn(&report::text::safe(what));
    }
}

/// Writes the tables in every file format.
fn write_files(evaluation: &Evaluation, basis: &EvaluationBasis, folder: &Path) -> Result<(), Failure> {
    let files = [
        ("evaluation.json", shown::json(evaluation, basis)),
        (TABLES, shown::markdown(evaluation, basis)),
        ("report.html", shown::html(evaluation, basis)),
    ];
    for (name, text) in files {
        whole_file::write(&folder.join(name), text).map_err(|error| unwritable(&error))?;
    }
    Ok(())
}

fn unwritable(error: &FileWriteError) -> Failure {
    Failure::environment(format_args!(
        "writing the tables: on {error}; name another folder with --report"
    ))
}

/// Runs the study up to the requested step, and warns of each project that failed but the last, which is the error.
fn study(list: &Path, results: &Path, arguments: &EvaluateArguments, terminal: &Terminal) -> Result<(), Failure> {
    let mut study = StudyRun::read(list, &arguments.only)?;
    if let Some(place) = arguments.task {
        study.choose(place)?;
    }
    let interruption = interruption()?;
    let progress = terminal.progress(0, "studying");
    let lines = ProgressLines::new(PROGRESS_EVERY);
    let show = |event: ProgressEvent<'_>| {
        if let Some(line) = lines.line(event).filter(|_| progress.is_hidden()) {
            progress.note(&line);
        }
        progress.show(event);
    };
    let settings = StudyRunSettings {
        results,
        histories: arguments.histories.as_deref(),
        sampling: match arguments.drift {
            Some(limit) => StudySampling::ByDrift(limit.share()),
            None => StudySampling::Every(&arguments.every),
        },
        jobs: arguments.jobs,
        until: match arguments.until {
            StudyStepArgument::Measured => StudyStep::Measured,
            StudyStepArgument::Sampled => StudyStep::Sampled,
            StudyStepArgument::Predicted | StudyStepArgument::Tables => StudyStep::Predicted,
        },
    };
    let context = StudyContext {
        interruption: &interruption,
        progress: Progress::new(&show),
        failed_before: if arguments.retry {
            FailureRetryPolicy::Retry
        } else {
            FailureRetryPolicy::Skip
        },
    };
    let mut failed = study.run(&settings, &context)?;
    drop(progress);
    let Some(last) = failed.pop() else { return Ok(()) };
    for FailedProject { project, error } in &failed {
        terminal.warn(&report::text::safe(&format!("studying {project}: {error}")));
    }
    Err(last.error.about(format_args!("studying {}", last.project)).into())
}
