//! A policy in, a smaller store out: samples that nobody needs and profiles that no sample names go.

use std::collections::{BTreeMap, BTreeSet};

use super::write::{StoreChange, StoreParent};
use super::{ObjectKey, SampleRecord, Store, StoreError, object_path, record_path};
use crate::git::Repository;

/// Which samples stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// So many of each environment, by the time of the commit; `None` for all.
    pub newest: Option<usize>,
    /// Whether samples of commits that the repository no longer has stay, as after a force-push.
    pub gone_commits: GoneCommitPolicy,
}

/// What becomes of samples whose commit is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoneCommitPolicy {
    /// They stay: in a shallow clone, most commits are missing.
    Keep,
    /// They go.
    Drop,
}

/// What a collection removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreGcSummary {
    /// Samples.
    pub samples: usize,
    /// Profiles.
    pub profiles: usize,
    /// Bytes of these profiles. Git's own collection gives them back to the disk, in its own time.
    pub bytes: u64,
}

impl Store {
    /// Removes what the policy does not keep, and profiles that no sample names. Records that can't be read
    /// stay, and as long as there is one, so does every profile: it may be one of theirs. The store's
    /// earlier states are let go of.
    ///
    /// # Errors
    /// As [`Store::record`].
    pub fn gc(&self, repository: &Repository, policy: RetentionPolicy) -> Result<StoreGcSummary, StoreError> {
        let mut freed = StoreGcSummary::default();
        self.update("collecting garbage", |state| {
            freed = StoreGcSummary::default();
            let Some(state) = state else { return Ok(None) };
            let all = self.samples()?;
            let (kept, dropped) = divide(repository, &all.samples, policy);
            let (stored, _) = self.object_entries(&state.tree)?;
            let used: BTreeSet<ObjectKey> = kept
                .iter()
                .flat_map(|sample| sample.profiles())
                .map(|(_, key)| key)
                .collect();
            let unused: Vec<ObjectKey> = match all.set_aside.is_empty() {
                true => stored.difference(&used).copied().collect(),
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
                freed.bytes += self.size(&state.tree, *key);
                update.remove(object_path(*key));
            }
            freed.samples = dropped.len();
            freed.profiles = unused.len();
            let git = self.repository.raw();
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

    /// For the account only: 0 for what can't be read.
    fn size(&self, tree: &git2::Tree<'_>, key: ObjectKey) -> u64 {
        let entry = tree.get_path(object_path(key).as_ref());
        entry.map_or(0, |entry| self.size_of(entry.id()))
    }

    /// 0 for what can't be read.
    pub(super) fn size_of(&self, id: git2::Oid) -> u64 {
        let header = self.repository.raw().odb().and_then(|odb| odb.read_header(id));
        header.map_or(0, |(size, _)| size as u64)
    }
}

/// What stays and what goes. Samples come oldest first.
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
