//! The tree of an optimised run and that of an unoptimised one in; one out: costs of the first, calls of the second.
//!
//! The unoptimised build inlines nothing, so its paths are the source's. The optimiser loses functions from paths (a
//! call whose inlined frame left no instruction, a tail call), and adds some (bodies that it shared or split). So a
//! node of the optimised tree is looked for in the other one: first as a child by name; then, if there is exactly one
//! such call anywhere below, there: its cost moves to that path, which is the only one that the source has. What is
//! not found keeps its place and its own number of calls, or takes that of the one candidate further up, as an
//! estimate.
//!
//! Calls of the project's functions that left no instruction in the optimised program are kept, at no cost; those of
//! other functions only where they lead to one.

use std::collections::HashMap;

use profile::call_tree::{BuilderContextId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction, CallTreeNode};

/// Most nodes that are kept for the sake of their calls alone. A library's benchmark has some hundred; what has more
/// than this is shown better without.
const MOST_WITHOUT_COST: usize = 1 << 16;

/// A tree that was joined of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedCallTree {
    /// Its total is that of the optimised run.
    pub tree: CallTree,
    /// Of the total, what has its number of calls from the unoptimised run.
    pub counted: u64,
}

/// Puts the calls of an unoptimised run into the tree of an optimised one.
#[must_use]
pub fn join_call_counts(costs: &CallTree, counts: &CallTree) -> JoinedCallTree {
    let mut join = CallTreeJoin::new(costs, counts);
    join.match_paths();
    join.match_strays();
    join.add_without_cost();
    join.finish()
}

/// What stands for a node of the optimised tree.
#[derive(Debug, Clone, Copy)]
struct JoinedNodeMatch {
    context: BuilderContextId,
    /// Node of the other tree, if one was found.
    counted: Option<usize>,
    /// True if it can be no other: its calls are this node's.
    sure: bool,
}

struct CallTreeJoin<'t> {
    costs: &'t CallTree,
    counts: &'t CallTree,
    /// Of the unoptimised tree.
    below: DescendantIndex<'t>,
    /// Of the optimised one.
    below_costs: DescendantIndex<'t>,
    builder: CallTreeBuilder,
    /// Parallel to the optimised tree.
    matches: Vec<Option<JoinedNodeMatch>>,
    /// Parallel to the unoptimised tree: where its nodes are in the joined one.
    taken: Vec<Option<BuilderContextId>>,
    counted: u64,
}

impl<'t> CallTreeJoin<'t> {
    fn new(costs: &'t CallTree, counts: &'t CallTree) -> Self {
        let builder = CallTreeBuilder::new(function(costs, 0).clone());
        let root = builder.root();
        let mut join = Self {
            costs,
            counts,
            below: DescendantIndex::new(counts),
            below_costs: DescendantIndex::new(costs),
            builder,
            matches: vec![None; costs.nodes.len()],
            taken: vec![None; counts.nodes.len()],
            counted: 0,
        };
        let same = function(costs, 0).name == function(counts, 0).name;
        join.set(0, root, same.then_some(0), true);
        join
    }

    /// Settles where a node is and what counts its calls, for sure or as a guess.
    fn set(&mut self, at: usize, context: BuilderContextId, counted: Option<usize>, sure: bool) {
        let node = &self.costs.nodes[at];
        self.builder.add_self(context, node.self_cost);
        match counted {
            Some(other) => {
                self.take(other, context, sure);
                if sure {
                    self.counted = self.counted.saturating_add(node.self_cost);
                }
            }
            None => {
                if let Some(calls) = node.calls {
                    self.builder.add_calls(context, calls);
                }
            }
        }
        self.matches[at] = Some(JoinedNodeMatch { context, counted, sure });
    }

    /// Gives a context the calls of a node of the unoptimised tree, once.
    fn take(&mut self, other: usize, context: BuilderContextId, sure: bool) {
        if self.taken[other].is_none() {
            self.taken[other] = Some(context);
            if let Some(calls) = self.counts.nodes[other].calls {
                let estimated = calls.estimated || !sure;
                self.builder.add_calls(context, CallCount { estimated, ..calls });
            }
            self.builder.declare(function(self.counts, other).clone());
        }
    }

    fn enter(&mut self, context: BuilderContextId, function: &CallTreeFunction) -> BuilderContextId {
        let declared = self.builder.declare(function.clone());
        self.builder.enter(context, declared)
    }

    /// Nodes whose caller is matched and that are there below it, once.
    fn match_paths(&mut self) {
        for at in 1..self.costs.nodes.len() {
            let Some(parent) = parent(self.costs, at).and_then(|parent| self.matches[parent]) else {
                continue;
            };
            let Some(caller) = parent.counted else {
                continue;
            };
            let name = &function(self.costs, at).name;
            let found = (self.below.child(caller, name)).or_else(|| self.below.only(caller, name));
            if let Some(found) = found {
                let context = self.follow(parent.context, caller, found);
                self.set(at, context, Some(found), true);
            }
        }
    }

    /// The context of a node below another one, those between them entered.
    fn follow(&mut self, context: BuilderContextId, from: usize, to: usize) -> BuilderContextId {
        let mut between = vec![to];
        let mut next = parent(self.counts, to);
        while let Some(node) = next.filter(|node| *node != from) {
            between.push(node);
            next = parent(self.counts, node);
        }
        let mut context = context;
        for node in between.into_iter().rev() {
            context = self.enter(context, function(self.counts, node));
            self.take(node, context, true);
        }
        context
    }

    /// The other nodes stay where they are, below their callers.
    fn match_strays(&mut self) {
        for at in 1..self.costs.nodes.len() {
            if self.matches[at].is_some() {
                continue;
            }
            let Some(caller) = parent(self.costs, at) else {
                continue;
            };
            let Some(context) = self.matches[caller].map(|caller| caller.context) else {
                continue;
            };
            let found = self.candidate(caller, &function(self.costs, at).name);
            let context = self.enter(context, function(self.costs, at));
            let sure = found.is_some_and(|(_, sure)| sure);
            self.set(at, context, found.map(|(found, _)| found), sure);
        }
    }

    /// The one call of a function below the nearest caller, matched or further up, that has any below it; none if that
    /// stands for another node already. It is sure where the caller is, and the function is called once below it in
    /// both trees: then the path differs by functions that one of the builds lost.
    fn candidate(&self, caller: usize, name: &str) -> Option<(usize, bool)> {
        let matched = |node: usize| {
            let matched = self.matches[node]?;
            Some((node, matched.counted?, matched.sure))
        };
        let (node, mut anchor, mut sure) =
            std::iter::successors(Some(caller), |node| parent(self.costs, *node)).find_map(matched)?;
        let is_free = |found: &usize| self.taken[*found].is_none();
        if node == caller
            && let Some(child) = self.below.child(anchor, name).filter(is_free)
        {
            return Some((child, sure));
        }
        sure &= self.below_costs.only(node, name).is_some();
        loop {
            match self.below.all(anchor, name) {
                [] => anchor = parent(self.counts, anchor)?,
                [only] => return Some((*only as usize, sure)).filter(|(found, _)| is_free(found)),
                _ => return None,
            }
            sure = false;
        }
    }

    /// Calls of project functions that the optimised tree does not have.
    fn add_without_cost(&mut self) {
        let mut wanted = vec![false; self.counts.nodes.len()];
        let mut without = 0;
        for at in (1..self.counts.nodes.len()).rev() {
            if self.taken[at].is_some() {
                continue;
            }
            wanted[at] |= !function(self.counts, at).external;
            if wanted[at] {
                without += 1;
                if let Some(caller) = parent(self.counts, at) {
                    wanted[caller] = true;
                }
            }
        }
        if without > MOST_WITHOUT_COST {
            return;
        }
        for (at, wanted) in wanted.into_iter().enumerate() {
            let caller = parent(self.counts, at).and_then(|caller| self.taken[caller]);
            if let Some(caller) = caller
                && wanted
                && self.taken[at].is_none()
            {
                let context = self.enter(caller, function(self.counts, at));
                self.take(at, context, true);
            }
        }
    }

    fn finish(self) -> JoinedCallTree {
        JoinedCallTree {
            tree: self.builder.finish(),
            counted: self.counted,
        }
    }
}

/// Where each function occurs below each node.
struct DescendantIndex<'t> {
    tree: &'t CallTree,
    ids: HashMap<&'t str, usize>,
    /// Nodes of each function, in preorder.
    of: Vec<Vec<u32>>,
    /// Behind the last node below each.
    ends: Vec<usize>,
}

impl<'t> DescendantIndex<'t> {
    fn new(tree: &'t CallTree) -> Self {
        let names = tree.functions.iter().enumerate();
        let mut below = Self {
            tree,
            ids: names.map(|(id, function)| (&*function.name, id)).collect(),
            of: vec![Vec::new(); tree.functions.len()],
            ends: (1..=tree.nodes.len()).collect(),
        };
        for (at, node) in tree.nodes.iter().enumerate() {
            below.of[node.function.0 as usize].push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        for at in (1..tree.nodes.len()).rev() {
            if let Some(caller) = parent(tree, at) {
                below.ends[caller] = below.ends[caller].max(below.ends[at]);
            }
        }
        below
    }

    /// All nodes of a function below a node.
    fn all(&self, node: usize, name: &str) -> &[u32] {
        let Some(id) = self.ids.get(name) else {
            return &[];
        };
        let of = &self.of[*id];
        let begin = of.partition_point(|at| *at as usize <= node);
        let end = of.partition_point(|at| (*at as usize) < self.ends[node]);
        &of[begin..end.max(begin)]
    }

    fn only(&self, node: usize, name: &str) -> Option<usize> {
        match self.all(node, name) {
            [only] => Some(*only as usize),
            _ => None,
        }
    }

    fn child(&self, node: usize, name: &str) -> Option<usize> {
        let is_child = |at: &&u32| parent(self.tree, **at as usize) == Some(node);
        let found = self.all(node, name).iter().find(is_child)?;
        Some(*found as usize)
    }
}

fn parent(tree: &CallTree, at: usize) -> Option<usize> {
    tree.nodes[at].parent.map(|parent| parent.0 as usize)
}

fn function(tree: &CallTree, at: usize) -> &CallTreeFunction {
    let CallTreeNode { function, .. } = &tree.nodes[at];
    &tree.functions[function.0 as usize]
}
