//! Reasons why a repository can't be read, each with its remedy.

use std::path::PathBuf;

use super::CommitId;

/// Failure to read a repository.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Neither the folder nor any folder above it is a repository.
    #[error(
        "looking for a git repository: {}: neither this folder nor a folder above it is a repository: change to one, name one with --repo DIR, or create one with `git init`",
        dir.display()
    )]
    NotARepository {
        /// Folder in which the search began.
        dir: PathBuf,
    },
    /// The folder belongs to another user, and git's configuration does not list it as safe.
    #[error(
        "opening the repository: {}: the folder belongs to another user: if you trust it, run `git config --global --add safe.directory {}`",
        dir.display(), dir.display()
    )]
    ForeignOwner {
        /// The repository.
        dir: PathBuf,
    },
    /// The repository uses SHA-256, reftable, a partial clone or the like.
    #[error("opening the repository: {}: it uses {feature}, which lito can't read: {remedy}", dir.display())]
    Unsupported {
        /// The repository.
        dir: PathBuf,
        /// The feature.
        feature: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The checked-out branch has no commit.
    #[error("resolving `{revision}`: the branch has no commit yet: create one, or name another revision")]
    Unborn {
        /// The requested revision.
        revision: String,
    },
    /// The branch, tag or commit does not exist.
    #[error("resolving `{revision}`: no branch, tag or commit has this name: {hint}")]
    UnknownRevision {
        /// The requested revision.
        revision: String,
        /// Similar names, or the remedy.
        hint: String,
    },
    /// The revision names several objects or something other than a commit, or can't be parsed.
    #[error("resolving `{revision}`: {why}")]
    BadRevision {
        /// The requested revision.
        revision: String,
        /// The reason.
        why: String,
    },
    /// A range `A..B` where A contains all of B.
    #[error("reading the range `{range}`: it is empty: {hint}")]
    EmptyRange {
        /// The requested range.
        range: String,
        /// First-parent commits in the opposite direction.
        reverse: usize,
        /// An explanation.
        hint: String,
    },
    /// A shallow clone cut the history off here.
    #[error(
        "reading the history: commit {commit}: the shallow clone ends here, the parent {parent} is missing: run `git fetch --unshallow` (or `git fetch --deepen=N`), or set `fetch-depth: 0` for actions/checkout"
    )]
    ShallowBoundary {
        /// The last commit that is present.
        commit: CommitId,
        /// The first commit that is missing.
        parent: CommitId,
    },
    /// An object of the history is missing.
    #[error("reading {kind} {id}: the object is missing from the repository: run `git fsck`, or fetch again")]
    MissingObject {
        /// Kind of the object.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// A partial clone left the object out.
    #[error(
        "reading {object}: this is a partial clone (`--filter`), and the object was not fetched: run `git fetch --refetch --no-filter {remote}`, or leave `filter:` out for actions/checkout"
    )]
    PartialClone {
        /// Kind and id of the object, or of the commit that it belongs to.
        object: String,
        /// The remote that has it.
        remote: String,
    },
    /// An object's file ends too early.
    #[error("reading {kind} {id}: its file is damaged: run `git fsck`, then remove the file and fetch again")]
    DamagedObject {
        /// Kind of the object.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// Changes that are not committed can't be taken.
    #[error("{attempt}: {why}")]
    Draft {
        /// The attempted operation and its input.
        attempt: String,
        /// The reason, with the remedy.
        why: String,
    },
    /// Any other failure of libgit2.
    #[error("{attempt}: {source}")]
    Git {
        /// The attempted operation and its input.
        attempt: String,
        /// libgit2's reason.
        source: git2::Error,
    },
}

impl GitError {
    /// Adds the attempted operation to a libgit2 error.
    pub(crate) fn during(attempt: impl Into<String>) -> impl FnOnce(git2::Error) -> GitError {
        let attempt = attempt.into();
        move |source| GitError::Git { attempt, source }
    }

    /// The error of an object that could not be read: missing, or libgit2's reason.
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
