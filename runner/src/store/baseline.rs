//! A commit → the sample for its predictions: the newest complete one at or before it whose profiles can all be read.

use std::collections::{BTreeMap, HashMap};

use super::{
    EnvironmentId, ProfileValidator, SampleRecord, Store, StoreError, StoreFinding, StoreProblem, object_path,
};
use crate::git::{AncestryIndex, CommitId, GitError, HistoryEnd, MarkedCommit, Repository};

/// Requirements for baselines.
#[derive(Clone, Copy)]
pub struct BaselineCriteria<'a> {
    /// Environment of the samples; `None` for any.
    pub environment: Option<EnvironmentId>,
    /// Checks whether a profile can be decoded.
    pub decode: ProfileValidator<'a>,
}

/// A sample and its distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineSample {
    /// The sample.
    pub sample: SampleRecord,
    /// Commits from the sampled one to the requested one; 0 if they are the same.
    pub distance: u32,
    /// The path between the two.
    pub ancestry: BaselineAncestry,
}

/// Path from a sampled commit to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineAncestry {
    /// Along first parents.
    FirstParents,
    /// Through a merged branch; the distance counts all commits that the sample lacks.
    Merged,
}

/// The answer for one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearestBaseline {
    /// The sample; `None` if no commit at or before has a usable one.
    pub baseline: Option<BaselineSample>,
    /// End of the search along first parents: the limit if it found something, or the boundary of a shallow clone if
    /// older samples may be out of reach.
    pub end: HistoryEnd,
}

/// The samples of a store, indexed for queries of many commits.
pub struct BaselineIndex<'a> {
    store: &'a Store,
    repository: &'a Repository,
    decode: ProfileValidator<'a>,
    /// Usable samples of the repository's commits, best first.
    samples: BTreeMap<CommitId, Vec<SampleRecord>>,
    /// Whether a commit's first sample is known to be complete.
    checked: HashMap<CommitId, bool>,
    /// Results along first parents, by commit.
    known: HashMap<CommitId, (Option<(CommitId, u32)>, HistoryEnd)>,
    /// The sampled commits among the ancestors of each version.
    ancestry: AncestryIndex,
    /// A commit that merged branches need is not there: git answers for each version, as far as it can.
    is_history_broken: bool,
    set_aside: Vec<StoreFinding>,
}

impl Store {
    /// Indexes the samples that may serve as baselines.
    ///
    /// # Errors
    /// The store can't be read, or its format is newer.
    pub fn baselines<'a>(
        &'a self,
        repository: &'a Repository,
        candidates: BaselineCriteria<'a>,
    ) -> Result<BaselineIndex<'a>, StoreError> {
        let all = self.samples()?;
        let mut samples: BTreeMap<CommitId, Vec<SampleRecord>> = BTreeMap::new();
        for sample in all.samples {
            let fits = candidates
                .environment
                .is_none_or(|environment| sample.environment.id() == environment);
            if fits && sample.is_baseline() && repository.commit(sample.commit).is_ok() {
                samples.entry(sample.commit).or_default().push(sample);
            }
        }
        for of_commit in samples.values_mut() {
            of_commit.sort_by_key(|sample| {
                (
                    std::cmp::Reverse(sample.profiles().count()),
                    // Instructions are more precise than operations.
                    sample.environment.0.get("profiler").map(String::as_str) == Some(attribution::probes::VERSION),
                    sample.environment.id(),
                )
            });
        }
        let ancestry = AncestryIndex::new(samples.keys().copied());
        let (checked, known, set_aside) = (HashMap::new(), HashMap::new(), all.set_aside);
        Ok(BaselineIndex {
            store: self,
            repository,
            decode: candidates.decode,
            samples,
            checked,
            known,
            ancestry,
            is_history_broken: false,
            set_aside,
        })
    }
}

impl BaselineIndex<'_> {
    /// The sample for predictions that start from `commit`.
    ///
    /// # Errors
    /// The history or the store can't be read.
    pub fn nearest(&mut self, commit: CommitId) -> Result<NearestBaseline, StoreError> {
        let (found, end) = self.along_first_parents(commit)?;
        let (found, ancestry) = match found {
            Some(found) => (Some(found), BaselineAncestry::FirstParents),
            None => (self.among_ancestors(commit)?, BaselineAncestry::Merged),
        };
        let baseline = found.and_then(|(sampled, distance)| {
            let sample = self.samples.get(&sampled)?.first()?.clone();
            Some(BaselineSample {
                sample,
                distance,
                ancestry,
            })
        });
        Ok(NearestBaseline { baseline, end })
    }

    /// Unreadable records and profiles that were skipped so far.
    #[must_use]
    pub fn set_aside(&self) -> &[StoreFinding] {
        &self.set_aside
    }

    fn along_first_parents(&mut self, commit: CommitId) -> Result<(Option<(CommitId, u32)>, HistoryEnd), StoreError> {
        let mut walked = Vec::new();
        let mut next = commit;
        let (found, end) = loop {
            if let Some(known) = self.known.get(&next) {
                break *known;
            }
            walked.push(next);
            if self.usable(next)? {
                break (Some((next, 0)), HistoryEnd::Limit);
            }
            match self.repository.parent(next) {
                Ok(Some(parent)) => next = parent,
                Ok(None) => break (None, HistoryEnd::Root),
                Err(GitError::ShallowBoundary { .. }) => break (None, HistoryEnd::ShallowBoundary),
                Err(other) => return Err(other.into()),
            }
        };
        // Kept for each commit on the way: a range queries one after the other.
        let mut answer = found;
        for commit in walked.into_iter().rev() {
            answer = match answer {
                Some((sampled, _)) if sampled == commit => Some((commit, 0)),
                Some((sampled, distance)) => Some((sampled, distance + 1)),
                None => None,
            };
            self.known.insert(commit, (answer, end));
        }
        Ok((answer, end))
    }

    /// The nearest usable sample on a merged branch: that which lacks the fewest commits; of several, the lowest id.
    fn among_ancestors(&mut self, commit: CommitId) -> Result<Option<(CommitId, u32)>, StoreError> {
        if self.samples.is_empty() {
            return Ok(None);
        }
        if self.is_history_broken {
            return self.among_ancestors_by_git(commit);
        }
        let (size, contained) = match self.ancestry.at_or_before(self.repository, commit) {
            Ok(found) => found,
            Err(GitError::MissingObject { .. } | GitError::PartialClone { .. }) => {
                self.is_history_broken = true;
                return self.among_ancestors_by_git(commit);
            }
            Err(other) => return Err(other.into()),
        };
        let is_candidate = |marked: &&MarkedCommit| self.checked.get(&marked.id) != Some(&false);
        let mut candidates: Vec<MarkedCommit> = contained.iter().filter(is_candidate).copied().collect();
        while let Some(at) = nearest_of(&candidates) {
            let nearest = candidates.swap_remove(at);
            if self.usable(nearest.id)? {
                let distance = u32::try_from(size - nearest.size).unwrap_or(u32::MAX);
                return Ok(Some((nearest.id, distance)));
            }
        }
        Ok(None)
    }

    /// What [`Self::among_ancestors`] finds, asked of git for each sample: git needs no more of the history than the part
    /// that the two do not share.
    fn among_ancestors_by_git(&mut self, commit: CommitId) -> Result<Option<(CommitId, u32)>, StoreError> {
        let mut nearest: Option<(u32, CommitId)> = None;
        for sampled in self.samples.keys().copied().collect::<Vec<_>>() {
            if !self.repository.has_ancestor(commit, sampled)? || !self.usable(sampled)? {
                continue;
            }
            let (ahead, _) = self
                .repository
                .raw()
                .graph_ahead_behind(commit.oid(), sampled.oid())
                .map_err(GitError::during(format!(
                    "counting the commits from {sampled} to {commit}"
                )))?;
            let distance = u32::try_from(ahead).unwrap_or(u32::MAX);
            if nearest.is_none_or(|best| (distance, sampled) < best) {
                nearest = Some((distance, sampled));
            }
        }
        Ok(nearest.map(|(distance, sampled)| (sampled, distance)))
    }

    /// True if the commit has a sample whose profiles are all complete. Others are set aside and reported.
    fn usable(&mut self, commit: CommitId) -> Result<bool, StoreError> {
        if let Some(usable) = self.checked.get(&commit) {
            return Ok(*usable);
        }
        if let Some(samples) = self.samples.get_mut(&commit) {
            let state = self.store.state("reading profiles")?;
            samples.retain(|sample| {
                let damaged = |key| match &state {
                    Some(state) => self.store.damage(&state.tree, key, self.decode),
                    None => Some("the store is gone".to_owned()),
                };
                let findings: Vec<StoreFinding> = sample
                    .profiles()
                    .filter_map(|(_, key)| {
                        let why = damaged(key)?;
                        Some(StoreFinding {
                            path: object_path(key),
                            problem: StoreProblem::Profile,
                            why,
                        })
                    })
                    .collect();
                let whole = findings.is_empty();
                self.set_aside.extend(findings);
                whole
            });
        }
        let usable = self.samples.get(&commit).is_some_and(|samples| !samples.is_empty());
        self.checked.insert(commit, usable);
        Ok(usable)
    }
}

/// Place of the commit with the most ancestors, which lacks the fewest; of several, that with the lowest id.
fn nearest_of(contained: &[MarkedCommit]) -> Option<usize> {
    let places = 0..contained.len();
    places.max_by_key(|&place| (contained[place].size, std::cmp::Reverse(contained[place].id)))
}
