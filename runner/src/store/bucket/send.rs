//! Our store → entries of a bucket. What a record refers to is there before the record.

use std::collections::BTreeSet;

use super::super::sample_record::StoredObject;
use super::super::verify::StoreFinding;
use super::super::{ObjectKey, SampleRecord, StoreMergeSummary, StoredObjects};
use super::client::{BucketClient, BucketFile};
use super::entries::{BucketEntry, EntryKind, object_file, packed};
use super::{BucketError, BucketTransfer, LocalFiles};

/// A sample with everything that it refers to and that is not known to be in the bucket.
struct OutgoingSample {
    record: BucketFile,
    profiles: Vec<BucketFile>,
    inputs: Vec<BucketFile>,
    /// Of both.
    keys: BTreeSet<ObjectKey>,
}

impl BucketTransfer<'_> {
    /// Adds to the bucket what our store holds and `there` lacks. Damaged entries of ours do not spread.
    pub(super) fn send(
        &self,
        client: &BucketClient<'_>,
        there: &BTreeSet<BucketEntry>,
    ) -> Result<StoreMergeSummary, BucketError> {
        let mut sent = StoreMergeSummary::default();
        let Some(state) = self.store.state(client.attempt())? else {
            return Ok(sent);
        };
        let (objects, _) = StoredObjects::of(self.store, &state.tree)?;
        let ours = LocalFiles::of(self.store, &state)?;
        let mut samples = Vec::new();
        // Whatever samples that are there refer to was there before them.
        let mut known = BTreeSet::new();
        for (path, file) in &ours.files {
            let (entry, content) = match ours.entry(path) {
                Some(Ok(read)) => read,
                Some(Err(why)) => {
                    sent.left_out.push(StoreFinding {
                        path: path.clone(),
                        problem: file.kind.problem(),
                        why,
                    });
                    continue;
                }
                None => continue,
            };
            match (file.kind, there.contains(&entry)) {
                (EntryKind::Sample, true) => {
                    let record = serde_json::from_slice::<SampleRecord>(&content).ok();
                    known.extend(record.iter().flat_map(SampleRecord::objects).map(|(_, key, _)| key));
                }
                (EntryKind::Sample, false) => samples.push(entry),
                (EntryKind::Verdict | EntryKind::Acknowledgement, true) => {}
                (EntryKind::Verdict, false) => sent.verdicts += create(client, &entry, &content)?,
                (EntryKind::Acknowledgement, false) => sent.acknowledgements += create(client, &entry, &content)?,
            }
        }
        for entry in samples {
            match self.prepared(&ours, &objects, &entry, &known) {
                Ok(sample) => {
                    client.create(sample.inputs)?;
                    sent.profiles += client.create(sample.profiles)?;
                    sent.samples += client.create(vec![sample.record])?;
                    known.extend(sample.keys);
                }
                Err(finding) => sent.left_out.push(finding),
            }
        }
        sent.left_out.sort();
        Ok(sent)
    }

    /// A sample of ours, if everything that it refers to is intact.
    fn prepared(
        &self,
        ours: &LocalFiles<'_>,
        objects: &StoredObjects<'_>,
        entry: &BucketEntry,
        known: &BTreeSet<ObjectKey>,
    ) -> Result<OutgoingSample, StoreFinding> {
        let read = ours
            .entry(&entry.path)
            .unwrap_or_else(|| Err(String::from("it is gone")));
        let (_, content) = read.map_err(|why| entry.finding(why))?;
        let record: SampleRecord = entry.decoded(&content)?;
        let mut sample = OutgoingSample {
            record: (entry.key(), packed(&content)),
            profiles: Vec::new(),
            inputs: Vec::new(),
            keys: BTreeSet::new(),
        };
        for (_, key, object) in record.objects() {
            if known.contains(&key) || !sample.keys.insert(key) {
                continue;
            }
            if let Some(why) = objects.damage_as(object, key, self.decode) {
                return Err(entry.finding(format!("its profile {key}: {why}")));
            }
            let content = objects.content(key).map_err(|error| entry.finding(error.to_string()))?;
            let files = match object {
                StoredObject::Profile => &mut sample.profiles,
                StoredObject::Inputs => &mut sample.inputs,
            };
            files.push((object_file(key), packed(&content)));
        }
        Ok(sample)
    }
}

/// Sends a JSON file that refers to nothing, and returns how many are new.
fn create(client: &BucketClient<'_>, entry: &BucketEntry, content: &[u8]) -> Result<usize, BucketError> {
    client.create(vec![(entry.key(), packed(content))])
}
