//! A call tree → inclusive costs, subtrees and paths, each from one walk in preorder.

use std::ops::Range;

use super::{CallTree, CallTreeNodeId};

impl CallTreeNodeId {
    /// This id as an index into [`CallTree::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// End of each node's subtree: in preorder, a subtree is the range of nodes from its root to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtreeRanges {
    ends: Vec<u32>,
}

impl CallTree {
    /// Total cost of the run, in its unit: the root's inclusive cost.
    #[must_use]
    pub fn total(&self) -> u64 {
        (self.nodes.iter()).fold(0, |sum, node| sum.saturating_add(node.self_cost))
    }

    /// Inclusive cost of each node, in the unit of the run; saturates at `u64::MAX`.
    #[must_use]
    pub fn inclusive(&self) -> Vec<u64> {
        let mut inclusive: Vec<u64> = self.nodes.iter().map(|node| node.self_cost).collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let parent = parent.index();
                inclusive[parent] = inclusive[parent].saturating_add(inclusive[at]);
            }
        }
        inclusive
    }

    /// The subtree of each node.
    #[must_use]
    pub fn subtrees(&self) -> SubtreeRanges {
        let mut ends: Vec<u32> = (1..).take(self.nodes.len()).collect();
        for (at, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let end = ends[at];
                let parents = &mut ends[parent.index()];
                *parents = (*parents).max(end);
            }
        }
        SubtreeRanges { ends }
    }

    /// The nodes from the root to a node, both included.
    #[must_use]
    pub fn path(&self, node: CallTreeNodeId) -> Vec<CallTreeNodeId> {
        let mut path: Vec<CallTreeNodeId> =
            std::iter::successors(Some(node), |node| self.nodes[node.index()].parent).collect();
        path.reverse();
        path
    }

    /// Name of a node's function.
    #[must_use]
    pub fn name(&self, node: CallTreeNodeId) -> &str {
        &self.functions[self.nodes[node.index()].function.0 as usize].name
    }
}

impl SubtreeRanges {
    /// Indices of a node and of everything below it.
    #[must_use]
    pub fn range(&self, node: CallTreeNodeId) -> Range<usize> {
        node.index()..self.ends[node.index()] as usize
    }

    /// Children of a node, in order.
    pub fn children(&self, node: CallTreeNodeId) -> impl Iterator<Item = CallTreeNodeId> + '_ {
        let end = self.ends[node.index()];
        let within = move |child: &CallTreeNodeId| child.0 < end;
        let first = Some(CallTreeNodeId(node.0 + 1)).filter(within);
        std::iter::successors(first, move |child| {
            Some(CallTreeNodeId(self.ends[child.index()])).filter(within)
        })
    }
}

/// Sorts the nodes of a tree into preorder, siblings by their keys. Nodes that no root leads to are left out.
pub(super) fn preorder<K: Ord>(parents: &[Option<usize>], key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..parents.len()).collect();
    sorted.sort_by_cached_key(|&at| key(at));
    // The last child of each node, and the sibling before each child: pushed on a stack, they come off in order.
    let mut last_child: Vec<Option<usize>> = vec![None; parents.len()];
    let mut previous: Vec<Option<usize>> = vec![None; parents.len()];
    let mut waiting = Vec::new();
    for at in sorted {
        match parents[at] {
            Some(parent) => previous[at] = last_child[parent].replace(at),
            None => waiting.push(at),
        }
    }
    waiting.reverse();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(at) = waiting.pop() {
        order.push(at);
        waiting.extend(std::iter::successors(last_child[at], |&child| previous[child]));
    }
    order
}

#[cfg(test)]
mod tests {
    use crate::call_tree::CallTreeNodeId;
    use crate::call_tree::fixtures::tree;

    #[test]
    fn costs_add_up_towards_the_root() {
        let tree = tree("main 1\n a 2\n  c 4\n b 8\n  c 16\n");
        assert_eq!(tree.inclusive(), [31, 6, 4, 24, 16]);
        assert_eq!(tree.total(), 31);
    }

    #[test]
    fn a_sum_beyond_its_type_stays_at_the_largest_value() {
        let mut tree = tree("main 1\n a 2\n");
        tree.nodes[1].self_cost = u64::MAX;
        assert_eq!(tree.total(), u64::MAX);
        assert_eq!(tree.inclusive(), [u64::MAX, u64::MAX]);
    }

    #[test]
    fn children_are_those_one_call_below() {
        let tree = tree("main\n a\n  c\n   d\n b\n  c\n");
        let subtrees = tree.subtrees();
        let children = |at| -> Vec<u32> { subtrees.children(CallTreeNodeId(at)).map(|id| id.0).collect() };
        assert_eq!(children(0), [1, 4]);
        assert_eq!(children(1), [2]);
        assert_eq!(children(3), Vec::<u32>::new());
        assert_eq!(children(5), Vec::<u32>::new());
        assert_eq!(subtrees.range(CallTreeNodeId(1)), 1..4);
        assert_eq!(subtrees.range(CallTreeNodeId(0)), 0..6);
    }

    #[test]
    fn a_path_starts_at_the_root() {
        let tree = tree("main\n a\n  c\n b\n  c\n");
        let names: Vec<_> = tree.path(CallTreeNodeId(4)).iter().map(|&id| tree.name(id)).collect();
        assert_eq!(names, ["main", "b", "c"]);
        assert_eq!(tree.path(CallTreeNodeId(0)), [CallTreeNodeId(0)]);
    }
}
