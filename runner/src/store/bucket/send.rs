//! Our store → entries of a bucket. What a record refers to is there before the record.

use std::collections::BTreeSet;

use super::super::entries::{StoreEntry, StoredFile as _};
use super::super::verify::{StoreFinding, StoreProblem};
use super::super::{ObjectKey, SampleRecord, StoreMergeSummary, StoredObjects, object_path};
use super::client::BucketClient;
use super::entries::{BucketEntry, EntryKind, packed};
use super::{BucketError, BucketTransfer, LocalFiles};

impl BucketTransfer<'_> {
    /// Adds to the bucket what our store holds and `there` lacks. Damaged entries of ours do not spread.
    pub(super) fn send(
        &self,
        client: &BucketClient<'_>,
        there: &BTreeSet<BucketEntry>,
    ) -> Result<StoreMergeSummary, BucketError> {
        let mut sent = StoreMergeSummary::default();
        let Some(state) = self.store.state("pushing the store")? else {
            return Ok(sent);
        };
        let (objects, _) = StoredObjects::of(self.store, &state.tree)?;
        let ours = LocalFiles::of(self.store, &state)?;
        let mut records = Vec::new();
        let mut others = Vec::new();
        // Objects of records that are there were there before them.
        let mut known = BTreeSet::new();
        for (path, (kind, _)) in &ours.files {
            let Some(Ok((entry, content))) = ours.entry(path) else {
                sent.left_out.push(StoreFinding {
                    path: path.clone(),
                    problem: kind.problem(),
                    why: String::from("it can't be read"),
                });
                continue;
            };
            let is_there = there.contains(&entry);
            match kind {
                EntryKind::Sample if is_there => {
                    let record = serde_json::from_slice::<SampleRecord>(&content).ok();
                    known.extend(record.iter().flat_map(SampleRecord::objects).map(|(_, key, _)| key));
                }
                EntryKind::Sample => records.push(entry),
                EntryKind::Verdict | EntryKind::Acknowledgement if is_there => {}
                EntryKind::Verdict | EntryKind::Acknowledgement => others.push((entry, packed(&content))),
            }
        }
        for entry in records {
            match self.contents_of(&ours, &objects, &entry, &known) {
                Ok((record, contents)) => {
                    known.extend(contents.iter().map(|(key, _)| *key));
                    sent.profiles += self.send_objects(client, &record, contents)?;
                    let content = ours.entry(&entry.path).and_then(Result::ok);
                    let file = content.map(|(_, content)| (entry.key(), packed(&content)));
                    sent.samples += client.create(file.into_iter().collect())?;
                }
                Err(finding) => sent.left_out.push(finding),
            }
        }
        for (entry, file) in others {
            let created = client.create(vec![(entry.key(), file)])?;
            match entry.kind {
                EntryKind::Verdict => sent.verdicts += created,
                EntryKind::Sample | EntryKind::Acknowledgement => sent.acknowledgements += created,
            }
        }
        sent.left_out.sort();
        Ok(sent)
    }

    /// A record of ours, and of what it refers to all that is not known to be there.
    fn contents_of(
        &self,
        ours: &LocalFiles<'_>,
        objects: &StoredObjects<'_>,
        entry: &BucketEntry,
        known: &BTreeSet<ObjectKey>,
    ) -> Result<(SampleRecord, Vec<(ObjectKey, Vec<u8>)>), StoreFinding> {
        let finding = |why: String| StoreFinding {
            path: entry.path.clone(),
            problem: StoreProblem::Record,
            why,
        };
        let mut parts = entry.path.split('/').skip(1);
        let key = parts.next().zip(parts.next());
        let key = key.and_then(|(folder, file)| SampleRecord::parse_key(folder, file));
        let blob = ours.files.get(&entry.path).map(|(_, blob)| *blob);
        let (Some(key), Some(blob)) = (key, blob) else {
            return Err(finding(String::from("it can't be read")));
        };
        let record = self.store.read_entry::<SampleRecord>(&StoreEntry { key, blob })?;
        let mut contents = Vec::new();
        let mut taken = BTreeSet::new();
        for (_, key, object) in record.objects() {
            if known.contains(&key) || !taken.insert(key) {
                continue;
            }
            if let Some(why) = objects.damage_as(object, key, self.decode) {
                return Err(finding(format!("its profile {key}: {why}")));
            }
            let content = objects.content(key).map_err(|error| finding(error.to_string()))?;
            contents.push((key, content));
        }
        Ok((record, contents))
    }

    /// Sends what a record refers to, and returns the number of new profiles.
    fn send_objects(
        &self,
        client: &BucketClient<'_>,
        record: &SampleRecord,
        contents: Vec<(ObjectKey, Vec<u8>)>,
    ) -> Result<usize, BucketError> {
        let profiles: BTreeSet<ObjectKey> = record.profiles().map(|(_, key)| key).collect();
        let (profiles, others): (Vec<_>, Vec<_>) = contents.into_iter().partition(|(key, _)| profiles.contains(key));
        let named = |contents: Vec<(ObjectKey, Vec<u8>)>| {
            let files = contents.into_iter().map(|(key, content)| (object_path(key), content));
            files.collect()
        };
        client.create(named(others))?;
        client.create(named(profiles))
    }
}
