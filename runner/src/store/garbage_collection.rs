//! A retention policy → a smaller store, without expired samples and unused profiles.

use std::collections::{BTreeMap, BTreeSet};

use super::write::{StoreChange, StoreParent};
use super::{ObjectKey, SampleRecord, Store, StoreError, StoredObjects, object_path, record_path};
use crate::git::Repository;

/// Samples to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Number of samples to keep per environment, by commit time; `None` for all.
    pub newest: Option<usize>,
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

/// Removed contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreGcSummary {
    /// Number of samples.
    pub samples: usize,
    /// Number of profiles.
    pub profiles: usize,
    /// Bytes of these profiles. Git's own garbage collection frees the disk space later.
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
        let mut freed = StoreGcSummary::default();
        self.update("collecting garbage", |state| {
            freed = StoreGcSummary::default();
            let Some(state) = state else { return Ok(None) };
            let all = self.samples()?;
            let (kept, dropped) = divide(repository, &all.samples, policy);
            let (stored, _) = StoredObjects::of(self, &state.tree)?;
            let used: BTreeSet<ObjectKey> = kept
                .iter()
                .flat_map(|sample| sample.objects())
                .map(|(_, key, _)| key)
                .collect();
            let unused: Vec<ObjectKey> = match all.set_aside.is_empty() {
                true => stored.keys().filter(|key| !used.contains(key)).collect(),
                false => Vec::new(),
            };
            if dropped.is_empty() && unused.is_empty() {
                return Ok(None);
            }
            let mut update = git2::build::TreeUpdateBuilder::new();
            for sample in &dropped {
                update.remove(record_path(sample.commit, sample.environment.id()));
            }
            for key in &unused {
                freed.bytes += stored.blob(*key).map_or(0, |blob| self.size_of(blob));
                update.remove(object_path(*key));
            }
            freed.samples = dropped.len();
            freed.profiles = unused.len();
            let git = self.writing()?;
            let tree = update
                .create_updated(git, &state.tree)
                .map_err(|error| self.write_error(error.message()))?;
            Ok(Some(StoreChange {
                tree,
                message: format!("Collect {} samples, {} profiles", freed.samples, freed.profiles),
                time: all.samples.last().map_or(0, |newest| newest.committed_at),
                parent: StoreParent::None,
            }))
        })?;
        Ok(freed)
    }

    /// Size of a blob; 0 if it can't be read.
    pub(super) fn size_of(&self, id: git2::Oid) -> u64 {
        let header = self.repository.raw().odb().and_then(|odb| odb.read_header(id));
        header.map_or(0, |(size, _)| size as u64)
    }
}

/// Separates samples to keep from samples to remove. They come oldest first.
fn divide<'s>(
    repository: &Repository,
    samples: &'s [SampleRecord],
    policy: RetentionPolicy,
) -> (Vec<&'s SampleRecord>, Vec<&'s SampleRecord>) {
    let mut newer = BTreeMap::new();
    samples.iter().rev().partition(|sample| {
        if policy.gone_commits == GoneCommitPolicy::Drop && repository.commit(sample.commit).is_err() {
            return false;
        }
        let count = newer.entry(sample.environment.id()).or_insert(0_usize);
        *count += 1;
        policy.newest.is_none_or(|newest| *count <= newest)
    })
}
