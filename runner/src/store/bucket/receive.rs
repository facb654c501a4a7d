//! Entries of a bucket → our store, merged as another store would be.

use std::collections::{BTreeMap, BTreeSet};

use super::super::pending_ref::{PendingStoreRef, remove_abandoned_refs};
use super::super::write::{StoreChange, StoreParent};
use super::super::{
    AcknowledgementPolicy, MergeHistoryPolicy, OBJECT_LIMIT, ObjectKey, SampleRecord, StoreFinding,
    StoreMergeOptions, StoreMergeSummary, StoredObjects, object_path,
};
use super::client::{BucketClient, FetchedFile};
use super::entries::{BucketEntry, EntryKind};
use super::{BucketError, BucketTransfer, LocalFiles};

/// Entries that are merged at once: what a killed fetch loses, and has to fetch again.
const BATCH: usize = 200;

impl BucketTransfer<'_> {
    /// Merges entries that our store does not have in the same state.
    pub(super) fn receive(
        &self,
        client: &BucketClient<'_>,
        listed: Vec<BucketEntry>,
    ) -> Result<StoreMergeSummary, BucketError> {
        remove_abandoned_refs(self.store);
        let mut merged = StoreMergeSummary::default();
        for batch in batches(self.unknown(listed)?) {
            merged.add(self.merge_batch(client, &batch)?);
        }
        Ok(merged)
    }

    /// The entries whose state is not that of our file.
    fn unknown(&self, listed: Vec<BucketEntry>) -> Result<Vec<BucketEntry>, BucketError> {
        let Some(state) = self.store.state("comparing the stores")? else {
            return Ok(listed);
        };
        let ours = LocalFiles::of(self.store, &state)?;
        let mut known: BTreeMap<String, Option<ObjectKey>> = BTreeMap::new();
        let is_unknown = |entry: &BucketEntry| {
            let content = known.entry(entry.path.clone()).or_insert_with(|| {
                let (entry, _) = ours.entry(&entry.path)?.ok()?;
                Some(entry.content)
            });
            *content != Some(entry.content)
        };
        Ok(listed.into_iter().filter(is_unknown).collect())
    }

    /// Merges entries, of which no two have the same path.
    fn merge_batch(
        &self,
        client: &BucketClient<'_>,
        batch: &[BucketEntry],
    ) -> Result<StoreMergeSummary, BucketError> {
        let mut files = BTreeMap::new();
        let mut left_out = Vec::new();
        let mut objects = BTreeSet::new();
        let mut time = 0;
        let keys: Vec<_> = batch.iter().map(|entry| (entry.key(), entry.compressed_limit())).collect();
        client.fetch(&keys, |index, file| {
            let entry = &batch[index];
            match content_of(entry, file) {
                Ok(content) => {
                    if entry.kind == EntryKind::Sample
                        && let Ok(record) = serde_json::from_slice::<SampleRecord>(&content)
                    {
                        objects.extend(record.objects().map(|(_, key, _)| key));
                        time = record.committed_at.max(time);
                    }
                    files.insert(entry.path.clone(), self.store.write_blob(&content)?);
                }
                Err(finding) => left_out.push(finding),
            }
            Ok::<_, BucketError>(())
        })?;
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
        let keys: Vec<_> = wanted.into_iter().map(|key| (object_path(key), OBJECT_LIMIT)).collect();
        client.fetch(&keys, |index, file| {
            if let FetchedFile::Content(content) = file {
                files.insert(keys[index].0.clone(), self.store.write_blob(&content)?);
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

/// Divides entries into batches, in which no two have the same path.
fn batches(entries: Vec<BucketEntry>) -> Vec<Vec<BucketEntry>> {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    let mut layers: Vec<Vec<BucketEntry>> = Vec::new();
    for entry in entries {
        let state = states.entry(entry.path.clone()).or_default();
        if *state == layers.len() {
            layers.push(Vec::new());
        }
        layers[*state].push(entry);
        *state += 1;
    }
    let batches = layers.iter().flat_map(|layer| layer.chunks(BATCH));
    batches.map(<[BucketEntry]>::to_vec).collect()
}

fn content_of(entry: &BucketEntry, file: FetchedFile) -> Result<Vec<u8>, StoreFinding> {
    match file {
        FetchedFile::Content(file) => entry.unpacked(&file),
        FetchedFile::Missing => Err(entry.finding(String::from("somebody removed it meanwhile"))),
        FetchedFile::TooLarge(size) => Err(entry.finding(format!(
            "its {size} bytes exceed the limit of {}",
            entry.compressed_limit()
        ))),
    }
}
