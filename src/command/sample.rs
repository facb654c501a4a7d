//! `lito sample`: profiles versions and stores their profiles; reports each version when it is done.

use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use report::kubernetes_job::KubernetesJobRequest;
use report::sampling as shown_as;
use report::sampling_plan::SamplingPlan;
use runner::benchmark::BenchmarkDefinitions;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::sample::{FailureRetryPolicy, SampleEvent, SampleFailure, SampledVersion, SampledVersionState};
use runner::store::remote::Remote;
use runner::store::{SampleOutcome, Store};

use super::sampling_job::{self, JobCommandContext};
use super::{checkout, interruption};
use crate::cli::{ExecutorArgument, ProfilerArgument, SampleArguments, SampleFormat};
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};
use engine::EngineError;
use engine::benchmark_names::{BenchmarkNames, NamedBenchmarks};
use engine::profiling;
use engine::profiling::Profiler;
use engine::progress::{Activity, ProgressEvent};
use engine::sampling;
use engine::sampling_plan::{self, SamplingPlanRequest};
use engine::settings::{Percent, Settings};
use engine::task_watch::name_of;

/// Samples the versions.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &SampleArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    if let Some((folder, task)) = arguments.job.as_deref().zip(arguments.task) {
        return sampling_job::task(repository, settings, (arguments, folder, task), terminal);
    }
    let newest = repository.resolve(&arguments.revision)?;
    let every = arguments.every.unwrap_or(settings.sampling.every);
    let store = Store::open(repository, &settings.store.url)?;
    let drift = arguments.drift.map(|limit| limit.unwrap_or(settings.sampling.drift));
    let commits = match (arguments.last, drift) {
        (None, _) => vec![newest],
        (Some(last), Some(_)) => repository.first_parents(newest, last)?.commits,
        (Some(last), None) => {
            let range = repository.first_parents(newest, last)?.commits;
            sampling_plan::every_nth(&range, every, &sampling_plan::sampled_versions(&store)?)
        }
    };
    if arguments.plan {
        let request = SamplingPlanRequest {
            every,
            shards: arguments.shards.unwrap_or(1),
            retry: arguments.retry,
        };
        let plan = sampling_plan::plan_sampling(&commits, &store, request)?;
        terminal.print(&match arguments.format {
            SampleFormat::Human => report::sampling_plan::human(&plan),
            SampleFormat::Json => report::sampling_plan::json(&plan),
            SampleFormat::Kubernetes => kubernetes_job(repository, (arguments, newest), &plan)?,
        })?;
        return Ok(CommandExit::Passed);
    }
    let root = checkout(repository, "sampling")?;
    if let Some(executor) = arguments.tasks.executor {
        let history = repository.first_parents(newest, arguments.last.unwrap_or(1))?.commits;
        let job = JobCommandContext {
            repository,
            settings,
            terminal,
            root,
            store: &store,
            history: &history,
            every,
            tasks: &arguments.tasks,
            options: &options_of_samples(arguments),
            retry: arguments.retry,
            format: arguments.format,
        };
        return sampled_by_tasks(&job, (arguments, executor), &commits);
    }
    let commits = match arguments.shard {
        Some(shard) => shard.part(&commits).to_vec(),
        None => commits,
    };
    if commits.is_empty() {
        terminal.note("no version is left for this machine: the other machines sample all of them");
        return Ok(CommandExit::Passed);
    }
    let failed_before = failed_before(arguments);
    let interruption = interruption()?;
    BenchmarkNames {
        repository,
        store: &store,
        definitions: &settings.benchmarks,
    }
    .check(
        NamedBenchmarks::by_option("sampling", &arguments.choice.names),
        &commits,
    )?;
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
    let sampled = match drift {
        Some(limit) => {
            let sampled = sampling.take_by_drift(&commits, limit, failed_before)?;
            if sampled.is_empty() {
                terminal.note(&format!(
                    "no new sample is needed: at {}, less than {} of each benchmark's cost lies in functions that changed \
                     since the sample before",
                    report::number_format::counted_noun(commits.len(), "version"),
                    report::number_format::share(limit.share()),
                ));
            }
            sampled
        }
        None => sampling.take(&commits, failed_before)?,
    };
    outcome(&sampled)
}

/// Samples versions by the tasks of a job, or leaves it to them.
fn sampled_by_tasks(
    job: &JobCommandContext<'_>,
    (arguments, executor): (&SampleArguments, ExecutorArgument),
    commits: &[CommitId],
) -> Result<CommandExit, Failure> {
    if arguments.format == SampleFormat::Kubernetes {
        return Err(Failure::usage(
            "sampling: --format kubernetes: it is a plan's form; use --plan in place of --executor",
        ));
    }
    BenchmarkNames {
        repository: job.repository,
        store: job.store,
        definitions: &job.settings.benchmarks,
    }
    .check(NamedBenchmarks::by_option("sampling", &arguments.choice.names), commits)?;
    if arguments.detach {
        sampling_job::detach(job, executor, commits)?;
        return Ok(CommandExit::Passed);
    }
    outcome(&sampling_job::run(job, executor, commits)?)
}

/// The plan as a job of Kubernetes.
fn kubernetes_job(
    repository: &Repository,
    (arguments, newest): (&SampleArguments, CommitId),
    plan: &SamplingPlan,
) -> Result<String, Failure> {
    const PLANNING: &str = "planning for Kubernetes";
    let image = arguments.image.as_deref().ok_or_else(|| {
        Failure::usage(format_args!(
            "{PLANNING}: no image is named that has lito in it; add --image NAME"
        ))
    })?;
    if plan.matrix.shard.is_empty() {
        return Err(Failure::usage(format_args!(
            "{PLANNING}: no version is due; nothing is to be started"
        )));
    }
    let remote = Remote::find(repository, None).map_err(EngineError::from)?.address();
    let last = arguments.last.unwrap_or(1);
    let options = options_of_samples(arguments);
    let name = name_of(format!("{newest} {last} {} {options:?}", plan.every).as_bytes());
    Ok(report::kubernetes_job::manifest(
        plan,
        KubernetesJobRequest {
            name: &format!("lito-{name}"),
            image,
            remote: &remote,
            revision: &newest.to_string(),
            last,
            options: &options,
        },
    ))
}

/// The options that every process of several is given: what is sampled and how.
pub(super) fn options_of_samples(arguments: &SampleArguments) -> Vec<String> {
    let mut options = Vec::new();
    let mut add = |name: &str, value: &str| options.push(format!("--{name}={value}"));
    arguments.choice.names.iter().for_each(|name| add("bench", name));
    arguments.choice.packages.iter().for_each(|name| add("package", name));
    if let Some(budget) = arguments.budget {
        add("budget", &format!("{}s", budget.0.as_secs()));
    }
    options.push(profiler_option(arguments.profiler));
    if arguments.retry {
        options.push("--retry".to_owned());
    }
    options
}

/// The option that names a profiler.
pub(super) fn profiler_option(profiler: ProfilerArgument) -> String {
    let name = match profiler {
        ProfilerArgument::Auto => "auto",
        ProfilerArgument::Callgrind => "callgrind",
        ProfilerArgument::Probes => "probes",
    };
    format!("--profiler={name}")
}

/// The policy for versions and benchmarks that failed before.
pub(super) fn failed_before(arguments: &SampleArguments) -> FailureRetryPolicy {
    if arguments.retry {
        FailureRetryPolicy::Retry
    } else {
        FailureRetryPolicy::Skip
    }
}

/// Inputs of sampling.
pub(super) struct SampleCommandContext<'a> {
    pub(super) repository: &'a Repository,
    pub(super) settings: &'a Settings,
    /// The benchmarks, as they are chosen.
    pub(super) definitions: &'a BenchmarkDefinitions,
    /// Time for the profiles of one version.
    pub(super) budget: Option<Duration>,
    pub(super) root: &'a Path,
    pub(super) interruption: &'a InterruptionFlag,
    pub(super) terminal: &'a Terminal,
    pub(super) profiler: Profiler,
    /// Benchmarks profiled at the same time; one for each core if nobody says.
    pub(super) workers: Option<usize>,
}

impl SampleCommandContext<'_> {
    /// Samples the versions, and reports each on the standard error.
    pub(super) fn take(
        &self,
        commits: &[CommitId],
        failed_before: FailureRetryPolicy,
    ) -> Result<Vec<SampledVersion>, Failure> {
        let progress = self.terminal.progress(commits.len(), "sampling");
        self.with_request(failed_before, |request| {
            sampling::sample_versions(request, commits, &mut |event| show_sampling_progress(event, &progress))
        })
    }

    /// Samples those of the versions, given oldest first, at which the drift reaches a limit.
    pub(super) fn take_by_drift(
        &self,
        commits: &[CommitId],
        limit: Percent,
        failed_before: FailureRetryPolicy,
    ) -> Result<Vec<SampledVersion>, Failure> {
        let progress = self.terminal.progress(commits.len(), "sampling");
        self.with_request(failed_before, |request| {
            let mut consider = |commit: CommitId| {
                progress.step();
                progress.working_on(&format!("{}: comparing with the last sample", commit.short()));
            };
            let mut tell = |event: &SampleEvent<'_>| {
                if matches!(event, SampleEvent::VersionDone { .. }) {
                    // Beside the step of having considered it.
                    progress.show(ProgressEvent::MoreSteps(1));
                }
                show_sampling_progress(event, &progress);
            };
            sampling::sample_by_drift(request, commits, limit.share(), &mut consider, &mut tell)
        })
    }

    /// Calls with a request that samples into the store of the settings.
    pub(super) fn with_request<T>(
        &self,
        failed_before: FailureRetryPolicy,
        take: impl FnOnce(&sampling::SamplingRequest<'_>) -> Result<T, EngineError>,
    ) -> Result<T, Failure> {
        let profiler = profiling::choose_profiler(self.profiler, self.interruption, |note| {
            self.terminal.note(note);
        })?;
        let store = Store::open(self.repository, &self.settings.store.url)?;
        let request = sampling::SamplingRequest {
            repository: self.repository,
            store: &store,
            definitions: self.definitions,
            root: self.root,
            workers: (self.workers).unwrap_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get)),
            budget: self.budget,
            failed_before,
            profiler: &profiler,
            interruption: self.interruption,
        };
        Ok(take(&request)?)
    }
}

/// Benchmarks that are profiled before the rest is forecast: less say little about the others.
const FORECAST_AFTER: usize = 4;

/// Said where nobody defined benchmarks and the version has none.
pub(super) const TESTS_STAND_IN: &str = "there are no benchmarks: unit tests stand in for them; add benches (criterion, divan or \
                                         #[bench]), or describe what to measure with [[benchmarks]] in lito.toml";

/// Shows the progress of sampling.
pub(super) fn show_sampling_progress(event: &SampleEvent<'_>, progress: &TerminalProgress) {
    match event {
        SampleEvent::Version { commit, .. } => {
            progress.working_on(&format!("{}: checking out", commit.short()));
        }
        SampleEvent::Waiting { holder } => progress.waiting_for(*holder),
        SampleEvent::Building { commit } => progress.working_on(&format!("{}: building", commit.short())),
        SampleEvent::Listed {
            commit,
            benchmarks,
            tests_stand_in,
            ..
        } => {
            if *tests_stand_in {
                progress.warn(&format!("{}: {TESTS_STAND_IN}", commit.short()));
            }
            progress.working_on(&format!("{}: profiling {benchmarks} benchmarks", commit.short()));
        }
        SampleEvent::Profiled {
            commit,
            benchmark,
            outcome,
            done,
            total,
            elapsed,
        } => {
            if let Some(elapsed) = elapsed
                && *done == FORECAST_AFTER
            {
                progress.show(ProgressEvent::Activity(&Activity::Forecast {
                    done: *done,
                    left: total - done,
                    elapsed: *elapsed,
                }));
            }
            let failure = match outcome {
                SampleOutcome::Profiled { .. } | SampleOutcome::LeftOut => None,
                SampleOutcome::Failed { reason } => Some(reason.clone()),
                SampleOutcome::TimedOut { seconds } => Some(format!(
                    "it exceeded its time limit of {seconds} s; raise its `time_limit` or reduce its input"
                )),
            };
            if let Some(failure) = failure {
                progress.warn(&format!("{}: {benchmark} has no profile: {failure}", commit.short()));
            }
            progress.working_on(&format!("{}: profiled {done} of {total}, {benchmark}", commit.short()));
        }
        SampleEvent::VersionDone { sampled } => {
            progress.step();
            progress.note(shown_as::line(&shown(sampled)).trim_end());
        }
    }
}

/// A version as its line shows it.
pub(super) fn shown(sampled: &SampledVersion) -> shown_as::SamplingSummary {
    shown_as::SamplingSummary {
        commit: sampled.commit.to_string(),
        state: match &sampled.state {
            SampledVersionState::Sampled => shown_as::SamplingSummaryState::Sampled,
            SampledVersionState::AlreadySampled => shown_as::SamplingSummaryState::Known,
            SampledVersionState::DoesNotBuild { reason } => shown_as::SamplingSummaryState::Without(reason.clone()),
            SampledVersionState::NoBenchmark { .. } => {
                shown_as::SamplingSummaryState::Without(String::from("no benchmark in it"))
            }
        },
        profiled: sampled.profiled,
        failures: reasons_by_name(&sampled.failures),
        uncounted: reasons_by_name(&sampled.uncounted),
        unnamed: reasons_by_name(&sampled.unnamed),
        left_out: sampled.left_out.len(),
        building: sampled.building.as_secs_f64(),
        profiling: sampled.profiling.as_secs_f64(),
    }
}

fn reasons_by_name(failures: &[SampleFailure]) -> Vec<(String, String)> {
    let reasons = failures.iter();
    reasons
        .map(|failure| (failure.name.clone(), failure.reason.clone()))
        .collect()
}

/// The exit code. Sampling fails if no benchmark has a profile: predictions have nothing to rest on.
pub(super) fn outcome(sampled: &[SampledVersion]) -> Result<CommandExit, Failure> {
    if sampled.is_empty() || sampled.iter().any(|version| version.profiled > 0) {
        return Ok(CommandExit::Passed);
    }
    let reason = sampled.iter().find_map(|version| match &version.state {
        SampledVersionState::DoesNotBuild { reason } | SampledVersionState::NoBenchmark { reason } => {
            reason.lines().next()
        }
        SampledVersionState::Sampled | SampledVersionState::AlreadySampled => None,
    });
    Err(Failure::environment(format_args!(
        "sampling: {}: no benchmark could be profiled; `lito store list` has the reasons, `lito sample --retry` tries \
         again: {}",
        report::number_format::counted_noun(sampled.len(), "version"),
        reason.unwrap_or("every benchmark failed")
    )))
}
