//! The state of another store → our store with everything that it contains. Incoming entries are not trusted: those
//! that can't be read or decoded, or lie at a wrong path, are left out and reported; none of our entries is replaced by
//! them.
//!
//! Of two entries at one path, the one with more information counts, by orders without ties, so that stores may be
//! merged in any order and any number of times. Damaged entries of ours stay, unless the other store has the intact
//! entry.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use verdict::{Acknowledgement, VerdictReport};

use super::entries::{StoreEntry, StoredFile};
use super::sample_record::StoredObject;
use super::verify::strays_at_the_top;
use super::write::{StoreChange, StoreParent, StoreRefUpdate, check_size};
use super::{
    EnvironmentId, FORMAT, FORMAT_LIMIT, FORMAT_NAME, ObjectKey, ProfileValidator, RECORD_LIMIT, SampleRecord, Store,
    StoreError, StoreFinding, StoreProblem, StoreState, StoredObjects, object_path, record_path,
};
use crate::git::CommitId;

/// Size limit of all records: thirty thousand samples of 200 benchmarks. Each is small, but git can compress many into a
/// small file.
const RECORDS_LIMIT: u64 = 2 << 30;

/// Most commits that are traversed: one for each profile ever taken.
const HISTORY_LIMIT: usize = 1 << 20;

/// Options of a merge.
#[derive(Clone, Copy)]
pub struct StoreMergeOptions<'a> {
    /// Checks whether a profile can be decoded.
    pub decode: ProfileValidator<'a>,
    /// Whether the other store's acknowledgements are accepted.
    pub accepted: AcknowledgementPolicy,
    /// Treatment of the other store's history.
    pub ancestors: MergeHistoryPolicy,
}

/// Treatment of incoming acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcknowledgementPolicy {
    /// Accept them: only people who may accept a regression can write the other store.
    Take,
    /// Leave them out and report them: a job that ran a contributor's code could have written them.
    LeaveOut,
}

/// Treatment of the other store's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeHistoryPolicy {
    /// It becomes part of our history. Its objects must be in our repository.
    Join,
    /// It is dropped: only verified contents are merged.
    LeaveBehind,
}

/// Contents added by a merge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreMergeSummary {
    /// Number of new or extended samples.
    pub samples: usize,
    /// Number of new profiles.
    pub profiles: usize,
    /// Number of new verdicts, and of those with more information.
    pub verdicts: usize,
    /// Number of new or later acknowledgements.
    pub acknowledgements: usize,
    /// Entries of the other store that were left out, with the reason; by path.
    pub left_out: Vec<StoreFinding>,
}

impl StoreMergeSummary {
    /// True if the other store contained nothing new.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.samples + self.profiles + self.verdicts + self.acknowledgements == 0
    }

    /// Adds what another merge into the same store contained.
    pub(super) fn add(&mut self, other: StoreMergeSummary) {
        self.samples += other.samples;
        self.profiles += other.profiles;
        self.verdicts += other.verdicts;
        self.acknowledgements += other.acknowledgements;
        self.left_out.extend(other.left_out);
        self.left_out.sort();
        self.left_out.dedup();
    }
}

/// Result of merging one state into another.
pub(super) struct StoreMergeResult {
    pub(super) step: StoreRefUpdate,
    pub(super) merged: StoreMergeSummary,
}

impl Store {
    /// Adds everything that only the other store contains. A missing store adds nothing.
    ///
    /// # Errors
    /// One of the stores can't be read or has a newer format; ours can't be written. Our previous state is intact.
    pub fn merge(&self, theirs: &Store, merging: StoreMergeOptions<'_>) -> Result<StoreMergeSummary, StoreError> {
        let Some(incoming) = theirs.state("merging a store")? else {
            return Ok(StoreMergeSummary::default());
        };
        let mut merged = StoreMergeSummary::default();
        self.update_ref("merging a store", |ours| {
            let joined = self.merged_state(ours, (theirs, &incoming), merging)?;
            merged = joined.merged;
            Ok(joined.step)
        })?;
        Ok(merged)
    }

    /// Merges `incoming` into `base`, a state in our repository. Writes objects, but moves no ref.
    pub(super) fn merged_state(
        &self,
        base: Option<&StoreState<'_>>,
        incoming: (&Store, &StoreState<'_>),
        merging: StoreMergeOptions<'_>,
    ) -> Result<StoreMergeResult, StoreError> {
        let (theirs, incoming) = incoming;
        let join = merging.ancestors == MergeHistoryPolicy::Join;
        let holds = |one, other| join && self.has_ancestor(one, other);
        if base.is_some_and(|base| holds(base.commit, incoming.commit)) {
            return Ok(StoreMergeResult {
                step: StoreRefUpdate::Stay,
                merged: StoreMergeSummary::default(),
            });
        }
        let mut union = StoreMerge::new(self, base, theirs, incoming, merging);
        union.format()?;
        union.samples()?;
        union.merged.verdicts = union.files::<VerdictReport>()?;
        union.merged.acknowledgements = union.files::<Acknowledgement>()?;
        let (tree, merged) = union.finish()?;
        let is_forward = base.is_none_or(|base| holds(incoming.commit, base.commit));
        let step = if join && is_forward && tree == incoming.tree.id() {
            StoreRefUpdate::Forward(incoming.commit)
        } else if base.is_some_and(|base| base.tree.id() == tree) {
            StoreRefUpdate::Stay
        } else {
            let time = base
                .map_or(0, |base| self.time_of(base.commit))
                .max(theirs.time_of(incoming.commit));
            StoreRefUpdate::Write(StoreChange {
                tree,
                message: format!(
                    "Merge {} samples, {} profiles, {} verdicts, {} acknowledgements",
                    merged.samples, merged.profiles, merged.verdicts, merged.acknowledgements
                ),
                time,
                parent: match merging.ancestors {
                    MergeHistoryPolicy::Join => StoreParent::And(incoming.commit),
                    MergeHistoryPolicy::LeaveBehind => StoreParent::State,
                },
            })
        };
        Ok(StoreMergeResult { step, merged })
    }

    /// True if the history of one state contains the other. Unreadable commits are not traversed: then the states are
    /// merged.
    pub(super) fn has_ancestor(&self, state: git2::Oid, ancestor: git2::Oid) -> bool {
        let mut seen = BTreeSet::from([state]);
        let mut next = vec![state];
        while let Some(commit) = next.pop() {
            if commit == ancestor {
                return true;
            }
            if seen.len() > HISTORY_LIMIT {
                return false;
            }
            // Not by libgit2's own search, which never ends if a commit's file was cut short.
            if let Ok(commit) = self.repository.commit(CommitId::of(commit)) {
                next.extend(commit.parent_ids().filter(|parent| seen.insert(*parent)));
            }
        }
        false
    }

    /// The contents that a record refers to; `None` if it can't be read. Each is read once: a push that loses races merges again and again.
    fn objects_of(&self, entry: &StoreEntry<SampleRecordKey>) -> Option<Arc<[NamedObject]>> {
        let place = (entry.key, entry.blob);
        if let Some(known) = self.named.borrow().get(&place) {
            return Some(Arc::clone(known));
        }
        let record = self.read_entry::<SampleRecord>(entry).ok()?;
        let objects: Arc<[NamedObject]> = record.objects().map(|(_, key, object)| (key, object)).collect();
        self.named.borrow_mut().insert(place, Arc::clone(&objects));
        Some(objects)
    }

    fn time_of(&self, commit: git2::Oid) -> i64 {
        let found = self.repository.raw().find_commit(commit);
        found.map_or(0, |commit| commit.time().seconds())
    }

    /// The format blob, if it has exactly the text that a lito of this format writes.
    fn plain_format(&self, tree: &git2::Tree<'_>) -> Option<Vec<u8>> {
        let content = self.content(tree.get_name("format")?.id(), FORMAT_LIMIT).ok()?;
        let version = std::str::from_utf8(&content)
            .ok()?
            .strip_prefix(&format!("{FORMAT_NAME}{FORMAT}\ninstall lito "))?
            .strip_suffix(" or newer\n")?;
        version
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
            .then_some(content)
    }
}

/// Identity of a record.
type SampleRecordKey = (CommitId, EnvironmentId);

/// A content that a record refers to.
type NamedObject = (ObjectKey, StoredObject);

/// The contents that records refer to, of the records that were read.
pub(super) type NamedObjects = RefCell<BTreeMap<(SampleRecordKey, git2::Oid), Arc<[NamedObject]>>>;

/// The contents of both sides of a merge.
struct BothSides<'a> {
    /// Ours; `None` if there is no store here.
    present: Option<StoredObjects<'a>>,
    /// Theirs.
    offered: StoredObjects<'a>,
    decode: ProfileValidator<'a>,
    /// Whether a content is intact on either side.
    whole: BTreeMap<(ObjectKey, StoredObject), Result<(), String>>,
}

impl BothSides<'_> {
    /// Refuses a record that refers to a profile which is damaged on both sides.
    fn complete(&mut self, place: SampleRecordKey, record: &SampleRecord) -> Result<(), StoreFinding> {
        for (_, key, object) in record.objects() {
            self.is_whole(key, object).map_err(|why| StoreFinding {
                path: record_path(place.0, place.1),
                problem: StoreProblem::Record,
                why: format!("its profile {key}: {why}"),
            })?;
        }
        Ok(())
    }

    fn is_whole(&mut self, key: ObjectKey, object: StoredObject) -> Result<(), String> {
        if let Some(known) = self.whole.get(&(key, object)) {
            return known.clone();
        }
        let ours = (self.present.as_ref()).is_some_and(|present| present.damage_as(object, key, self.decode).is_none());
        let verdict = match ours {
            true => Ok(()),
            false => match self.offered.damage_as(object, key, self.decode) {
                None => Ok(()),
                Some(why) => Err(why),
            },
        };
        self.whole.insert((key, object), verdict.clone());
        verdict
    }

    /// Whether theirs has a content that ours lacks, or has only damaged.
    fn is_to_be_taken(&self, key: ObjectKey, object: StoredObject) -> bool {
        let Some(theirs) = self.offered.blob(key) else {
            return false;
        };
        match self.present.as_ref().and_then(|present| present.blob(key)) {
            // Seen to be intact on either side, so on theirs.
            None if self.whole.get(&(key, object)) == Some(&Ok(())) => true,
            Some(ours) if ours == theirs => false,
            // If both sides have a profile with different contents, at most one is intact.
            _ => self.offered.damage_as(object, key, self.decode).is_none(),
        }
    }
}

/// A merge in progress.
struct StoreMerge<'a> {
    ours: &'a Store,
    base: Option<&'a StoreState<'a>>,
    theirs: &'a Store,
    incoming: &'a git2::Tree<'a>,
    merging: StoreMergeOptions<'a>,
    /// Files of the result that differ from the base.
    files: BTreeMap<String, git2::Oid>,
    /// Profiles of the base that no record of the result refers to.
    gone: Vec<ObjectKey>,
    merged: StoreMergeSummary,
}

impl<'a> StoreMerge<'a> {
    fn new(
        ours: &'a Store,
        base: Option<&'a StoreState<'a>>,
        theirs: &'a Store,
        incoming: &'a StoreState<'a>,
        merging: StoreMergeOptions<'a>,
    ) -> Self {
        Self {
            ours,
            base,
            theirs,
            incoming: &incoming.tree,
            merging,
            files: BTreeMap::new(),
            gone: Vec::new(),
            merged: StoreMergeSummary {
                left_out: strays_at_the_top(&incoming.tree),
                ..StoreMergeSummary::default()
            },
        }
    }

    /// Several versions of lito write the same format: the oldest of them is named.
    fn format(&mut self) -> Result<(), StoreError> {
        let base = self.base.and_then(|base| self.ours.plain_format(&base.tree));
        let incoming = self.theirs.plain_format(self.incoming);
        if let Some(incoming) = incoming
            && base.as_ref().is_none_or(|base| incoming < *base)
        {
            self.put(String::from("format"), &incoming)?;
        }
        Ok(())
    }

    fn samples(&mut self) -> Result<(), StoreError> {
        let mut ours = BTreeMap::new();
        let mut all_readable = true;
        if let Some(base) = self.base {
            for entry in self.ours.entries::<SampleRecord>(&base.tree)? {
                match entry {
                    Ok(entry) => drop(ours.insert(entry.key, entry)),
                    Err(_) => all_readable = false,
                }
            }
        }
        let (offered, strays) = StoredObjects::of(self.theirs, self.incoming)?;
        self.merged.left_out.extend(strays);
        let present = match self.base {
            Some(base) => Some(StoredObjects::of(self.ours, &base.tree)?.0),
            None => None,
        };
        let mut objects = BothSides {
            present,
            offered,
            decode: self.merging.decode,
            whole: BTreeMap::new(),
        };
        // No more than two records are held at once: a large store has hundreds of megabytes of them.
        let mut named = BTreeMap::new();
        let mut read = 0;
        for entry in self.theirs.entries::<SampleRecord>(self.incoming)? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(finding) => {
                    self.merged.left_out.push(finding);
                    continue;
                }
            };
            let known = ours.get(&entry.key);
            if known.is_some_and(|known| known.blob == entry.blob) {
                continue;
            }
            read += self.theirs.size_of(entry.blob);
            if read > RECORDS_LIMIT {
                let why = format!("its records exceed the limit of {RECORDS_LIMIT} bytes");
                return Err(self.theirs.unreadable(why));
            }
            let known = known.and_then(|known| self.ours.read_entry::<SampleRecord>(known).ok());
            let record = self.theirs.read_entry::<SampleRecord>(&entry);
            let joined = record.and_then(|record| {
                objects.complete(entry.key, &record)?;
                self.encoded(entry.key, known.as_ref(), record)
            });
            match joined {
                Ok(None) => {}
                Ok(Some((record, json))) => {
                    self.put(record_path(entry.key.0, entry.key.1), &json)?;
                    ours.remove(&entry.key);
                    named.extend(record.objects().map(|(_, key, object)| (key, object)));
                    self.merged.samples += 1;
                }
                Err(finding) => self.merged.left_out.push(finding),
            }
        }
        for entry in ours.values() {
            match self.ours.objects_of(entry) {
                Some(objects) => named.extend(objects.iter().copied()),
                None => all_readable = false,
            }
        }
        self.profiles(&objects, &named, all_readable)
    }

    /// The joined record as stored; `None` if it equals ours.
    fn encoded(
        &self,
        place: SampleRecordKey,
        known: Option<&SampleRecord>,
        record: SampleRecord,
    ) -> Result<Option<(SampleRecord, Vec<u8>)>, StoreFinding> {
        let joined = match known {
            Some(known) => known.clone().joined_with(&record),
            None => record,
        };
        if known == Some(&joined) {
            return Ok(None);
        }
        let bad = |why: String| StoreFinding {
            path: record_path(place.0, place.1),
            problem: StoreProblem::Record,
            why,
        };
        let json = serde_json::to_vec_pretty(&joined).map_err(|error| bad(error.to_string()))?;
        check_size("it, together with ours,", json.len(), RECORD_LIMIT).map_err(|error| bad(error.to_string()))?;
        Ok(Some((joined, json)))
    }

    /// Adds the profiles that the result refers to, and removes the others.
    fn profiles(
        &mut self,
        objects: &BothSides<'_>,
        named: &BTreeMap<ObjectKey, StoredObject>,
        all_readable: bool,
    ) -> Result<(), StoreError> {
        for (key, object) in named {
            if objects.is_to_be_taken(*key, *object) {
                let content = objects.offered.content(*key)?;
                self.put(object_path(*key), &content)?;
                self.merged.profiles += usize::from(*object == StoredObject::Profile);
            }
        }
        // An unreadable record may refer to any of them.
        if all_readable {
            let present = objects.present.iter().flat_map(StoredObjects::keys);
            self.gone = present.filter(|key| !named.contains_key(key)).collect();
        }
        Ok(())
    }

    /// Merges the files of a kind one by one, and returns how many are new or say more.
    fn files<T: StoredFile>(&mut self) -> Result<usize, StoreError> {
        let mut known = BTreeMap::new();
        if let Some(base) = self.base {
            for entry in self.ours.entries::<T>(&base.tree)?.into_iter().flatten() {
                known.insert(T::path(&entry.key), entry);
            }
        }
        let mut added = 0;
        for entry in self.theirs.entries::<T>(self.incoming)? {
            let joined = entry.and_then(|entry| {
                let path = T::path(&entry.key);
                let joined = self.joined::<T>(known.get(&path), &entry)?;
                Ok(joined.map(|json| (path, json)))
            });
            match joined {
                Ok(None) => {}
                Ok(Some((path, json))) => {
                    self.put(path, &json)?;
                    added += 1;
                }
                Err(finding) => self.merged.left_out.push(finding),
            }
        }
        Ok(added)
    }

    /// Joins a file of ours and theirs; `None` if the result is what ours says.
    fn joined<T: StoredFile>(
        &self,
        ours: Option<&StoreEntry<T::Key>>,
        theirs: &StoreEntry<T::Key>,
    ) -> Result<Option<Vec<u8>>, StoreFinding> {
        if ours.is_some_and(|ours| ours.blob == theirs.blob) {
            return Ok(None);
        }
        if T::PROBLEM == StoreProblem::Acknowledgement && self.merging.accepted == AcknowledgementPolicy::LeaveOut {
            return Err(StoreFinding {
                path: T::path(&theirs.key),
                problem: T::PROBLEM,
                why: String::from("its author is not verified"),
            });
        }
        let theirs = self.theirs.read_entry::<T>(theirs)?;
        let Some(ours) = ours.and_then(|ours| self.ours.read_entry::<T>(ours).ok()) else {
            return Ok(Some(theirs.encoded()));
        };
        let known = ours.encoded();
        let joined = ours.joined(theirs).encoded();
        Ok((joined != known).then_some(joined))
    }

    fn put(&mut self, path: String, content: &[u8]) -> Result<git2::Oid, StoreError> {
        let blob = self.ours.write_blob(content)?;
        self.files.insert(path, blob);
        Ok(blob)
    }

    fn finish(mut self) -> Result<(git2::Oid, StoreMergeSummary), StoreError> {
        self.merged.left_out.sort();
        let base = self.base.map(|base| &base.tree);
        let tree = self.ours.tree_with(base, &self.files)?;
        if self.gone.is_empty() {
            return Ok((tree, self.merged));
        }
        let git = self.ours.writing()?;
        let failed = |error: git2::Error| self.ours.write_error(error.message());
        let mut update = git2::build::TreeUpdateBuilder::new();
        for key in &self.gone {
            update.remove(object_path(*key));
        }
        let tree = git
            .find_tree(tree)
            .and_then(|tree| update.create_updated(git, &tree))
            .map_err(failed)?;
        Ok((tree, self.merged))
    }
}
