//! Two call trees → pairs of contexts that are the same, even if calls were inserted or removed on the way to them.
//!
//! After section V of Sandoval Alcocer, Bergel, Ducasse and Denker, *Performance Evolution Blueprint* (VISSOFT 2013):
//! "Two nodes are equivalent if the call context of one of them (the list of nodes from root to the node) is a
//! sub-sequence of the call context of the other one." This says which nodes may match. These rules choose the pairs,
//! so that the two trees merge into one:
//!
//! - each node matches at most one node, and nodes below it match only nodes below its partner;
//! - on the path to a match, either all nodes of the first tree are matched (the others were inserted) or all of the
//!   second (the others were removed). If neither holds, it is another context: neither path is part of the other;
//! - from the roots down, a child of the same function comes first, then the candidate that is fewest calls away, then
//!   the one that costs most in both trees together;
//! - every pair that keeps these rules is matched. A pair that is equivalent only through nodes that match elsewhere or
//!   not at all is left out: it would hang below an insertion and a removal.
//!
//! Roots of different functions stand for their executions and match, unless one of them occurs in the other tree.
//!
//! Each node is visited once, except below a child that turns out to match something deeper: those nodes are searched
//! down to that depth, and again from there. So n nodes take at most about n^1.5 steps, and nearly always n.

use std::cmp::Reverse;

use crate::call_tree::SubtreeRanges;
use crate::call_tree::{CallTree, CallTreeFunctionId, CallTreeNodeId, SharedFunctions};

/// Pairs of nodes of two trees that are the same context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTreeMatching {
    /// For each node of the first tree, its partner in the second; `None` if it was removed.
    pub after_of: Vec<Option<CallTreeNodeId>>,
    /// For each node of the second tree, its partner in the first; `None` if it is new.
    pub before_of: Vec<Option<CallTreeNodeId>>,
}

/// Matches two trees whose functions are joined in `functions`.
#[must_use]
pub fn match_trees(before: &CallTree, after: &CallTree, functions: &SharedFunctions) -> CallTreeMatching {
    let mut matcher = CallTreeMatcher {
        sides: [
            CallTreeMatchSide::new(before, &functions.of_before, functions.table.len()),
            CallTreeMatchSide::new(after, &functions.of_after, functions.table.len()),
        ],
        ranks: ranks(before, after, functions),
        pairs: Vec::new(),
    };
    let root = CallTreeNodeId(0);
    let mut children = [MatchedPairChildren::default(), MatchedPairChildren::default()];
    for children in &mut children {
        children.fill([root]);
    }
    matcher.settle(&mut children, SkippedPath::Straight);
    if matcher.pairs.is_empty() {
        matcher.pair([root, root], SkippedPath::Straight);
    }
    while let Some((pair, way)) = matcher.pairs.pop() {
        for side in [0, 1] {
            children[side].fill(matcher.sides[side].subtrees.children(pair[side]));
        }
        matcher.settle(&mut children, way);
    }
    let [before, after] = matcher.sides;
    CallTreeMatching {
        after_of: before.matches,
        before_of: after.matches,
    }
}

/// Unmatched nodes on the path to a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SkippedPath {
    /// None.
    Straight,
    /// Nodes of the tree with this index: 0 if they were removed, 1 if they were inserted.
    Around(usize),
}

impl SkippedPath {
    /// Whether nodes of a side may stay unmatched above a match that lies below.
    fn may_skip(self, side: usize) -> bool {
        self == SkippedPath::Straight || self == SkippedPath::Around(side)
    }
}

/// State of a child of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChildMatchState {
    Open,
    Matched,
    /// Something below it matches a child of the other side, so it stays unmatched itself.
    Skipped,
}

/// Children of one node of a pair; reused for the next pair.
#[derive(Default)]
struct MatchedPairChildren {
    nodes: Vec<CallTreeNodeId>,
    fates: Vec<ChildMatchState>,
    /// How many children are [`ChildMatchState::Open`].
    open: usize,
}

impl MatchedPairChildren {
    fn fill(&mut self, nodes: impl IntoIterator<Item = CallTreeNodeId>) {
        self.nodes.clear();
        self.nodes.extend(nodes);
        self.fates.clear();
        self.fates.resize(self.nodes.len(), ChildMatchState::Open);
        self.open = self.nodes.len();
    }

    fn is_open(&self, at: usize) -> bool {
        self.fates[at] == ChildMatchState::Open
    }

    fn decide(&mut self, at: usize, fate: ChildMatchState) {
        self.open -= usize::from(self.is_open(at));
        self.fates[at] = fate;
    }
}

struct CallTreeMatchSide {
    /// For each node, its function in the shared table.
    functions: Vec<usize>,
    subtrees: SubtreeRanges,
    inclusive: Vec<u64>,
    matches: Vec<Option<CallTreeNodeId>>,
    /// For each function of the shared table, the current child that calls it. Emptied after each use.
    by_function: Vec<Option<usize>>,
}

/// A node below a child, and the child of the other side that it may match.
struct CallTreeMatchCandidate {
    side: usize,
    node: CallTreeNodeId,
    /// Index of the child above it.
    below: usize,
    /// Index of the child of the other side.
    wanted: usize,
}

struct CallTreeMatcher {
    sides: [CallTreeMatchSide; 2],
    ranks: Vec<u32>,
    /// Pairs whose children are not matched yet.
    pairs: Vec<([CallTreeNodeId; 2], SkippedPath)>,
}

impl CallTreeMatchSide {
    fn new(tree: &CallTree, shared: &[CallTreeFunctionId], functions: usize) -> Self {
        let function = |id: CallTreeFunctionId| shared[id.0 as usize].0 as usize;
        Self {
            functions: tree.nodes.iter().map(|node| function(node.function)).collect(),
            subtrees: tree.subtrees(),
            inclusive: tree.inclusive(),
            matches: vec![None; tree.nodes.len()],
            by_function: vec![None; functions],
        }
    }

    fn function(&self, node: CallTreeNodeId) -> usize {
        self.functions[node.index()]
    }
}

impl CallTreeMatcher {
    /// Matches the children of a pair: with each other, or with nodes below the other side's children.
    fn settle(&mut self, children: &mut [MatchedPairChildren; 2], way: SkippedPath) {
        for (side, children) in self.sides.iter_mut().zip(&*children) {
            for (at, &child) in children.nodes.iter().enumerate() {
                let function = side.function(child);
                side.by_function[function] = Some(at);
            }
        }
        for at in 0..children[0].nodes.len() {
            let child = children[0].nodes[at];
            if let Some(other) = self.sides[1].by_function[self.sides[0].function(child)] {
                self.pair([child, children[1].nodes[other]], way);
                children[0].decide(at, ChildMatchState::Matched);
                children[1].decide(other, ChildMatchState::Matched);
            }
        }
        self.look_below(children, way);
        for (side, children) in self.sides.iter_mut().zip(&*children) {
            for &child in &children.nodes {
                let function = side.function(child);
                side.by_function[function] = None;
            }
        }
    }

    /// Searches for the children of each side below the other side's children, level by level.
    fn look_below(&mut self, children: &mut [MatchedPairChildren; 2], way: SkippedPath) {
        let is_wanted =
            |side: usize, children: &[MatchedPairChildren; 2]| way.may_skip(side) && children[1 - side].open > 0;
        let mut levels = [0, 1].map(|side| -> Vec<(CallTreeNodeId, usize)> {
            let nodes = &children[side].nodes;
            let level = nodes.iter().copied().zip(0..);
            level.filter(|_| is_wanted(side, children)).collect()
        });
        while !levels.iter().all(Vec::is_empty) {
            let mut candidates = Vec::new();
            for side in [0, 1] {
                if is_wanted(side, children) {
                    levels[side] = self.next_level(side, &levels[side], &children[side]);
                    candidates.extend(self.candidates(side, &levels[side], &children[1 - side]));
                } else {
                    levels[side].clear();
                }
            }
            candidates.sort_unstable_by_key(|candidate| self.order(candidate, children));
            for found in candidates {
                let (side, wanted) = (found.side, found.wanted);
                let is_cut_off = children[side].fates[found.below] == ChildMatchState::Matched;
                if is_cut_off || !children[1 - side].is_open(wanted) {
                    continue;
                }
                let wanted_node = children[1 - side].nodes[wanted];
                let pair = match side {
                    0 => [found.node, wanted_node],
                    _ => [wanted_node, found.node],
                };
                self.pair(pair, SkippedPath::Around(side));
                children[side].decide(found.below, ChildMatchState::Skipped);
                children[1 - side].decide(wanted, ChildMatchState::Matched);
            }
        }
    }

    /// One level further down, where nothing is matched yet.
    fn next_level(
        &self,
        side: usize,
        level: &[(CallTreeNodeId, usize)],
        children: &MatchedPairChildren,
    ) -> Vec<(CallTreeNodeId, usize)> {
        let side = &self.sides[side];
        (level.iter())
            .filter(|&&(node, below)| {
                children.fates[below] != ChildMatchState::Matched && side.matches[node.index()].is_none()
            })
            .flat_map(|&(node, below)| side.subtrees.children(node).map(move |child| (child, below)))
            .collect()
    }

    fn candidates(
        &self,
        side: usize,
        level: &[(CallTreeNodeId, usize)],
        others: &MatchedPairChildren,
    ) -> Vec<CallTreeMatchCandidate> {
        let wanted = |node| self.sides[1 - side].by_function[self.sides[side].function(node)];
        (level.iter())
            .filter_map(|&(node, below)| {
                let wanted = wanted(node).filter(|&wanted| others.is_open(wanted))?;
                Some(CallTreeMatchCandidate {
                    side,
                    node,
                    below,
                    wanted,
                })
            })
            .collect()
    }

    /// Orders candidates: the most expensive first, then by name, then as in the trees. All candidates of one function
    /// are of one side, so that swapped trees give the same order.
    fn order(
        &self,
        found: &CallTreeMatchCandidate,
        children: &[MatchedPairChildren; 2],
    ) -> (Reverse<u64>, u32, CallTreeNodeId) {
        let side = &self.sides[found.side];
        let other = &self.sides[1 - found.side];
        let wanted = children[1 - found.side].nodes[found.wanted];
        let cost = side.inclusive[found.node.index()].saturating_add(other.inclusive[wanted.index()]);
        (Reverse(cost), self.ranks[side.function(found.node)], found.node)
    }

    fn pair(&mut self, pair: [CallTreeNodeId; 2], way: SkippedPath) {
        self.sides[0].matches[pair[0].index()] = Some(pair[1]);
        self.sides[1].matches[pair[1].index()] = Some(pair[0]);
        self.pairs.push((pair, way));
    }
}

/// Order of the shared functions by both their names, which is the same for swapped trees.
fn ranks(before: &CallTree, after: &CallTree, functions: &SharedFunctions) -> Vec<u32> {
    let names = |at: &u32| {
        let shared = &functions.table[*at as usize];
        let old = shared.before.map(|id| &before.functions[id.0 as usize].name);
        let new = shared.after.map(|id| &after.functions[id.0 as usize].name);
        let (old, new) = (old.or(new), new.or(old));
        (old.min(new), old.max(new))
    };
    let mut by_names: Vec<u32> = (0..).take(functions.table.len()).collect();
    by_names.sort_by(|one, other| names(one).cmp(&names(other)));
    let mut ranks = vec![0; by_names.len()];
    for (rank, at) in (0..).zip(by_names) {
        ranks[at as usize] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests;
