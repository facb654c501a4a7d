//! `lito store fetch`, `push`, `export` and `merge`: merges stores, and reports what each received.

use std::time::Duration;

use report::number_format;
use runner::git::Repository;
use runner::process::InterruptionFlag;
use runner::store::bucket::{BucketAddress, BucketTransfer, StorePart};
use runner::store::remote::{
    self, BundleImport, FILE_LIMIT, Remote, RemoteError, RemoteToken, StoreFetchOutcome, StorePushOutcome,
    StoreTransfer, TIME_LIMIT, TOKEN_VARIABLE,
};
use runner::store::{AcknowledgementPolicy, Store, StoreMergeSummary};

use super::described;
use crate::cli::{StoreExportArguments, StoreFetchArguments, StoreMergeArguments, StoreRemoteArguments};
use crate::command::interruption;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::sample_loader::decodes;

/// Rejected entries that are named; the others are counted.
const NAMED: usize = 20;

pub(super) fn fetch(
    repository: &Repository,
    store: &Store,
    asked: &StoreFetchArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let other = TransferPeer::find(repository, &asked.from)?;
    let part = match asked.nearest {
        Some(count) => StorePart::Nearest {
            version: repository.resolve(&asked.of)?,
            count,
        },
        None => StorePart::Whole,
    };
    let shown = &other.shown;
    match other.fetch(repository, store, part)? {
        StoreFetchOutcome::NoStore => terminal.note(&format!(
            "{shown} has no {} yet; `lito sample` and `lito store push` fill it",
            other.name_of_store(store)
        )),
        StoreFetchOutcome::Merged(merged) => {
            warn_of_left_out(&merged, shown, terminal);
            terminal.note(&format!("{shown}: {}", brought(&merged, "got")));
        }
    }
    Ok(CommandExit::Passed)
}

pub(super) fn push(
    repository: &Repository,
    store: &Store,
    asked: &StoreRemoteArguments,
    terminal: &Terminal,
) -> Result<CommandExit, Failure> {
    let other = TransferPeer::find(repository, asked)?;
    let shown = &other.shown;
    match other.push(repository, store)? {
        StorePushOutcome::NothingHere => terminal.note(&format!(
            "there is no {} to push yet; `lito sample` fills it",
            store.reference()
        )),
        StorePushOutcome::NothingNew(received) => {
            warn_of_left_out(&received, shown, terminal);
            terminal.note(&format!("{shown}: it has everything; {}", brought(&received, "got")));
        }
        StorePushOutcome::Sent { received, sent, lost } => {
            warn_of_left_out(&received, shown, terminal);
            warn_of_left_out(&sent, store.reference(), terminal);
            terminal.note(&format!("{shown}: {}", brought(&sent, "sent")));
            if !received.is_empty() {
                terminal.note(&format!("{shown}: {}", brought(&received, "got")));
            }
            if lost > 0 {
                terminal.detail(&format!(
                    "others changed it meanwhile, {}",
                    number_format::counted_noun(lost as usize, "time")
                ));
            }
        }
    }
    Ok(CommandExit::Passed)
}

pub(super) fn export(store: &Store, asked: &StoreExportArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let written = remote::export(store, &asked.file, TIME_LIMIT, &interruption()?);
    let Some(size) = written? else {
        return Err(Failure::usage(format_args!(
            "exporting the store: {}: it does not exist yet; `lito sample` creates it",
            store.reference()
        )));
    };
    terminal.note(&format!(
        "{}: {}, for `lito store merge`",
        safe(&asked.file.display().to_string()),
        number_format::bytes(size)
    ));
    Ok(CommandExit::Passed)
}

/// Merges the files. One that cannot be merged does not keep the others out.
pub(super) fn merge(store: &Store, asked: &StoreMergeArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let interruption = interruption()?;
    let importing = BundleImport {
        store,
        decode: &decodes,
        accepted: match asked.acknowledgements {
            true => AcknowledgementPolicy::Take,
            false => AcknowledgementPolicy::LeaveOut,
        },
        size_limit: FILE_LIMIT,
        time_limit: TIME_LIMIT,
        interruption: &interruption,
    };
    let mut failed = Vec::new();
    for file in &asked.files {
        let shown = safe(&file.display().to_string());
        match remote::import(&importing, file) {
            Ok(merged) => {
                warn_of_left_out(&merged, &shown, terminal);
                terminal.note(&format!("{shown}: {}", brought(&merged, "got")));
            }
            Err(error @ (RemoteError::File { .. } | RemoteError::Theirs { .. })) => {
                failed.push(error.to_string());
            }
            Err(other) => return Err(other.into()),
        }
    }
    if failed.is_empty() {
        return Ok(CommandExit::Passed);
    }
    Err(Failure::environment(failed.join("\n")))
}

/// The other store, and how it is reached.
struct TransferPeer {
    place: StorePlace,
    /// Its name in messages.
    shown: String,
    time_limit: Duration,
    interruption: InterruptionFlag,
}

/// Where the other store is.
enum StorePlace {
    Remote(Remote),
    Bucket(BucketAddress),
}

impl TransferPeer {
    fn find(repository: &Repository, asked: &StoreRemoteArguments) -> Result<Self, Failure> {
        let bucket = asked.remote.as_deref().map(BucketAddress::parse).transpose()?.flatten();
        let (shown, place) = match bucket {
            Some(bucket) => (safe(bucket.shown()), StorePlace::Bucket(bucket)),
            None => {
                let text = std::env::var(TOKEN_VARIABLE).unwrap_or_default();
                let remote = Remote::find(repository, asked.remote.as_deref())?;
                let remote = remote.with_token(RemoteToken::new(&text)?)?;
                (safe(remote.shown()), StorePlace::Remote(remote))
            }
        };
        Ok(Self {
            place,
            shown,
            time_limit: asked.time_limit.0,
            interruption: interruption()?,
        })
    }

    /// The name of a store there.
    fn name_of_store<'a>(&self, store: &'a Store) -> &'a str {
        match self.place {
            StorePlace::Remote(_) => store.reference(),
            StorePlace::Bucket(_) => "store",
        }
    }

    fn fetch(&self, repository: &Repository, store: &Store, part: StorePart) -> Result<StoreFetchOutcome, Failure> {
        match (&self.place, part) {
            (StorePlace::Bucket(address), part) => Ok(self.to_bucket(repository, store, address).fetch(part)?),
            (StorePlace::Remote(remote), StorePart::Whole) => Ok(self.to_remote(repository, store, remote).fetch()?),
            (StorePlace::Remote(_), StorePart::Nearest { .. }) => Err(Failure::usage(format_args!(
                "fetching the store: {}: git sends all of a ref: leave out --nearest, or keep the store in a bucket",
                self.shown
            ))),
        }
    }

    fn push(&self, repository: &Repository, store: &Store) -> Result<StorePushOutcome, Failure> {
        match &self.place {
            StorePlace::Bucket(address) => Ok(self.to_bucket(repository, store, address).push()?),
            StorePlace::Remote(remote) => Ok(self.to_remote(repository, store, remote).push()?),
        }
    }

    fn to_remote<'a>(&'a self, repository: &'a Repository, store: &'a Store, remote: &'a Remote) -> StoreTransfer<'a> {
        StoreTransfer {
            repository,
            store,
            remote,
            decode: &decodes,
            time_limit: self.time_limit,
            interruption: &self.interruption,
        }
    }

    fn to_bucket<'a>(
        &'a self,
        repository: &'a Repository,
        store: &'a Store,
        address: &'a BucketAddress,
    ) -> BucketTransfer<'a> {
        BucketTransfer {
            repository,
            store,
            address,
            decode: &decodes,
            time_limit: self.time_limit,
            interruption: &self.interruption,
        }
    }
}

/// Summary of the transferred entries.
fn brought(merged: &StoreMergeSummary, verb: &str) -> String {
    let parts: Vec<String> = [
        (merged.samples, "sample"),
        (merged.profiles, "profile"),
        (merged.verdicts, "verdict"),
        (merged.acknowledgements, "acknowledgement"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, noun)| number_format::counted_noun(count, noun))
    .collect();
    match parts.as_slice() {
        [] => format!("{verb} nothing new"),
        parts => format!("{verb} {}", parts.join(", ")),
    }
}

fn warn_of_left_out(merged: &StoreMergeSummary, shown: &str, terminal: &Terminal) {
    let left_out = &merged.left_out;
    if left_out.is_empty() {
        return;
    }
    let mut text = format!(
        "{shown}: {} left out",
        number_format::counted_noun(left_out.len(), "entry")
    );
    for finding in left_out.iter().take(NAMED) {
        text.push_str(&format!("\n  {}", described(finding)));
    }
    if left_out.len() > NAMED {
        text.push_str(&format!("\n  and {} more", left_out.len() - NAMED));
    }
    terminal.warn(&text);
}

fn safe(text: &str) -> String {
    report::text::safe(text).into_owned()
}
