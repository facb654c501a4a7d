//! Trees and why there are none → files in lito's cache, and back: one for each version, environment and benchmark, and
//! one that lists a version's benchmarks.
//!
//! A file that can't be read or decoded, or was written by another version of this format, is as good as none. Files
//! are written beside their place and then moved there, so that a kill leaves none half written.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use profile::tree::CallTree;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::TreesError;
use crate::build::Cache;
use crate::git::CommitId;
use crate::profiler::Contexts;
use crate::store::Environment;
use crate::suite::Suite;

/// Folder in the cache; the number is the format's, and of how trees are taken: another number takes all anew.
const FOLDER: &str = "call-trees-1";

/// Hexadecimal digits of a benchmark's hash that name its file.
const NAME_DIGITS: usize = 32;

/// Bytes that a file may unpack to: ten times the largest tree that a builder makes.
const LARGEST: u64 = 1 << 30;

/// How much time is spent on making files small: zstd's own default.
const COMPRESSION: i32 = 3;

/// What is kept of one version in one environment.
pub(super) struct Kept {
    folder: PathBuf,
}

/// What a version has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    /// Why it has nothing.
    pub(super) unbuilt: Option<String>,
    /// Names of its benchmarks.
    pub(super) benchmarks: Vec<String>,
    /// Targets that gave none, with the reason.
    pub(super) failures: BTreeMap<String, String>,
}

impl Listed {
    pub(super) fn of(suite: &Suite) -> Self {
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

impl Kept {
    pub(super) fn new(cache: &Cache, commit: CommitId, environment: &Environment) -> Self {
        let folder = cache.root().join(FOLDER);
        Self {
            folder: folder
                .join(environment.id().to_string())
                .join(commit.to_string()),
        }
    }

    /// The benchmarks of the version, if they are known.
    pub(super) fn listed(&self) -> Option<Listed> {
        read(&self.list_file())
    }

    pub(super) fn list(&self, listed: &Listed) -> Result<(), TreesError> {
        write(&self.list_file(), listed)
    }

    /// A benchmark's tree or why there is none, if that is kept; a reason is as good as nothing if it is to be tried
    /// again.
    pub(super) fn tree(&self, benchmark: &str, retry: bool) -> Option<Result<Contexts, String>> {
        let kept: Result<Contexts, String> = read(&self.tree_file(benchmark))?;
        match &kept {
            Ok(contexts) => is_sound(&contexts.tree).then_some(kept),
            Err(_) => (!retry).then_some(kept),
        }
    }

    pub(super) fn keep(
        &self,
        benchmark: &str,
        tree: &Result<Contexts, String>,
    ) -> Result<(), TreesError> {
        write(&self.tree_file(benchmark), tree)
    }

    fn list_file(&self) -> PathBuf {
        self.folder.join("benchmarks")
    }

    fn tree_file(&self, benchmark: &str) -> PathBuf {
        let hash = blake3::hash(benchmark.as_bytes()).to_hex();
        self.folder.join(format!("{}.tree", &hash[..NAME_DIGITS]))
    }
}

/// Whether all references within a tree lead somewhere.
fn is_sound(tree: &CallTree) -> bool {
    let is_sound = |(at, node): (usize, &profile::tree::Node)| {
        let is_root = at == 0;
        let parent = node.parent.map(|parent| parent.0 as usize);
        (node.function.0 as usize) < tree.functions.len()
            && is_root == parent.is_none()
            && parent.is_none_or(|parent| parent < at)
    };
    !tree.nodes.is_empty() && tree.nodes.iter().enumerate().all(is_sound)
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let mut bytes = Vec::new();
    let unpacked = zstd::Decoder::new(File::open(path).ok()?).ok()?;
    unpacked.take(LARGEST).read_to_end(&mut bytes).ok()?;
    postcard::from_bytes(&bytes).ok()
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), TreesError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let bytes = postcard::to_allocvec(value).map_err(std::io::Error::other)?;
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&zstd::encode_all(&*bytes, COMPRESSION)?)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|source| TreesError::Keep {
        path: path.to_owned(),
        source,
    })
}
