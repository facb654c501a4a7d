//! `lito evaluate`: a list of projects → results; results, or the store of a repository → tables.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use engine::EngineError;
use engine::progress::{Progress, ProgressEvent};
use runner::environment;
use runner::process::InterruptionFlag;
use study::accuracy::{Evaluation, EvaluationOptions, NamedCase, evaluate};
use study::report::{self as shown, EvaluationBasis};

use super::{interruption, opened};
use crate::cli::{EvaluateArguments, OutputFormat, StudyStepArgument};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use study::collection::project_list::{self, StudyProject};
use study::collection::result_files::{self, ProjectResultsFolder};
use study::collection::{StudyContext, history, measurement, prediction, store_study};

/// Runs the requested evaluation and prints its results.
pub(super) fn run(
    repository: &Path,
    arguments: &EvaluateArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    if let Some(folder) = &arguments.report {
        // Checked before hours of work.
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    let (evaluation, basis) = match (&arguments.projects, &arguments.stored) {
        (Some(list), _) => {
            let results = match &arguments.results {
                Some(results) => results.clone(),
                None => list.parent().unwrap_or(Path::new(".")).join("results"),
            };
            study(list, &results, arguments, terminal)?;
            if arguments.until < StudyStepArgument::Tables {
                return Ok(CommandExit::Passed);
            }
            (stored(&results, terminal)?, EvaluationBasis::Study)
        }
        (None, Some(results)) => (stored(results, terminal)?, EvaluationBasis::Study),
        (None, None) if arguments.fit.is_some() => {
            return Err(Failure::usage(
                "writing what was learned: nothing is learned from a repository's own store; name a list of projects, or \
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

/// The evaluation of stored results.
fn stored(folder: &Path, terminal: &Terminal) -> Result<Evaluation, Failure> {
    let read = result_files::read(folder)?;
    warn(&read.cut_short, terminal);
    let cases = result_files::cases(folder)?;
    let options = EvaluationOptions {
        cases: (cases.into_iter())
            .map(|case| NamedCase {
                project: case.project,
                version: case.version,
            })
            .collect(),
        ..EvaluationOptions::default()
    };
    Ok(evaluate(&read.projects, &options))
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
        ("tables.md", shown::markdown(evaluation, basis)),
        ("report.html", shown::html(evaluation, basis)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::environment(format_args!(
        "writing the tables: on {}: {error}; name another folder with --report",
        path.display()
    ))
}

/// Measures, samples and predicts, project by project.
fn study(list: &Path, folder: &Path, arguments: &EvaluateArguments, terminal: &Terminal) -> Result<(), Failure> {
    let read = project_list::read(list)?;
    let folders: Vec<String> = read.projects.iter().map(StudyProject::folder).collect();
    let projects: VecDeque<StudyProject> = (read.projects.into_iter())
        .filter(|project| is_wanted(project, &arguments.only))
        .collect();
    if projects.is_empty() {
        return Err(Failure::usage(format_args!(
            "studying {}: no project in {} is called that; it has {}",
            arguments.only.join(", "),
            list.display(),
            names(&folders)
        )));
    }
    for project in projects.iter().filter(|project| project.dropped.is_none()) {
        project.check_harness(list)?;
    }
    let interruption = interruption()?;
    environment::install_valgrind(&interruption).map_err(Failure::environment)?;
    let progress = terminal.progress(0, "studying");
    let show = |event: ProgressEvent<'_>| progress.show(event);
    let study = EvaluateStudyRun {
        results: folder,
        arguments,
        interruption: &interruption,
        desk: StudyContext {
            interruption: &interruption,
            progress: Progress::new(&show),
        },
    };
    fs::create_dir_all(folder).map_err(|error| {
        Failure::environment(format_args!(
            "keeping results: on {}: {error}; name another folder with --results",
            folder.display()
        ))
    })?;
    result_files::keep_cases(folder, &read.cases)?;
    let queue = Mutex::new(projects);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let next = unpoisoned(&queue).pop_front();
                    let Some(project) = next else { break };
                    if let Err(failure) = study.project(&project) {
                        let stop = matches!(failure, EngineError::Interrupted);
                        unpoisoned(&failures).push((project.folder(), failure));
                        if stop {
                            break;
                        }
                    }
                }
            });
        }
    });
    drop(progress);
    let mut failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    if failures
        .iter()
        .any(|(_, failure)| matches!(failure, EngineError::Interrupted))
    {
        return Err(Failure::Interrupted);
    }
    let Some((project, last)) = failures.pop() else {
        return Ok(());
    };
    for (project, failure) in &failures {
        if let EngineError::Request(why) | EngineError::Environment(why) = failure {
            terminal.warn(&report::text::safe(&format!("studying {project}: {why}")));
        }
    }
    Err(match last {
        EngineError::Request(why) => Failure::usage(format_args!("studying {project}: {why}")),
        EngineError::Environment(why) => Failure::environment(format_args!("studying {project}: {why}")),
        EngineError::Interrupted => Failure::Interrupted,
    })
}

/// The first few of a list of names.
fn names(of: &[String]) -> String {
    const SHOWN: usize = 8;
    match of.len().checked_sub(SHOWN) {
        _ if of.is_empty() => String::from("none at all"),
        Some(more @ 1..) => format!("{}, and {more} more", of[..SHOWN].join(", ")),
        _ => of.join(", "),
    }
}

fn unpoisoned<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_wanted(project: &StudyProject, only: &[String]) -> bool {
    let folder = project.folder();
    only.is_empty()
        || only
            .iter()
            .any(|name| *name == folder || *name == project_list::study_name(project.study))
}

struct EvaluateStudyRun<'a> {
    results: &'a Path,
    arguments: &'a EvaluateArguments,
    interruption: &'a InterruptionFlag,
    desk: StudyContext<'a>,
}

impl EvaluateStudyRun<'_> {
    fn project(&self, project: &StudyProject) -> Result<(), EngineError> {
        let folder = ProjectResultsFolder::of(self.results, project)?;
        let mut about = folder.about()?;
        about.dropped.clone_from(&project.dropped);
        folder.write_metadata(&about)?;
        if project.dropped.is_some() {
            return Ok(());
        }
        let desk = &self.desk;
        desk.progress.working_on(&format!("{}: fetching", project.folder()));
        let local = self.arguments.histories.as_deref();
        let history = history::open_history(project, local, self.interruption)?;
        desk.progress.expect(history.versions.len());
        let every = &self.arguments.every;
        measurement::measure(&history, &folder, desk)?;
        if self.arguments.until >= StudyStepArgument::Sampled {
            prediction::sample(&history, every, &folder, desk)?;
        }
        if self.arguments.until >= StudyStepArgument::Predicted {
            prediction::predict(&history, every, &folder, desk)?;
        }
        desk.progress.note(&format!(
            "{}: {}",
            project.folder(),
            report::number_format::counted_noun(history.versions.len(), "version")
        ));
        Ok(())
    }
}
