//! Two trees and which of their nodes match → one tree that has them all: in it, each tree is what is left without the
//! nodes of the other.
//!
//! Siblings are sorted by name: so a node that is new or removed stands where a reader looks for it, and the merged tree
//! and flame graphs of the same trees have one order.

use crate::call_tree::{CallTreeMatching, SharedFunctions};
use crate::call_tree::traversal::preorder;
use crate::call_tree::{CallTree, CallTreeFunctionId, CallTreeNodeId};

/// A context of one tree or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedCallTreeNode {
    /// Index of the merged node above; `None` for the root.
    pub parent: Option<usize>,
    /// In the shared table.
    pub function: CallTreeFunctionId,
    /// In the first tree.
    pub before: Option<CallTreeNodeId>,
    /// In the second tree.
    pub after: Option<CallTreeNodeId>,
}

/// Merges two trees, of which `functions` and `matching` are: preorder, siblings by name; node 0 is the root.
#[must_use]
pub fn merge(
    before: &CallTree,
    after: &CallTree,
    functions: &SharedFunctions,
    matching: &CallTreeMatching,
) -> Vec<MergedCallTreeNode> {
    // First the nodes of the first tree, as they come, then those of the second that match none.
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
                // the same, but of roots that match only because they are roots
                merged.function = function;
                // Of both, the parent that the other side lacks is the nearer one.
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
