//! The number of a process → the perf map that CPython wrote for it: `/tmp/perf-<number>.map`, a place that cannot be
//! chosen.
//!
//! Anybody may write there, so only a plain file of this user is read or removed.

use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

/// Largest map that is read, in bytes: ten thousand functions take a megabyte.
const LARGEST_MAP: u64 = 64 << 20;

fn path(process: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/perf-{process}.map"))
}

/// The bytes of a map, or why there are none.
pub(super) fn read(process: u32) -> Result<Vec<u8>, String> {
    let path = path(process);
    let failed = |error: std::io::Error| format!("reading {}: {error}", path.display());
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(&path).map_err(failed)?;
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() || !is_own(facts.uid()) {
        return Err(format!("reading {}: it is not a file of this user", path.display()));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_MAP).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Removes the map of a process, if it is a file of this user.
pub(in crate::interpreters) fn remove(process: u32) {
    let path = path(process);
    let is_ours = fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_file() && is_own(facts.uid()));
    if is_ours {
        // It is gone already, or the next start of the computer removes it.
        let _ = fs::remove_file(&path);
    }
}

fn is_own(owner: u32) -> bool {
    owner == crate::owned::this_user()
}
