//! A revision → commits: resolves names, lists ranges and follows parents, always along first parents. Reads no files.

use std::collections::HashSet;

use super::{CommitId, GitError, Repository};
use crate::suggestions::did_you_mean;

/// Why a commit is not there.
const SHALLOW_CLONE: &str = "older history is not available (shallow clone)";

/// How to get the rest of a shallow clone.
const DEEPEN: &str = "run `git fetch --unshallow`, or set `fetch-depth: 0` for actions/checkout";

/// Refs that may be the default branch; the first one that exists counts.
const DEFAULT_BRANCHES: [&str; 5] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
];

/// A part of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstParents {
    /// Oldest first.
    pub commits: Vec<CommitId>,
    /// The reason why it ends there.
    pub end: HistoryEnd,
}

/// Reason why a part of the history ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryEnd {
    /// The requested number of commits is reached.
    Limit,
    /// The first commit of all.
    Root,
    /// A shallow clone cut it off.
    ShallowBoundary,
}

impl Repository {
    /// Resolves a branch, tag, id, `HEAD~3` or the like to a commit.
    ///
    /// # Errors
    /// There is no commit yet, no such name, an ambiguous one, or not a commit.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, GitError> {
        let bad = |why: String| GitError::BadRevision {
            revision: revision.to_owned(),
            why,
        };
        let object = self
            .raw()
            .revparse_single(revision)
            .map_err(|source| match source.code() {
                git2::ErrorCode::NotFound | git2::ErrorCode::UnbornBranch => self.unknown(revision),
                git2::ErrorCode::Ambiguous => {
                    bad("several objects begin with these digits: give more digits".to_owned())
                }
                _ => bad(format!("{}: give a branch, a tag or a commit", source.message())),
            })?;
        let commit = object
            .peel(git2::ObjectType::Commit)
            .map_err(|source| match source.code() {
                git2::ErrorCode::NotFound => GitError::MissingObject {
                    kind: "commit",
                    id: object.id().to_string(),
                },
                _ => bad("it is not a commit: give a branch, a tag or a commit".to_owned()),
            })?;
        Ok(CommitId::of(commit.id()))
    }

    /// The versions of `A..B`: first parents of B that A does not contain, oldest first. An omitted side is `HEAD`; a
    /// single revision is that one version.
    ///
    /// # Errors
    /// Those of [`Repository::resolve`]; an empty range; a shallow clone that ends inside the range.
    pub fn range(&self, range: &str) -> Result<Vec<CommitId>, GitError> {
        if range.contains("...") {
            return Err(GitError::BadRevision {
                revision: range.to_owned(),
                why: "a symmetric difference (`...`) is not a series of versions: use two dots".to_owned(),
            });
        }
        let Some((from, to)) = range.split_once("..") else {
            return Ok(vec![self.resolve(range)?]);
        };
        let side = |name: &str| self.resolve(if name.is_empty() { "HEAD" } else { name });
        let (from, to) = (side(from)?, side(to)?);
        let commits = self.between(from, to)?;
        if commits.is_empty() {
            // A shallow boundary in the opposite direction only shortens the hint.
            let reverse = self.between(to, from).map_or(0, |commits| commits.len());
            let hint = match reverse {
                0 => "both sides are the same commit".to_owned(),
                1 => "the opposite direction has 1 commit: swap the sides".to_owned(),
                more => format!("the opposite direction has {more} commits: swap the sides"),
            };
            return Err(GitError::EmptyRange {
                range: range.to_owned(),
                reverse,
                hint,
            });
        }
        Ok(commits)
    }

    /// `head` and the first parents before it, at most `limit` commits.
    ///
    /// # Errors
    /// A commit can't be read.
    pub fn first_parents(&self, head: CommitId, limit: usize) -> Result<FirstParents, GitError> {
        let mut commits = Vec::new();
        let mut next = Some(head);
        let mut end = HistoryEnd::Limit;
        while let Some(commit) = next {
            if commits.len() == limit {
                break;
            }
            commits.push(commit);
            next = match self.parent(commit) {
                Ok(Some(parent)) => Some(parent),
                Ok(None) => {
                    end = HistoryEnd::Root;
                    None
                }
                Err(GitError::ShallowBoundary { .. }) => {
                    end = HistoryEnd::ShallowBoundary;
                    None
                }
                Err(other) => return Err(other),
            };
        }
        commits.reverse();
        Ok(FirstParents { commits, end })
    }

    /// The first parent; `None` for a root.
    ///
    /// # Errors
    /// The parent was cut off by a shallow clone, or the commit can't be read.
    pub fn parent(&self, commit: CommitId) -> Result<Option<CommitId>, GitError> {
        let found = self.commit(commit)?;
        if self.place.shallow.contains(&commit)
            && let Some(parent) = recorded_parent(&found)
            && self.raw().find_commit(parent.oid()).is_err()
        {
            return Err(GitError::ShallowBoundary { commit, parent });
        }
        Ok(found
            .parent_id(0)
            .ok()
            .map(CommitId::of)
            .or_else(|| recorded_parent(&found)))
    }

    /// All parents that the commit records: the second and later ones were merged.
    ///
    /// # Errors
    /// The commit can't be read.
    pub fn parents(&self, commit: CommitId) -> Result<Vec<CommitId>, GitError> {
        Ok(self.commit(commit)?.parent_ids().map(CommitId::of).collect())
    }

    /// The default base of a version: the commit where it branched off, or its first parent if it is on the default
    /// branch or there is no such branch; `None` for a root.
    ///
    /// # Errors
    /// A shallow clone ends before that commit, or a commit can't be read.
    pub fn default_base(&self, head: CommitId) -> Result<Option<CommitId>, GitError> {
        let fork = (self.default_branch_tip()).and_then(|tip| self.raw().merge_base(tip.oid(), head.oid()).ok());
        match fork {
            Some(fork) if fork != head.oid() => Ok(Some(CommitId::of(fork))),
            _ => self.parent(head),
        }
    }

    /// True if the default branch contains a version, along any parent; false if there is no such branch.
    ///
    /// # Errors
    /// A commit can't be read.
    pub fn is_on_default_branch(&self, commit: CommitId) -> Result<bool, GitError> {
        match self.default_branch_tip() {
            Some(tip) => self.has_ancestor(tip, commit),
            None => Ok(false),
        }
    }

    /// The newest commit of the default branch.
    fn default_branch_tip(&self) -> Option<CommitId> {
        let tips = DEFAULT_BRANCHES.iter();
        let mut found = tips.filter_map(|name| self.raw().revparse_single(name).ok()?.peel_to_commit().ok());
        found.next().map(|tip| CommitId::of(tip.id()))
    }

    /// The commit where `head` left the branch whose newest commit is `tip`; `head` itself if the branch contains it.
    ///
    /// # Errors
    /// One of them does not exist, or they share no history.
    pub fn merge_base(&self, tip: CommitId, head: CommitId) -> Result<CommitId, GitError> {
        for commit in [tip, head] {
            self.resolve(&commit.to_string())?;
        }
        match self.raw().merge_base(tip.oid(), head.oid()) {
            Ok(fork) => Ok(CommitId::of(fork)),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Err(GitError::BadRevision {
                revision: head.to_string(),
                why: format!(
                    "it shares no history with {}: fetch the complete history of both (`fetch-depth: 0` for actions/checkout)",
                    tip.short()
                ),
            }),
            Err(source) => Err(GitError::Git {
                attempt: format!("finding the merge base of {head} and {tip}"),
                source,
            }),
        }
    }

    /// The first line of the message; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// The commit can't be read.
    pub fn summary(&self, commit: CommitId) -> Result<String, GitError> {
        let found = self.commit(commit)?;
        let summary = found.summary_bytes().unwrap_or_default();
        Ok(String::from_utf8_lossy(summary).into_owned())
    }

    /// Time of the commit, in seconds since 1970 (UTC).
    ///
    /// # Errors
    /// The commit can't be read.
    pub fn committed_at(&self, commit: CommitId) -> Result<i64, GitError> {
        Ok(self.commit(commit)?.time().seconds())
    }

    /// True if `ancestor` is `commit` or one of its ancestors, along any parent.
    ///
    /// # Errors
    /// A commit can't be read.
    pub fn has_ancestor(&self, commit: CommitId, ancestor: CommitId) -> Result<bool, GitError> {
        if commit == ancestor {
            return Ok(true);
        }
        let failed = |source| GitError::Git {
            attempt: format!("comparing commits {commit} and {ancestor}"),
            source,
        };
        match self.raw().find_commit(ancestor.oid()) {
            Ok(_) => {}
            // Gone after a force-push: then it is not an ancestor. The comparison itself would not say which it misses.
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
        (self.raw().graph_descendant_of(commit.oid(), ancestor.oid())).map_err(failed)
    }

    pub(crate) fn commit(&self, id: CommitId) -> Result<git2::Commit<'_>, GitError> {
        self.refuse_truncated_object("commit", id.oid())?;
        self.raw()
            .find_commit(id.oid())
            .map_err(self.unread("commit", id.oid()))
    }

    /// First parents of `to` that `from` does not contain, oldest first.
    fn between(&self, from: CommitId, to: CommitId) -> Result<Vec<CommitId>, GitError> {
        let failed = || GitError::during(format!("listing the commits of {from}..{to}"));
        let mut walk = self.raw().revwalk().map_err(failed())?;
        walk.push(to.oid()).map_err(failed())?;
        walk.hide(from.oid()).map_err(failed())?;
        let new = walk.collect::<Result<HashSet<git2::Oid>, _>>().map_err(failed())?;
        let mut commits = Vec::new();
        let mut next = Some(to);
        while let Some(commit) = next.filter(|commit| new.contains(&commit.oid())) {
            commits.push(commit);
            next = self.parent(commit)?;
        }
        commits.reverse();
        Ok(commits)
    }

    fn unknown(&self, revision: &str) -> GitError {
        let revision = revision.to_owned();
        let unborn = self
            .raw()
            .head()
            .is_err_and(|error| error.code() == git2::ErrorCode::UnbornBranch);
        let names = self.names();
        if unborn && (names.is_empty() || revision.starts_with("HEAD") || revision.starts_with('@')) {
            return GitError::Unborn { revision };
        }
        let base = revision.split(['~', '^', '@']).next().unwrap_or_default();
        if base.len() < revision.len()
            && let Ok(start) = self.resolve(base)
        {
            let why = self.beyond_history(base, start, &revision[base.len()..]);
            return GitError::BadRevision { revision, why };
        }
        let hint = if let Some(question) = did_you_mean(base, names.iter().map(String::as_str)) {
            question
        } else if self.is_shallow() {
            format!("{SHALLOW_CLONE}: {DEEPEN}")
        } else {
            "see `git branch --all` and `git tag`, or fetch it first".to_owned()
        };
        GitError::UnknownRevision { revision, hint }
    }

    /// Why `base` exists, but not what `steps` (`~100`, `^2`) lead to from it.
    fn beyond_history(&self, base: &str, start: CommitId, steps: &str) -> String {
        let back = steps.strip_prefix('~').and_then(|steps| steps.parse::<usize>().ok());
        // An unreadable commit is reported when it is read.
        let Some(history) = back.and_then(|back| self.first_parents(start, back.saturating_add(1)).ok()) else {
            return format!("`{base}` exists, but it has no such ancestor: see `git log --graph {base}`");
        };
        let ancestors = match history.commits.len().saturating_sub(1) {
            1 => "1 ancestor".to_owned(),
            more => format!("{more} ancestors"),
        };
        match history.end {
            HistoryEnd::ShallowBoundary => format!("{base} has only {ancestors} here, {SHALLOW_CLONE}: {DEEPEN}"),
            HistoryEnd::Root | HistoryEnd::Limit => {
                format!("{base} has only {ancestors} along first parents: name one of these")
            }
        }
    }

    /// Branches, remote branches and tags, without their prefixes. Only for messages: unreadable ones are left out.
    fn names(&self) -> Vec<String> {
        let references = self.raw().references();
        let mut names: Vec<String> = references
            .into_iter()
            .flatten()
            .flatten()
            .filter(|reference| reference.is_branch() || reference.is_remote() || reference.is_tag())
            .map(|reference| String::from_utf8_lossy(reference.shorthand_bytes()).into_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The first parent recorded in the commit itself; libgit2 hides it at a shallow boundary.
fn recorded_parent(commit: &git2::Commit<'_>) -> Option<CommitId> {
    let header = commit.raw_header_bytes();
    let line = header
        .split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(b"parent "))?;
    std::str::from_utf8(line).ok()?.trim().parse().ok()
}
