//! Versions and the store → the versions to sample, divided among machines. Builds nothing, so it does not know the
//! environment of new samples: a sample of any environment counts.

use std::collections::{BTreeMap, BTreeSet};

use report::sampling_plan::{
    PlannedVersion, PlannedVersionState, SCHEMA, SamplingPlan, ShardAssignment, WorkflowMatrix,
};
use runner::git::CommitId;
use runner::store::{SampleState, Store};

use crate::error::EngineError;
use crate::shards::Shard;

/// The request for a plan.
#[derive(Debug, Clone, Copy)]
pub struct SamplingPlanRequest {
    /// The distance between the chosen versions, for the record.
    pub every: u32,
    /// Number of machines.
    pub shards: u32,
    /// Whether versions that failed before are due again.
    pub retry: bool,
}

/// The plan for these versions, from the current state of the store.
pub fn plan_sampling(
    commits: &[CommitId],
    store: &Store,
    request: SamplingPlanRequest,
) -> Result<SamplingPlan, EngineError> {
    let stored = stored_states(store, request.retry)?;
    let versions: Vec<(CommitId, PlannedVersionState)> = commits
        .iter()
        .map(|commit| (*commit, stored.get(commit).copied().unwrap_or(PlannedVersionState::Due)))
        .collect();
    let due = |shard: Shard| {
        let part = shard
            .part(&versions)
            .iter()
            .filter(|(_, state)| *state == PlannedVersionState::Due);
        part.map(|(commit, _)| commit.to_string()).collect::<Vec<_>>()
    };
    let shards: Vec<ShardAssignment> = Shard::all(request.shards)
        .map(|shard| ShardAssignment {
            shard: shard.to_string(),
            versions: due(shard),
        })
        .filter(|part| !part.versions.is_empty())
        .collect();
    Ok(SamplingPlan {
        schema: SCHEMA,
        every: request.every,
        matrix: WorkflowMatrix {
            shard: shards.iter().map(|part| part.shard.clone()).collect(),
        },
        versions: versions
            .iter()
            .map(|(commit, state)| PlannedVersion {
                commit: commit.to_string(),
                state: *state,
            })
            .collect(),
        shards,
    })
}

/// Those of the versions that are due, as a plan has them.
pub fn due_versions(commits: &[CommitId], store: &Store, retry: bool) -> Result<Vec<CommitId>, EngineError> {
    let stored = stored_states(store, retry)?;
    Ok(commits
        .iter()
        .filter(|commit| !stored.contains_key(commit))
        .copied()
        .collect())
}

/// The states of stored versions that are not due.
fn stored_states(store: &Store, retry: bool) -> Result<BTreeMap<CommitId, PlannedVersionState>, EngineError> {
    let mut stored = BTreeMap::new();
    for sample in store.samples()?.samples {
        let state = match sample.state {
            SampleState::InProgress => continue,
            _ if sample.is_baseline() => PlannedVersionState::Sampled,
            SampleState::Complete | SampleState::BuildFailed { .. } if retry => continue,
            SampleState::Complete | SampleState::BuildFailed { .. } => PlannedVersionState::Failed,
        };
        let known = stored.entry(sample.commit).or_insert(state);
        if state == PlannedVersionState::Sampled {
            *known = state;
        }
    }
    Ok(stored)
}

/// The versions that have a sample.
pub fn sampled_versions(store: &Store) -> Result<BTreeSet<CommitId>, EngineError> {
    let samples = store.samples()?.samples;
    let whole = samples.iter().filter(|sample| sample.is_baseline());
    Ok(whole.map(|sample| sample.commit).collect())
}

/// Every `every`-th version, aligned with the newest one that is `sampled`: as the history grows, the same versions
/// stay the ones to sample. Without a sampled version the oldest is the first, so that every later version has a sample
/// before it.
#[must_use]
pub fn every_nth(oldest_first: &[CommitId], every: u32, sampled: &BTreeSet<CommitId>) -> Vec<CommitId> {
    let every = (every as usize).max(1);
    let newest_sampled = oldest_first.iter().rposition(|commit| sampled.contains(commit));
    oldest_first
        .iter()
        .copied()
        .skip(newest_sampled.unwrap_or(0) % every)
        .step_by(every)
        .collect()
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
        // The window moves on with each version.
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
