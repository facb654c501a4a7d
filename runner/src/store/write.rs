//! A sample → a new commit on the store's ref. Whenever this fails, the ref refers to either the old state or the new
//! one, both complete.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::entries::StoreEntry;
use super::incoming_objects::{IncomingObjects, remove_abandoned_objects};
use super::ref_update::RefUpdateResult;
use super::{
    FORMAT, FORMAT_NAME, OBJECT_LIMIT, ObjectKey, RECORD_LIMIT, SampleRecord, Store, StoreError, StoreState,
    object_path, record_path,
};
use crate::backoff::backoff_pause;

/// Latest time of a commit, the end of 2099: git refuses times that are much larger, and records may state any.
const LATEST: i64 = 4_102_444_799;

/// Attempts to move the ref while others move it. Eight writers in a tight loop needed up to nine.
const ATTEMPTS: u32 = 20;

/// The first pause between attempts; each is longer than the last.
const FIRST_PAUSE: Duration = Duration::from_millis(5);

/// The longest pause between attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

impl Store {
    /// Records a sample with the profiles that it refers to, or merges it into the existing record (see
    /// [`SampleRecord`]: knowledge is kept). When this returns, it is on disk.
    ///
    /// # Errors
    /// The store is newer or unreadable, a profile is neither given nor stored, the file system refuses, or others keep
    /// changing the store. The previous state is intact.
    pub fn record(&self, sample: &SampleRecord, profiles: &[Vec<u8>]) -> Result<(), StoreError> {
        let given = self.write_profiles(sample, profiles)?;
        let message = format!(
            "Sample {} ({} benchmarks)",
            sample.commit.short(),
            sample.benchmarks.len()
        );
        self.update("recording a sample", |state| {
            let record = self.merged(state, sample)?;
            for (benchmark, key, _) in record.objects() {
                let stored = state.is_some_and(|state| state.tree.get_path(object_path(key).as_ref()).is_ok());
                if !stored && !given.contains_key(&key) {
                    let benchmark = benchmark.to_owned();
                    return Err(StoreError::ProfileNotGiven {
                        commit: sample.commit.to_string(),
                        benchmark,
                        key,
                    });
                }
            }
            let json = serde_json::to_vec_pretty(&record).map_err(|error| self.write_error(&error.to_string()))?;
            check_size(&format!("the record of {}", sample.commit), json.len(), RECORD_LIMIT)?;
            let mut files: BTreeMap<String, git2::Oid> =
                given.iter().map(|(key, blob)| (object_path(*key), *blob)).collect();
            files.insert(
                record_path(sample.commit, sample.environment.id()),
                self.write_blob(&json)?,
            );
            let tree = self.tree_with(state.map(|state| &state.tree), &files)?;
            Ok(Some(StoreChange {
                tree,
                message: message.clone(),
                time: sample.committed_at,
                parent: StoreParent::State,
            }))
        })
    }

    /// Moves the ref to the result of `change` on its current state, repeatedly while others move it. `None` changes
    /// nothing.
    pub(super) fn update(
        &self,
        attempt: &'static str,
        mut change: impl FnMut(Option<&StoreState<'_>>) -> Result<Option<StoreChange>, StoreError>,
    ) -> Result<(), StoreError> {
        self.update_ref(attempt, |state| {
            Ok(change(state)?.map_or(StoreRefUpdate::Stay, StoreRefUpdate::Write))
        })
    }

    /// Like [`Store::update`], but the next state may exist already.
    pub(super) fn update_ref(
        &self,
        attempt: &'static str,
        mut next: impl FnMut(Option<&StoreState<'_>>) -> Result<StoreRefUpdate, StoreError>,
    ) -> Result<(), StoreError> {
        self.remove_abandoned();
        for round in 0..ATTEMPTS {
            let state = self.state(attempt)?;
            let state = state.as_ref();
            let moved = match next(state)? {
                // Also where the ref stays, an object may have been written in the place of a damaged one.
                StoreRefUpdate::Stay => return self.publish(),
                StoreRefUpdate::Write(change) => self.advance(state, &change)?,
                StoreRefUpdate::Forward(commit) => self.move_to(state, commit, "Forward")?,
            };
            match moved {
                RefUpdateResult::Moved => return Ok(()),
                RefUpdateResult::Lost => std::thread::sleep(backoff_pause(FIRST_PAUSE, LONGEST_PAUSE, round)),
            }
        }
        Err(StoreError::Busy {
            reference: self.reference.clone(),
            attempts: ATTEMPTS,
            lock: self.ref_file().lock_path(),
        })
    }

    /// Commits and moves the ref, if it is still at `state`.
    fn advance(&self, state: Option<&StoreState<'_>>, change: &StoreChange) -> Result<RefUpdateResult, StoreError> {
        if change.parent == StoreParent::State && state.is_some_and(|state| state.tree.id() == change.tree) {
            self.publish()?;
            return Ok(RefUpdateResult::Moved);
        }
        let commit = self.commit(state.map(|state| state.commit), change)?;
        self.move_to(state, commit, &change.message)
    }

    /// Writes a commit that no ref refers to yet.
    pub(super) fn commit(&self, before: Option<git2::Oid>, change: &StoreChange) -> Result<git2::Oid, StoreError> {
        let git = self.writing()?;
        let failed = |error: git2::Error| self.write_error(error.message());
        let tree = git.find_tree(change.tree).map_err(failed)?;
        // The sampled commit's time and a fixed author: the same samples give the same store.
        let time = git2::Time::new(change.time.clamp(0, LATEST), 0);
        let author = git2::Signature::new("lito", "lito@localhost", &time).map_err(failed)?;
        let mut parents: Vec<git2::Oid> = match change.parent {
            StoreParent::None => Vec::new(),
            StoreParent::State => before.into_iter().collect(),
            StoreParent::And(other) => before.into_iter().chain([other]).collect(),
        };
        // Any two merges of the same two states create the same commit.
        parents.sort_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
        let parents = parents
            .into_iter()
            .map(|parent| git.find_commit(parent))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        git.commit(None, &author, &author, &change.message, &tree, &parents)
            .map_err(failed)
    }

    /// Moves the ref, if it is still at `state`.
    fn move_to(
        &self,
        state: Option<&StoreState<'_>>,
        commit: git2::Oid,
        message: &str,
    ) -> Result<RefUpdateResult, StoreError> {
        self.publish()?;
        let expected = state.map(|state| state.commit);
        let moved = self.ref_file().advance(expected, commit, message);
        moved.map_err(|error| self.write_error(&error.to_string()))
    }

    /// Puts all objects that were written so far into the repository.
    pub(super) fn publish(&self) -> Result<(), StoreError> {
        match self.incoming.get() {
            Some(incoming) => incoming.publish().map_err(|error| self.write_error(&error.to_string())),
            None => Ok(()),
        }
    }

    /// Removes what killed processes left of their writes.
    pub(crate) fn remove_abandoned(&self) {
        self.ref_file().remove_abandoned();
        if self.incoming.get().is_none() {
            remove_abandoned_objects(&self.objects());
        }
    }

    fn objects(&self) -> PathBuf {
        self.repository.common_dir().join("objects")
    }

    /// The repository, which from now on writes new objects into a folder of their own.
    pub(super) fn writing(&self) -> Result<&git2::Repository, StoreError> {
        let git = self.repository.raw();
        if self.incoming.get().is_none() {
            remove_abandoned_objects(&self.objects());
            let incoming = IncomingObjects::beside(&self.objects()).map_err(|why| self.write_error(&why))?;
            let database = incoming.database().and_then(|database| git.set_odb(&database));
            database.map_err(|error| self.write_error(error.message()))?;
            let _ = self.incoming.set(incoming);
        }
        Ok(git)
    }

    /// The existing record, if any, with `sample` merged into it. An unreadable record is not overwritten.
    fn merged(&self, state: Option<&StoreState<'_>>, sample: &SampleRecord) -> Result<SampleRecord, StoreError> {
        let environment = sample.environment.id();
        let path = record_path(sample.commit, environment);
        let found = match state.map(|state| state.tree.get_path(path.as_ref())) {
            None => return Ok(sample.clone()),
            Some(Err(error)) if error.code() == git2::ErrorCode::NotFound => {
                return Ok(sample.clone());
            }
            Some(Err(error)) => {
                return Err(self.unreadable(format!("`{path}`: {}", error.message())));
            }
            Some(Ok(entry)) => entry,
        };
        let entry = StoreEntry {
            key: (sample.commit, environment),
            blob: found.id(),
        };
        match self.read_entry::<SampleRecord>(&entry) {
            Ok(record) => Ok(record.merged_with(sample)),
            Err(finding) => Err(self.unreadable(format!("`{}`: {}", finding.path, finding.why))),
        }
    }

    /// Writes the profiles that the sample refers to. Others would be unused.
    fn write_profiles(
        &self,
        sample: &SampleRecord,
        profiles: &[Vec<u8>],
    ) -> Result<BTreeMap<ObjectKey, git2::Oid>, StoreError> {
        // Before anything is written: a newer store receives no blob either.
        self.state("recording a sample")?;
        let mut given = BTreeMap::new();
        for profile in profiles {
            let key = ObjectKey::of(profile);
            if sample.objects().any(|(_, named, _)| named == key) {
                check_size(&format!("profile {key}"), profile.len(), OBJECT_LIMIT)?;
                given.insert(key, self.write_blob(profile)?);
            }
        }
        Ok(given)
    }

    /// Writes a blob. Git does not rewrite an existing object, even if its file is damaged: a damaged file is removed
    /// first.
    pub(super) fn write_blob(&self, content: &[u8]) -> Result<git2::Oid, StoreError> {
        let git = self.writing()?;
        let write = || {
            let written = git.blob(content);
            written.map_err(|error| self.write_error(error.message()))
        };
        let blob = write()?;
        if self.content(blob, OBJECT_LIMIT).is_ok_and(|stored| stored == content) {
            return Ok(blob);
        }
        let hex = blob.to_string();
        let damaged = self.objects().join(&hex[..2]).join(&hex[2..]);
        std::fs::remove_file(&damaged)
            .map_err(|error| self.write_error(&format!("replacing the damaged {}: {error}", damaged.display())))?;
        write()
    }

    /// Writes `base` (or a new store) with these files.
    pub(super) fn tree_with(
        &self,
        base: Option<&git2::Tree<'_>>,
        files: &BTreeMap<String, git2::Oid>,
    ) -> Result<git2::Oid, StoreError> {
        let git = self.writing()?;
        let failed = |error: git2::Error| self.write_error(error.message());
        let mut update = git2::build::TreeUpdateBuilder::new();
        for (path, blob) in files {
            update.upsert(path.as_str(), *blob, git2::FileMode::Blob);
        }
        if let Some(base) = base {
            return update.create_updated(git, base).map_err(failed);
        }
        let needs = env!("CARGO_PKG_VERSION");
        let format = format!("{FORMAT_NAME}{FORMAT}\ninstall lito {needs} or newer\n");
        if !files.contains_key("format") {
            let format = self.write_blob(format.as_bytes())?;
            update.upsert("format", format, git2::FileMode::Blob);
        }
        let empty = git
            .treebuilder(None)
            .and_then(|builder| builder.write())
            .map_err(failed)?;
        let empty = git.find_tree(empty).map_err(failed)?;
        update.create_updated(git, &empty).map_err(failed)
    }

    pub(super) fn write_error(&self, why: &str) -> StoreError {
        StoreError::Write {
            attempt: "writing the store",
            folder: self.repository.common_dir().to_path_buf(),
            // libgit2's message when a write to a full disk fails.
            why: match why {
                "no error" => "the file system wrote only a part".to_owned(),
                why => why.to_owned(),
            },
        }
    }
}

/// The next state of the store.
#[derive(Debug)]
pub(super) struct StoreChange {
    pub(super) tree: git2::Oid,
    pub(super) message: String,
    /// Seconds since 1970.
    pub(super) time: i64,
    pub(super) parent: StoreParent,
}

/// Parents of a new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreParent {
    /// The previous state.
    State,
    /// None: git can collect objects that are no longer referenced.
    None,
    /// The previous state and another one, which was merged into it.
    And(git2::Oid),
}

/// Next target of the ref.
#[derive(Debug)]
pub(super) enum StoreRefUpdate {
    /// No change: it contains everything.
    Stay,
    /// A commit to write.
    Write(StoreChange),
    /// An existing commit.
    Forward(git2::Oid),
}

pub(super) fn check_size(what: &str, size: usize, limit: u64) -> Result<(), StoreError> {
    if size as u64 > limit {
        return Err(StoreError::TooLarge {
            what: what.to_owned(),
            size: size as u64,
            limit,
        });
    }
    Ok(())
}
