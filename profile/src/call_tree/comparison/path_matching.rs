//! Two call trees → pairs of nodes with exactly the same path, by which the frames of flame graphs are joined.

use crate::call_tree::{
    CallTree, CallTreeFunctionId, CallTreeMatching, CallTreeNodeId, SharedFunctions, SubtreeRanges,
};

/// Matches nodes whose paths are equal function by function. The roots match whatever their functions are: they stand
/// for their executions.
#[must_use]
pub fn match_paths(before: &CallTree, after: &CallTree, functions: &SharedFunctions) -> CallTreeMatching {
    let sides = [
        PathMatchSide::new(before, &functions.of_before),
        PathMatchSide::new(after, &functions.of_after),
    ];
    let mut matching = CallTreeMatching {
        after_of: vec![None; before.nodes.len()],
        before_of: vec![None; after.nodes.len()],
    };
    // For each function, the current child that calls it. Emptied after each use.
    let mut by_function: Vec<Option<CallTreeNodeId>> = vec![None; functions.table.len()];
    let mut waiting = vec![[CallTreeNodeId(0), CallTreeNodeId(0)]];
    while let Some([one, other]) = waiting.pop() {
        matching.after_of[one.index()] = Some(other);
        matching.before_of[other.index()] = Some(one);
        for child in sides[0].subtrees.children(one) {
            by_function[sides[0].function(child)] = Some(child);
        }
        for child in sides[1].subtrees.children(other) {
            if let Some(partner) = by_function[sides[1].function(child)] {
                waiting.push([partner, child]);
            }
        }
        for child in sides[0].subtrees.children(one) {
            by_function[sides[0].function(child)] = None;
        }
    }
    matching
}

struct PathMatchSide<'a> {
    tree: &'a CallTree,
    shared: &'a [CallTreeFunctionId],
    subtrees: SubtreeRanges,
}

impl<'a> PathMatchSide<'a> {
    fn new(tree: &'a CallTree, shared: &'a [CallTreeFunctionId]) -> Self {
        let subtrees = tree.subtrees();
        Self { tree, shared, subtrees }
    }

    /// Index of a node's function in the shared table.
    fn function(&self, node: CallTreeNodeId) -> usize {
        let function = self.tree.nodes[node.index()].function;
        self.shared[function.0 as usize].0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::match_paths;
    use crate::call_tree::fixtures::tree;
    use crate::call_tree::{CallTreeNodeId, FunctionRenames, SharedFunctions};

    fn pairs(before: &str, after: &str, renames: &FunctionRenames) -> Vec<(u32, u32)> {
        let (before, after) = (tree(before), tree(after));
        let functions = SharedFunctions::of(&before, &after, renames);
        let matching = match_paths(&before, &after, &functions);
        (0..)
            .zip(matching.after_of)
            .filter_map(|(one, other)| other.map(|CallTreeNodeId(other)| (one, other)))
            .collect()
    }

    #[test]
    fn only_the_very_same_path_matches() {
        let none = FunctionRenames::new();
        assert_eq!(
            pairs("m\n a\n  b\n c\n", "m\n a\n  x\n   b\n c\n", &none),
            [(0, 0), (1, 1), (3, 4)]
        );
        assert_eq!(pairs("m\n a\n", "m\n m\n  a\n", &none), [(0, 0)]);
    }

    #[test]
    fn roots_of_two_executions_match() {
        assert_eq!(
            pairs("one\n a\n", "two\n a\n", &FunctionRenames::new()),
            [(0, 0), (1, 1)]
        );
    }

    #[test]
    fn a_renamed_function_is_the_same_step() {
        let renames = [("old".to_owned(), "new".to_owned())].into();
        assert_eq!(
            pairs("m\n old\n  a\n z\n", "m\n b\n new\n  a\n", &renames),
            [(0, 0), (1, 2), (2, 3)]
        );
    }
}
