//! Versions and samples, read by the runner, into scores, made by the analyzer. Builds and runs nothing.
//!
//! One range of versions is scored in batches on all cores; a batch is handed on, oldest first, before the
//! next begins, so that a long range shows its first lines at once and needs the memory of one batch.

use std::collections::HashMap;
use std::sync::Mutex;

use analyzer::cost::{PriceList, ScoringContext};
use analyzer::score::{
    CostModel, NearestSample, ScoreOptions, VersionScore, VersionSources, score, with_scoring_context,
};
use analyzer::sources::{Blob, ContentId, FileChange, FileSource, SourceContent};
use analyzer::syntax::ParseCache;
use rayon::prelude::*;
use runner::git::{CommitId, CommitSnapshot, GitEntry, GitEntryKind, GitError, Repository};

use crate::error::EngineError;
use crate::sample_loader::{self, SampleLoader};

/// Versions scored before the first of them is handed on. All cores wait for the last version of a batch: enough
/// that this is rare, and few enough that the first lines come within a second.
const BATCH: usize = 256;

/// Larger files are not read: no one writes, or reviews, so much by hand in one file.
pub const FILE_LIMIT: u64 = 4 << 20;

/// A version with what its prediction stands on.
struct PlannedScore {
    commit: CommitId,
    /// `None` for a root. The parent that a shallow clone cut off is an error instead: comparing with nothing
    /// would call everything new.
    parent: Option<CommitId>,
    nearest: Option<sample_loader::NearestStoredSample>,
}

/// How predictions are made: with the costs that are shipped, for changes of this size or more.
pub fn scoring_for_model(model: CostModel, threshold: f64) -> ScoreOptions {
    ScoreOptions {
        model,
        threshold,
        costs: PriceList::shipped(),
        parser: ParseCache::default(),
    }
}

/// Scores versions, given oldest first, and hands each score on in this order.
pub fn score_versions<E: From<EngineError>>(
    repository: &Repository,
    versions: &[CommitId],
    samples: &mut SampleLoader<'_>,
    scoring: &ScoreOptions,
    mut hand_on: impl FnMut(VersionScore) -> Result<(), E>,
) -> Result<(), E> {
    // libgit2's handles are not shared between threads: each has its own, opened once.
    let own: Vec<Mutex<Repository>> = (0..rayon::current_num_threads())
        .map(|_| repository.reopen().map(Mutex::new))
        .collect::<Result<_, GitError>>()
        .map_err(EngineError::from)?;
    let of_this_thread = || &own[rayon::current_thread_index().unwrap_or(0) % own.len()];
    for batch in versions.chunks(BATCH) {
        let planned = batch
            .iter()
            .map(|&commit| plan(repository, commit, samples))
            .collect::<Result<Vec<PlannedScore>, EngineError>>()?;
        let scores: Vec<Result<VersionScore, EngineError>> = planned
            .par_iter()
            .map(|version| score_version(of_this_thread(), version, scoring))
            .collect();
        for score in scores {
            hand_on(score?)?;
        }
        drop(planned);
        samples.forget_unused();
    }
    Ok(())
}

/// Scores one version against one that need not be its parent, on the newest sample at or before that one.
pub fn score_pair(
    repository: &Repository,
    (base, head): (CommitId, CommitId),
    samples: &mut SampleLoader<'_>,
    scoring: &ScoreOptions,
) -> Result<VersionScore, EngineError> {
    let nearest = samples.nearest(base)?;
    score_pair_on_sample(repository, (base, head), nearest, scoring)
}

/// Scores one version against one that need not be its parent, on a sample of the caller's choice.
pub fn score_pair_on_sample(
    repository: &Repository,
    (base, head): (CommitId, CommitId),
    nearest: Option<sample_loader::NearestStoredSample>,
    scoring: &ScoreOptions,
) -> Result<VersionScore, EngineError> {
    let planned = PlannedScore {
        commit: head,
        parent: Some(base),
        nearest,
    };
    let own = Mutex::new(repository.reopen()?);
    score_version(&own, &planned, scoring)
}

/// Runs `then` with the changes of one version against another, put on a sample of the caller's choice.
pub fn with_pair_context<T>(
    repository: &Repository,
    (base, head): (CommitId, CommitId),
    (sample, distance): &sample_loader::NearestStoredSample,
    scoring: &ScoreOptions,
    then: impl FnOnce(&ScoringContext<'_>) -> T,
) -> Result<T, EngineError> {
    let own = Mutex::new(repository.reopen()?);
    let nearest = NearestSample {
        sample,
        distance: *distance,
    };
    with_version_sources(&own, head, Some(base), |version| {
        with_scoring_context(version, nearest, scoring, then)
    })
}

fn plan(
    repository: &Repository,
    commit: CommitId,
    samples: &mut SampleLoader<'_>,
) -> Result<PlannedScore, EngineError> {
    let parent = repository.parent(commit)?;
    let nearest = match parent {
        Some(parent) => samples.nearest(parent)?,
        None => None,
    };
    Ok(PlannedScore {
        commit,
        parent,
        nearest,
    })
}

fn score_version(
    repository: &Mutex<Repository>,
    planned: &PlannedScore,
    scoring: &ScoreOptions,
) -> Result<VersionScore, EngineError> {
    let nearest = planned.nearest.as_ref().map(|(sample, distance)| NearestSample {
        sample,
        distance: *distance,
    });
    with_version_sources(repository, planned.commit, planned.parent, |version| {
        score(version, nearest, scoring)
    })
}

/// Reads the files that differ between a version and its parent, and runs `then` with both versions.
fn with_version_sources<T>(
    repository: &Mutex<Repository>,
    commit: CommitId,
    parent: Option<CommitId>,
    then: impl FnOnce(&VersionSources<'_>) -> T,
) -> Result<T, EngineError> {
    let files = changed_files(&unpoisoned(repository), parent, commit)?;
    let version = VersionSources {
        commit: commit.to_string(),
        parent: parent.map(|parent| parent.to_string()),
        files: &files,
        before: &CommitFileSource {
            repository,
            commit: parent,
        },
        after: &CommitFileSource {
            repository,
            commit: Some(commit),
        },
    };
    Ok(then(&version))
}

/// The files that differ between two versions.
pub fn changed_paths(repository: &Repository, base: CommitId, head: CommitId) -> Result<Vec<String>, EngineError> {
    let changes = repository.changes(Some(base), head)?;
    Ok((changes.iter()).map(|delta| delta.path.lossy().into_owned()).collect())
}

/// The files that differ between two versions, read.
pub fn changed_files(
    repository: &Repository,
    parent: Option<CommitId>,
    commit: CommitId,
) -> Result<Vec<FileChange>, GitError> {
    repository
        .changes(parent, commit)?
        .into_iter()
        .map(|delta| {
            Ok(FileChange {
                path: delta.path.lossy().into(),
                before: delta.before.map(|side| blob(repository, side)).transpose()?,
                after: delta.after.map(|side| blob(repository, side)).transpose()?,
            })
        })
        .collect()
}

/// The files of one commit, by a repository that other commits share.
pub struct CommitFileSource<'a> {
    /// The repository.
    pub repository: &'a Mutex<Repository>,
    /// The commit; none: a version without files.
    pub commit: Option<CommitId>,
}

impl FileSource for CommitFileSource<'_> {
    fn file(&self, path: &str) -> Option<Blob> {
        let repository = unpoisoned(self.repository);
        // What cannot be read is as good as absent here: the changed files themselves were read above,
        // and failed loudly.
        let side = repository.entry_at(self.commit?, path.as_bytes()).ok()??;
        blob(&repository, side).ok()
    }
}

/// The files of a sampled commit, each read once: every version that is scored on it asks for the same few.
pub struct SampledFileSource {
    snapshot: CommitSnapshot,
    read: Mutex<HashMap<String, Option<Blob>>>,
}

impl SampledFileSource {
    /// Nothing is read yet.
    pub fn new(snapshot: CommitSnapshot) -> Self {
        Self {
            snapshot,
            read: Mutex::default(),
        }
    }

    fn read(&self, path: &str) -> Option<Blob> {
        let file = self.snapshot.file(path.as_bytes(), FILE_LIMIT).ok()??;
        Some(Blob {
            id: ContentId(file.side.id.0),
            content: match (file.side.kind, file.content) {
                (GitEntryKind::SymbolicLink, _) => SourceContent::SymbolicLink,
                (_, Some(read)) => content(read),
                (_, None) => SourceContent::Submodule,
            },
        })
    }
}

impl FileSource for SampledFileSource {
    fn file(&self, path: &str) -> Option<Blob> {
        if let Some(known) = unpoisoned(&self.read).get(path) {
            return known.clone();
        }
        let file = self.read(path);
        unpoisoned(&self.read).insert(path.to_owned(), file.clone());
        file
    }
}

fn blob(repository: &Repository, side: GitEntry) -> Result<Blob, GitError> {
    Ok(Blob {
        id: ContentId(side.id.0),
        content: match side.kind {
            GitEntryKind::File | GitEntryKind::Executable => content(repository.blob(side.id, FILE_LIMIT)?),
            GitEntryKind::SymbolicLink => SourceContent::SymbolicLink,
            GitEntryKind::Submodule => SourceContent::Submodule,
        },
    })
}

fn content(read: runner::git::BlobContent) -> SourceContent {
    match read {
        runner::git::BlobContent::Bytes(bytes) => SourceContent::Bytes(bytes),
        runner::git::BlobContent::TooLarge(size) => SourceContent::TooLarge(size),
        runner::git::BlobContent::LfsPointer(size) => SourceContent::LfsPointer(size),
    }
}

/// Reading leaves nothing half done: what a panicking thread held is as good as before.
fn unpoisoned<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
