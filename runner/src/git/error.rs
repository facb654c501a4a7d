//! What can go wrong when a repository is read, each with what to do about it.

use std::path::PathBuf;

use super::CommitId;

/// Failure to read a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Neither the folder nor one above it is a repository.
    #[error(
        "looking for a git repository: {}: neither this folder nor one above it is one: go to a repository, name one with --repo DIR, or make one with `git init`",
        dir.display()
    )]
    NotARepository {
        /// Where the search began.
        dir: PathBuf,
    },
    /// The folder belongs to another user, and git's configuration does not say that this is fine.
    #[error(
        "opening the repository: {}: it belongs to another user: if you trust it, run `git config --global --add safe.directory {}`",
        dir.display(), dir.display()
    )]
    ForeignOwner {
        /// The repository.
        dir: PathBuf,
    },
    /// SHA-256, reftable, partial clone or the like.
    #[error("opening the repository: {}: it uses {feature}, which lito can't read: {remedy}", dir.display())]
    Unsupported {
        /// The repository.
        dir: PathBuf,
        /// The feature.
        feature: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The checked-out branch has no commit.
    #[error("resolving `{revision}`: the branch has no commit yet: make a first commit, or name another revision")]
    Unborn {
        /// What was asked for.
        revision: String,
    },
    /// No such branch, tag or commit.
    #[error("resolving `{revision}`: no branch, tag or commit has this name: {hint}")]
    UnknownRevision {
        /// What was asked for.
        revision: String,
        /// Names that come near, or what to do.
        hint: String,
    },
    /// The revision names several objects, or something that is no commit, or can't be parsed.
    #[error("resolving `{revision}`: {why}")]
    BadRevision {
        /// What was asked for.
        revision: String,
        /// Why it is not one commit.
        why: String,
    },
    /// `A..B` where B holds nothing that A lacks.
    #[error("reading the range `{range}`: it is empty: {hint}")]
    EmptyRange {
        /// What was asked for.
        range: String,
        /// First-parent commits in the opposite direction.
        reverse: usize,
        /// What that means.
        hint: String,
    },
    /// The history was cut off here by a shallow clone.
    #[error(
        "reading the history: commit {commit}: this is a shallow clone that ends here, its parent {parent} is missing: run `git fetch --unshallow` (or `git fetch --deepen=N`), or set `fetch-depth: 0` for actions/checkout"
    )]
    ShallowBoundary {
        /// The last commit that is there.
        commit: CommitId,
        /// The first that is not.
        parent: CommitId,
    },
    /// An object that the history names is not there.
    #[error("reading {kind} {id}: the object is missing from the repository: run `git fsck`, or fetch again")]
    MissingObject {
        /// What kind of object.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// An object's file ends too early.
    #[error("reading {kind} {id}: its file is damaged: run `git fsck`, then remove the file and fetch again")]
    DamagedObject {
        /// What kind of object.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// Anything else that libgit2 refuses.
    #[error("{attempt}: {source}")]
    Git {
        /// What was attempted, on which input.
        attempt: String,
        /// libgit2's reason.
        source: git2::Error,
    },
}

impl GitError {
    /// Adds to a libgit2 error what was attempted.
    pub(crate) fn during(attempt: impl Into<String>) -> impl FnOnce(git2::Error) -> GitError {
        let attempt = attempt.into();
        move |source| GitError::Git { attempt, source }
    }

    /// An object that could not be read: missing, or the reason that libgit2 gives.
    pub(crate) fn object(kind: &'static str, id: git2::Oid) -> impl FnOnce(git2::Error) -> GitError {
        move |source| match source.code() {
            git2::ErrorCode::NotFound => GitError::MissingObject {
                kind,
                id: id.to_string(),
            },
            _ => GitError::Git {
                attempt: format!("reading {kind} {id}"),
                source,
            },
        }
    }
}
