//! A store → a file that can be transferred by any means (a git bundle of its ref), and back.
//!
//! A file is untrusted, and may unpack to more than its size: its size and header are checked first, git unpacks it
//! into a separate folder and checks every object, and only store entries that can be read and decoded are merged. Its
//! history is dropped.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use super::git::isolated_git;
use super::git_failures::last_words;
use super::{
    AcknowledgementPolicy, MergeHistoryPolicy, ProfileValidator, RemoteError, Store, StoreMergeOptions,
    StoreMergeSummary,
};
use crate::git::Repository;
use crate::owned::OwnedFolder;
use crate::process::{FinishedProcess, InterruptionFlag, Invocation, ProcessError, run};
use crate::whole_file::UnfinishedPath;

/// The largest file that is read: some ten thousand samples.
pub const FILE_LIMIT: u64 = 2 << 30;

/// Size limit of a bundle's header: two lines, and one for each ref.
const HEAD_LIMIT: u64 = 64 << 10;

const EXPORTING: &str = "exporting the store";

const MERGING: &str = "merging a file into the store";

const REMEDY: &str = "export it again with `lito store export`; nothing was merged from it";

/// Parameters of a merge from a file.
#[derive(Clone, Copy)]
pub struct BundleImport<'a> {
    /// Our store.
    pub store: &'a Store,
    /// Checks whether a profile can be decoded.
    pub decode: ProfileValidator<'a>,
    /// Whether the file's acknowledgements are accepted.
    pub accepted: AcknowledgementPolicy,
    /// The largest file that is read, in bytes; see [`FILE_LIMIT`].
    pub size_limit: u64,
    /// Time limit of each run of git.
    pub time_limit: Duration,
    /// The user's request to stop.
    pub interruption: &'a InterruptionFlag,
}

/// Writes the store into a file, and returns its size in bytes; `None` if there is no store.
///
/// # Errors
/// The store can't be read, or the file can't be written.
pub fn export(
    store: &Store,
    path: &Path,
    time_limit: Duration,
    interruption: &InterruptionFlag,
) -> Result<Option<u64>, RemoteError> {
    let failed = |why: String| RemoteError::File {
        attempt: EXPORTING,
        path: path.to_path_buf(),
        why,
        remedy: "check that the folder is writable and the disk is not full",
    };
    if store.state(EXPORTING)?.is_none() {
        return Ok(None);
    }
    let unfinished = std::path::absolute(path)
        .map_err(|error| failed(error.to_string()))
        .and_then(|target| UnfinishedPath::beside(&target).map_err(|error| failed(error.to_string())))?;
    let git = isolated_git(store.repository.raw().path(), time_limit)
        .arguments(["bundle", "create", "--quiet"])
        .arguments([unfinished.path().into_os_string()])
        .arguments([store.reference(), "--"]);
    finish(&git, interruption, EXPORTING, &failed)?;
    let size = std::fs::metadata(unfinished.path()).and_then(|size| unfinished.finish_file().map(|()| size.len()));
    size.map(Some).map_err(|error| failed(error.to_string()))
}

/// Merges the store in a file into ours.
///
/// # Errors
/// The file is too large, damaged, or does not contain a store that this lito reads; or ours can't be written. Ours is
/// unchanged then.
pub fn import(importing: &BundleImport<'_>, path: &Path) -> Result<StoreMergeSummary, RemoteError> {
    let failed = |why: String| RemoteError::File {
        attempt: MERGING,
        path: path.to_path_buf(),
        why,
        remedy: REMEDY,
    };
    importing.store.state(MERGING)?;
    let tip = tip(path, importing.size_limit).map_err(failed)?;
    let folder = OwnedFolder::temporary("file").map_err(|error| failed(error.to_string()))?;
    let message = |error: git2::Error| failed(error.message().to_owned());
    let mut options = git2::RepositoryInitOptions::new();
    options.bare(true).external_template(false);
    let git = git2::Repository::init_opts(folder.path(), &options).map_err(message)?;
    let target = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
    let run_git = |arguments: Vec<std::ffi::OsString>| {
        let invocation = isolated_git(folder.path(), importing.time_limit).arguments(arguments);
        finish(&invocation, importing.interruption, MERGING, &failed)
    };
    run_git(vec!["bundle".into(), "unbundle".into(), target.into_os_string()])?;
    // Not every version of git checks objects while unpacking.
    run_git(
        ["fsck", "--strict", "--full", "--no-dangling", "--no-progress"]
            .map(Into::into)
            .into_iter()
            .chain([tip.to_string().into()])
            .collect(),
    )?;
    let reference = "refs/lito/store";
    git.reference(reference, tip, false, "from a file").map_err(message)?;
    let theirs = Repository::open(folder.path())
        .map_err(super::StoreError::from)
        .and_then(|repository| Store::open(&repository, &format!("git:{reference}")))?
        .named(path.display().to_string());
    if let Err(error) = theirs.state(MERGING) {
        let place = path.display().to_string();
        return Err(RemoteError::theirs(MERGING, &place, "content", error));
    }
    Ok(importing.store.merge(
        &theirs,
        StoreMergeOptions {
            decode: importing.decode,
            accepted: importing.accepted,
            ancestors: MergeHistoryPolicy::LeaveBehind,
        },
    )?)
}

/// The only commit in a bundle's header.
fn tip(path: &Path, limit: u64) -> Result<git2::Oid, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let found = file.metadata().map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err(String::from("it is not a file"));
    }
    if found.len() > limit {
        return Err(format!("its {} bytes exceed the limit of {limit}", found.len()));
    }
    let mut head = BufReader::new(file.take(HEAD_LIMIT));
    let mut line = || -> Result<String, String> {
        let mut line = Vec::new();
        let read = head.read_until(b'\n', &mut line);
        if read.map_err(|error| error.to_string())? == 0 || line.pop() != Some(b'\n') {
            return Err(String::from("it is cut short, or not a lito store"));
        }
        String::from_utf8(line).map_err(|_| String::from("it is not a lito store"))
    };
    if !["# v2 git bundle", "# v3 git bundle"].contains(&line()?.as_str()) {
        return Err(String::from("it is not a lito store"));
    }
    let mut tip = None;
    loop {
        let line = line()?;
        if line.is_empty() {
            break;
        }
        if line == "@object-format=sha1" {
            continue;
        }
        let id = line.split(' ').next().unwrap_or_default();
        let id = (id.len() == 40).then(|| git2::Oid::from_str(id).ok());
        match id.flatten() {
            Some(id) if tip.is_none() => tip = Some(id),
            _ => return Err(String::from("it does not contain exactly one complete store")),
        }
    }
    tip.ok_or_else(|| String::from("it is empty"))
}

fn finish(
    git: &Invocation,
    interruption: &InterruptionFlag,
    attempt: &'static str,
    failed: &dyn Fn(String) -> RemoteError,
) -> Result<FinishedProcess, RemoteError> {
    match run(git, interruption) {
        Ok(finished) if finished.status.success() => Ok(finished),
        Ok(finished) => Err(failed(format!("git refused it: {}", last_words(&finished)))),
        Err(ProcessError::Interrupted { .. }) => Err(RemoteError::Interrupted),
        Err(ProcessError::Start { ref source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(RemoteError::NoGit {
                attempt,
                why: String::from("the git program is missing"),
            })
        }
        Err(ProcessError::TimedOut { limit, .. }) => Err(failed(format!("git did not finish within {limit:?}"))),
        Err(other) => Err(failed(other.to_string())),
    }
}
