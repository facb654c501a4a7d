//! A version → the entries that a prediction for it needs: samples of the sampled versions nearest before it, what was
//! measured since the oldest of them, and all acknowledgements.
//!
//! A prediction starts from the nearest sample along first parents, and without one from the nearest among all ancestors (see
//! [`Store::baselines`](super::super::Store::baselines)). So both ways are gone, by the same rules.

use std::collections::BTreeSet;

use super::super::StoreError;
use super::BucketError;
use super::entries::{BucketEntry, EntryKind};
use crate::git::{AncestryIndex, CommitId, GitError, MarkedCommit, Repository};

/// Leaves of the entries those that a prediction for `version` needs, with samples of `count` versions along each way.
pub(super) fn select(
    repository: &Repository,
    version: CommitId,
    count: u32,
    entries: &mut Vec<BucketEntry>,
) -> Result<(), BucketError> {
    let sampled = versions_of(entries, EntryKind::Sample);
    let line = along_first_parents(repository, version, count, &sampled).map_err(StoreError::from)?;
    let marked = sampled
        .union(&versions_of(entries, EntryKind::Verdict))
        .copied()
        .collect();
    let before = before(repository, version, &marked).map_err(StoreError::from)?;

    let mut nearest: Vec<&MarkedCommit> = before.iter().filter(|marked| sampled.contains(&marked.id)).collect();
    // Who has the most ancestors lacks the fewest commits.
    nearest.sort_by_key(|marked| std::cmp::Reverse(marked.size));
    nearest.truncate(count as usize);
    let oldest = nearest.last().map_or(0, |marked| marked.size);
    let mut wanted: BTreeSet<CommitId> = nearest.iter().map(|marked| marked.id).collect();
    wanted.extend(line.intersection(&sampled));
    let mut measured: BTreeSet<CommitId> = before
        .iter()
        .filter(|marked| marked.size >= oldest)
        .map(|marked| marked.id)
        .collect();
    measured.extend(line);

    entries.retain(|entry| match (entry.kind, entry.version()) {
        (EntryKind::Sample, Some(version)) => wanted.contains(&version),
        (EntryKind::Verdict, Some(version)) => measured.contains(&version),
        (EntryKind::Sample | EntryKind::Verdict, None) => false,
        (EntryKind::Acknowledgement, _) => true,
    });
    Ok(())
}

fn versions_of(entries: &[BucketEntry], kind: EntryKind) -> BTreeSet<CommitId> {
    let entries = entries.iter().filter(|entry| entry.kind == kind);
    entries.filter_map(BucketEntry::version).collect()
}

/// A version and the first parents before it, back to the last of so many sampled ones.
fn along_first_parents(
    repository: &Repository,
    version: CommitId,
    count: u32,
    sampled: &BTreeSet<CommitId>,
) -> Result<BTreeSet<CommitId>, GitError> {
    let mut line = BTreeSet::new();
    let mut left = count;
    let mut next = Some(version);
    while let Some(commit) = next {
        line.insert(commit);
        left -= u32::from(sampled.contains(&commit));
        if left == 0 {
            break;
        }
        next = match repository.parent(commit) {
            // Versions that a shallow clone left out are no base of a prediction here.
            Err(GitError::ShallowBoundary { .. }) => None,
            parent => parent?,
        };
    }
    Ok(line)
}

/// The marked versions at or before a version; none where the history is not complete.
fn before(
    repository: &Repository,
    version: CommitId,
    marked: &BTreeSet<CommitId>,
) -> Result<Vec<MarkedCommit>, GitError> {
    let mut index = AncestryIndex::new(marked.iter().copied());
    match index.at_or_before(repository, version) {
        Ok((_, found)) => Ok(found.to_vec()),
        Err(GitError::MissingObject { .. } | GitError::PartialClone { .. } | GitError::ShallowBoundary { .. }) => {
            Ok(Vec::new())
        }
        Err(other) => Err(other),
    }
}
