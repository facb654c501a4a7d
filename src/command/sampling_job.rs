//! `lito sample --executor`: samples versions by many tasks, of this machine or of a cluster, and shows how far they are.
//! And what one such task does.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;
use std::thread::available_parallelism;

use engine::benchmark_names::{BenchmarkNames, NamedBenchmarks};
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

use super::sample::{SampleCommandContext, failed_before, options_of_samples, outcome, show_sampling_progress, shown};
use super::{checkout, executor, interruption};
use crate::cli::{ExecutorArgument, SampleArguments, SampleFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};

/// Tasks on a cluster if nobody says how many.
const TASKS_OF_A_CLUSTER: u32 = 16;

/// Inputs of a job.
pub(super) struct JobCommandContext<'a> {
    pub(super) repository: &'a Repository,
    pub(super) settings: &'a Settings,
    pub(super) arguments: &'a SampleArguments,
    pub(super) terminal: &'a Terminal,
    pub(super) root: &'a Path,
    pub(super) store: &'a Store,
    /// The newest version of the range.
    pub(super) newest: CommitId,
    pub(super) every: u32,
}

/// Samples versions by the tasks of a job.
pub(super) fn run(
    context: &JobCommandContext<'_>,
    executor: ExecutorArgument,
    commits: &[CommitId],
) -> Result<CommandExit, Failure> {
    let arguments = context.arguments;
    executor::check(executor, &arguments.executor_option)?;
    if arguments.format == SampleFormat::Kubernetes {
        return Err(Failure::usage(
            "sampling: --format kubernetes: it is a plan's form; use --plan in place of --executor",
        ));
    }
    if executor == ExecutorArgument::Local && arguments.detach {
        return Err(Failure::usage(
            "sampling: --executor local: its tasks end with this command; leave out --detach, or use --executor slurm",
        ));
    }
    BenchmarkNames {
        repository: context.repository,
        store: context.store,
        definitions: &context.settings.benchmarks,
    }
    .check(NamedBenchmarks::by_option("sampling", &arguments.choice.names), commits)?;
    let due = sampling_plan::due_versions(commits, context.store, arguments.retry)?;
    let known = commits.len() - due.len();
    if known > 0 {
        let known = counted_noun(known, "version");
        context
            .terminal
            .note(&format!("{known} of {} sampled or tried before", commits.len()));
    }
    if due.is_empty() {
        return Ok(CommandExit::Passed);
    }
    let interruption = interruption()?;
    let history = (context.repository)
        .first_parents(context.newest, arguments.last.unwrap_or(1))?
        .commits;
    let job = begin(JobRequest {
        repository: context.repository,
        history: &history,
        due: &due,
        tasks: arguments.tasks.unwrap_or_else(|| default_tasks(executor)),
        options: &options_of(context),
    })?;
    let array = array_of(context, executor, &job)?;
    if arguments.detach {
        return detach(context, (&job, &array));
    }
    let runs = executor::of(executor, &arguments.executor_option);
    let sampled = watch(context, (job, &array), &*runs, &interruption)?;
    if sampled.is_empty() {
        return Err(Failure::environment(format_args!(
            "sampling: {}: no benchmark could be profiled: every task that tried was killed; give tasks more memory or \
             time",
            counted_noun(due.len(), "version")
        )));
    }
    outcome(&sampled)
}

fn default_tasks(executor: ExecutorArgument) -> u32 {
    match executor {
        ExecutorArgument::Local => LocalExecutor::capacity(),
        ExecutorArgument::Slurm => TASKS_OF_A_CLUSTER,
    }
}

/// Everything besides the history that decides what a job's samples are. Its tasks and where they run do not.
fn options_of(context: &JobCommandContext<'_>) -> String {
    let arguments = context.arguments;
    let definitions = serde_json::to_string(&*context.settings.benchmarks).unwrap_or_default();
    let budget = arguments.budget.map(|span| span.0);
    format!(
        "{definitions} {} {:?} {budget:?} {} {:?}",
        context.every, arguments.choice, arguments.retry, arguments.profiler
    )
}

/// The command line of the tasks.
fn array_of(
    context: &JobCommandContext<'_>,
    executor: ExecutorArgument,
    job: &JobFolder,
) -> Result<TaskArray, Failure> {
    let mut arguments: Vec<OsString> = vec!["sample".into(), "--job".into(), job.path().into()];
    arguments.extend(options_of_samples(context.arguments).into_iter().map(OsString::from));
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
fn detach(context: &JobCommandContext<'_>, (job, array): (&JobFolder, &TaskArray)) -> Result<CommandExit, Failure> {
    let arguments = context.arguments;
    let slurm = executor::slurm(&arguments.executor_option);
    let mut again: Vec<OsString> = vec!["sample".into(), context.newest.to_string().into()];
    again.push(format!("--last={}", arguments.last.unwrap_or(1)).into());
    again.push(format!("--every={}", context.every).into());
    again.extend(options_of_samples(arguments).into_iter().map(OsString::from));
    again.extend(["--executor=slurm".into(), format!("--tasks={}", job.tasks()).into()]);
    again.extend(
        arguments
            .executor_option
            .iter()
            .map(|option| format!("--executor-option={option}").into()),
    );
    let again = Invocation::new(executor::own_program()?, context.root, std::time::Duration::MAX).arguments(again);
    let running = slurm.unfinished(array).map_err(Failure::environment)?;
    if running.is_empty() {
        let tasks: Vec<u32> = (1..=job.tasks()).collect();
        slurm
            .start_and_follow(array, &tasks, &again)
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
    Ok(CommandExit::Passed)
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
    let format = context.arguments.format;
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
