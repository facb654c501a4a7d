//! The call trees of a short run of a program and of a longer one → the tree of what the longer run did in addition.

use std::collections::BTreeMap;

use super::{CallCount, CallTree, CallTreeNodeId};

impl CallTree {
    /// The further execution of this run, beyond a shorter run of the same program, by calling context, in the unit of both.
    /// Contexts in which both did the same, and all that is below them, are left out; the root always stays.
    #[must_use]
    pub fn minus(&self, shorter: &Self) -> Self {
        let before = contexts(shorter);
        // The context of the shorter run that is a node's own.
        let mut same: Vec<Option<CallTreeNodeId>> = vec![None; self.nodes.len()];
        let mut nodes = self.nodes.clone();
        for (at, node) in self.nodes.iter().enumerate() {
            let name = &*self.functions[node.function.0 as usize].name;
            same[at] = match node.parent {
                None => (!shorter.nodes.is_empty()).then_some(CallTreeNodeId(0)),
                Some(parent) => same[parent.index()].and_then(|parent| before.get(&(parent.0, name)).copied()),
            };
            let Some(before) = same[at].map(|id| shorter.nodes[id.index()]) else {
                continue;
            };
            nodes[at].self_cost = node.self_cost.saturating_sub(before.self_cost);
            nodes[at].calls = node.calls.map(|calls| less(calls, before.calls));
        }
        let mut stays: Vec<bool> = (nodes.iter())
            .map(|node| node.parent.is_none() || node.self_cost > 0 || node.calls.is_some_and(|calls| calls.count > 0))
            .collect();
        for (at, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                stays[parent.index()] |= stays[at];
            }
        }
        let mut place = vec![0; nodes.len()];
        let mut kept = Vec::new();
        for (at, mut node) in nodes.into_iter().enumerate() {
            if stays[at] {
                place[at] = u32::try_from(kept.len()).unwrap_or(u32::MAX);
                node.parent = node.parent.map(|parent| CallTreeNodeId(place[parent.index()]));
                kept.push(node);
            }
        }
        Self {
            functions: self.functions.clone(),
            nodes: kept,
        }
        .without_unused_functions()
    }

    fn without_unused_functions(mut self) -> Self {
        let mut is_used = vec![false; self.functions.len()];
        for node in &self.nodes {
            is_used[node.function.0 as usize] = true;
        }
        let mut place = vec![0; is_used.len()];
        let mut next = 0;
        for (at, used) in is_used.iter().enumerate() {
            place[at] = next;
            next += u32::from(*used);
        }
        for node in &mut self.nodes {
            node.function.0 = place[node.function.0 as usize];
        }
        let mut used = is_used.into_iter();
        self.functions.retain(|_| used.next().unwrap_or(false));
        self
    }
}

fn less(calls: CallCount, before: Option<CallCount>) -> CallCount {
    CallCount {
        count: calls.count.saturating_sub(before.map_or(0, |before| before.count)),
        estimated: calls.estimated || before.is_some_and(|before| before.estimated),
    }
}

/// The contexts of a tree by that of the caller and the name of the function.
fn contexts(tree: &CallTree) -> BTreeMap<(u32, &str), CallTreeNodeId> {
    let nodes = (0..).zip(&tree.nodes);
    nodes
        .filter_map(|(id, node)| Some(((node.parent?.0, tree.name(CallTreeNodeId(id))), CallTreeNodeId(id))))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::call_tree::fixtures::{tree, trees};

    #[test]
    fn the_start_is_left_out_and_the_rest_is_the_difference() {
        let longer = tree("main 10\n read 5 x1\n  work 3 x1\n work 40 x4\n  step 8 x8\n");
        let shorter = tree("main 10\n read 5 x1\n  work 3 x1\n work 20 x2\n  step 4 x4\n");
        assert_eq!(longer.minus(&shorter), tree("main 0\n work 20 x2\n  step 4 x4\n"));
        assert_eq!(longer.minus(&shorter).total(), 24);
    }

    #[test]
    fn a_context_of_the_longer_run_alone_is_whole() {
        let further = tree("main 1\n late 6 x2\n").minus(&tree("main 1\n early 4 x1\n"));
        assert_eq!(further.total(), 6);
        assert_eq!(
            further.functions.len(),
            2,
            "what only the shorter run has is no part of it"
        );
    }

    proptest! {
        #[test]
        fn nothing_is_left_of_two_equal_runs(one in trees(30)) {
            let none = one.minus(&one);
            prop_assert_eq!(none.total(), 0);
            prop_assert_eq!(none.nodes.len(), 1);
        }

        #[test]
        fn callers_stay_before_their_callees(one in trees(30), other in trees(30)) {
            let further = one.minus(&other);
            for (at, node) in further.nodes.iter().enumerate() {
                prop_assert!(node.parent.map_or(at == 0, |parent| parent.index() < at));
                prop_assert!((node.function.0 as usize) < further.functions.len());
            }
        }
    }
}
