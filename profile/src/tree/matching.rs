//! Two trees → which context of one is which of the other, even if calls were inserted or removed on the way to it.
//!
//! After section V of Sandoval Alcocer, Bergel, Ducasse and Denker, *Performance Evolution Blueprint* (VISSOFT 2013):
//! "Two nodes are equivalent if the call context of one of them (the list of nodes from root to the node) is a
//! sub-sequence of the call context of the other one." That says which nodes may match. Here it is settled which do, so
//! that the two trees merge into one:
//!
//! - each node matches at most one, and what is below a node matches only what is below its match;
//! - on the path to a match, either all nodes of the first tree are matched (the others were inserted) or all of the
//!   second (the others were removed). Both at once is another context: there, neither path is part of the other;
//! - from the roots down, the child of the same function comes first, then what is fewest calls away, then what costs
//!   most in both trees together;
//! - no pair that keeps these rules is left out. A pair is, that is equivalent only by way of nodes which match
//!   something else, or nothing: it would hang below an insertion and a removal.
//!
//! Roots of different functions stand for the two executions, and match, unless one occurs in the other tree.
//!
//! A node is looked at once, but for those below a child that turns out to match something deeper: they are searched as
//! deep as that lies, and again from there on. So n nodes take at most about n^1.5 steps, and nearly always n.

use std::cmp::Reverse;

use super::walk::Subtrees;
use super::{CallTree, FunctionId, NodeId, SharedFunctions};

/// Which nodes of two trees are the same context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// For each node of the first tree, that of the second; `None` if it was removed.
    pub after_of: Vec<Option<NodeId>>,
    /// For each node of the second tree, that of the first; `None` if it is new.
    pub before_of: Vec<Option<NodeId>>,
}

/// Matches two trees, whose functions `functions` joins.
#[must_use]
pub fn match_trees(before: &CallTree, after: &CallTree, functions: &SharedFunctions) -> Matching {
    let mut matcher = Matcher {
        sides: [
            Side::new(before, &functions.of_before, functions.table.len()),
            Side::new(after, &functions.of_after, functions.table.len()),
        ],
        ranks: ranks(before, after, functions),
        pairs: Vec::new(),
    };
    let root = NodeId(0);
    matcher.settle([0, 1].map(|_| Children::new(vec![root])), Way::Straight);
    if matcher.pairs.is_empty() {
        matcher.pair([root, root], Way::Straight);
    }
    while let Some((pair, way)) = matcher.pairs.pop() {
        let [before, after] = &matcher.sides;
        let called = [before.children(pair[0]), after.children(pair[1])];
        matcher.settle(called, way);
    }
    let [before, after] = matcher.sides;
    Matching {
        after_of: before.matches,
        before_of: after.matches,
    }
}

/// What is unmatched on the path to a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Nothing.
    Straight,
    /// Nodes of the tree of this index: 0 if they were removed, 1 if they were inserted.
    Around(usize),
}

impl Way {
    /// Whether nodes of a side may stay unmatched above a match from here on.
    fn may_skip(self, side: usize) -> bool {
        self == Way::Straight || self == Way::Around(side)
    }
}

/// What became of a child of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Matched,
    /// Something below it is matched to a child of the other side, so that itself it never is.
    Skipped,
}

/// What one node of a pair calls.
struct Children {
    nodes: Vec<NodeId>,
    fates: Vec<Fate>,
    /// How many of them are [`Fate::Open`].
    open: usize,
}

impl Children {
    fn new(nodes: Vec<NodeId>) -> Self {
        Self {
            fates: vec![Fate::Open; nodes.len()],
            open: nodes.len(),
            nodes,
        }
    }

    fn is_open(&self, at: usize) -> bool {
        self.fates[at] == Fate::Open
    }

    fn settle(&mut self, at: usize, fate: Fate) {
        self.open -= usize::from(self.is_open(at));
        self.fates[at] = fate;
    }
}

struct Side {
    /// Of each node, in the shared table.
    functions: Vec<usize>,
    subtrees: Subtrees,
    inclusive: Vec<u64>,
    matches: Vec<Option<NodeId>>,
    /// By function of the shared table: which of the children at hand is of it. Emptied after each use.
    by_function: Vec<Option<usize>>,
}

/// A node below a child, and the child of the other side that it could be.
struct Candidate {
    side: usize,
    node: NodeId,
    /// Index of the child that it is below.
    below: usize,
    /// Index of the child of the other side.
    wanted: usize,
}

struct Matcher {
    sides: [Side; 2],
    ranks: Vec<u32>,
    /// Pairs whose children are still to be settled.
    pairs: Vec<([NodeId; 2], Way)>,
}

impl Side {
    fn new(tree: &CallTree, shared: &[FunctionId], functions: usize) -> Self {
        let function = |id: FunctionId| shared[id.0 as usize].0 as usize;
        Self {
            functions: tree
                .nodes
                .iter()
                .map(|node| function(node.function))
                .collect(),
            subtrees: tree.subtrees(),
            inclusive: tree.inclusive(),
            matches: vec![None; tree.nodes.len()],
            by_function: vec![None; functions],
        }
    }

    fn children(&self, node: NodeId) -> Children {
        Children::new(self.subtrees.children(node).collect())
    }

    fn function(&self, node: NodeId) -> usize {
        self.functions[node.index()]
    }
}

impl Matcher {
    /// Matches what a pair calls, on either side: with each other, or with what is below the others.
    fn settle(&mut self, mut children: [Children; 2], way: Way) {
        for (side, children) in self.sides.iter_mut().zip(&children) {
            for (at, &child) in children.nodes.iter().enumerate() {
                let function = side.function(child);
                side.by_function[function] = Some(at);
            }
        }
        for at in 0..children[0].nodes.len() {
            let child = children[0].nodes[at];
            if let Some(other) = self.sides[1].by_function[self.sides[0].function(child)] {
                self.pair([child, children[1].nodes[other]], way);
                children[0].settle(at, Fate::Matched);
                children[1].settle(other, Fate::Matched);
            }
        }
        self.look_below(&mut children, way);
        for (side, children) in self.sides.iter_mut().zip(&children) {
            for &child in &children.nodes {
                let function = side.function(child);
                side.by_function[function] = None;
            }
        }
    }

    /// Looks for the children of each side among what the other side's children call, level by level.
    fn look_below(&mut self, children: &mut [Children; 2], way: Way) {
        let mut levels = [0, 1].map(|side| -> Vec<(NodeId, usize)> {
            children[side].nodes.iter().copied().zip(0..).collect()
        });
        loop {
            let mut candidates = Vec::new();
            for side in [0, 1] {
                if way.may_skip(side) && children[1 - side].open > 0 {
                    levels[side] = self.next_level(side, &levels[side], &children[side]);
                    candidates.extend(self.candidates(side, &levels[side], &children[1 - side]));
                } else {
                    levels[side].clear();
                }
            }
            if levels.iter().all(Vec::is_empty) {
                return;
            }
            candidates.sort_unstable_by_key(|candidate| self.order(candidate, children));
            for found in candidates {
                let (side, wanted) = (found.side, found.wanted);
                let is_cut_off = children[side].fates[found.below] == Fate::Matched;
                if is_cut_off || !children[1 - side].is_open(wanted) {
                    continue;
                }
                let wanted_node = children[1 - side].nodes[wanted];
                let pair = match side {
                    0 => [found.node, wanted_node],
                    _ => [wanted_node, found.node],
                };
                self.pair(pair, Way::Around(side));
                children[side].settle(found.below, Fate::Skipped);
                children[1 - side].settle(wanted, Fate::Matched);
            }
        }
    }

    /// One call further down, where nothing is matched yet.
    fn next_level(
        &self,
        side: usize,
        level: &[(NodeId, usize)],
        children: &Children,
    ) -> Vec<(NodeId, usize)> {
        let side = &self.sides[side];
        (level.iter())
            .filter(|&&(node, below)| {
                children.fates[below] != Fate::Matched && side.matches[node.index()].is_none()
            })
            .flat_map(|&(node, below)| {
                side.subtrees
                    .children(node)
                    .map(move |child| (child, below))
            })
            .collect()
    }

    fn candidates(
        &self,
        side: usize,
        level: &[(NodeId, usize)],
        others: &Children,
    ) -> Vec<Candidate> {
        let wanted = |node| self.sides[1 - side].by_function[self.sides[side].function(node)];
        (level.iter())
            .filter_map(|&(node, below)| {
                let wanted = wanted(node).filter(|&wanted| others.is_open(wanted))?;
                Some(Candidate {
                    side,
                    node,
                    below,
                    wanted,
                })
            })
            .collect()
    }

    /// The most expensive first; what costs the same by name, then as the trees have it. All candidates of one function
    /// are of one side, so that swapped trees give the same order.
    fn order(&self, found: &Candidate, children: &[Children; 2]) -> (Reverse<u64>, u32, NodeId) {
        let side = &self.sides[found.side];
        let other = &self.sides[1 - found.side];
        let wanted = children[1 - found.side].nodes[found.wanted];
        let cost =
            side.inclusive[found.node.index()].saturating_add(other.inclusive[wanted.index()]);
        (
            Reverse(cost),
            self.ranks[side.function(found.node)],
            found.node,
        )
    }

    fn pair(&mut self, pair: [NodeId; 2], way: Way) {
        self.sides[0].matches[pair[0].index()] = Some(pair[1]);
        self.sides[1].matches[pair[1].index()] = Some(pair[0]);
        self.pairs.push((pair, way));
    }
}

/// The order of the shared functions by both their names, which is the same if the trees are swapped.
fn ranks(before: &CallTree, after: &CallTree, functions: &SharedFunctions) -> Vec<u32> {
    let names = |at: &u32| {
        let shared = &functions.table[*at as usize];
        let old = shared
            .before
            .map(|id| &before.functions[id.0 as usize].name);
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::{Matching, match_trees};
    use crate::tree::sketch::{tree, trees};
    use crate::tree::{CallTree, Function, NodeId, Renames, SharedFunctions, TreeBuilder};

    fn matched(before: &CallTree, after: &CallTree, renames: &Renames) -> Matching {
        match_trees(before, after, &SharedFunctions::of(before, after, renames))
    }

    fn path(tree: &CallTree, node: NodeId) -> String {
        let names: Vec<_> = tree
            .path(node)
            .iter()
            .map(|&node| tree.name(node))
            .collect();
        names.join("/")
    }

    /// Each match as "path = path", and each node without one as "− path" or "+ path".
    fn lines(before: &str, after: &str, renames: &[(&str, &str)]) -> Vec<String> {
        let (before, after) = (tree(before), tree(after));
        let renames = (renames.iter()).map(|(old, new)| ((*old).to_owned(), (*new).to_owned()));
        let matching = matched(&before, &after, &renames.collect());
        let mut lines = Vec::new();
        for (node, other) in (0..).map(NodeId).zip(&matching.after_of) {
            lines.push(match other {
                Some(other) => format!("{} = {}", path(&before, node), path(&after, *other)),
                None => format!("- {}", path(&before, node)),
            });
        }
        let new = (0..)
            .map(NodeId)
            .zip(&matching.before_of)
            .filter(|(_, before)| before.is_none());
        lines.extend(new.map(|(node, _)| format!("+ {}", path(&after, node))));
        lines
    }

    /// Figure 5 of the paper.
    #[test]
    fn an_inserted_inner_node_is_found_and_its_children_still_match() {
        assert_eq!(
            lines("A\n B\n C\n D\n", "A\n D\n  F\n E\n  B\n  C\n", &[]),
            [
                "A = A",
                "A/B = A/E/B",
                "A/C = A/E/C",
                "A/D = A/D",
                "+ A/D/F",
                "+ A/E"
            ]
        );
    }

    #[test]
    fn a_removed_inner_node_is_found_and_its_children_still_match() {
        assert_eq!(
            lines("A\n E\n  F\n   B\n    C\n", "A\n B\n  C\n", &[]),
            [
                "A = A",
                "- A/E",
                "- A/E/F",
                "A/E/F/B = A/B",
                "A/E/F/B/C = A/B/C"
            ]
        );
    }

    #[test]
    fn a_function_in_another_context_is_another_node() {
        assert_eq!(
            lines("A\n B\n  D\n C\n", "A\n B\n C\n  D\n", &[]),
            ["A = A", "A/B = A/B", "- A/B/D", "A/C = A/C", "+ A/C/D"]
        );
        assert_eq!(
            lines("A\n B\n  D\n", "A\n C\n  D\n", &[]),
            ["A = A", "- A/B", "- A/B/D", "+ A/C", "+ A/C/D"],
            "something inserted and something removed"
        );
    }

    #[test]
    fn below_an_inserted_node_nothing_is_removed_on_the_way_to_a_match() {
        assert_eq!(
            lines("A\n B\n  C\n   D\n", "A\n X\n  B\n   D\n", &[]),
            [
                "A = A",
                "A/B = A/X/B",
                "- A/B/C",
                "- A/B/C/D",
                "+ A/X",
                "+ A/X/B/D"
            ]
        );
    }

    #[test]
    fn a_direct_call_is_preferred_to_an_inserted_one_however_cheap() {
        assert_eq!(
            lines("A\n B 9\n", "A\n B 1\n X\n  B 9\n", &[]),
            ["A = A", "A/B = A/B", "+ A/X", "+ A/X/B"]
        );
    }

    #[test]
    fn the_nearest_is_preferred_and_of_the_near_ones_the_most_expensive() {
        assert_eq!(
            lines(
                "A\n B 9\n",
                "A\n X\n  B 1\n Y\n  B 2\n Z\n  Z\n   B 9\n",
                &[]
            )[1],
            "A/B = A/Y/B"
        );
    }

    #[test]
    fn the_whole_tree_may_be_called_by_a_new_root() {
        assert_eq!(
            lines("main\n A\n", "wrapper\n main\n  A\n", &[]),
            [
                "main = wrapper/main",
                "main/A = wrapper/main/A",
                "+ wrapper"
            ]
        );
        assert_eq!(
            lines("wrapper\n main\n  A\n", "main\n A\n", &[]),
            [
                "- wrapper",
                "wrapper/main = main",
                "wrapper/main/A = main/A"
            ]
        );
    }

    #[test]
    fn roots_of_two_benchmarks_match_each_other() {
        assert_eq!(
            lines("one\n A\n", "two\n X\n  A\n", &[]),
            ["one = two", "one/A = two/X/A", "+ two/X"]
        );
    }

    #[test]
    fn a_renamed_function_matches_and_so_does_what_it_calls() {
        assert_eq!(
            lines("A\n old\n  B\n", "A\n new\n  B\n", &[("old", "new")]),
            ["A = A", "A/old = A/new", "A/old/B = A/new/B"]
        );
        assert_eq!(
            lines("A\n old\n  B\n", "A\n X\n  new\n   B\n", &[("old", "new")]),
            ["A = A", "A/old = A/X/new", "A/old/B = A/X/new/B", "+ A/X"]
        );
    }

    #[test]
    fn recursion_that_went_deeper_matches_where_it_can() {
        assert_eq!(
            lines("A\n B\n  B\n", "A\n B\n  B\n   B\n", &[]),
            ["A = A", "A/B = A/B", "A/B/B = A/B/B", "+ A/B/B/B"]
        );
    }

    #[test]
    fn a_hundred_thousand_calls_deep_there_is_no_overflow_and_no_wait() {
        let chain = |names: &[&str]| {
            let mut builder = TreeBuilder::new(Function::named("main"));
            let mut context = builder.root();
            for name in names.iter().cycle().take(100_000) {
                let function = builder.declare(Function::named(*name));
                context = builder.enter(context, function);
            }
            builder.finish()
        };
        let matching = matched(&chain(&["a"]), &chain(&["n", "a"]), &Renames::new());
        let pairs = matching.after_of.iter().flatten().count();
        assert_eq!(pairs, 50_001, "every second one is inserted");
    }

    fn is_subsequence(one: &[u32], other: &[u32]) -> bool {
        let mut other = other.iter();
        one.iter()
            .all(|function| other.any(|candidate| candidate == function))
    }

    /// The definition, on paths of shared functions.
    fn may_match(paths: &[Vec<Vec<u32>>; 2], pair: [usize; 2]) -> bool {
        let [one, other] = [&paths[0][pair[0]], &paths[1][pair[1]]];
        one.last() == other.last() && (is_subsequence(one, other) || is_subsequence(other, one))
    }

    /// Paths from the root; the roots are one function if they match without being one.
    fn paths(
        before: &CallTree,
        after: &CallTree,
        renames: &Renames,
        roots: bool,
    ) -> [Vec<Vec<u32>>; 2] {
        let functions = SharedFunctions::of(before, after, renames);
        [(before, &functions.of_before), (after, &functions.of_after)].map(|(tree, of)| {
            let mut paths: Vec<Vec<u32>> = Vec::new();
            for node in &tree.nodes {
                let mut path = node
                    .parent
                    .map_or(Vec::new(), |parent| paths[parent.index()].clone());
                let stands_for_all = roots && node.parent.is_none();
                path.push(if stands_for_all {
                    u32::MAX
                } else {
                    of[node.function.0 as usize].0
                });
                paths.push(path);
            }
            paths
        })
    }

    fn above(tree: &CallTree, node: usize) -> Vec<usize> {
        let node = NodeId(u32::try_from(node).unwrap());
        let mut path: Vec<_> = tree.path(node).into_iter().map(NodeId::index).collect();
        path.pop();
        path
    }

    fn is_above(tree: &CallTree, above: usize, below: usize) -> bool {
        above != below
            && tree
                .subtrees()
                .range(NodeId(u32::try_from(above).unwrap()))
                .contains(&below)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

        #[test]
        fn matches_are_what_the_paper_calls_equivalent_and_none_is_left_out(
            before in trees(14), after in trees(14), renamed in prop::option::of(("[a-d]", "[a-d]")),
        ) {
            let renames: Renames = renamed.into_iter().collect();
            let matching = matched(&before, &after, &renames);
            let mut pairs: Vec<[usize; 2]> = Vec::new();
            for (one, other) in matching.after_of.iter().enumerate() {
                if let Some(other) = other {
                    prop_assert_eq!(matching.before_of[other.index()].map(NodeId::index), Some(one));
                    pairs.push([one, other.index()]);
                }
            }
            prop_assert_eq!(pairs.len(), matching.before_of.iter().flatten().count());
            let paths = paths(&before, &after, &renames, pairs.contains(&[0, 0]));
            let keeps_ancestors = |pair: [usize; 2], other: [usize; 2]| {
                is_above(&before, pair[0], other[0]) == is_above(&after, pair[1], other[1])
                    && is_above(&before, other[0], pair[0]) == is_above(&after, other[1], pair[1])
            };
            let unmatched = |path: &[usize], side: usize| {
                path.iter().any(|&node| pairs.iter().all(|pair| pair[side] != node))
            };
            for &pair in &pairs {
                prop_assert!(may_match(&paths, pair), "{:?}", pair);
                let both = unmatched(&above(&before, pair[0]), 0) && unmatched(&above(&after, pair[1]), 1);
                prop_assert!(!both, "{:?} is reached by insertions and removals", pair);
                for &other in &pairs {
                    prop_assert!(keeps_ancestors(pair, other), "{:?} {:?}", pair, other);
                }
            }
            for one in 0..before.nodes.len() {
                for other in 0..after.nodes.len() {
                    let pair = [one, other];
                    let is_free = matching.after_of[one].is_none() && matching.before_of[other].is_none();
                    if !is_free || !may_match(&paths, pair) || !pairs.iter().all(|&other| keeps_ancestors(pair, other)) {
                        continue;
                    }
                    let both = unmatched(&above(&before, one), 0) && unmatched(&above(&after, other), 1);
                    prop_assert!(both, "{:?} could be added", pair);
                }
            }
        }

        #[test]
        fn a_tree_matches_itself_node_by_node(tree in trees(30)) {
            let matching = matched(&tree, &tree, &Renames::new());
            let itself: Vec<_> = (0..).map(NodeId).map(Some).take(tree.nodes.len()).collect();
            prop_assert_eq!(&matching.after_of, &itself);
            prop_assert_eq!(&matching.before_of, &itself);
        }

        #[test]
        fn swapped_trees_match_the_same(
            before in trees(25), after in trees(25), renamed in prop::option::of(("[a-d]", "[a-d]")),
        ) {
            let back = renamed.clone().map(|(old, new)| (new, old)).into_iter().collect();
            let matching = matched(&before, &after, &renamed.into_iter().collect());
            let swapped = matched(&after, &before, &back);
            prop_assert_eq!(matching.after_of, swapped.before_of);
            prop_assert_eq!(matching.before_of, swapped.after_of);
        }
    }
}
