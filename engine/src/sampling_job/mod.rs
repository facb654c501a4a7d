//! Versions → samples, taken by many tasks on one machine or on many.
//!
//! [`begin`] divides the versions into stretches that are expected to take equally long, and writes them into a folder in
//! the repository. [`JobWatch`] starts a task for each through an executor, and [`run_task`] is what a task does: it takes
//! the versions of its stretch, then late ones of others. Each task fills a part of the store of its own; the watcher
//! merges them.

mod expected_costs;
mod folder;
mod progress;
mod task;
mod turns;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use runner::git::{CommitId, Repository};
use runner::store::{AcknowledgementPolicy, MergeHistoryPolicy, StoreMergeOptions};

use crate::error::EngineError;
use crate::sample_loader::decodes;
use crate::shards;
use crate::task_watch::name_of;

pub use folder::{JobFolder, VersionOutcome};
pub use progress::killed_reason;
pub use task::run as run_task;
pub use watch::{JobEvent, JobWatch};

/// Tasks of a job, at most: Slurm's `MaxArraySize` as it is set by default.
pub const MOST_TASKS: u32 = 1000;

/// The request for a job.
#[derive(Clone, Copy)]
pub struct JobRequest<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The history that the versions are from, oldest first.
    pub history: &'a [CommitId],
    /// The versions to sample, of the history.
    pub due: &'a [CommitId],
    /// The number of tasks.
    pub tasks: u32,
    /// Everything else that decides what is sampled and how.
    pub options: &'a str,
}

/// The job of a request, which may have begun before.
///
/// # Errors
/// The folder of jobs can't be read or written.
pub fn begin(request: JobRequest<'_>) -> Result<JobFolder, EngineError> {
    let jobs = jobs_folder(request.repository);
    let facts = serde_json::to_vec(&(request.history, request.options)).unwrap_or_default();
    JobFolder::open_or_begin(&jobs, &name_of(&facts), || Ok(stretches(request, &jobs)))
}

fn stretches(request: JobRequest<'_>, jobs: &Path) -> Vec<Vec<CommitId>> {
    let expected = expected_costs::expected(jobs, request.history);
    let costs: BTreeMap<&CommitId, f64> = request.history.iter().zip(expected).collect();
    let costs: Vec<f64> = request
        .due
        .iter()
        .map(|commit| costs.get(commit).copied().unwrap_or(1.0))
        .collect();
    let tasks = u32::try_from(request.due.len())
        .unwrap_or(u32::MAX)
        .min(request.tasks)
        .max(1);
    let stretches = shards::stretches(&costs, tasks).into_iter();
    stretches.map(|stretch| request.due[stretch].to_vec()).collect()
}

/// Where jobs are: in git's folder of the repository, which all of its working trees share.
fn jobs_folder(repository: &Repository) -> PathBuf {
    repository.common_dir().join("lito").join("jobs")
}

/// How parts of the store are merged: they were written by tasks of this user.
fn merging() -> StoreMergeOptions<'static> {
    StoreMergeOptions {
        decode: &decodes,
        accepted: AcknowledgementPolicy::Take,
        ancestors: MergeHistoryPolicy::LeaveBehind,
    }
}
