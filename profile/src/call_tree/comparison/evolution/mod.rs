//! Two call trees → the performance evolution blueprint: the merged tree, with the change in cost and in number of
//! calls of each context.
//!
//! Formulas follow section III of Sandoval Alcocer, Bergel, Ducasse and Denker, *Performance Evolution Blueprint:
//! Understanding the Impact of Software Evolution on Performance* (VISSOFT 2013). Colours and sizes are left to the
//! views.

use super::cost_difference::NodeCosts;
use super::merge::merge;
use crate::call_tree::{
    CallCount, CallTree, CallTreeFunctionId, CallTreeNodeId, CostDifference, CostNoise, FunctionRenames,
    SharedFunctions, match_trees,
};
use schemars::JsonSchema;
use serde::Serialize;

/// Two executions, merged into one tree.
#[derive(Debug, Clone, PartialEq)]
pub struct EvolutionBlueprint {
    /// The functions of both trees.
    pub functions: SharedFunctions,
    /// Cost of the first execution, in the unit of the runs.
    pub total_before: u64,
    /// Cost of the second execution.
    pub total_after: u64,
    /// How costs were obtained.
    pub noise: CostNoise,
    /// Preorder, siblings by name; node 0 is the root.
    pub nodes: Vec<EvolutionNode>,
}

/// A context of one execution or of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvolutionNode {
    /// Index of the caller's context; `None` for the root alone.
    pub parent: Option<usize>,
    /// Index into the shared table.
    pub function: CallTreeFunctionId,
    /// The context in the first execution; `None` if it is new.
    pub before: Option<EvolutionSide>,
    /// The context in the second execution; `None` if it was removed. Every node has at least one side.
    pub after: Option<EvolutionSide>,
    /// H, signed: positive if the second execution spends more here.
    ///
    /// - In both: H = E2 − E1.
    /// - New: H = E2(node) − Σ E1(child) over its matched children: high if the node itself adds cost, not if it only
    ///   calls functions that were called before. ("The case of new method context.")
    /// - Removed: the mirror image, Σ E2(child) − E1(node).
    ///
    /// In the self measures, a new node's H is its self cost, and a removed node's is minus its self cost. Noise is
    /// judged on the two values that are subtracted.
    pub difference: CostDifference,
    /// W, before it is scaled to pixels; `None` where the number of calls is unknown.
    ///
    /// - In both: ln(|calls2 − calls1| + 1).
    /// - New: ln(|calls2(node) − calls1(parent)| + 1), where the parent is the nearest one that the first execution
    ///   has; without one, calls1 is 0.
    /// - Removed: the mirror image.
    pub width: Option<f64>,
}

/// A context in one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvolutionSide {
    /// Node in the execution's own tree.
    pub node: CallTreeNodeId,
    /// Inclusive cost, in the unit of the run.
    pub inclusive: u64,
    /// Self cost, in the unit of the run.
    pub self_cost: u64,
    /// Number of calls, as in the tree.
    pub calls: Option<CallCount>,
}

/// Which executions have a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvolutionNodeKind {
    /// Both executions.
    Both,
    /// Only the second one.
    New,
    /// Only the first one.
    Removed,
}

impl EvolutionBlueprint {
    /// Merges two executions. `noise` says how their costs were obtained.
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

    /// Name of a node's function.
    #[must_use]
    pub fn name(&self, node: usize) -> &str {
        &self.functions.table[self.nodes[node].function.0 as usize].function.name
    }
}

impl EvolutionNode {
    /// Which executions have this context.
    #[must_use]
    pub fn kind(&self) -> EvolutionNodeKind {
        match (self.before, self.after) {
            (None, _) => EvolutionNodeKind::New,
            (_, None) => EvolutionNodeKind::Removed,
            _ => EvolutionNodeKind::Both,
        }
    }

    /// True if one of its call counts is an estimate.
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        let calls = |side: EvolutionSide| side.calls.is_some_and(|calls| calls.estimated);
        self.before.is_some_and(calls) || self.after.is_some_and(calls)
    }

    /// Costs to compare, given the inclusive costs of its matched children on each side.
    fn costs(&self, matched_below: [u64; 2]) -> NodeCosts {
        let sides = [self.before, self.after];
        let inclusive = |at: usize| sides[at].map_or(matched_below[at], |side| side.inclusive);
        NodeCosts {
            inclusive: [inclusive(0), inclusive(1)],
            own: sides.map(|side| side.map_or(0, |side| side.self_cost)),
        }
    }
}

/// A tree with its inclusive costs.
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

/// For each node, the inclusive cost of those children that both executions have: in the first and in the second.
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
    // For each node: its calls, or else those of the nearest caller, in each execution.
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
