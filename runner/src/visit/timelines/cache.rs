//! Timelines and failures ↔ files of lito's cache, one for each version, environment and benchmark.

use std::path::PathBuf;

use profile::timeline;

use super::{TimelineOutcome, TimelinesError};
use crate::build::RepositoryCache;
use crate::cache_files;
use crate::git::CommitId;
use crate::store::Environment;

/// Folder in the cache; the number is the format's: another number takes all anew.
const FOLDER: &str = "timelines-1";

/// What a file begins with, after which comes the encoded timeline or the reason.
const TAKEN: &[u8] = b"taken\n";
const FAILED: &[u8] = b"failed\n";

/// Cached files of one version in one environment.
pub(super) struct TimelineCache {
    folder: PathBuf,
}

impl TimelineCache {
    pub(super) fn new(cache: &RepositoryCache, commit: CommitId, environment: &Environment) -> Self {
        Self {
            folder: cache_files::version_folder(cache, FOLDER, commit, environment),
        }
    }

    /// The cached outcome of a benchmark.
    pub(super) fn read(&self, benchmark: &str) -> Option<TimelineOutcome> {
        let bytes = cache_files::read_bounded(&self.file(benchmark), timeline::LARGEST)?;
        if let Some(encoded) = bytes.strip_prefix(TAKEN) {
            timeline::decode(encoded).ok().map(TimelineOutcome::Taken)
        } else {
            let reason = bytes.strip_prefix(FAILED)?;
            let reason = std::str::from_utf8(reason).ok()?.to_owned();
            Some(TimelineOutcome::Failed { reason })
        }
    }

    /// Keeps what came of a benchmark, instead of what was kept before.
    pub(super) fn keep(&self, benchmark: &str, outcome: &TimelineOutcome) -> Result<(), TimelinesError> {
        let path = self.file(benchmark);
        let (begin, rest) = match outcome {
            TimelineOutcome::Taken(timeline) => (TAKEN, timeline::encode(timeline)),
            TimelineOutcome::Failed { reason } => (FAILED, reason.clone().into_bytes()),
        };
        cache_files::write_atomically(&path, &[begin, &rest]).map_err(|source| TimelinesError::Keep { path, source })
    }

    fn file(&self, benchmark: &str) -> PathBuf {
        self.folder.join(cache_files::file_name(benchmark))
    }
}
