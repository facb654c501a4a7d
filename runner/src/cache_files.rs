//! A version, environment and benchmark → the path of its cache file; pieces of a file → the file, written atomically.
//!
//! A file exists completely or not at all: it is written beside its final path and then moved there. It is not
//! synced: an unreadable file counts as missing.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::build::RepositoryCache;
use crate::git::CommitId;
use crate::owned::{owned_file, remove_abandoned_once};
use crate::store::Environment;
use crate::whole_file::UNFINISHED;

/// Hexadecimal digits of a benchmark's hash in its file name: 128 bits, so that no two benchmarks share one.
const NAME_DIGITS: usize = 32;

/// The folder of one version in one environment, below the folder of a format.
pub(crate) fn version_folder(
    cache: &RepositoryCache,
    format: &str,
    commit: CommitId,
    environment: &Environment,
) -> PathBuf {
    let folder = cache.root().join(format);
    folder.join(environment.id().to_string()).join(commit.to_string())
}

/// Name of a benchmark's file.
pub(crate) fn file_name(benchmark: &str) -> String {
    blake3::hash(benchmark.as_bytes()).to_hex()[..NAME_DIGITS].to_owned()
}

/// Reads at most this many bytes of a file.
pub(crate) fn read_bounded(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Writes the pieces of a file, replacing its previous content.
pub(crate) fn write_atomically(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    remove_abandoned_once(folder, UNFINISHED);
    let mut file = owned_file(folder, UNFINISHED, "")?;
    for piece in pieces {
        file.write_all(piece)?;
    }
    file.persist(path)?;
    Ok(())
}
