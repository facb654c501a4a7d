//! `lito sample`: profiles versions and stores their profiles; reports each version when it is done.

mod plan;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::Path;

use report::sampling as shown_as;
use runner::git::{CommitId, Repository};
use runner::process::InterruptionFlag;
use runner::sample::{FailureRetryPolicy, SampleEvent, SampledVersion, SampledVersionState};
use runner::store::{SampleOutcome, Store};

use super::{checkout, interruption};
use crate::cli::SampleArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::{Terminal, TerminalProgress};
use engine::profiling;
use engine::profiling::Profiler;
use engine::sampling;
use engine::settings::Settings;

/// Samples the versions.
pub(super) fn run(
    repository: &Repository,
    settings: &Settings,
    arguments: &SampleArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let newest = repository.resolve(&arguments.revision)?;
    let every = arguments.every.unwrap_or(settings.sampling.every);
    let store = Store::open(repository, &settings.store.url)?;
    let commits = match arguments.last {
        None => vec![newest],
        Some(last) => {
            let range = repository.first_parents(newest, last)?.commits;
            every_nth(&range, every, &sampled(&store)?)
        }
    };
    if arguments.plan {
        let request = plan::SamplingPlanRequest {
            every,
            shards: arguments.shards.unwrap_or(1),
            retry: arguments.retry,
        };
        let plan = plan::SamplingPlanDocument::of(&commits, &store, request)?;
        terminal.print(&plan.text(arguments.format))?;
        return Ok(CommandExit::Passed);
    }
    let root = checkout(repository, "sampling")?;
    let commits = match arguments.shard {
        Some(shard) => shard.part(&commits).copied().collect(),
        None => commits,
    };
    if commits.is_empty() {
        terminal.note("no version is left for this machine: the other machines sample all of them");
        return Ok(CommandExit::Passed);
    }
    let failed_before = if arguments.retry {
        FailureRetryPolicy::Retry
    } else {
        FailureRetryPolicy::Skip
    };
    let interruption = interruption()?;
    let sampled = SampleCommandContext {
        repository,
        settings,
        root,
        interruption: &interruption,
        terminal,
        profiler: arguments.profiler.into(),
    }
    .take(&commits, failed_before)?;
    outcome(&sampled)
}

/// Inputs of sampling.
pub(super) struct SampleCommandContext<'a> {
    pub(super) repository: &'a Repository,
    pub(super) settings: &'a Settings,
    pub(super) root: &'a Path,
    pub(super) interruption: &'a InterruptionFlag,
    pub(super) terminal: &'a Terminal,
    pub(super) profiler: Profiler,
}

impl SampleCommandContext<'_> {
    /// Samples the versions, and reports each on the standard error.
    pub(super) fn take(
        &self,
        commits: &[CommitId],
        failed_before: FailureRetryPolicy,
    ) -> Result<Vec<SampledVersion>, Failure> {
        let profiler = profiling::choose_profiler(self.profiler, self.interruption, |note| {
            self.terminal.note(note);
        })?;
        let store = Store::open(self.repository, &self.settings.store.url)?;
        let progress = self.terminal.progress(commits.len(), "sampling");
        let request = sampling::SamplingRequest {
            repository: self.repository,
            store: &store,
            definitions: &self.settings.benchmarks,
            root: self.root,
            workers: std::thread::available_parallelism().map_or(1, NonZero::get),
            failed_before,
            profiler: &profiler,
            interruption: self.interruption,
        };
        Ok(sampling::sample_versions(&request, commits, &mut |event| {
            show_sampling_progress(event, &progress)
        })?)
    }
}

/// Versions with a sample.
fn sampled(store: &Store) -> Result<BTreeSet<CommitId>, Failure> {
    let samples = store.samples()?.samples;
    let whole = samples.iter().filter(|sample| sample.is_baseline());
    Ok(whole.map(|sample| sample.commit).collect())
}

/// Every `every`-th version, counted from the newest one in `sampled`, so that the same versions stay on the grid as the
/// history grows. Without a sample, counted from the oldest, so that every later version has a sample before it.
pub(super) fn every_nth(oldest_first: &[CommitId], every: u32, sampled: &BTreeSet<CommitId>) -> Vec<CommitId> {
    let every = (every as usize).max(1);
    let newest_sampled = oldest_first.iter().rposition(|commit| sampled.contains(commit));
    oldest_first
        .iter()
        .copied()
        .skip(newest_sampled.unwrap_or(0) % every)
        .step_by(every)
        .collect()
}

/// Shows the progress of sampling.
pub(super) fn show_sampling_progress(event: &SampleEvent<'_>, progress: &TerminalProgress) {
    match event {
        SampleEvent::Version { commit, .. } => {
            progress.working_on(&format!("{}: checking out", commit.short()));
        }
        SampleEvent::Building { commit } => progress.working_on(&format!("{}: building", commit.short())),
        SampleEvent::Listed { commit, benchmarks, .. } => {
            progress.working_on(&format!("{}: profiling {benchmarks} benchmarks", commit.short()));
        }
        SampleEvent::Profiled {
            commit,
            benchmark,
            outcome,
            done,
            total,
        } => {
            let failure = match outcome {
                SampleOutcome::Profiled { .. } => None,
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

fn shown(sampled: &SampledVersion) -> shown_as::SamplingSummary {
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
        failed: sampled.failed,
        building: sampled.building.as_secs_f64(),
        profiling: sampled.profiling.as_secs_f64(),
    }
}

/// The exit code. Sampling fails if no benchmark has a profile: predictions have nothing to rest on.
fn outcome(sampled: &[SampledVersion]) -> Result<CommandExit, Failure> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn history(length: u8) -> Vec<CommitId> {
        (0..length).map(|index| CommitId([index; 20])).collect()
    }

    #[test]
    fn a_history_that_grows_is_sampled_at_the_same_versions() {
        let all = history(60);
        let first = every_nth(&all[..40], 20, &BTreeSet::new());
        assert_eq!(first, [all[0], all[20]]);
        let sampled: BTreeSet<CommitId> = first.into_iter().collect();
        // The window moves with each version.
        for newest in 41..60usize {
            let due = every_nth(&all[newest - 40..newest], 20, &sampled);
            let new: Vec<&CommitId> = due.iter().filter(|one| !sampled.contains(one)).collect();
            assert!(new.iter().all(|one| all[40..41].contains(one)), "{newest}: {new:?}");
        }
    }

    #[test]
    fn without_a_sample_the_oldest_is_the_first() {
        let all = history(5);
        assert_eq!(every_nth(&all, 2, &BTreeSet::new()), [all[0], all[2], all[4]]);
        assert_eq!(every_nth(&all, 0, &BTreeSet::new()).len(), 5);
        assert_eq!(every_nth(&[], 2, &BTreeSet::new()), []);
    }
}
