//! Samples → a git ref of the repository, and back: content-addressed, versioned, verified on reading.
//!
//! ```text
//! format                                     `lito.store/1`, and the required version of lito
//! samples/<commit>/<environment id>.json     a [`SampleRecord`]
//! objects/<2 digits>/<62 digits>             profiles and inputs of benchmarks, by the blake3 hash of their bytes
//! verdicts/<head>/<base>-<environment id>.json   measurement results of two versions
//! acknowledgements/<pull>/<head>-<32 digits>.json   an accepted regression; the digits are the benchmark's hash
//! ```
//! Paths consist of hashes only, never of names from contents. Every change is a commit on top of the last one, and the
//! ref moves by compare-and-swap; contents are on disk before the ref refers to them. A killed writer leaves nothing that
//! the next one does not remove. Contents of the ref are
//! untrusted: sizes are checked before contents are read, and an unreadable store is never treated as empty. Does not
//! know what a profile's bytes mean.

mod acknowledgements;
mod baseline;
pub mod bucket;
mod entries;
mod error;
mod garbage_collection;
mod incoming_objects;
mod merge;
mod parts;
mod pending_ref;
mod ref_update;
pub mod remote;
mod sample_record;
mod stored_objects;
#[cfg(test)]
mod tests;
mod verdicts;
mod verify;
mod write;

use std::cell::OnceCell;

pub use acknowledgements::StoredAcknowledgements;
pub use baseline::{BaselineAncestry, BaselineCriteria, BaselineIndex, BaselineSample};
pub use error::StoreError;
pub use garbage_collection::{
    ExpiredSample, ExpiryReason, GoneCommitPolicy, RetentionPolicy, StoreGcSummary, StoredProfiles,
};
pub use merge::{AcknowledgementPolicy, MergeHistoryPolicy, StoreMergeOptions, StoreMergeSummary};
pub use sample_record::{
    Environment, EnvironmentId, ObjectKey, SampleOutcome, SampleRecord, SampleState, StoreKeyError,
};
pub use verdicts::StoredVerdicts;
pub use verify::{ProfileValidator, StoreFinding, StoreProblem};

use crate::git::{CommitId, GitError, Repository};
use entries::StoredFile as _;
use incoming_objects::IncomingObjects;
use merge::NamedObjects;
use ref_update::RefFile;
use stored_objects::StoredObjects;

/// Default URL of the store.
pub const DEFAULT_URL: &str = "git:refs/lito/store";

/// The format that this lito writes, and the newest that it reads.
const FORMAT: u32 = 1;

/// Text of a format blob before the number.
const FORMAT_NAME: &str = "lito.store/";

/// The format blob holds two lines.
const FORMAT_LIMIT: u64 = 1024;

/// Size limit of a record: some ten thousand benchmarks.
const RECORD_LIMIT: u64 = 16 << 20;

/// Size limit of a profile. Most take a few hundred kilobytes; one of a whole program with its dependencies takes some
/// megabytes.
const OBJECT_LIMIT: u64 = 256 << 20;

/// Size limit of a folder: half a million entries; git itself has no limit.
const TREE_LIMIT: u64 = 32 << 20;

/// The profile store of a repository. Not shared between threads: each opens its own.
pub struct Store {
    repository: Repository,
    reference: String,
    /// Name for messages: the ref, or the origin of the state that the ref holds.
    name: String,
    /// Objects that no ref refers to yet; from the first write on.
    incoming: OnceCell<IncomingObjects>,
    /// Records that merges have read.
    named: NamedObjects,
}

/// Every readable sample, and the findings on the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredSamples {
    /// By time of the commit, oldest first, then by commit and environment.
    pub samples: Vec<SampleRecord>,
    /// Findings on unreadable records.
    pub set_aside: Vec<StoreFinding>,
}

impl StoredSamples {
    fn add(&mut self, records: impl IntoIterator<Item = Result<SampleRecord, StoreFinding>>) {
        for record in records {
            match record {
                Ok(record) => self.samples.push(record),
                Err(finding) => self.set_aside.push(finding),
            }
        }
    }

    fn sort(&mut self) {
        let order = |sample: &SampleRecord| (sample.committed_at, sample.commit, sample.environment.id());
        self.samples.sort_by_key(order);
    }
}

/// State of the ref at one moment.
struct StoreState<'repo> {
    commit: git2::Oid,
    tree: git2::Tree<'repo>,
}

impl Store {
    /// Opens the store of a repository; it need not exist yet.
    ///
    /// # Errors
    /// The URL does not start with `git:`, the ref is a branch or tag, or the repository no longer exists.
    pub fn open(repository: &Repository, url: &str) -> Result<Store, StoreError> {
        let bad = |why| StoreError::BadUrl {
            url: url.to_owned(),
            why,
        };
        let reference = url
            .strip_prefix("git:")
            .ok_or_else(|| bad("only refs of the repository are supported"))?;
        if !reference.starts_with("refs/") || !git2::Reference::is_valid_name(reference) {
            return Err(bad("it does not name a git ref"));
        }
        if ["refs/heads/", "refs/tags/", "refs/remotes/"]
            .iter()
            .any(|taken| reference.starts_with(taken))
        {
            return Err(bad("a branch or tag can't hold the store"));
        }
        Ok(Store {
            repository: repository.reopen()?,
            reference: reference.to_owned(),
            name: reference.to_owned(),
            incoming: OnceCell::new(),
            named: NamedObjects::default(),
        })
    }

    /// The same store under a name that states its origin.
    fn named(self, name: String) -> Store {
        Store { name, ..self }
    }

    /// The ref that holds the store.
    #[must_use]
    pub fn reference(&self) -> &str {
        &self.reference
    }

    /// All samples. An unreadable record is set aside and reported.
    ///
    /// # Errors
    /// The store can't be read, or its format is newer.
    pub fn samples(&self) -> Result<StoredSamples, StoreError> {
        let Some(state) = self.state("listing samples")? else {
            return Ok(StoredSamples::default());
        };
        let mut found = StoredSamples::default();
        found.add(self.read_entries(&state.tree)?);
        found.sort();
        Ok(found)
    }

    /// The samples of one version, by environment.
    ///
    /// # Errors
    /// Those of [`Store::samples`].
    pub fn sample(&self, commit: CommitId) -> Result<StoredSamples, StoreError> {
        let Some(state) = self.state("listing samples")? else {
            return Ok(StoredSamples::default());
        };
        let name = commit.to_string();
        let mut found = StoredSamples::default();
        for folder in self.folders(&state.tree, SampleRecord::FOLDER)?.into_iter().flatten() {
            if folder.name == name {
                found.add(self.read_folder(&folder));
            }
        }
        found.sort();
        Ok(found)
    }

    /// The bytes stored under a key, verified against it.
    ///
    /// # Errors
    /// They are missing, too large or altered, or the store can't be read.
    pub fn object(&self, key: ObjectKey) -> Result<Vec<u8>, StoreError> {
        let damaged = |why: &str| StoreError::Damaged {
            key,
            why: why.to_owned(),
        };
        let state = self
            .state("reading a profile")?
            .ok_or_else(|| damaged("there is no store"))?;
        self.object_in(&state.tree, key)
    }

    fn object_in(&self, tree: &git2::Tree<'_>, key: ObjectKey) -> Result<Vec<u8>, StoreError> {
        let damaged = |why: String| StoreError::Damaged { key, why };
        let entry = tree
            .get_path(object_path(key).as_ref())
            .map_err(|error| damaged(format!("it is missing ({})", error.message())))?;
        self.object_of(key, entry.id())
    }

    /// The current state of the ref, with its format checked; `None` if there is no such ref.
    fn state(&self, attempt: &'static str) -> Result<Option<StoreState<'_>>, StoreError> {
        let unreadable = |why: String| self.unreadable(why);
        let commit = match self.ref_file().value() {
            Ok(Some(commit)) => commit,
            Ok(None) => return Ok(None),
            Err(error) => return Err(unreadable(error.message().to_owned())),
        };
        let tree = self
            .repository
            .commit(CommitId::of(commit))
            .and_then(|commit| self.folder(commit.tree_id()))
            .map_err(|error| unreadable(error.to_string()))?;
        let format = tree.get_name("format").map(|entry| entry.id());
        let format = format.ok_or_else(|| unreadable("it is not a lito store: it has no `format`".to_owned()))?;
        let format = self
            .content(format, FORMAT_LIMIT)
            .map_err(|why| unreadable(format!("`format`: {why}")))?;
        let format = String::from_utf8_lossy(&format);
        let mut lines = format.lines();
        let version = lines
            .next()
            .and_then(|line| line.strip_prefix(FORMAT_NAME))
            .and_then(|version| version.parse().ok());
        match version {
            None => Err(unreadable(
                "it is not a lito store: its `format` is malformed".to_owned(),
            )),
            Some(found) if found > FORMAT => {
                let hint: String = lines
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .filter(|c| c.is_ascii_graphic() || *c == ' ')
                    .collect();
                let remedy = if hint.is_empty() {
                    "install a newer lito".to_owned()
                } else {
                    hint
                };
                Err(StoreError::Newer {
                    attempt,
                    reference: self.name.clone(),
                    found,
                    known: FORMAT,
                    remedy,
                })
            }
            Some(_) => Ok(Some(StoreState { commit, tree })),
        }
    }

    fn ref_file(&self) -> RefFile<'_> {
        RefFile {
            git: self.repository.raw(),
            name: &self.reference,
        }
    }

    fn unreadable(&self, why: String) -> StoreError {
        StoreError::Unreadable {
            reference: self.name.clone(),
            why,
        }
    }

    /// Reads a folder, checking its size first.
    fn folder(&self, id: git2::Oid) -> Result<git2::Tree<'_>, GitError> {
        let git = self.repository.raw();
        let (size, _) = git
            .odb()
            .and_then(|odb| odb.read_header(id))
            .map_err(GitError::object("tree", id))?;
        if size as u64 > TREE_LIMIT {
            return Err(GitError::Git {
                attempt: format!("reading tree {id}"),
                source: git2::Error::from_str(&format!("its {size} bytes exceed the limit of {TREE_LIMIT}")),
            });
        }
        self.repository.tree(id)
    }

    /// Reads a blob of at most `limit` bytes, checking its size first.
    fn content(&self, id: git2::Oid, limit: u64) -> Result<Vec<u8>, String> {
        let message = |error: git2::Error| error.message().to_owned();
        let odb = self.repository.raw().odb().map_err(message)?;
        let (size, kind) = odb.read_header(id).map_err(message)?;
        if kind != git2::ObjectType::Blob {
            return Err("it is not a file".to_owned());
        }
        if size as u64 > limit {
            return Err(format!("its {size} bytes exceed the limit of {limit}"));
        }
        self.repository
            .refuse_truncated_object("file", id)
            .map_err(|_| "its content was cut short".to_owned())?;
        let object = odb.read(id).map_err(message)?;
        if object.data().len() != size {
            return Err("the length of its content contradicts its header".to_owned());
        }
        Ok(object.data().to_vec())
    }
}

/// The path of an object: its hash.
fn object_path(key: ObjectKey) -> String {
    let hex = key.to_string();
    format!("objects/{}/{}", &hex[..2], &hex[2..])
}

/// The path of a record.
fn record_path(commit: CommitId, environment: EnvironmentId) -> String {
    format!("samples/{commit}/{environment}.json")
}
