//! The folder of a job → the version that a task takes next: one of its own stretch, then, where other tasks are
//! late, one of theirs.

use runner::git::CommitId;

use super::folder::JobFolder;
use crate::error::EngineError;

/// Makes the task's next version its own. `None` if nothing is left that no other task has.
pub(super) fn next_version(job: &JobFolder, task: u32) -> Result<Option<CommitId>, EngineError> {
    let own = (job.stretches().get(task as usize - 1)).map_or(&[][..], Vec::as_slice);
    for &commit in own {
        if take(job, commit, task)? {
            return Ok(Some(commit));
        }
    }
    loop {
        let claims = job.claims()?;
        let is_left =
            |commit: &&CommitId| claims.get(*commit).is_none_or(|&owner| owner == task) && !job.is_finished(**commit);
        let left = job
            .stretches()
            .iter()
            .map(|stretch| stretch.iter().filter(is_left).collect::<Vec<_>>());
        // From the end of the latest stretch: its own task comes from the beginning.
        let Some(&&last) = left.max_by_key(Vec::len).as_ref().and_then(|left| left.last()) else {
            return Ok(None);
        };
        if take(job, last, task)? {
            return Ok(Some(last));
        }
    }
}

fn take(job: &JobFolder, commit: CommitId, task: u32) -> Result<bool, EngineError> {
    Ok(!job.is_finished(commit) && job.claim(commit, task)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::super::folder::VersionOutcome;
    use super::*;

    fn job(folder: &std::path::Path, stretches: &[&[u8]]) -> JobFolder {
        let stretches = stretches
            .iter()
            .map(|stretch| stretch.iter().map(|&version| commit(version)).collect());
        JobFolder::open_or_begin(folder, "a", || Ok(stretches.collect())).unwrap()
    }

    fn commit(version: u8) -> CommitId {
        CommitId([version; 20])
    }

    fn finish(job: &JobFolder, commit: CommitId, task: u32) {
        job.finish(commit, &VersionOutcome::Lost { task, killed: 1 }).unwrap();
    }

    #[test]
    fn an_idle_task_takes_the_last_versions_of_the_latest_one() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path(), &[&[1], &[2, 3, 4], &[5, 6]]);
        let mut taken = Vec::new();
        while let Some(commit) = next_version(&job, 1).unwrap() {
            finish(&job, commit, 1);
            taken.push(commit);
        }
        let first: Vec<u8> = taken.iter().map(|commit| commit.0[0]).collect();
        assert_eq!(first[0], 1, "its own first");
        assert_eq!(first[1], 4, "then the end of the longest stretch");
        assert_eq!(taken.len(), 6);
        assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 6);
    }

    #[test]
    fn a_task_that_is_started_again_goes_on_with_its_version_and_no_other_takes_it() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path(), &[&[1, 2], &[3]]);
        assert_eq!(next_version(&job, 1).unwrap(), Some(commit(1)));
        assert_eq!(next_version(&job, 2).unwrap(), Some(commit(3)));
        finish(&job, commit(3), 2);
        assert_eq!(next_version(&job, 2).unwrap(), Some(commit(2)), "the late task's");
        assert_eq!(next_version(&job, 1).unwrap(), Some(commit(1)), "after it was killed");
        finish(&job, commit(1), 1);
        assert_eq!(next_version(&job, 1).unwrap(), None);
    }

    #[test]
    fn two_tasks_that_ask_at_once_never_get_the_same_version() {
        let folder = tempfile::tempdir().unwrap();
        let versions: Vec<u8> = (1..=60).collect();
        let (one, other) = versions.split_at(10);
        let job = job(folder.path(), &[one, other, &[]]);
        let taken: Vec<Vec<CommitId>> = std::thread::scope(|scope| {
            let tasks = (1..=3).map(|task| {
                let job = &job;
                scope.spawn(move || {
                    let mut taken = Vec::new();
                    while let Some(commit) = next_version(job, task).unwrap() {
                        finish(job, commit, task);
                        taken.push(commit);
                    }
                    taken
                })
            });
            tasks
                .collect::<Vec<_>>()
                .into_iter()
                .map(|task| task.join().unwrap())
                .collect()
        });
        let all: Vec<CommitId> = taken.concat();
        assert_eq!(all.len(), 60);
        assert_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), 60);
    }
}
