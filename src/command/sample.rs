//! `lito sample`: versions into stored profiles, each told of when it is done.

mod plan;

use std::num::NonZero;
use std::path::Path;

use report::sampling as shown_as;
use runner::git::{CommitId, Repository};
use runner::process::Interruption;
use runner::sample::{Event, FailedBefore, Sampled, VersionState};
use runner::store::{Outcome, Store};

use super::{checkout, interruption};
use crate::cli::{Profiler, SampleArguments};
use crate::exit::{Exit, Failure};
use crate::profiling;
use crate::sampling;
use crate::settings::Settings;
use crate::terminal::{Progress, Terminal};

/// Samples what was asked for.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &SampleArguments,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let newest = repository.resolve(&arguments.revision)?;
    let every = arguments.every.unwrap_or(settings.sampling.every);
    let commits = match arguments.last {
        None => vec![newest],
        Some(last) => every_nth(&repository.first_parents(newest, last)?.commits, every),
    };
    if arguments.plan {
        let store = Store::open(repository, &settings.store.url)?;
        let request = plan::Request {
            every,
            shards: arguments.shards.unwrap_or(1),
            retry: arguments.retry,
        };
        let plan = plan::Plan::of(&commits, &store, request)?;
        terminal.print(&plan.text(arguments.format))?;
        return Ok(Exit::Passed);
    }
    let root = checkout(repository, "sampling")?;
    let commits = match arguments.shard {
        Some(shard) => shard.part(&commits).copied().collect(),
        None => commits,
    };
    if commits.is_empty() {
        terminal.note("there is no version for this machine: the others take all of them");
        return Ok(Exit::Passed);
    }
    let failed_before = if arguments.retry {
        FailedBefore::Retry
    } else {
        FailedBefore::Skip
    };
    let interruption = interruption()?;
    let sampled = Sampling {
        repository,
        settings,
        root,
        interruption: &interruption,
        terminal,
        profiler: arguments.profiler,
    }
    .take(&commits, failed_before)?;
    outcome(&sampled)
}

/// Everything that samples are taken with.
pub(super) struct Sampling<'a> {
    pub(super) repository: &'a Repository,
    pub(super) settings: &'a Settings,
    pub(super) root: &'a Path,
    pub(super) interruption: &'a Interruption,
    pub(super) terminal: &'a Terminal,
    pub(super) profiler: Profiler,
}

impl Sampling<'_> {
    /// Samples the versions, and tells of each on the standard error.
    pub(super) fn take(
        &self,
        commits: &[CommitId],
        failed_before: FailedBefore,
    ) -> Result<Vec<Sampled>, Failure> {
        let profiler = profiling::choose(self.profiler, self.interruption, |note| {
            self.terminal.note(note);
        })?;
        let store = Store::open(self.repository, &self.settings.store.url)?;
        let progress = self.terminal.progress(commits.len(), "sampling");
        let request = sampling::Request {
            repository: self.repository,
            store: &store,
            definitions: &self.settings.benchmarks,
            root: self.root,
            workers: std::thread::available_parallelism().map_or(1, NonZero::get),
            failed_before,
            profiler: &profiler,
            interruption: self.interruption,
        };
        sampling::take(&request, commits, &mut |event| tell(event, &progress))
    }
}

/// The oldest of the versions, and every `every`-th after it: whatever comes later has a sample before it.
pub(super) fn every_nth(oldest_first: &[CommitId], every: u32) -> Vec<CommitId> {
    oldest_first
        .iter()
        .copied()
        .step_by((every as usize).max(1))
        .collect()
}

fn tell(event: &Event<'_>, progress: &Progress) {
    match event {
        Event::Version { commit, .. } => {
            progress.working_on(&format!("{}: checking out", commit.short()));
        }
        Event::Building { commit } => progress.working_on(&format!("{}: building", commit.short())),
        Event::Listed {
            commit, benchmarks, ..
        } => {
            progress.working_on(&format!(
                "{}: profiling {benchmarks} benchmarks",
                commit.short()
            ));
        }
        Event::Profiled {
            commit,
            benchmark,
            outcome,
            done,
            total,
        } => {
            let failure = match outcome {
                Outcome::Profiled { .. } => None,
                Outcome::Failed { reason } => Some(reason.clone()),
                Outcome::TimedOut { seconds } => Some(format!(
                    "it did not end within {seconds} s and was stopped; raise its `time_limit` or reduce its input"
                )),
            };
            if let Some(failure) = failure {
                progress.warn(&format!(
                    "{}: {benchmark} has no profile: {failure}",
                    commit.short()
                ));
            }
            progress.working_on(&format!(
                "{}: profiled {done} of {total}, {benchmark}",
                commit.short()
            ));
        }
        Event::VersionDone { sampled } => {
            progress.step();
            progress.note(shown_as::line(&shown(sampled)).trim_end());
        }
    }
}

fn shown(sampled: &Sampled) -> shown_as::Version {
    shown_as::Version {
        commit: sampled.commit.to_string(),
        state: match &sampled.state {
            VersionState::Sampled => shown_as::State::Sampled,
            VersionState::AlreadySampled => shown_as::State::Known,
            VersionState::DoesNotBuild { reason } => shown_as::State::Without(reason.clone()),
            VersionState::NoBenchmark { .. } => {
                shown_as::State::Without(String::from("no benchmark in it"))
            }
        },
        profiled: sampled.profiled,
        failed: sampled.failed,
        building: sampled.building.as_secs_f64(),
        profiling: sampled.profiling.as_secs_f64(),
    }
}

/// Without any profile there is nothing that a prediction could stand on.
fn outcome(sampled: &[Sampled]) -> Result<Exit, Failure> {
    if sampled.is_empty() || sampled.iter().any(|version| version.profiled > 0) {
        return Ok(Exit::Passed);
    }
    let reason = sampled.iter().find_map(|version| match &version.state {
        VersionState::DoesNotBuild { reason } | VersionState::NoBenchmark { reason } => {
            reason.lines().next()
        }
        VersionState::Sampled | VersionState::AlreadySampled => None,
    });
    Err(Failure::environment(format_args!(
        "sampling: {}: no benchmark could be profiled; `lito store list` has the reasons, `lito sample --retry` tries \
         again: {}",
        report::number::of(sampled.len(), "version"),
        reason.unwrap_or("every benchmark failed")
    )))
}
