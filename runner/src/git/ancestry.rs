//! Versions of one line of first parents → which marked commits are at or before each, and how many commits each has
//! beyond them. Each commit of the history is read once, however many versions ask.
//!
//! Commits are numbered as they are read: the oldest of the line first, each with everything it merged before it. So the
//! commits at or before a version of the line are exactly those with a number up to its own, and their count follows from
//! it. That of any other commit is the count at the newest version of the line that it contains, and the commits of its
//! own beyond that one: only these are walked.

use std::collections::{HashMap, HashSet};

use git2::Oid;

use super::{CommitId, GitError, Repository};

/// The history of one line of first parents, as far as versions asked for it.
pub(crate) struct AncestryIndex {
    /// Number of each commit.
    numbers: HashMap<Oid, usize>,
    /// By number: parents before children.
    commits: Vec<IndexedCommit>,
    /// Commits of interest.
    marks: HashSet<Oid>,
    /// Those of them that were reached, by number.
    marked: Vec<MarkedCommit>,
}

struct IndexedCommit {
    id: Oid,
    /// Numbers of all its parents.
    parents: Vec<usize>,
    /// Commits at or before the newest version of the line that it contains; 0 if it contains none. That of a version
    /// of the line is its own number and one.
    of_line: usize,
}

/// A commit of interest that some version of the line contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkedCommit {
    /// The commit.
    pub(crate) id: CommitId,
    number: usize,
    /// Commits at or before it, itself included.
    pub(crate) size: usize,
}

/// A commit of the line with its parents, which is not numbered yet.
type UnnumberedCommit = (Oid, Vec<Oid>);

impl AncestryIndex {
    /// Nothing read yet.
    pub(crate) fn new(marks: impl IntoIterator<Item = CommitId>) -> AncestryIndex {
        AncestryIndex {
            numbers: HashMap::new(),
            commits: Vec::new(),
            marks: marks.into_iter().map(CommitId::oid).collect(),
            marked: Vec::new(),
        }
    }

    /// The number of commits at or before a version, and the commits of interest among them. Versions of one line of
    /// first parents may be asked for in any order; another line keeps what both have in common.
    ///
    /// # Errors
    /// A commit at or before the version can't be read. What was read before stays right.
    pub(crate) fn at_or_before(
        &mut self,
        repository: &Repository,
        version: CommitId,
    ) -> Result<(usize, &[MarkedCommit]), GitError> {
        let size = self.number(repository, version.oid())? + 1;
        let contained = self.marked.partition_point(|marked| marked.number < size);
        Ok((size, &self.marked[..contained]))
    }

    /// The number of a version, which is one of the line afterwards.
    fn number(&mut self, repository: &Repository, version: Oid) -> Result<usize, GitError> {
        let mut newer: Vec<UnnumberedCommit> = Vec::new();
        let mut next = Some(version);
        let known = loop {
            let Some(commit) = next else { break 0 };
            if let Some(number) = self.on_line(commit) {
                break number + 1;
            }
            let parents = parents(repository, commit)?;
            next = parents.first().copied();
            newer.push((commit, parents));
        };
        if !newer.is_empty() {
            self.keep_first(known);
        }
        for commit in newer.into_iter().rev() {
            let before = self.commits.len();
            if let Err(error) = self.append(repository, commit) {
                self.keep_first(before);
                return Err(error);
            }
        }
        // A version that was there, or the last one appended.
        Ok(self.numbers.get(&version).copied().unwrap_or_default())
    }

    /// The number of a version of the line.
    fn on_line(&self, commit: Oid) -> Option<usize> {
        let number = *self.numbers.get(&commit)?;
        (self.commits.get(number)?.of_line == number + 1).then_some(number)
    }

    /// Forgets the commits that the first so many do not need.
    fn keep_first(&mut self, kept: usize) {
        for forgotten in self.commits.drain(kept..) {
            self.numbers.remove(&forgotten.id);
        }
        self.marked.retain(|marked| marked.number < kept);
    }

    /// Numbers the next version of the line, after everything that it merged.
    fn append(&mut self, repository: &Repository, version: UnnumberedCommit) -> Result<(), GitError> {
        let of_version = version.0;
        // Depth first without recursion: a history may be long. The number tells which parent is looked at next.
        let mut path = vec![(version, 0)];
        while let Some(((commit, parents_of), next)) = path.last_mut() {
            if let Some(&parent) = parents_of.get(*next) {
                *next += 1;
                if !self.numbers.contains_key(&parent) {
                    let unnumbered = (parent, parents(repository, parent)?);
                    path.push((unnumbered, 0));
                }
                continue;
            }
            let (commit, parents_of) = (*commit, std::mem::take(parents_of));
            path.pop();
            self.push(commit, &parents_of, commit == of_version);
        }
        Ok(())
    }

    fn push(&mut self, id: Oid, parents: &[Oid], on_line: bool) {
        let number = self.commits.len();
        let parents: Vec<usize> = parents.iter().filter_map(|id| self.numbers.get(id)).copied().collect();
        let of_line = if on_line {
            number + 1
        } else {
            let lines = parents.iter().map(|&parent| self.commits[parent].of_line);
            lines.max().unwrap_or_default()
        };
        self.numbers.insert(id, number);
        self.commits.push(IndexedCommit { id, parents, of_line });
        if self.marks.contains(&id) {
            let size = self.size(number);
            let id = CommitId::of(id);
            self.marked.push(MarkedCommit { id, number, size });
        }
    }

    /// The number of commits at or before one, itself included.
    fn size(&self, number: usize) -> usize {
        let of_line = self.commits[number].of_line;
        let mut own = HashSet::new();
        let mut left = vec![number];
        while let Some(number) = left.pop() {
            // With a lower number it is at or before the version of the line.
            if number >= of_line && own.insert(number) {
                left.extend(&self.commits[number].parents);
            }
        }
        of_line + own.len()
    }
}

/// All parents, as far as the clone has them.
fn parents(repository: &Repository, commit: Oid) -> Result<Vec<Oid>, GitError> {
    Ok(repository.commit(CommitId::of(commit))?.parent_ids().collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Commits in a new repository: for each the commits that it names as parents, by how far they are before it, and
    /// its time, which need not grow.
    fn commits(repository: &git2::Repository, shape: &[(Vec<usize>, i64)]) -> Vec<Oid> {
        let tree = repository.treebuilder(None).unwrap().write().unwrap();
        let tree = repository.find_tree(tree).unwrap();
        let mut written: Vec<Oid> = Vec::new();
        for (number, (back, time)) in shape.iter().enumerate() {
            let mut parents: Vec<Oid> = Vec::new();
            for back in back.iter().filter(|back| **back <= number) {
                let parent = written[number - back];
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
            let parents: Vec<_> = parents.iter().map(|&id| repository.find_commit(id).unwrap()).collect();
            let time = git2::Time::new(1_600_000_000 + time, 0);
            let author = git2::Signature::new("A", "a@example.org", &time).unwrap();
            let parents: Vec<_> = parents.iter().collect();
            let message = number.to_string();
            written.push(
                repository
                    .commit(None, &author, &author, &message, &tree, &parents)
                    .unwrap(),
            );
        }
        written
    }

    fn ancestors(repository: &git2::Repository, commit: Oid) -> BTreeSet<Oid> {
        let mut found = BTreeSet::new();
        let mut left = vec![commit];
        while let Some(commit) = left.pop() {
            if found.insert(commit) {
                left.extend(repository.find_commit(commit).unwrap().parent_ids());
            }
        }
        found
    }

    fn shapes() -> impl Strategy<Value = Vec<(Vec<usize>, i64)>> {
        // 1 is the commit before: a line; more are branches and merges; none is another root.
        let parents = prop_oneof![
            4 => Just(vec![1]),
            2 => (1..9_usize).prop_map(|back| vec![back]),
            3 => proptest::collection::vec(1..9_usize, 2..4),
            1 => Just(Vec::new()),
        ];
        proptest::collection::vec((parents, 0..40_i64), 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_says_what_git_says_of_any_history(
            shape in shapes(),
            marks in proptest::collection::vec(any::<prop::sample::Index>(), 1..8),
            queries in proptest::collection::vec(any::<prop::sample::Index>(), 1..24),
            in_order in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let repository = Repository::create_bare(folder.path()).unwrap();
            let all = commits(repository.raw(), &shape);
            let marks: BTreeSet<Oid> = marks.iter().map(|mark| *mark.get(&all)).collect();
            let mut queries: Vec<usize> = queries.iter().map(|query| query.index(all.len())).collect();
            if in_order {
                queries.sort_unstable();
            }
            let mut index = AncestryIndex::new(marks.iter().map(|&mark| CommitId::of(mark)));
            for query in queries {
                let version = all[query];
                let (size, found) = index.at_or_before(&repository, CommitId::of(version)).unwrap();
                prop_assert_eq!(size, ancestors(repository.raw(), version).len());
                for &mark in &marks {
                    let by_git = mark == version || repository.raw().graph_descendant_of(version, mark).unwrap();
                    let by_index = found.iter().find(|marked| marked.id == CommitId::of(mark));
                    prop_assert_eq!(by_index.is_some(), by_git);
                    if let Some(marked) = by_index {
                        prop_assert_eq!(marked.size, ancestors(repository.raw(), mark).len());
                    }
                }
            }
        }
    }
}
