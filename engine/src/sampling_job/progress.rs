//! How far a job is: the contract `lito.job-progress/1` is made of this.

use std::collections::{BTreeMap, BTreeSet};

use report::job_progress::{FailedVersion, JobProgress, RunningVersion, SCHEMA};
use runner::executors::TaskState;
use runner::git::CommitId;
use runner::sample::SampledVersionState;

use super::folder::{JobFolder, VersionOutcome};

/// Everything that is known of a job at one moment.
pub(super) struct JobView<'a> {
    pub(super) job: &'a JobFolder,
    pub(super) outcomes: &'a BTreeMap<CommitId, VersionOutcome>,
    pub(super) claims: &'a BTreeMap<CommitId, u32>,
    pub(super) unfinished: &'a BTreeMap<u32, TaskState>,
}

impl JobView<'_> {
    /// Its progress in the words of the contract.
    pub(super) fn progress(&self) -> JobProgress {
        let running = self.claims.iter().filter(|(commit, task)| {
            !self.outcomes.contains_key(commit) && self.unfinished.get(task) == Some(&TaskState::Running)
        });
        let running: Vec<RunningVersion> = running
            .map(|(commit, &task)| RunningVersion {
                commit: commit.to_string(),
                task,
            })
            .collect();
        let waiting = self.unfinished.values().filter_map(|state| match state {
            TaskState::Waiting(why) => Some(why.clone()),
            TaskState::Running => None,
        });
        let waiting: Vec<String> = waiting.collect();
        let named: BTreeSet<String> = waiting.iter().filter(|why| !why.is_empty()).cloned().collect();
        let versions = self.job.versions().count();
        JobProgress {
            schema: SCHEMA,
            job: self.job.name().to_owned(),
            versions,
            done: self.outcomes.len(),
            tasks_running: self.unfinished.len() - waiting.len(),
            tasks_waiting: waiting.len(),
            waiting_for: named.into_iter().collect(),
            failed: self.failed(),
            seconds_left: self.seconds_left(versions, running.len()),
            running,
        }
    }

    fn failed(&self) -> Vec<FailedVersion> {
        let failed = self.outcomes.iter().filter_map(|(commit, outcome)| {
            let (task, reason) = match outcome {
                VersionOutcome::Taken { task, sampled } => match &sampled.state {
                    SampledVersionState::Sampled | SampledVersionState::AlreadySampled => return None,
                    SampledVersionState::DoesNotBuild { reason } | SampledVersionState::NoBenchmark { reason } => {
                        (*task, reason.lines().next().unwrap_or_default().to_owned())
                    }
                },
                VersionOutcome::Lost { task, killed } => (*task, killed_reason(*killed)),
            };
            Some(FailedVersion {
                commit: commit.to_string(),
                reason,
                log: format!("logs/{task}.log"),
            })
        });
        failed.collect()
    }

    /// As long as the versions so far took in the mean, divided among those that run.
    fn seconds_left(&self, versions: usize, running: usize) -> Option<f64> {
        let seconds: Vec<f64> = self.outcomes.values().filter_map(seconds_of).collect();
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        (!seconds.is_empty() && running > 0)
            .then(|| (mean * (versions - self.outcomes.len()) as f64 / running as f64).round())
    }
}

/// Why a version has no sample whose tasks were killed.
pub fn killed_reason(killed: u32) -> String {
    format!("the tasks that sampled it were killed {killed} times, as a limit of memory or time does")
}

/// The seconds that a version took; `None` where nothing was built.
pub(super) fn seconds_of(outcome: &VersionOutcome) -> Option<f64> {
    match outcome {
        VersionOutcome::Taken { sampled, .. } => {
            let seconds = (sampled.building + sampled.profiling).as_secs_f64();
            (seconds > 0.0).then_some(seconds)
        }
        VersionOutcome::Lost { .. } => None,
    }
}
