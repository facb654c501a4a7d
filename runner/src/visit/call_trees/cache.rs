//! Trees and reasons why there are none ↔ files in lito's cache: one for each version, environment and benchmark, and
//! one that lists a version's benchmarks.
//!
//! A file that can't be decoded, or has another version of this format, counts as missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use profile::call_tree::binary;
use serde::{Deserialize, Serialize};

use super::{CallTreesError, TreeOrReason};
use crate::build::RepositoryCache;
use crate::cache_files;
use crate::git::CommitId;
use crate::profilers::ProfiledCallTree;
use crate::store::Environment;
use crate::suite::BenchmarkSuite;

/// Folder in the cache; the number is that of the format and of the way trees are taken: with another number, all are
/// taken again.
const FOLDER: &str = "call-trees-1";

/// Most bytes of a file that are read; the largest known tree packs to a tenth of it.
const LARGEST: u64 = 1 << 28;

/// First line of a tree's file; the tree follows.
#[derive(Serialize, Deserialize)]
enum CachedTreeHeader {
    Taken {
        total: u64,
        counted: u64,
        divided: u64,
        cut: Option<u32>,
        complete: bool,
    },
    Failed {
        reason: String,
    },
}

/// Cached files of one version in one environment.
pub(super) struct CallTreeCache {
    folder: PathBuf,
}

/// The benchmarks of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BenchmarkListing {
    /// The reason why it has no benchmarks.
    pub(super) unbuilt: Option<String>,
    /// Names of its benchmarks.
    pub(super) benchmarks: Vec<String>,
    /// Targets without a list of benchmarks, with the reason.
    pub(super) failures: BTreeMap<String, String>,
}

impl BenchmarkListing {
    pub(super) fn of(suite: &BenchmarkSuite) -> Self {
        let benchmarks = suite.benchmarks.iter();
        let failures = suite.failures.iter();
        Self {
            unbuilt: None,
            benchmarks: benchmarks.map(|benchmark| benchmark.name.clone()).collect(),
            failures: failures
                .map(|failure| (failure.target.clone(), failure.reason.clone()))
                .collect(),
        }
    }

    pub(super) fn has_failures(&self) -> bool {
        self.unbuilt.is_some() || !self.failures.is_empty()
    }
}

impl CallTreeCache {
    pub(super) fn new(cache: &RepositoryCache, commit: CommitId, environment: &Environment) -> Self {
        Self {
            folder: cache_files::version_folder(cache, FOLDER, commit, environment),
        }
    }

    /// The benchmarks of the version, if they are known.
    pub(super) fn listed(&self) -> Option<BenchmarkListing> {
        serde_json::from_slice(&cache_files::read_bounded(&self.list_file(), LARGEST)?).ok()
    }

    pub(super) fn list(&self, listed: &BenchmarkListing) -> Result<(), CallTreesError> {
        write(&self.list_file(), &[&line(listed)])
    }

    /// The stored tree of a benchmark, or the reason why there is none; a reason counts as missing if failures are
    /// retried.
    pub(super) fn tree(&self, benchmark: &str, retry: bool) -> Option<TreeOrReason> {
        let bytes = cache_files::read_bounded(&self.tree_file(benchmark), LARGEST)?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        match serde_json::from_slice(&bytes[..end]).ok()? {
            CachedTreeHeader::Taken {
                total,
                counted,
                divided,
                cut,
                complete,
            } => Some(Ok(ProfiledCallTree {
                tree: binary::decode(&bytes[end + 1..]).ok()?,
                total,
                counted,
                divided,
                cut,
                complete,
            })),
            CachedTreeHeader::Failed { reason } => (!retry).then_some(Err(reason)),
        }
    }

    pub(super) fn keep(&self, benchmark: &str, tree: &TreeOrReason) -> Result<(), CallTreesError> {
        let (head, tree) = match tree {
            Ok(contexts) => {
                let head = CachedTreeHeader::Taken {
                    total: contexts.total,
                    counted: contexts.counted,
                    divided: contexts.divided,
                    cut: contexts.cut,
                    complete: contexts.complete,
                };
                (head, binary::encode(&contexts.tree))
            }
            Err(reason) => {
                let reason = reason.clone();
                (CachedTreeHeader::Failed { reason }, Vec::new())
            }
        };
        write(&self.tree_file(benchmark), &[&line(&head), &tree])
    }

    fn list_file(&self) -> PathBuf {
        self.folder.join("benchmarks")
    }

    fn tree_file(&self, benchmark: &str) -> PathBuf {
        self.folder.join(format!("{}.tree", cache_files::file_name(benchmark)))
    }
}

/// One line of JSON.
fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("names and numbers are encodable");
    line.push(b'\n');
    line
}

fn write(path: &Path, pieces: &[&[u8]]) -> Result<(), CallTreesError> {
    cache_files::write_atomically(path, pieces).map_err(|source| CallTreesError::Keep {
        path: path.to_owned(),
        source,
    })
}
