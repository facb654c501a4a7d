//! Two trees → the performance evolution blueprint: the merged tree, and of each context how much more it costs and how
//! much more often it is called.
//!
//! Formulas are those of section III of Sandoval Alcocer, Bergel, Ducasse and Denker, *Performance Evolution Blueprint:
//! Understanding the Impact of Software Evolution on Performance* (VISSOFT 2013). What is drawn in which colour and
//! size is the views' business.

use super::cost_difference::NodeCosts;
use super::merge::merge;
use crate::call_tree::{
    CallCount, CallTree, CallTreeFunctionId, CallTreeNodeId, CostDifference, CostNoise, FunctionRenames,
    SharedFunctions, match_trees,
};

/// Two executions, merged.
#[derive(Debug, Clone, PartialEq)]
pub struct EvolutionBlueprint {
    /// The functions of both trees.
    pub functions: SharedFunctions,
    /// What the first execution cost, in the unit of the runs.
    pub total_before: u64,
    /// What the second execution cost.
    pub total_after: u64,
    /// How the costs came about.
    pub noise: CostNoise,
    /// Preorder, siblings by name; node 0 is the root.
    pub nodes: Vec<EvolutionNode>,
}

/// A context of one execution or of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvolutionNode {
    /// Index of the context above; `None` for the root alone.
    pub parent: Option<usize>,
    /// In the shared table.
    pub function: CallTreeFunctionId,
    /// What it is in the first execution; `None` if it is new.
    pub before: Option<EvolutionSide>,
    /// What it is in the second execution; `None` if it was removed. Every node has a side.
    pub after: Option<EvolutionSide>,
    /// H, signed: positive if the second execution spends more here.
    ///
    /// - Of both: H = E2 − E1.
    /// - New: H = E2(node) − Σ E1(child) over its matched children, so that it is high if itself it is to blame, and
    ///   not for what was called before, too. ("The case of new method context.")
    /// - Removed: the mirror image, Σ E2(child) − E1(node).
    ///
    /// By itself (the self measures), a new node has what it costs, and a removed one minus that. Noise is judged on
    /// the two values that are subtracted.
    pub difference: CostDifference,
    /// W, before it is scaled to pixels; `None` where calls are not known.
    ///
    /// - Of both: ln(|calls2 − calls1| + 1).
    /// - New: ln(|calls2(node) − calls1(parent)| + 1), where the parent is the nearest that the first execution has;
    ///   without any, calls1 is 0.
    /// - Removed: the mirror image.
    pub width: Option<f64>,
}

/// A context in one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvolutionSide {
    /// In the execution's own tree.
    pub node: CallTreeNodeId,
    /// Cost with all that it calls, in the unit of the run.
    pub inclusive: u64,
    /// Cost of its own instructions.
    pub self_cost: u64,
    /// As in the tree.
    pub calls: Option<CallCount>,
}

/// Which executions have a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvolutionNodeKind {
    /// Both.
    Both,
    /// The second.
    New,
    /// The first.
    Removed,
}

impl EvolutionBlueprint {
    /// Merges two executions. `noise` says how their costs came about.
    #[must_use]
    pub fn of(before: &CallTree, after: &CallTree, renames: &FunctionRenames, noise: CostNoise) -> Self {
        let functions = SharedFunctions::of(before, after, renames);
        let matching = match_trees(before, after, &functions);
        let merged = merge(before, after, &functions, &matching);
        let sides = [InclusiveCallTree::of(before), InclusiveCallTree::of(after)];
        let totals = [before.total(), after.total()];
        let mut nodes: Vec<EvolutionNode> = (merged.iter())
            .map(|node| EvolutionNode {
                parent: node.parent,
                function: node.function,
                before: node.before.map(|id| sides[0].side(id)),
                after: node.after.map(|id| sides[1].side(id)),
                difference: CostDifference::of(NodeCosts::default(), totals, noise),
                width: None,
            })
            .collect();
        let matched_below = matched_below(&nodes);
        let widths = widths(&nodes);
        for (at, node) in nodes.iter_mut().enumerate() {
            node.difference = CostDifference::of(node.costs(matched_below[at]), totals, noise);
            node.width = widths[at];
        }
        Self {
            functions,
            total_before: totals[0],
            total_after: totals[1],
            noise,
            nodes,
        }
    }

    /// A node's name.
    #[must_use]
    pub fn name(&self, node: usize) -> &str {
        &self.functions.table[self.nodes[node].function.0 as usize].function.name
    }
}

impl EvolutionNode {
    /// Which executions have it.
    #[must_use]
    pub fn kind(&self) -> EvolutionNodeKind {
        match (self.before, self.after) {
            (None, _) => EvolutionNodeKind::New,
            (_, None) => EvolutionNodeKind::Removed,
            _ => EvolutionNodeKind::Both,
        }
    }

    /// True if one of its numbers of calls is an estimate.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        let calls = |side: EvolutionSide| side.calls.is_some_and(|calls| calls.estimated);
        self.before.is_some_and(calls) || self.after.is_some_and(calls)
    }

    /// What is compared of it, by the inclusive costs of its matched children on each side.
    fn costs(&self, matched_below: [u64; 2]) -> NodeCosts {
        let sides = [self.before, self.after];
        let inclusive = |at: usize| sides[at].map_or(matched_below[at], |side| side.inclusive);
        NodeCosts {
            inclusive: [inclusive(0), inclusive(1)],
            own: sides.map(|side| side.map_or(0, |side| side.self_cost)),
        }
    }
}

/// A tree with the sums of its subtrees.
struct InclusiveCallTree<'a> {
    tree: &'a CallTree,
    inclusive: Vec<u64>,
}

impl<'a> InclusiveCallTree<'a> {
    fn of(tree: &'a CallTree) -> Self {
        let inclusive = tree.inclusive();
        Self { tree, inclusive }
    }

    fn side(&self, id: CallTreeNodeId) -> EvolutionSide {
        let node = &self.tree.nodes[id.index()];
        EvolutionSide {
            node: id,
            inclusive: self.inclusive[id.index()],
            self_cost: node.self_cost,
            calls: node.calls,
        }
    }
}

/// Of each node, what those of its children cost that both executions have: in the first and in the second.
fn matched_below(nodes: &[EvolutionNode]) -> Vec<[u64; 2]> {
    let mut sums = vec![[0u64; 2]; nodes.len()];
    for node in nodes {
        if let (Some(parent), Some(before), Some(after)) = (node.parent, node.before, node.after) {
            let [first, second] = &mut sums[parent];
            *first = first.saturating_add(before.inclusive);
            *second = second.saturating_add(after.inclusive);
        }
    }
    sums
}

/// The width of each node.
fn widths(nodes: &[EvolutionNode]) -> Vec<Option<f64>> {
    let count = |side: EvolutionSide| side.calls.map(|calls| calls.count);
    // Of each node: calls of itself, or else of the nearest above, in each execution.
    let mut nearest: Vec<[Option<u64>; 2]> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let above = node.parent.map_or([Some(0); 2], |parent| nearest[parent]);
        nearest.push([node.before.map_or(above[0], count), node.after.map_or(above[1], count)]);
    }
    (nearest.into_iter())
        .map(|[before, after]| Some(width(before?.abs_diff(after?))))
        .collect()
}

fn width(difference: u64) -> f64 {
    (difference as f64).ln_1p()
}

#[cfg(test)]
mod tests;
