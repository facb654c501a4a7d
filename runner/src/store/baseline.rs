//! A commit → the sample for its predictions: the newest complete one at or before it whose profiles can all be read.
//!
//! Which versions have samples is known from the names of folders. A record is read when the search comes to its version.

use std::collections::{BTreeMap, HashMap};

use super::entries::StoredFile as _;
use super::verify::StoreFolder;
use super::{
    EnvironmentId, ObjectKey, SampleRecord, Store, StoreError, StoreFinding, StoreProblem, StoreState, object_path,
};
use crate::git::{AncestryIndex, CommitId, GitError, MarkedCommit, Repository};

/// Requirements for baselines.
pub struct BaselineCriteria<'a, P> {
    /// Environment of the samples; `None` for any.
    pub environment: Option<EnvironmentId>,
    /// Decodes a profile; the error is the reason why it can't be.
    pub decode: &'a dyn Fn(&[u8]) -> Result<P, String>,
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

/// The samples of a store, indexed for queries of many commits. All queries see the store as it was when the index was made.
pub struct BaselineIndex<'a, P> {
    store: &'a Store,
    repository: &'a Repository,
    criteria: BaselineCriteria<'a, P>,
    /// The store when the index was made; `None` if there was none.
    state: Option<StoreState<'a>>,
    /// The folder with the records of each sampled commit, which the repository need not have.
    folders: BTreeMap<CommitId, StoreFolder>,
    /// Fitting samples of the commits whose records were read, best first.
    samples: HashMap<CommitId, Vec<SampleRecord>>,
    /// The profiles of samples that were found, until they are taken.
    profiles: HashMap<CommitId, BTreeMap<ObjectKey, P>>,
    /// Whether a commit's first sample is known to be complete.
    checked: HashMap<CommitId, bool>,
    /// Results along first parents, by commit.
    known: HashMap<CommitId, Option<(CommitId, u32)>>,
    /// The sampled commits among the ancestors of each version.
    ancestry: AncestryIndex,
    /// Whether some commit of the repository has a fitting sample; known once it was needed.
    has_samples: Option<bool>,
    /// A commit that merged branches need is not there: git answers for each version, as far as it can.
    is_history_broken: bool,
    /// Findings on records by path, and then those on profiles.
    set_aside: Vec<StoreFinding>,
    /// Number of findings on records.
    records_set_aside: usize,
}

impl Store {
    /// Indexes the samples that may serve as baselines.
    ///
    /// # Errors
    /// The store can't be read, or its format is newer.
    pub fn baselines<'a, P>(
        &'a self,
        repository: &'a Repository,
        criteria: BaselineCriteria<'a, P>,
    ) -> Result<BaselineIndex<'a, P>, StoreError> {
        let state = self.state("listing samples")?;
        let listed = match &state {
            Some(state) => self.folders(&state.tree, SampleRecord::FOLDER)?,
            None => Vec::new(),
        };
        let mut folders = BTreeMap::new();
        let mut set_aside = Vec::new();
        for folder in listed {
            match folder {
                Ok(folder) => match SampleRecord::parse_commit(&folder.name) {
                    Some(commit) => drop(folders.insert(commit, folder)),
                    // Nothing in it belongs to a commit.
                    None => set_aside.extend(
                        self.read_folder::<SampleRecord>(&folder)
                            .into_iter()
                            .filter_map(Result::err),
                    ),
                },
                Err(finding) => set_aside.push(finding),
            }
        }
        let ancestry = AncestryIndex::new(folders.keys().copied());
        Ok(BaselineIndex {
            store: self,
            repository,
            criteria,
            state,
            folders,
            samples: HashMap::new(),
            profiles: HashMap::new(),
            checked: HashMap::new(),
            known: HashMap::new(),
            ancestry,
            has_samples: None,
            is_history_broken: false,
            records_set_aside: set_aside.len(),
            set_aside,
        })
    }
}

impl<P> BaselineIndex<'_, P> {
    /// The sample for predictions that start from `commit`; `None` if no commit at or before has a usable one, or if a
    /// shallow clone left it out. Without any sample the history is not read.
    ///
    /// # Errors
    /// The history or the store can't be read.
    pub fn nearest(&mut self, commit: CommitId) -> Result<Option<BaselineSample>, StoreError> {
        if !self.has_samples() {
            return Ok(None);
        }
        let (found, ancestry) = match self.along_first_parents(commit)? {
            Some(found) => (Some(found), BaselineAncestry::FirstParents),
            None => (self.among_ancestors(commit)?, BaselineAncestry::Merged),
        };
        Ok(found.and_then(|(sampled, distance)| {
            let sample = self.samples.get(&sampled)?.first()?.clone();
            Some(BaselineSample {
                sample,
                distance,
                ancestry,
            })
        }))
    }

    /// The decoded profiles of a commit's sample that was found, by key; none if they were taken before.
    pub fn take_profiles(&mut self, commit: CommitId) -> BTreeMap<ObjectKey, P> {
        self.profiles.remove(&commit).unwrap_or_default()
    }

    /// Unreadable records and profiles that were skipped so far: those of versions that the search came to, and everything
    /// that lies among the samples and is none.
    #[must_use]
    pub fn set_aside(&self) -> &[StoreFinding] {
        &self.set_aside
    }

    fn along_first_parents(&mut self, commit: CommitId) -> Result<Option<(CommitId, u32)>, StoreError> {
        let mut walked = Vec::new();
        let mut next = commit;
        let found = loop {
            if let Some(known) = self.known.get(&next) {
                break *known;
            }
            walked.push(next);
            if self.usable(next)? {
                break Some((next, 0));
            }
            match self.repository.parent(next) {
                Ok(Some(parent)) => next = parent,
                Ok(None) | Err(GitError::ShallowBoundary { .. }) => break None,
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
            self.known.insert(commit, answer);
        }
        Ok(answer)
    }

    /// The nearest usable sample on a merged branch: that which lacks the fewest commits; of several, the lowest id.
    fn among_ancestors(&mut self, commit: CommitId) -> Result<Option<(CommitId, u32)>, StoreError> {
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

    /// The same as [`Self::among_ancestors`], asked of git for each sample: git needs no more of the history than the part
    /// that the two do not share.
    fn among_ancestors_by_git(&mut self, commit: CommitId) -> Result<Option<(CommitId, u32)>, StoreError> {
        let mut nearest: Option<(u32, CommitId)> = None;
        for sampled in self.folders.keys().copied().collect::<Vec<_>>() {
            if self.records(sampled).is_empty()
                || !self.repository.has_ancestor(commit, sampled)?
                || !self.usable(sampled)?
            {
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

    /// True if some commit of the repository has a fitting sample, damaged or not: only then is the history read.
    fn has_samples(&mut self) -> bool {
        if let Some(known) = self.has_samples {
            return known;
        }
        let sampled: Vec<CommitId> = self.folders.keys().copied().collect();
        let found = sampled.into_iter().any(|commit| !self.records(commit).is_empty());
        self.has_samples = Some(found);
        found
    }

    /// The fitting samples of a commit, best first; none for a commit that the repository does not have.
    fn records(&mut self, commit: CommitId) -> &[SampleRecord] {
        let Some(folder) = self.folders.get(&commit) else {
            return &[];
        };
        if !self.samples.contains_key(&commit) {
            let mut samples = Vec::new();
            for record in self.store.read_folder::<SampleRecord>(folder) {
                match record {
                    Ok(record) => samples.push(record),
                    Err(finding) => {
                        let records = &self.set_aside[..self.records_set_aside];
                        let place = records.partition_point(|known| known.path < finding.path);
                        self.set_aside.insert(place, finding);
                        self.records_set_aside += 1;
                    }
                }
            }
            let environment = self.criteria.environment;
            samples.retain(|sample: &SampleRecord| {
                let fits = environment.is_none_or(|environment| sample.environment.id() == environment);
                fits && sample.is_baseline()
            });
            if !samples.is_empty() && self.repository.commit(commit).is_err() {
                samples.clear();
            }
            samples.sort_by_key(|sample| {
                (
                    std::cmp::Reverse(sample.profiles().count()),
                    // Instructions are more precise than operations.
                    sample.environment.0.get("profiler").map(String::as_str) == Some(attribution::probes::VERSION),
                    sample.environment.id(),
                )
            });
            self.samples.insert(commit, samples);
        }
        self.samples.get(&commit).map_or(&[], Vec::as_slice)
    }

    /// True if the commit has a sample whose profiles are all complete. Others are set aside and reported.
    fn usable(&mut self, commit: CommitId) -> Result<bool, StoreError> {
        if let Some(usable) = self.checked.get(&commit) {
            return Ok(*usable);
        }
        if !self.folders.contains_key(&commit) {
            return Ok(false);
        }
        let mut whole = Vec::new();
        for sample in self.records(commit).to_vec() {
            let (profiles, findings) = self.decoded(&sample);
            if findings.is_empty() {
                if whole.is_empty() {
                    self.profiles.insert(commit, profiles);
                }
                whole.push(sample);
            }
            self.set_aside.extend(findings);
        }
        let usable = !whole.is_empty();
        self.samples.insert(commit, whole);
        self.checked.insert(commit, usable);
        Ok(usable)
    }

    /// The profiles of a sample, and the findings on those that can't be read.
    fn decoded(&self, sample: &SampleRecord) -> (BTreeMap<ObjectKey, P>, Vec<StoreFinding>) {
        let decode = |key| match &self.state {
            Some(state) => {
                let content = self.store.object_in(&state.tree, key).map_err(|error| match error {
                    StoreError::Damaged { why, .. } => why,
                    other => other.to_string(),
                })?;
                (self.criteria.decode)(&content)
            }
            None => Err("the store is gone".to_owned()),
        };
        let mut profiles = BTreeMap::new();
        let mut findings = Vec::new();
        for (_, key) in sample.profiles() {
            match decode(key) {
                Ok(profile) => drop(profiles.insert(key, profile)),
                Err(why) => findings.push(StoreFinding {
                    path: object_path(key),
                    problem: StoreProblem::Profile,
                    why,
                }),
            }
        }
        (profiles, findings)
    }
}

/// Place of the commit with the most ancestors, which lacks the fewest; of several, that with the lowest id.
fn nearest_of(contained: &[MarkedCommit]) -> Option<usize> {
    let places = 0..contained.len();
    places.max_by_key(|&place| (contained[place].size, std::cmp::Reverse(contained[place].id)))
}
