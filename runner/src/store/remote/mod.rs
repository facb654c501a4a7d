//! A store elsewhere ↔ our store: merged through the git program over the network, or through a file.
//!
//! Incoming data is untrusted: git checks the objects, [`Store::merge`] the entries. The other side's ref moves only by
//! compare-and-swap, and only to a state that contains everything readable of it. Does not know which service hosts the
//! repository.

mod address;
mod bundle;
mod error;
mod git;
mod git_failures;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use address::{Remote, RemoteToken, TOKEN_VARIABLE};
pub use bundle::{BundleImport, FILE_LIMIT, export, import};
pub use error::RemoteError;

use super::pending_ref::{PendingStoreRef, remove_abandoned_refs};
use super::write::StoreRefUpdate;
use super::{
    AcknowledgementPolicy, MergeHistoryPolicy, ProfileValidator, Store, StoreError, StoreMergeOptions,
    StoreMergeSummary, StoreState,
};
use crate::backoff::backoff_pause;
use crate::git::Repository;
use crate::process::InterruptionFlag;
use git::{GitTransport, NETWORK_ATTEMPTS, ObjectStrictness, RefPushOutcome};

/// Default time limit of one transfer: a store of some hundred megabytes over a slow line.
pub const TIME_LIMIT: Duration = Duration::from_secs(600);

/// Attempts to move the other side's ref while others move it. Four writers in a tight loop needed up to six.
const ATTEMPTS: u32 = 16;

/// The first pause between attempts; each is longer than the last.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause between attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Parameters of a transfer.
#[derive(Clone, Copy)]
pub struct StoreTransfer<'a> {
    /// The repository that contains our store.
    pub repository: &'a Repository,
    /// Our store.
    pub store: &'a Store,
    /// The other side.
    pub remote: &'a Remote,
    /// Checks whether a profile can be decoded.
    pub decode: ProfileValidator<'a>,
    /// Time limit of each run of git.
    pub time_limit: Duration,
    /// The user's request to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Result of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreFetchOutcome {
    /// The other side has no store yet.
    NoStore,
    /// Our store contains everything of the other side's.
    Merged(StoreMergeSummary),
}

/// Result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorePushOutcome {
    /// There is no store here.
    NothingHere,
    /// The other side had everything; its additional entries are merged into ours.
    NothingNew(StoreMergeSummary),
    /// Both stores contain the same entries now.
    Sent {
        /// Entries added to ours.
        received: StoreMergeSummary,
        /// Entries added to the other side's.
        sent: StoreMergeSummary,
        /// Number of lost races.
        lost: u32,
    },
}

/// Fetches refs or commits of the other side, each into a ref of ours; for sources, not stores.
///
/// `wanted` contains pairs of a source and its ref here.
///
/// # Errors
/// The other side can't be reached, or has no such ref or commit.
pub fn fetch_sources(
    repository: &Repository,
    remote: &Remote,
    wanted: &[(&str, &str)],
    interruption: &InterruptionFlag,
) -> Result<(), RemoteError> {
    let git = of_sources("fetching the sources", repository, remote, interruption);
    wanted.iter().try_for_each(|(source, into)| git.fetch(source, into))
}

/// Whether the other side has a ref.
///
/// # Errors
/// The other side can't be reached.
pub fn has_ref(
    repository: &Repository,
    remote: &Remote,
    reference: &str,
    interruption: &InterruptionFlag,
) -> Result<bool, RemoteError> {
    let git = of_sources("looking for a ref", repository, remote, interruption);
    Ok(git.look_up(reference)?.is_some())
}

fn of_sources<'a>(
    attempt: &'static str,
    repository: &'a Repository,
    remote: &'a Remote,
    interruption: &'a InterruptionFlag,
) -> GitTransport<'a> {
    GitTransport {
        attempt,
        repository,
        remote,
        objects: ObjectStrictness::AsTheyAre,
        time_limit: TIME_LIMIT,
        interruption,
    }
}

impl StoreTransfer<'_> {
    /// Merges the other side's store into ours.
    ///
    /// # Errors
    /// The other side can't be reached or read, or its store has a newer format; ours can't be written. Ours is
    /// unchanged then.
    pub fn fetch(&self) -> Result<StoreFetchOutcome, RemoteError> {
        // Before any transfer: an unreadable store must not be written.
        self.store.state("fetching the store")?;
        let Some(received) = self.receive("fetching the store")? else {
            return Ok(StoreFetchOutcome::NoStore);
        };
        let merged = self.store.merge(&received.store, self.merging())?;
        Ok(StoreFetchOutcome::Merged(merged))
    }

    /// Merges both stores into each other. The other side's ref is created if it is missing.
    ///
    /// # Errors
    /// Those of [`StoreTransfer::fetch`]; the other side rejects the push, or others keep changing its store. It is
    /// unchanged then.
    pub fn push(&self) -> Result<StorePushOutcome, RemoteError> {
        const ATTEMPT: &str = "pushing the store";
        if self.store.state(ATTEMPT)?.is_none() {
            return Ok(StorePushOutcome::NothingHere);
        }
        let mut gained = StoreMergeSummary::default();
        let mut failures = 0;
        for round in 0..ATTEMPTS {
            let received = self.receive(ATTEMPT)?;
            if let Some(received) = &received {
                gained.add(self.store.merge(&received.store, self.merging())?);
            }
            let Some(ours) = self.store.state(ATTEMPT)? else {
                return Ok(StorePushOutcome::NothingHere);
            };
            let theirs = received
                .as_ref()
                .map(|received| received.store.state(ATTEMPT))
                .transpose()?
                .flatten();
            let Some((next, sent)) = self.next(theirs.as_ref(), &ours)? else {
                return Ok(StorePushOutcome::NothingNew(gained));
            };
            // A ref keeps the commit reachable, so that git can push it and does not collect it.
            let waiting = PendingStoreRef::at(self.store, next)?;
            let old = theirs.as_ref().map(|theirs| theirs.commit);
            match self.git(ATTEMPT).push(self.store.reference(), old, next)? {
                RefPushOutcome::Done => {
                    gained.add(self.store.merge(&waiting.store(self.name())?, self.merging())?);
                    return Ok(StorePushOutcome::Sent {
                        received: gained,
                        sent,
                        lost: round - failures,
                    });
                }
                RefPushOutcome::Lost => {}
                // The next round checks whether it arrived.
                RefPushOutcome::Unknown(said) => {
                    failures += 1;
                    if failures == NETWORK_ATTEMPTS {
                        return Err(RemoteError::Unreachable {
                            attempt: ATTEMPT,
                            remote: self.remote.shown().to_owned(),
                            attempts: failures,
                            said,
                        });
                    }
                }
            }
            std::thread::sleep(backoff_pause(FIRST_PAUSE, LONGEST_PAUSE, round));
            if self.interruption.is_raised() {
                return Err(RemoteError::Interrupted);
            }
        }
        Err(RemoteError::Contended {
            remote: self.remote.shown().to_owned(),
            attempts: ATTEMPTS,
        })
    }

    /// The other side's store, for messages.
    fn name(&self) -> String {
        format!("{} of {}", self.store.reference(), self.remote.shown())
    }

    fn merging(&self) -> StoreMergeOptions<'_> {
        StoreMergeOptions {
            decode: self.decode,
            accepted: AcknowledgementPolicy::Take,
            ancestors: MergeHistoryPolicy::Join,
        }
    }

    fn git(&self, attempt: &'static str) -> GitTransport<'_> {
        GitTransport {
            attempt,
            repository: self.repository,
            remote: self.remote,
            objects: ObjectStrictness::Flawless,
            time_limit: self.time_limit,
            interruption: self.interruption,
        }
    }

    /// The other side's next state, with its additions; `None` if it has everything.
    fn next(
        &self,
        theirs: Option<&StoreState<'_>>,
        ours: &StoreState<'_>,
    ) -> Result<Option<(git2::Oid, StoreMergeSummary)>, RemoteError> {
        // Seen from the other side, ours is the incoming store: damaged entries of ours do not spread.
        let joined = self.store.merged_state(theirs, (self.store, ours), self.merging())?;
        Ok(match joined.step {
            StoreRefUpdate::Stay => None,
            StoreRefUpdate::Forward(commit) => Some((commit, joined.merged)),
            StoreRefUpdate::Write(change) => {
                let before = theirs.map(|theirs| theirs.commit);
                Some((self.store.commit(before, &change)?, joined.merged))
            }
        })
    }

    /// The other side's state, with everything that it leads to; `None` without such a ref.
    fn receive(&self, attempt: &'static str) -> Result<Option<ReceivedStore>, RemoteError> {
        remove_abandoned_refs(self.store);
        let git = self.git(attempt);
        let Some(there) = git.look_up(self.store.reference())? else {
            return Ok(None);
        };
        let ours = self.store.state(attempt)?;
        let is_known = ours.is_some_and(|ours| self.store.has_ancestor(ours.commit, there));
        let waiting = if is_known {
            PendingStoreRef::at(self.store, there)?
        } else {
            let waiting = PendingStoreRef::new(self.store)?;
            git.fetch(self.store.reference(), &waiting.reference)?;
            waiting
        };
        let store = waiting.store(self.name())?;
        let found = store.state(attempt).map(|state| state.is_some());
        match found {
            Ok(true) => Ok(Some(ReceivedStore {
                store,
                _waiting: waiting,
            })),
            Ok(false) => Err(git.failed("git fetched nothing")),
            Err(error) => Err(RemoteError::theirs(
                attempt,
                self.remote.shown(),
                self.store.reference(),
                error,
            )),
        }
    }
}

/// The other side's store, fetched into our repository.
struct ReceivedStore {
    store: Store,
    _waiting: PendingStoreRef,
}
