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
use crate::store::{Environment, EnvironmentId};

/// The version of the files; other versions' have other names.
const SCHEMA: &str = "lito.timelines/1";

/// Hexadecimal digits of a file's name: 128 bits, so that no two keys share one.
const NAME_DIGITS: usize = 32;

/// What a file begins with, after which comes the encoded timeline or the reason.
const TAKEN: &[u8] = b"taken\n";
const FAILED: &[u8] = b"failed\n";

/// The timelines of one environment.
pub(super) struct Kept {
    folder: PathBuf,
    environment: EnvironmentId,
}

impl Kept {
    /// Those below a cache.
    pub(super) fn new(cache: &Cache, environment: &Environment) -> Self {
        Self {
            folder: cache.root().join("timelines"),
            environment: environment.id(),
        }
    }

    /// What is kept of a benchmark at a version.
    pub(super) fn read(&self, commit: CommitId, benchmark: &str) -> Option<Outcome> {
        let mut bytes = Vec::new();
        File::open(self.path(commit, benchmark))
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

    /// Keeps it, instead of what was kept before.
    pub(super) fn write(
        &self,
        commit: CommitId,
        benchmark: &str,
        outcome: &Outcome,
    ) -> Result<(), TimelinesError> {
        let path = self.path(commit, benchmark);
        let failed = |source| TimelinesError::Keep {
            attempt: "keeping a timeline",
            path: path.clone(),
            source,
        };
        let (begin, rest) = match outcome {
            Outcome::Taken(timeline) => (TAKEN, timeline::encode(timeline)),
            Outcome::Failed { reason } => (FAILED, reason.clone().into_bytes()),
        };
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(failed)?;
        file.write_all(begin)
            .and_then(|()| file.write_all(&rest))
            .map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn path(&self, commit: CommitId, benchmark: &str) -> PathBuf {
        let key = format!("{SCHEMA} {commit} {} {benchmark}", self.environment);
        let hash = blake3::hash(key.as_bytes()).to_hex();
        self.folder
            .join(format!("{}-{}", commit.short(), &hash[..NAME_DIGITS]))
    }
}
