//! Entries of a bucket → our store, merged as another store would be.

use std::collections::{BTreeMap, BTreeSet};

use verdict::{Acknowledgement, VerdictReport};

use super::super::entries::StoredFile;
use super::super::pending_ref::{PendingStoreRef, remove_abandoned_refs};
use super::super::write::{StoreChange, StoreParent};
use super::super::{
    AcknowledgementPolicy, MergeHistoryPolicy, OBJECT_LIMIT, ObjectKey, SampleRecord, StoreFinding, StoreMergeOptions,
    StoreMergeSummary, StoredObjects, object_path,
};
use super::client::{BucketClient, FetchedFile};
use super::entries::{BucketEntry, EntryKind, object_file, packed_limit, unpacked};
use super::{BucketError, BucketTransfer, LocalFiles};

/// Files that are merged at once: what a killed fetch loses, and has to fetch again.
const BATCH: usize = 200;

/// The states of a file that our store does not have.
type UnknownStates = Vec<BucketEntry>;

impl BucketTransfer<'_> {
    /// Merges entries that our store does not have in the same state.
    pub(super) fn receive(
        &self,
        client: &BucketClient<'_>,
        listed: Vec<BucketEntry>,
    ) -> Result<StoreMergeSummary, BucketError> {
        remove_abandoned_refs(self.store);
        let mut merged = StoreMergeSummary::default();
        for batch in self.unknown(listed)?.chunks(BATCH) {
            merged.add(self.merge_batch(client, batch)?);
        }
        Ok(merged)
    }

    /// The states that are not those of our files, by file.
    fn unknown(&self, listed: Vec<BucketEntry>) -> Result<Vec<UnknownStates>, BucketError> {
        let mut files: BTreeMap<String, UnknownStates> = BTreeMap::new();
        for entry in listed {
            files.entry(entry.path.clone()).or_default().push(entry);
        }
        if let Some(state) = self.store.state("comparing the stores")? {
            let ours = LocalFiles::of(self.store, &state)?;
            for (path, states) in &mut files {
                if let Some(Ok((known, _))) = ours.entry(path) {
                    states.retain(|entry| *entry != known);
                }
            }
        }
        Ok(files.into_values().filter(|states| !states.is_empty()).collect())
    }

    /// Fetches states of files, and merges what those of one file say together.
    fn merge_batch(
        &self,
        client: &BucketClient<'_>,
        batch: &[UnknownStates],
    ) -> Result<StoreMergeSummary, BucketError> {
        let states: Vec<&BucketEntry> = batch.iter().flatten().collect();
        let keys: Vec<_> = states.iter().map(|entry| (entry.key(), entry.packed_limit())).collect();
        let mut contents: BTreeMap<&str, Vec<(&BucketEntry, Vec<u8>)>> = BTreeMap::new();
        let mut left_out = Vec::new();
        client.fetch(&keys, |index, file| {
            let entry = states[index];
            match content_of(entry, file) {
                Ok(content) => contents.entry(&entry.path).or_default().push((entry, content)),
                Err(finding) => left_out.push(finding),
            }
            Ok::<_, BucketError>(())
        })?;
        let mut files = BTreeMap::new();
        let mut objects = BTreeSet::new();
        let mut time = 0;
        for (path, contents) in contents {
            let Some((kind, content)) = joined(contents, &mut left_out) else {
                continue;
            };
            if kind == EntryKind::Sample
                && let Ok(record) = serde_json::from_slice::<SampleRecord>(&content)
            {
                objects.extend(record.objects().map(|(_, key, _)| key));
                time = record.committed_at.max(time);
            }
            files.insert(path.to_owned(), self.store.write_blob(&content)?);
        }
        self.fetch_objects(client, objects, &mut files)?;
        let mut merged = self.merge_files(client, &files, time)?;
        merged.left_out.extend(left_out);
        Ok(merged)
    }

    /// Fetches the objects that our store lacks. The merge reports those that are missing or altered.
    fn fetch_objects(
        &self,
        client: &BucketClient<'_>,
        mut wanted: BTreeSet<ObjectKey>,
        files: &mut BTreeMap<String, git2::Oid>,
    ) -> Result<(), BucketError> {
        if let Some(state) = self.store.state("comparing the stores")? {
            let (present, _) = StoredObjects::of(self.store, &state.tree)?;
            wanted.retain(|key| present.blob(*key).is_none());
        }
        let wanted: Vec<ObjectKey> = wanted.into_iter().collect();
        let keys: Vec<_> = wanted
            .iter()
            .map(|key| (object_file(*key), packed_limit(OBJECT_LIMIT)))
            .collect();
        client.fetch(&keys, |index, file| {
            if let FetchedFile::Content(file) = file
                && let Ok(content) = unpacked(&file, OBJECT_LIMIT)
            {
                files.insert(object_path(wanted[index]), self.store.write_blob(&content)?);
            }
            Ok(())
        })
    }

    /// Merges a store of these files into ours.
    fn merge_files(
        &self,
        client: &BucketClient<'_>,
        files: &BTreeMap<String, git2::Oid>,
        time: i64,
    ) -> Result<StoreMergeSummary, BucketError> {
        let tree = self.store.tree_with(None, files)?;
        let change = StoreChange {
            tree,
            message: format!("Fetch {} files", files.len()),
            time,
            parent: StoreParent::None,
        };
        let waiting = PendingStoreRef::at(self.store, self.store.commit(None, &change)?)?;
        let theirs = waiting.store(client.shown().to_owned())?;
        let merging = StoreMergeOptions {
            decode: self.decode,
            // Who may write the bucket may accept: as with a remote.
            accepted: AcknowledgementPolicy::Take,
            ancestors: MergeHistoryPolicy::LeaveBehind,
        };
        Ok(self.store.merge(&theirs, merging)?)
    }
}

/// Joins the states of one file; `None` if none of them can be read.
fn joined(states: Vec<(&BucketEntry, Vec<u8>)>, left_out: &mut Vec<StoreFinding>) -> Option<(EntryKind, Vec<u8>)> {
    let kind = states.first()?.0.kind;
    let joined = match kind {
        EntryKind::Sample => joined_as::<SampleRecord>(states, left_out),
        EntryKind::Verdict => joined_as::<VerdictReport>(states, left_out),
        EntryKind::Acknowledgement => joined_as::<Acknowledgement>(states, left_out),
    };
    Some((kind, joined?))
}

fn joined_as<T: StoredFile>(states: Vec<(&BucketEntry, Vec<u8>)>, left_out: &mut Vec<StoreFinding>) -> Option<Vec<u8>> {
    let mut readable = Vec::new();
    for (entry, content) in states {
        match entry.decoded::<T>(&content) {
            Ok(file) => readable.push((file, content)),
            Err(finding) => left_out.push(finding),
        }
    }
    if readable.len() == 1 {
        // As it is: then the next fetch sees that our store has it.
        return readable.pop().map(|(_, content)| content);
    }
    let joined = readable.into_iter().map(|(file, _)| file).reduce(T::joined);
    joined.map(|joined| joined.encoded())
}

fn content_of(entry: &BucketEntry, file: FetchedFile) -> Result<Vec<u8>, StoreFinding> {
    match file {
        FetchedFile::Content(file) => entry.unpacked(&file),
        FetchedFile::Missing => Err(entry.finding(String::from("somebody removed it meanwhile"))),
        FetchedFile::TooLarge(size) => {
            Err(entry.finding(format!("its {size} bytes exceed the limit of {}", entry.packed_limit())))
        }
    }
}
