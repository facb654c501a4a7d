//! Timelines and failures ↔ files of lito's cache, one for each version, environment and benchmark.
//!
//! A file is there in full or not at all; one that can't be read is as good as none.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use profile::timeline;

use super::{Outcome, TimelinesError};
use crate::build::Cache;
use crate::git::CommitId;
use crate::store::Environment;

/// Folder in the cache; the number is the format's: another number takes all anew.
const FOLDER: &str = "timelines-1";

/// Hexadecimal digits of a benchmark's hash that name its file: 128 bits, so that no two benchmarks share one.
const NAME_DIGITS: usize = 32;

/// What a file begins with, after which comes the encoded timeline or the reason.
const TAKEN: &[u8] = b"taken\n";
const FAILED: &[u8] = b"failed\n";

/// What is kept of one version in one environment.
pub(super) struct Kept {
    folder: PathBuf,
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

    /// What is kept of a benchmark.
    pub(super) fn read(&self, benchmark: &str) -> Option<Outcome> {
        let mut bytes = Vec::new();
        File::open(self.file(benchmark))
            .and_then(|file| file.take(timeline::LARGEST).read_to_end(&mut bytes))
            .ok()?;
        if let Some(encoded) = bytes.strip_prefix(TAKEN) {
            timeline::decode(encoded).ok().map(Outcome::Taken)
        } else {
            let reason = bytes.strip_prefix(FAILED)?;
            let reason = std::str::from_utf8(reason).ok()?.to_owned();
            Some(Outcome::Failed { reason })
        }
    }

    /// Keeps what came of a benchmark, instead of what was kept before.
    pub(super) fn keep(&self, benchmark: &str, outcome: &Outcome) -> Result<(), TimelinesError> {
        let path = self.file(benchmark);
        let (begin, rest) = match outcome {
            Outcome::Taken(timeline) => (TAKEN, timeline::encode(timeline)),
            Outcome::Failed { reason } => (FAILED, reason.clone().into_bytes()),
        };
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(begin)?;
            file.write_all(&rest)?;
            file.persist(&path)?;
            Ok(())
        };
        let written = write();
        written.map_err(|source| TimelinesError::Keep { path, source })
    }

    fn file(&self, benchmark: &str) -> PathBuf {
        let hash = blake3::hash(benchmark.as_bytes()).to_hex();
        self.folder.join(&hash[..NAME_DIGITS])
    }
}
