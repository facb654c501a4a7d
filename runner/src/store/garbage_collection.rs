//! A retention policy → a smaller store, without expired samples and unused profiles; or what would go.

use std::collections::{BTreeMap, BTreeSet};

use super::write::{StoreChange, StoreParent};
use super::{
    EnvironmentId, ObjectKey, SampleRecord, Store, StoreError, StoreState, StoredObjects, StoredSamples, object_path,
    record_path,
};
use crate::git::{CommitId, GitError, Repository};

/// Samples to keep. Of the two limits, one that is set lets older samples go; with both, a sample goes if both let it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Number of versions with profiles to keep per environment, the newest by commit time.
    pub newest: Option<usize>,
    /// Time of the oldest commit whose samples are kept, in seconds since 1970.
    pub since: Option<i64>,
    /// Treatment of samples whose commit no longer exists, as after a force-push.
    pub gone_commits: GoneCommitPolicy,
}

/// Treatment of samples whose commit no longer exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoneCommitPolicy {
    /// Keep them: in a shallow clone, most commits are missing.
    Keep,
    /// Remove them.
    Drop,
}

/// The part that goes, and the part that stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreGcSummary {
    /// Samples that go, newest first.
    pub samples: Vec<ExpiredSample>,
    /// Profiles that go. Git's own garbage collection frees the disk space later.
    pub profiles: StoredProfiles,
    /// Number of samples that stay.
    pub kept_samples: usize,
    /// Profiles that stay.
    pub kept_profiles: StoredProfiles,
    /// Number of unreadable records. While there is one, no profile goes, because it may refer to any of them.
    pub unreadable: usize,
}

/// A sample that goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpiredSample {
    /// The version.
    pub commit: CommitId,
    /// The environment it was sampled in.
    pub environment: EnvironmentId,
    /// Benchmarks with a profile.
    pub benchmarks: usize,
    /// Why it goes.
    pub reason: ExpiryReason,
}

/// Why a sample goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiryReason {
    /// Its commit no longer exists.
    GoneCommit,
    /// It is beyond the limits of the policy.
    BeyondLimits,
}

/// An amount of profiles, and of the inputs that are stored like them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredProfiles {
    /// Their number.
    pub count: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Store {
    /// Removes samples that the policy does not keep, and profiles that no sample refers to. Unreadable records stay;
    /// as long as there is one, all profiles stay, because it may refer to any of them. Earlier states of the store are
    /// dropped.
    ///
    /// # Errors
    /// Those of [`Store::record`].
    pub fn gc(&self, repository: &Repository, policy: RetentionPolicy) -> Result<StoreGcSummary, StoreError> {
        let mut removed = StoreGcSummary::default();
        self.update("collecting garbage", |state| {
            removed = StoreGcSummary::default();
            let Some(state) = state else { return Ok(None) };
            let garbage = self.garbage_of(state, repository, policy)?;
            removed = garbage.summary;
            if garbage.paths.is_empty() {
                return Ok(None);
            }
            let mut update = git2::build::TreeUpdateBuilder::new();
            for path in &garbage.paths {
                update.remove(path);
            }
            let git = self.writing()?;
            let tree = update
                .create_updated(git, &state.tree)
                .map_err(|error| self.write_error(error.message()))?;
            let (samples, profiles) = (removed.samples.len(), removed.profiles.count);
            Ok(Some(StoreChange {
                tree,
                message: format!("Collect {samples} samples, {profiles} profiles"),
                time: garbage.time,
                parent: StoreParent::None,
            }))
        })?;
        Ok(removed)
    }

    /// As [`Store::gc`], but only tells: writes nothing.
    ///
    /// # Errors
    /// Those of [`Store::samples`].
    pub fn garbage(&self, repository: &Repository, policy: RetentionPolicy) -> Result<StoreGcSummary, StoreError> {
        match self.state("looking for garbage")? {
            Some(state) => Ok(self.garbage_of(&state, repository, policy)?.summary),
            None => Ok(StoreGcSummary::default()),
        }
    }

    fn garbage_of(
        &self,
        state: &StoreState<'_>,
        repository: &Repository,
        policy: RetentionPolicy,
    ) -> Result<StoreGarbage, StoreError> {
        let mut all = StoredSamples::default();
        all.add(self.read_entries(&state.tree)?);
        all.sort();
        let expired = expired(repository, &all.samples, policy);
        let goes: BTreeSet<(CommitId, EnvironmentId)> = (expired.iter())
            .map(|sample| (sample.commit, sample.environment))
            .collect();
        let used: BTreeSet<ObjectKey> = (all.samples.iter())
            .filter(|sample| !goes.contains(&(sample.commit, sample.environment.id())))
            .flat_map(SampleRecord::objects)
            .map(|(_, key, _)| key)
            .collect();
        let mut summary = StoreGcSummary {
            kept_samples: all.samples.len() - expired.len(),
            unreadable: all.set_aside.len(),
            ..StoreGcSummary::default()
        };
        let mut paths: Vec<String> = (expired.iter())
            .map(|sample| record_path(sample.commit, sample.environment))
            .collect();
        let (stored, _) = StoredObjects::of(self, &state.tree)?;
        for key in stored.keys() {
            let stays = used.contains(&key) || !all.set_aside.is_empty();
            let amount = match stays {
                true => &mut summary.kept_profiles,
                false => &mut summary.profiles,
            };
            amount.count += 1;
            amount.bytes += stored.blob(key).map_or(0, |blob| self.size_of(blob));
            if !stays {
                paths.push(object_path(key));
            }
        }
        summary.samples = expired;
        Ok(StoreGarbage {
            summary,
            paths,
            time: all.samples.last().map_or(0, |newest| newest.committed_at),
        })
    }

    /// Size of a blob; 0 if it can't be read.
    pub(super) fn size_of(&self, id: git2::Oid) -> u64 {
        let header = self.repository.raw().odb().and_then(|odb| odb.read_header(id));
        header.map_or(0, |(size, _)| size as u64)
    }
}

/// The part of one state of a store that goes.
struct StoreGarbage {
    summary: StoreGcSummary,
    /// The paths of the samples and profiles that go.
    paths: Vec<String>,
    /// Time of the newest commit with a sample.
    time: i64,
}

/// Whether the repository is known not to have a commit. One that can't be read is not gone, nor one that a partial clone
/// lacks.
fn is_gone(repository: &Repository, commit: CommitId) -> bool {
    matches!(repository.commit(commit), Err(GitError::MissingObject { .. }))
}

/// The samples that the policy does not keep, newest first. They come oldest first.
fn expired(repository: &Repository, samples: &[SampleRecord], policy: RetentionPolicy) -> Vec<ExpiredSample> {
    let mut newer = BTreeMap::new();
    let mut reason = |sample: &SampleRecord| {
        if policy.gone_commits == GoneCommitPolicy::Drop && is_gone(repository, sample.commit) {
            return Some(ExpiryReason::GoneCommit);
        }
        let count = newer.entry(sample.environment.id()).or_insert(0_usize);
        // Versions that do not build take no place: with a few of them, all profiles would go.
        *count += usize::from(sample.profiles().next().is_some());
        let limits = [
            policy.newest.map(|newest| *count > newest),
            policy.since.map(|since| sample.committed_at < since),
        ];
        let mut set = limits.into_iter().flatten().peekable();
        let goes = set.peek().is_some() && set.all(|beyond| beyond);
        goes.then_some(ExpiryReason::BeyondLimits)
    };
    (samples.iter().rev())
        .filter_map(|sample| {
            Some(ExpiredSample {
                commit: sample.commit,
                environment: sample.environment.id(),
                benchmarks: sample.profiles().count(),
                reason: reason(sample)?,
            })
        })
        .collect()
}
