//! A store in a bucket of an object storage ↔ our store.
//!
//! ```text
//! format                                                        `lito.bucket/1`, and the required version of lito
//! objects/<2 digits>/<62 digits>.gz                             as in the store
//! samples/<commit>/<environment id>/<hash>.json.gz              a state of a record, by the hash of its content
//! verdicts/<head>/<base>-<environment id>/<hash>.json.gz        likewise
//! acknowledgements/<pull>/<head>-<32 digits>/<hash>.json.gz     likewise
//! ```
//! Contents are compressed by gzip. Every key is written once, on the condition that it does not exist, and names its
//! content. So writers never wait for each other, repeat what they are not sure of, and cannot undo each other's work; no
//! clock counts. What a record refers to is written before it. Readers merge all states of a record, in any order, by the
//! rules of [`Store::merge`].
//!
//! Contents are untrusted: sizes, hashes and forms are checked as those of any store elsewhere.

mod address;
mod client;
mod entries;
mod error;
mod http;
mod nearest;
mod receive;
mod send;

use std::collections::BTreeMap;
use std::time::Duration;

use verdict::{Acknowledgement, VerdictReport};

pub use address::BucketAddress;
pub use error::BucketError;

use super::entries::StoredFile;
use super::remote::{StoreFetchOutcome, StorePushOutcome};
use super::{ObjectKey, ProfileValidator, SampleRecord, Store, StoreError, StoreFinding, StoreProblem, StoreState};
use crate::git::{CommitId, Repository};
use crate::process::InterruptionFlag;
use client::{BucketClient, FetchedFile};
use entries::{BucketEntry, EntryKind};

/// The format that this lito writes, and the newest that it reads.
const FORMAT: u32 = 1;

/// Text of the format before the number.
const FORMAT_NAME: &str = "lito.bucket/";

/// The format holds two lines.
const FORMAT_LIMIT: u64 = 1024;

/// Parameters of a transfer.
#[derive(Clone, Copy)]
pub struct BucketTransfer<'a> {
    /// The repository of the sampled versions.
    pub repository: &'a Repository,
    /// Our store.
    pub store: &'a Store,
    /// The bucket, and the place in it.
    pub address: &'a BucketAddress,
    /// Checks whether a profile can be decoded.
    pub decode: ProfileValidator<'a>,
    /// Time limit of each request.
    pub time_limit: Duration,
    /// The user's request to stop.
    pub interruption: &'a InterruptionFlag,
}

/// The part of a store that is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorePart {
    /// All of it.
    Whole,
    /// The part that a prediction for a version needs: samples of the versions nearest before it.
    Nearest {
        /// The version.
        version: CommitId,
        /// Number of versions with samples.
        count: u32,
    },
}

impl BucketTransfer<'_> {
    /// Merges a part of the bucket's store into ours.
    ///
    /// # Errors
    /// The bucket can't be reached or read, or its store has a newer format; the history can't be read, or our store can't
    /// be written.
    pub fn fetch(&self, part: StorePart) -> Result<StoreFetchOutcome, BucketError> {
        const ATTEMPT: &str = "fetching the store";
        self.store.state(ATTEMPT)?;
        let client = self.client(ATTEMPT)?;
        if !has_store(&client)? {
            return Ok(StoreFetchOutcome::NoStore);
        }
        let mut listing = list(&client)?;
        if let StorePart::Nearest { version, count } = part {
            nearest::select(self.repository, version, count, &mut listing.entries)?;
        }
        let mut merged = self.receive(&client, listing.entries)?;
        merged.left_out.extend(listing.strays);
        Ok(StoreFetchOutcome::Merged(merged))
    }

    /// Adds what our store holds to the bucket's. Of what the bucket holds, ours gets what belongs to the same versions.
    ///
    /// # Errors
    /// Those of [`BucketTransfer::fetch`]; the bucket can't be written. What was sent before is kept, and a repetition goes
    /// on from there.
    pub fn push(&self) -> Result<StorePushOutcome, BucketError> {
        const ATTEMPT: &str = "pushing the store";
        let Some(state) = self.store.state(ATTEMPT)? else {
            return Ok(StorePushOutcome::NothingHere);
        };
        let client = self.client(ATTEMPT)?;
        if !has_store(&client)? {
            create_store(&client)?;
        }
        let listing = list(&client)?;
        let ours = LocalFiles::of(self.store, &state)?;
        // A record of ours is sent together with what others know of the same version: so the newest state is complete.
        let shared = listing
            .entries
            .iter()
            .filter(|entry| ours.files.contains_key(&entry.path));
        let mut received = self.receive(&client, shared.cloned().collect())?;
        received.left_out.extend(listing.strays);
        let there = listing.entries.into_iter().collect();
        let sent = self.send(&client, &there)?;
        Ok(match sent.is_empty() && sent.left_out.is_empty() {
            true => StorePushOutcome::NothingNew(received),
            false => StorePushOutcome::Sent {
                received,
                sent,
                lost: 0,
            },
        })
    }

    fn client(&self, attempt: &'static str) -> Result<BucketClient<'_>, BucketError> {
        BucketClient::new(attempt, self.address, self.time_limit, self.interruption)
    }
}

/// Everything that a bucket holds besides objects.
struct BucketListing {
    entries: Vec<BucketEntry>,
    /// Keys in its folders that no lito writes.
    strays: Vec<StoreFinding>,
}

fn list(client: &BucketClient<'_>) -> Result<BucketListing, BucketError> {
    let mut listing = BucketListing {
        entries: Vec::new(),
        strays: Vec::new(),
    };
    for kind in EntryKind::ALL {
        for key in client.list(kind.folder())? {
            match BucketEntry::parse(kind, &key) {
                Some(entry) => listing.entries.push(entry),
                None => listing.strays.push(StoreFinding {
                    path: key,
                    problem: StoreProblem::Stray,
                    why: String::from("no lito writes this path in this format"),
                }),
            }
        }
    }
    Ok(listing)
}

/// Whether there is a store that this lito reads.
fn has_store(client: &BucketClient<'_>) -> Result<bool, BucketError> {
    let mut format = FetchedFile::Missing;
    client.fetch(&[(String::from("format"), FORMAT_LIMIT)], |_, file| {
        format = file;
        Ok::<_, BucketError>(())
    })?;
    let theirs = |why: String, remedy: String| BucketError::Theirs {
        attempt: client.attempt(),
        bucket: client.shown().to_owned(),
        why,
        remedy,
    };
    let elsewhere = || String::from("name another place in the bucket");
    let format = match format {
        FetchedFile::Missing => return Ok(false),
        FetchedFile::TooLarge(_) => return Err(theirs(String::from("it is not a lito store"), elsewhere())),
        FetchedFile::Content(format) => String::from_utf8_lossy(&format).into_owned(),
    };
    let mut lines = format.lines();
    let version = lines.next().and_then(|line| line.strip_prefix(FORMAT_NAME));
    match version.and_then(|version| version.parse::<u32>().ok()) {
        Some(found) if found <= FORMAT => Ok(true),
        Some(found) => Err(theirs(
            format!("its store has format {found}, this lito reads formats up to {FORMAT}"),
            lines
                .next()
                .filter(|hint| !hint.is_empty())
                .unwrap_or("install a newer lito")
                .to_owned(),
        )),
        None => Err(theirs(
            String::from("it is not a lito store: its `format` is malformed"),
            elsewhere(),
        )),
    }
}

fn create_store(client: &BucketClient<'_>) -> Result<(), BucketError> {
    let needs = env!("CARGO_PKG_VERSION");
    let format = format!("{FORMAT_NAME}{FORMAT}\ninstall lito {needs} or newer\n");
    client.create(vec![(String::from("format"), format.into_bytes())])?;
    Ok(())
}

/// The JSON files of a state of our store.
struct LocalFiles<'a> {
    store: &'a Store,
    /// By path.
    files: BTreeMap<String, LocalFile>,
}

/// Kind and content of a JSON file of our store.
#[derive(Debug, Clone, Copy)]
struct LocalFile {
    kind: EntryKind,
    blob: git2::Oid,
}

impl<'a> LocalFiles<'a> {
    fn of(store: &'a Store, state: &StoreState<'_>) -> Result<Self, StoreError> {
        let mut files = BTreeMap::new();
        for kind in EntryKind::ALL {
            let paths = match kind {
                EntryKind::Sample => paths_of::<SampleRecord>(store, state)?,
                EntryKind::Verdict => paths_of::<VerdictReport>(store, state)?,
                EntryKind::Acknowledgement => paths_of::<Acknowledgement>(store, state)?,
            };
            files.extend(paths.into_iter().map(|(path, blob)| (path, LocalFile { kind, blob })));
        }
        Ok(Self { store, files })
    }

    /// The state of a file, with its content.
    fn entry(&self, path: &str) -> Option<Result<(BucketEntry, Vec<u8>), String>> {
        let LocalFile { kind, blob } = *self.files.get(path)?;
        Some(self.store.content(blob, kind.limit()).map(|content| {
            let entry = BucketEntry {
                kind,
                path: path.to_owned(),
                content: ObjectKey::of(&content),
            };
            (entry, content)
        }))
    }
}

/// The files of a kind at the paths that lito writes, each with its content.
fn paths_of<T: StoredFile>(store: &Store, state: &StoreState<'_>) -> Result<Vec<(String, git2::Oid)>, StoreError> {
    let entries = store.entries::<T>(&state.tree)?.into_iter().flatten();
    Ok(entries.map(|entry| (T::path(&entry.key), entry.blob)).collect())
}
