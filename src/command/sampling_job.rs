//! `--executor` of `lito sample` and `lito track`: samples versions by many tasks, of this machine or of a cluster, and shows
//! how far they are. And what one such task does.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use engine::sampling_job::{JobEvent, JobFolder, JobRequest, JobWatch, VersionOutcome, begin, killed_reason, run_task};
use engine::sampling_plan;
use engine::settings::Settings;
use report::number_format::counted_noun;
use runner::executors::local::LocalExecutor;
use runner::executors::{Executor, TaskArray};
use runner::git::{CommitId, Repository};
use runner::process::{InterruptionFlag, Invocation};
use runner::sample::SampledVersion;
use runner::store::Store;

use super::sample::{SampleCommandContext, failed_before, show_sampling_progress, shown};
use super::{checkout, executor, interruption};
use crate::cli::{ExecutorArgument, SampleArguments, SampleFormat, TaskArguments};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};

/// Tasks on a cluster if nobody says how many.
const TASKS_OF_A_CLUSTER: u32 = 16;

/// Inputs of a job.
pub(super) struct JobCommandContext<'a> {
    pub(super) repository: &'a Repository,
    pub(super) settings: &'a Settings,
    pub(super) terminal: &'a Terminal,
    pub(super) root: &'a Path,
    pub(super) store: &'a Store,
    /// The range that the versions are of, oldest first.
    pub(super) history: &'a [CommitId],
    /// The distance between them.
    pub(super) every: u32,
    pub(super) tasks: &'a TaskArguments,
    /// Options of `lito sample` that decide what a sample is.
    pub(super) options: &'a [String],
    /// Whether versions that failed before are due.
    pub(super) retry: bool,
    pub(super) format: SampleFormat,
}

/// Samples versions by the tasks of a job, and gives those that were not there before.
pub(super) fn run(
    context: &JobCommandContext<'_>,
    executor: ExecutorArgument,
    commits: &[CommitId],
) -> Result<Vec<SampledVersion>, Failure> {
    let interruption = interruption()?;
    let Some((job, array)) = begun(context, executor, commits)? else {
        return Ok(Vec::new());
    };
    let due = job.versions().count();
    let runs = executor::of(executor, &context.tasks.executor_option);
    let sampled = watch(context, (job, &array), &*runs, &interruption)?;
    if sampled.is_empty() {
        return Err(Failure::environment(format_args!(
            "sampling: {}: no benchmark could be profiled: every task that tried was killed; give tasks more memory or \
             time",
            counted_noun(due, "version")
        )));
    }
    Ok(sampled)
}

/// The job of the versions that are due, begun or gone on with; `None` if none is.
fn begun(
    context: &JobCommandContext<'_>,
    executor: ExecutorArgument,
    commits: &[CommitId],
) -> Result<Option<(JobFolder, TaskArray)>, Failure> {
    executor::check(executor, &context.tasks.executor_option)?;
    let due = sampling_plan::due_versions(commits, context.store, context.retry)?;
    let known = commits.len() - due.len();
    if known > 0 {
        let known = counted_noun(known, "version");
        context
            .terminal
            .note(&format!("{known} of {} sampled or tried before", commits.len()));
    }
    if due.is_empty() {
        return Ok(None);
    }
    let job = begin(JobRequest {
        repository: context.repository,
        history: context.history,
        due: &due,
        tasks: context.tasks.tasks.unwrap_or_else(|| default_tasks(executor)),
        options: &identity_of(context),
    })?;
    let array = array_of(context, executor, &job)?;
    Ok(Some((job, array)))
}

fn default_tasks(executor: ExecutorArgument) -> u32 {
    match executor {
        ExecutorArgument::Local => LocalExecutor::capacity(),
        ExecutorArgument::Slurm => TASKS_OF_A_CLUSTER,
    }
}

/// Everything besides the history that decides what a job's samples are. Its tasks and where they run do not.
fn identity_of(context: &JobCommandContext<'_>) -> String {
    let definitions = serde_json::to_string(&*context.settings.benchmarks).unwrap_or_default();
    format!("{definitions} {} {:?}", context.every, context.options)
}

/// The command line of the tasks.
fn array_of(
    context: &JobCommandContext<'_>,
    executor: ExecutorArgument,
    job: &JobFolder,
) -> Result<TaskArray, Failure> {
    let mut arguments: Vec<OsString> = vec!["sample".into(), "--job".into(), job.path().into()];
    arguments.extend(context.options.iter().map(OsString::from));
    if executor == ExecutorArgument::Local {
        let cores = available_parallelism().map_or(1, NonZero::get);
        arguments.push(format!("--workers={}", (cores / job.tasks() as usize).max(1)).into());
    }
    arguments.push("--task".into());
    Ok(TaskArray {
        name: format!("lito-{}", job.name()),
        folder: job.path().to_owned(),
        directory: context.root.to_owned(),
        program: executor::own_program()?,
        arguments,
    })
}

/// Submits the tasks, and the same command once more for when they have ended.
pub(super) fn detach(
    context: &JobCommandContext<'_>,
    executor: ExecutorArgument,
    commits: &[CommitId],
) -> Result<(), Failure> {
    if executor == ExecutorArgument::Local {
        return Err(Failure::usage(
            "sampling: --executor local: its tasks end with this command; leave out --detach, or use --executor slurm",
        ));
    }
    let Some((job, array)) = begun(context, executor, commits)? else {
        return Ok(());
    };
    let slurm = executor::slurm(&context.tasks.executor_option);
    let newest = context.history.last().map(CommitId::to_string).unwrap_or_default();
    let mut again: Vec<OsString> = vec!["sample".into(), newest.into()];
    again.push(format!("--last={}", context.history.len()).into());
    again.push(format!("--every={}", context.every).into());
    again.extend(context.options.iter().map(OsString::from));
    again.extend(["--executor=slurm".into(), format!("--tasks={}", job.tasks()).into()]);
    let options = context.tasks.executor_option.iter();
    again.extend(options.map(|option| format!("--executor-option={option}").into()));
    let again = Invocation::new(executor::own_program()?, context.root, std::time::Duration::MAX).arguments(again);
    let running = slurm.unfinished(&array).map_err(Failure::environment)?;
    if running.is_empty() {
        let tasks: Vec<u32> = (1..=job.tasks()).collect();
        slurm
            .start_and_follow(&array, &tasks, &again)
            .map_err(Failure::environment)?;
    }
    context.terminal.note(&format!(
        "{} of {}: {}; the same command without --detach watches them, `squeue --name={}` lists them",
        counted_noun(job.tasks() as usize, "task"),
        array.name,
        if running.is_empty() {
            "submitted"
        } else {
            "running already"
        },
        array.name,
    ));
    Ok(())
}

/// Watches a job to its end; gives what was sampled.
fn watch(
    context: &JobCommandContext<'_>,
    (job, array): (JobFolder, &TaskArray),
    executor: &dyn Executor,
    interruption: &InterruptionFlag,
) -> Result<Vec<SampledVersion>, Failure> {
    let versions = job.versions().count();
    let progress = context.terminal.progress(versions, "sampling");
    let watch = JobWatch {
        job,
        array,
        executor,
        store: context.store,
        interruption,
    };
    let format = context.format;
    let mut printed = Ok(());
    let outcomes = watch.to_the_end(&mut |event| {
        if let Err(failure) = show(event, format, &progress) {
            // A reader who is gone needs no more progress, but the job goes on to its end.
            printed = Err(failure);
        }
    })?;
    printed?;
    let sampled = outcomes.into_values().filter_map(|outcome| match outcome {
        VersionOutcome::Taken { sampled, .. } => Some(sampled),
        VersionOutcome::Lost { .. } => None,
    });
    Ok(sampled.collect())
}

fn show(event: JobEvent<'_>, format: SampleFormat, progress: &TerminalProgress) -> Result<(), Failure> {
    match event {
        JobEvent::Outcome(_, VersionOutcome::Taken { sampled, .. }) => {
            progress.note(report::sampling::line(&shown(sampled)).trim_end());
        }
        JobEvent::Outcome(commit, VersionOutcome::Lost { killed, .. }) => {
            progress.warn(&format!("{}: {}", commit.short(), killed_reason(*killed)));
        }
        JobEvent::Progress(now) => {
            progress.reached(now.done, now.versions);
            progress.working_on(&report::job_progress::line(now));
            if format == SampleFormat::Json {
                progress.print(&report::job_progress::json(now))?;
            }
        }
        JobEvent::Warning(text) => progress.warn(&text),
    }
    Ok(())
}

/// Runs one task of a job.
pub(super) fn task(
    repository: &Repository,
    settings: &Settings,
    (arguments, folder, task): (&SampleArguments, &Path, u32),
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let root = checkout(repository, "sampling")?;
    let job = JobFolder::open(folder)?;
    let interruption = interruption()?;
    let sampling = SampleCommandContext {
        repository,
        definitions: &settings.benchmarks.choosing((&arguments.choice).into()),
        settings,
        root,
        budget: arguments.budget.map(|span| span.0),
        interruption: &interruption,
        terminal,
        profiler: arguments.profiler.into(),
        workers: arguments.workers,
    };
    let progress = terminal.progress(0, "sampling");
    sampling.with_request(failed_before(arguments), |request| {
        run_task(request, &job, task, &mut |event| {
            show_sampling_progress(event, &progress);
        })
    })?;
    Ok(CommandExit::Passed)
}
