//! `lito evaluate`: a list of projects into results, results into tables.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use analyzer::evaluation::{Evaluation, NamedCase, Options, evaluate};
use report::evaluation as shown;
use runner::environment;
use runner::process::Interruption;

use super::interruption;
use crate::cli::{EvaluateArguments, Format, Step};
use crate::evaluation::projects::{self, Project};
use crate::evaluation::results::{self, Folder};
use crate::evaluation::{Desk, fitted, history, prediction, truth};
use crate::exit::{Exit, Failure};
use crate::terminal::Terminal;

/// Studies what was asked for, and says what came of it.
pub(super) fn run(arguments: &EvaluateArguments, terminal: &Terminal) -> Result<Exit, Failure> {
    let results = match (&arguments.projects, &arguments.stored) {
        (Some(list), _) => {
            let results = match &arguments.results {
                Some(results) => results.clone(),
                None => list.parent().unwrap_or(Path::new(".")).join("results"),
            };
            study(list, &results, arguments, terminal)?;
            if arguments.until < Step::Tables {
                return Ok(Exit::Passed);
            }
            results
        }
        (None, Some(stored)) => stored.clone(),
        (None, None) => {
            return Err(Failure::usage(
                "evaluating: nothing was named: give a list of projects to study, or stored results with --stored",
            ));
        }
    };
    let evaluation = evaluated(&results)?;
    if let Some(file) = &arguments.fit {
        fitted::write(&evaluation, file)?;
    }
    if let Some(folder) = &arguments.report {
        write_files(&evaluation, folder)?;
    }
    terminal.print(&match arguments.output.format {
        Format::Human => shown::human(&evaluation, terminal.page()),
        Format::Json => shown::json(&evaluation),
        Format::Markdown => shown::markdown(&evaluation),
    })?;
    Ok(Exit::Passed)
}

fn evaluated(folder: &Path) -> Result<Evaluation, Failure> {
    let projects = results::read(folder)?;
    let cases = results::cases(folder)?;
    let options = Options {
        cases: (cases.into_iter())
            .map(|case| NamedCase {
                project: case.project,
                version: case.version,
            })
            .collect(),
        ..Options::default()
    };
    Ok(evaluate(&projects, &options))
}

/// The tables in every format that is kept.
fn write_files(evaluation: &Evaluation, folder: &Path) -> Result<(), Failure> {
    let refused = |path: &Path, error: std::io::Error| {
        Failure::environment(format_args!(
            "writing the tables: on {}: {error}; name another folder with --report",
            path.display()
        ))
    };
    fs::create_dir_all(folder).map_err(|error| refused(folder, error))?;
    let files = [
        ("evaluation.json", shown::json(evaluation)),
        ("tables.md", shown::markdown(evaluation)),
        ("report.html", shown::html(evaluation)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| refused(&path, error))?;
    }
    Ok(())
}

/// Measures, samples and predicts, project by project.
fn study(
    list: &Path,
    folder: &Path,
    arguments: &EvaluateArguments,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let read = projects::read(list)?;
    let projects: VecDeque<Project> = (read.projects.into_iter())
        .filter(|project| is_wanted(project, &arguments.only))
        .collect();
    if projects.is_empty() {
        return Err(Failure::usage(format_args!(
            "studying {}: no project in {} is called that; names are like `releases/semver`",
            arguments.only.join(", "),
            list.display()
        )));
    }
    let interruption = interruption()?;
    environment::install_valgrind(&interruption).map_err(Failure::environment)?;
    let progress = terminal.progress(0, "studying");
    let study = StudyOf {
        results: folder,
        arguments,
        interruption: &interruption,
        desk: Desk {
            interruption: &interruption,
            progress: &progress,
        },
    };
    fs::create_dir_all(folder).map_err(|error| {
        Failure::environment(format_args!(
            "keeping results: on {}: {error}; name another folder with --results",
            folder.display()
        ))
    })?;
    results::keep_cases(folder, &read.cases)?;
    let queue = Mutex::new(projects);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let next = unpoisoned(&queue).pop_front();
                    let Some(project) = next else { break };
                    if let Err(failure) = study.project(&project) {
                        let stop = matches!(failure, Failure::Interrupted);
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
    let mut failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if failures
        .iter()
        .any(|(_, failure)| matches!(failure, Failure::Interrupted))
    {
        return Err(Failure::Interrupted);
    }
    for (project, failure) in &failures {
        if let Failure::Usage(why) | Failure::Environment(why) = failure {
            terminal.warn(&format!("{project}: {}", report::text::safe(why)));
        }
    }
    failures.pop().map_or(Ok(()), |(_, failure)| Err(failure))
}

fn unpoisoned<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_wanted(project: &Project, only: &[String]) -> bool {
    let folder = project.folder();
    only.is_empty()
        || only
            .iter()
            .any(|name| *name == folder || *name == projects::of(project.study))
}

struct StudyOf<'a> {
    results: &'a Path,
    arguments: &'a EvaluateArguments,
    interruption: &'a Interruption,
    desk: Desk<'a>,
}

impl StudyOf<'_> {
    fn project(&self, project: &Project) -> Result<(), Failure> {
        let folder = Folder::of(self.results, project)?;
        let mut about = folder.about()?;
        about.dropped.clone_from(&project.dropped);
        folder.tell(&about)?;
        if project.dropped.is_some() {
            return Ok(());
        }
        let desk = &self.desk;
        desk.progress
            .working_on(&format!("{}: fetching", project.folder()));
        let local = self.arguments.histories.as_deref();
        let history = history::of(project, local, self.interruption)?;
        desk.progress.expect(history.versions.len());
        let every = &self.arguments.every;
        truth::measure(&history, &folder, desk)?;
        if self.arguments.until >= Step::Sampled {
            prediction::sample(&history, every, &folder, desk)?;
        }
        if self.arguments.until >= Step::Predicted {
            prediction::predict(&history, every, &folder, desk)?;
        }
        desk.progress.note(&format!(
            "{}: {}",
            project.folder(),
            report::number::of(history.versions.len(), "version")
        ));
        Ok(())
    }
}
