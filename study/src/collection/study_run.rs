//! One run of the study: a list of projects → a result folder for each, several projects at a time.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::EngineError;
use report::number_format::counted_noun;
use runner::environment;

use super::project_list::{self, ProjectListCase, StudyProject};
use super::result_files::{self, ProjectResultsFolder};
use super::{StudyContext, StudySampling, harness_change, history, measurement, prediction};

/// The steps that write result files, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StudyStep {
    /// Measure every version (S1).
    Measured,
    /// Sample every k-th version (S2).
    Sampled,
    /// Predict every version (S2).
    Predicted,
}

/// The settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct StudyRunSettings<'a> {
    /// The folder of the results.
    pub results: &'a Path,
    /// A folder of local clones, used instead of the addresses in the list.
    pub histories: Option<&'a Path>,
    /// When versions are sampled.
    pub sampling: StudySampling<'a>,
    /// Projects studied at the same time.
    pub jobs: usize,
    /// The last step to run.
    pub until: StudyStep,
}

/// A project that could not be studied.
#[derive(Debug)]
pub struct FailedProject {
    /// Its folder, as in the list: `releases/semver`.
    pub project: String,
    /// Why.
    pub error: EngineError,
}

/// The projects of a list that a run studies, checked.
pub struct StudyRun {
    projects: VecDeque<StudyProject>,
    cases: Vec<ProjectListCase>,
}

impl StudyRun {
    /// Reads a list of projects, and keeps those that `only` names by folder or by study; all if it is empty.
    ///
    /// # Errors
    /// If the list or a harness cannot be read, or no project has such a name.
    pub fn read(list: &Path, only: &[String]) -> Result<Self, EngineError> {
        let read = project_list::read(list)?;
        let folders: Vec<String> = read.projects.iter().map(StudyProject::folder).collect();
        let projects: VecDeque<StudyProject> = (read.projects.into_iter())
            .filter(|project| is_wanted(project, only))
            .collect();
        if projects.is_empty() {
            return Err(EngineError::request(format_args!(
                "studying {}: no project in {} is called that; it has {}",
                only.join(", "),
                list.display(),
                first_names(&folders)
            )));
        }
        for project in projects.iter().filter(|project| project.dropped.is_none()) {
            project.check_harness(list)?;
        }
        Ok(Self {
            projects,
            cases: read.cases,
        })
    }

    /// The folders of the projects, in the order of the list.
    #[must_use]
    pub fn folders(&self) -> Vec<String> {
        self.projects.iter().map(StudyProject::folder).collect()
    }

    /// Keeps one of the projects alone, by its place from 1 on.
    ///
    /// # Errors
    /// There are not so many.
    pub fn choose(&mut self, place: u32) -> Result<(), EngineError> {
        let all = self.projects.len();
        let chosen = (place.checked_sub(1)).and_then(|index| self.projects.remove(index as usize));
        let chosen = chosen.ok_or_else(|| {
            EngineError::request(format_args!(
                "studying project {place}: there are {all}; has the list changed since?"
            ))
        })?;
        self.projects = VecDeque::from([chosen]);
        Ok(())
    }

    /// Runs the steps for each project. A project that fails does not stop the others.
    ///
    /// # Errors
    /// If no project can be studied on this machine, or the user asked to stop.
    pub fn run(
        self,
        settings: &StudyRunSettings<'_>,
        context: &StudyContext<'_>,
    ) -> Result<Vec<FailedProject>, EngineError> {
        environment::install_valgrind(context.interruption).map_err(EngineError::environment)?;
        fs::create_dir_all(settings.results).map_err(|error| {
            EngineError::environment(format_args!(
                "keeping results: on {}: {error}; name another folder with --results",
                settings.results.display()
            ))
        })?;
        result_files::keep_cases(settings.results, &self.cases)?;
        let queue = Mutex::new(self.projects);
        let failed = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..settings.jobs.max(1) {
                scope.spawn(|| {
                    loop {
                        let next = unpoisoned(&queue).pop_front();
                        let Some(project) = next else { break };
                        if let Err(error) = study_project(&project, settings, context) {
                            let stop = matches!(error, EngineError::Interrupted);
                            unpoisoned(&failed).push(FailedProject {
                                project: project.folder(),
                                error,
                            });
                            if stop {
                                break;
                            }
                        }
                    }
                });
            }
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (failed.iter()).any(|failed| matches!(failed.error, EngineError::Interrupted)) {
            true => Err(EngineError::Interrupted),
            false => Ok(failed),
        }
    }
}

fn study_project(
    project: &StudyProject,
    settings: &StudyRunSettings<'_>,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    let folder = ProjectResultsFolder::of(settings.results, project)?;
    let mut about = folder.about()?;
    about.dropped.clone_from(&project.dropped);
    about.held_out = project.held_out;
    folder.write_metadata(&about)?;
    if project.dropped.is_some() {
        return Ok(());
    }
    let progress = context.progress;
    progress.working_on(&format!("{}: fetching", project.folder()));
    let history = history::open_history(project, settings.histories, context.interruption)?;
    harness_change::set_aside_if_changed(project, &folder, context)?;
    progress.expect(history.versions.len());
    measurement::measure(&history, &folder, context)?;
    if settings.until >= StudyStep::Sampled {
        prediction::sample(&history, settings.sampling, &folder, context)?;
    }
    if settings.until >= StudyStep::Predicted {
        prediction::predict(&history, settings.sampling, &folder, context)?;
    }
    progress.note(&format!(
        "{}: {}",
        project.folder(),
        counted_noun(history.versions.len(), "version")
    ));
    Ok(())
}

fn is_wanted(project: &StudyProject, only: &[String]) -> bool {
    let folder = project.folder();
    only.is_empty()
        || only
            .iter()
            .any(|name| *name == folder || *name == project_list::study_name(project.study))
}

/// The first few of a list of names.
fn first_names(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.len().checked_sub(SHOWN) {
        _ if names.is_empty() => String::from("none at all"),
        Some(more @ 1..) => format!("{}, and {more} more", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}

fn unpoisoned<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
