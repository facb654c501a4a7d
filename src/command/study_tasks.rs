//! `lito evaluate --executor`: each project of a study is a task of its own, on this machine or on a cluster.

use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};

use engine::task_watch::{TaskEnd, TaskEvent, TaskWatch, name_of, record_end};
use report::number_format::counted_noun;
use runner::executors::TaskArray;
use study::collection::study_run::StudyRun;

use super::{executor, interruption};
use crate::cli::{EvaluateArguments, ExecutorArgument, StudyStepArgument};
use crate::exit::Failure;
use crate::terminal::Terminal;

/// The folder of the tasks, in that of the results.
const FOLDER: &str = ".tasks";

/// Studies each project by a task, up to the requested step but the tables. A project that fails is told of, and does not
/// stop the others.
pub(super) fn run(
    list: &Path,
    results: &Path,
    (arguments, name): (&EvaluateArguments, ExecutorArgument),
    terminal: &Terminal,
) -> Result<(), Failure> {
    executor::check(name, &arguments.executor_option)?;
    let projects = StudyRun::read(list, &arguments.only)?.folders();
    let tasks = u32::try_from(projects.len()).unwrap_or(u32::MAX);
    let array = array_of(list, results, arguments)?;
    let interruption = interruption()?;
    let executor = executor::of(name, &arguments.executor_option);
    let progress = terminal.progress(projects.len(), "studying");
    let name_of = |task: u32| projects.get(task as usize - 1).map_or("", String::as_str).to_owned();
    let watch = TaskWatch {
        array: &array,
        tasks,
        executor: &*executor,
        interruption: &interruption,
    };
    let ended = watch.to_the_end(&mut |event| match event {
        TaskEvent::Ended(task, end) => {
            progress.step();
            match end {
                TaskEnd::Done => progress.note(&format!("{}: done", name_of(task))),
                TaskEnd::Failed(why) => progress.warn(&format!("studying {}: {why}", name_of(task))),
                TaskEnd::Killed => progress.warn(&format!("studying {}: {KILLED}", name_of(task))),
            }
        }
        TaskEvent::Unfinished { running, waiting } => {
            progress.working_on(&format!("{} run, {waiting} wait", counted_noun(running, "project")));
        }
        TaskEvent::Warning(text) => progress.warn(&text),
    })?;
    let failed = ended.values().filter(|end| **end != TaskEnd::Done).count();
    if failed == projects.len() {
        return Err(Failure::environment(format_args!(
            "studying {}: none was studied; the warnings have the reasons",
            counted_noun(failed, "project")
        )));
    }
    Ok(())
}

/// Why a task that was killed is not started again.
const KILLED: &str = "its task was killed whenever it was started, as a limit of memory or time does";

/// The command line of the tasks.
fn array_of(list: &Path, results: &Path, arguments: &EvaluateArguments) -> Result<TaskArray, Failure> {
    let whole = |path: &Path| {
        absolute(path).map_err(|error| Failure::environment(format_args!("studying: {}: {error}", path.display())))
    };
    let results = whole(results)?;
    let folder = results.join(FOLDER);
    let mut options: Vec<OsString> = vec!["evaluate".into(), whole(list)?.into()];
    let mut add = |name: &str, value: PathBuf| options.extend([OsString::from(name), value.into()]);
    add("--results", results.clone());
    if let Some(histories) = &arguments.histories {
        add("--histories", whole(histories)?);
    }
    for project in &arguments.only {
        add("--only", project.into());
    }
    match arguments.drift {
        Some(limit) => add("--drift", format!("{}%", limit.share() * 100.0).into()),
        None => {
            let every: Vec<String> = arguments.every.iter().map(u32::to_string).collect();
            add("--every", every.join(",").into());
        }
    }
    add("--until", step_name(arguments.until).into());
    add("--task-folder", folder.clone());
    if arguments.retry {
        options.push("--retry".into());
    }
    options.push("--jobs=1".into());
    options.push("--task".into());
    Ok(TaskArray {
        name: format!("lito-{}", name_of(results.as_os_str().as_encoded_bytes())),
        folder,
        directory: whole(Path::new("."))?,
        program: executor::own_program()?,
        arguments: options,
    })
}

/// The last step of a task: tables are made of all projects.
fn step_name(step: StudyStepArgument) -> &'static str {
    match step {
        StudyStepArgument::Measured => "measured",
        StudyStepArgument::Sampled => "sampled",
        StudyStepArgument::Predicted | StudyStepArgument::Tables => "predicted",
    }
}

/// Does the work of a task, and records its end unless the user stopped it.
pub(super) fn record((folder, task): (&Path, u32), work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let outcome = work();
    if !matches!(outcome, Err(Failure::Interrupted)) {
        let told = outcome.as_ref().map_err(ToString::to_string);
        record_end(folder, task, &told)?;
    }
    outcome
}
