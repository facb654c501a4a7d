//! The call tree of an optimised run and that of an unoptimised one → one tree with the costs of the first and the
//! calls of the second.
//!
//! The unoptimised build inlines nothing, so its paths are those of the source. The optimiser removes functions from
//! paths (a call whose inlined frame left no instruction, a tail call) and adds some (bodies that it shared or split).
//! A node of the optimised tree is searched for in the other tree: first as a child by name; then, if there is exactly
//! one such call anywhere below, there. Its cost moves to that path, the only one in the source. A node that is not
//! found keeps its place, and keeps its own number of calls or takes that of a single candidate further up, as an
//! estimate.
//!
//! Calls of project functions that left no instruction in the optimised program are kept, at no cost; calls of other
//! functions only where they lead to one.

use std::collections::HashMap;

use profile::call_tree::{BuilderContextId, CallCount, CallTree, CallTreeBuilder, CallTreeFunction, CallTreeNode};

/// Most nodes that are kept for their calls alone. A library's benchmark has some hundred; with more than this, a tree
/// is more readable without them.
const MOST_WITHOUT_COST: usize = 1 << 16;

/// Two trees joined into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedCallTree {
    /// Its total is that of the optimised run.
    pub tree: CallTree,
    /// Part of the total whose number of calls comes from the unoptimised run.
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

/// Partner of a node of the optimised tree.
#[derive(Debug, Clone, Copy)]
struct JoinedNodeMatch {
    context: BuilderContextId,
    /// Node of the other tree, if one was found.
    counted: Option<usize>,
    /// True if it is the only candidate: its calls are this node's calls.
    sure: bool,
}

struct CallTreeJoin<'t> {
    costs: &'t CallTree,
    counts: &'t CallTree,
    /// Descendants in the unoptimised tree.
    below: DescendantIndex<'t>,
    /// Descendants in the optimised tree.
    below_costs: DescendantIndex<'t>,
    builder: CallTreeBuilder,
    /// Parallel to the optimised tree.
    matches: Vec<Option<JoinedNodeMatch>>,
    /// Parallel to the unoptimised tree: contexts of its nodes in the joined tree.
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

    /// Sets the context of a node and the node that counts its calls, as certain or as a guess.
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

    /// Matches nodes whose caller is matched and that occur exactly once below it.
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

    /// The context of a node below another one, entering those between them.
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

    /// Keeps unmatched nodes in place, below their callers.
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

    /// The only call of a function below the nearest caller, matched or further up, that has any below it; `None` if it
    /// is the partner of another node already. The match is certain if the caller's is, and if the function is called
    /// once below it in both trees: then the paths differ by functions that one of the builds lost.
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

    /// Adds calls of project functions that the optimised tree lacks.
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

/// Descendants of each node, by function.
struct DescendantIndex<'t> {
    tree: &'t CallTree,
    ids: HashMap<&'t str, usize>,
    /// Nodes of each function, in preorder.
    of: Vec<Vec<u32>>,
    /// End of the subtree of each node.
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
