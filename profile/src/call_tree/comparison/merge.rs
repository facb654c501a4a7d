//! Two call trees and their matching → one tree that contains both: leaving out the nodes of one side gives the other
//! side's tree.
//!
//! Siblings are sorted by name: a new or removed node is where a reader looks for it, and the merged tree and flame
//! graphs of the same trees share one order.

use crate::call_tree::traversal::preorder;
use crate::call_tree::{CallTree, CallTreeFunctionId, CallTreeNodeId};
use crate::call_tree::{CallTreeMatching, SharedFunctions};

/// A context of one tree or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedCallTreeNode {
    /// Index of the caller's merged node; `None` for the root.
    pub parent: Option<usize>,
    /// Index into the shared table.
    pub function: CallTreeFunctionId,
    /// Node in the first tree.
    pub before: Option<CallTreeNodeId>,
    /// Node in the second tree.
    pub after: Option<CallTreeNodeId>,
}

/// Merges two trees by their shared `functions` and their `matching`: in preorder, siblings by name; node 0 is the
/// root.
#[must_use]
pub fn merge(
    before: &CallTree,
    after: &CallTree,
    functions: &SharedFunctions,
    matching: &CallTreeMatching,
) -> Vec<MergedCallTreeNode> {
    // First all nodes of the first tree in their order, then the unmatched nodes of the second.
    let mut nodes: Vec<MergedCallTreeNode> = Vec::with_capacity(before.nodes.len().max(after.nodes.len()));
    for (id, node) in (0..).map(CallTreeNodeId).zip(&before.nodes) {
        nodes.push(MergedCallTreeNode {
            parent: node.parent.map(CallTreeNodeId::index),
            function: functions.of_before[node.function.0 as usize],
            before: Some(id),
            after: None,
        });
    }
    let mut of_after: Vec<usize> = Vec::with_capacity(after.nodes.len());
    for (id, node) in (0..).map(CallTreeNodeId).zip(&after.nodes) {
        let function = functions.of_after[node.function.0 as usize];
        let parent = node.parent.map(|parent| of_after[parent.index()]);
        match matching.before_of[id.index()] {
            None => {
                of_after.push(nodes.len());
                nodes.push(MergedCallTreeNode {
                    parent,
                    function,
                    before: None,
                    after: Some(id),
                });
            }
            Some(partner) => {
                of_after.push(partner.index());
                let merged = &mut nodes[partner.index()];
                merged.after = Some(id);
                // differs only for roots, which match even if their functions differ
                merged.function = function;
                // The parent that the other side lacks is the nearer one.
                let is_inserted = (node.parent).is_some_and(|parent| matching.before_of[parent.index()].is_none());
                if is_inserted {
                    merged.parent = parent;
                }
            }
        }
    }
    let parents: Vec<Option<usize>> = nodes.iter().map(|node| node.parent).collect();
    let order = preorder(&parents, |at| {
        let node = &nodes[at];
        (node.function, node.before.is_none(), node.after.is_none())
    });
    let mut place = vec![0; nodes.len()];
    for (to, &from) in order.iter().enumerate() {
        place[from] = to;
    }
    (order.iter())
        .map(|&from| MergedCallTreeNode {
            parent: nodes[from].parent.map(|parent| place[parent]),
            ..nodes[from]
        })
        .collect()
}
