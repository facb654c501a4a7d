//! Two call trees and their blueprint → the frames of differential flame graphs.
//!
//! After Bezemer, Pouwelse and Gregg, *Understanding Software Performance Regressions using Differential Flame Graphs*
//! (SANER 2015): stacks of both sides are joined by their full paths. Widths, colours and the choice of graph are left
//! to the views.

use super::cost_difference::{CostDifference, NodeCosts};
use super::merge::merge;
use super::path_matching::match_paths;
use crate::call_tree::{CallTree, CallTreeFunctionId, CallTreeNodeId, EvolutionBlueprint, EvolutionSide};

/// Joined stacks of two executions, and the frames that belong to the blueprint's nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferentialFlameGraph {
    /// In preorder, siblings by name; frame 0 is the root of both executions.
    pub frames: Vec<FlameGraphFrame>,
    /// For each node of the blueprint, the frame with its path in the first execution; `None` if the node is new.
    pub of_before: Vec<Option<usize>>,
    /// For each node of the blueprint, the frame with its path in the second execution; `None` if the node was removed.
    pub of_after: Vec<Option<usize>>,
}

/// A path of calls. Costs are in the unit of the runs, and 0 in an execution without this path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlameGraphFrame {
    /// Index of the caller's frame; `None` for the root alone.
    pub parent: Option<usize>,
    /// Index into the blueprint's shared table.
    pub function: CallTreeFunctionId,
    /// Cost of stacks that end here in the first execution.
    pub self_before: u64,
    /// Cost of stacks that end here in the second execution.
    pub self_after: u64,
    /// Cost of all stacks through this frame in the first execution.
    pub inclusive_before: u64,
    /// Cost of all stacks through this frame in the second execution.
    pub inclusive_after: u64,
    /// Cost in the second execution minus cost in the first, and which differences are noise.
    pub difference: CostDifference,
    /// Node of the blueprint with this path. If the executions have two, as below a new root, the second execution's.
    pub node: usize,
}

impl DifferentialFlameGraph {
    /// Joins two executions whose blueprint is `evolution`.
    #[must_use]
    pub fn of(before: &CallTree, after: &CallTree, evolution: &EvolutionBlueprint) -> Self {
        let functions = &evolution.functions;
        let matching = match_paths(before, after, functions);
        let merged = merge(before, after, functions, &matching);
        let costs = [(before, before.inclusive()), (after, after.inclusive())];
        let totals = [evolution.total_before, evolution.total_after];
        let nodes = BlueprintNodeIndex::of(evolution, [before, after]);
        let frames: Vec<FlameGraphFrame> = (merged.iter())
            .map(|path| {
                let ids = [path.before, path.after];
                let cost = |of: fn(&(&CallTree, Vec<u64>), usize) -> u64| {
                    [0, 1].map(|side| ids[side].map_or(0, |id| of(&costs[side], id.index())))
                };
                let own = cost(|(tree, _), at| tree.nodes[at].self_cost);
                let inclusive = cost(|(_, inclusive), at| inclusive[at]);
                FlameGraphFrame {
                    parent: path.parent,
                    function: path.function,
                    self_before: own[0],
                    self_after: own[1],
                    inclusive_before: inclusive[0],
                    inclusive_after: inclusive[1],
                    difference: CostDifference::of(NodeCosts { inclusive, own }, totals, evolution.noise),
                    node: nodes.with(ids),
                }
            })
            .collect();
        let mut places = [before, after].map(|tree| vec![0; tree.nodes.len()]);
        for (at, path) in merged.iter().enumerate() {
            for (places, id) in places.iter_mut().zip([path.before, path.after]) {
                if let Some(id) = id {
                    places[id.index()] = at;
                }
            }
        }
        let frame_of = |places: &[usize], side: Option<EvolutionSide>| side.map(|side| places[side.node.index()]);
        let nodes = &evolution.nodes;
        Self {
            frames,
            of_before: nodes.iter().map(|node| frame_of(&places[0], node.before)).collect(),
            of_after: nodes.iter().map(|node| frame_of(&places[1], node.after)).collect(),
        }
    }
}

/// Maps each node of the two trees to its node of the blueprint.
struct BlueprintNodeIndex([Vec<usize>; 2]);

impl BlueprintNodeIndex {
    fn of(evolution: &EvolutionBlueprint, trees: [&CallTree; 2]) -> Self {
        let mut nodes = trees.map(|tree| vec![0; tree.nodes.len()]);
        for (at, node) in evolution.nodes.iter().enumerate() {
            for (nodes, side) in nodes.iter_mut().zip([node.before, node.after]) {
                if let Some(side) = side {
                    nodes[side.node.index()] = at;
                }
            }
        }
        Self(nodes)
    }

    /// The blueprint's node of the second tree's node, or else of the first tree's.
    fn with(&self, [before, after]: [Option<CallTreeNodeId>; 2]) -> usize {
        let after = after.map(|id| self.0[1][id.index()]);
        after.or_else(|| before.map(|id| self.0[0][id.index()])).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::DifferentialFlameGraph;
    use crate::call_tree::fixtures::{tree, trees};
    use crate::call_tree::{CallTree, CostMeasure, CostNoise, EvolutionBlueprint, FunctionRenames};

    fn flames(before: &CallTree, after: &CallTree) -> (EvolutionBlueprint, DifferentialFlameGraph) {
        let evolution = EvolutionBlueprint::of(before, after, &FunctionRenames::new(), CostNoise::Counted);
        let flames = DifferentialFlameGraph::of(before, after, &evolution);
        (evolution, flames)
    }

    /// One line per frame: parent, name, cost before, cost after.
    fn lines(before: &str, after: &str) -> Vec<String> {
        let (evolution, flames) = flames(&tree(before), &tree(after));
        (flames.frames.iter())
            .map(|frame| {
                let function = &evolution.functions.table[frame.function.0 as usize].function;
                let parent = frame.parent.map_or("-".to_owned(), |parent| parent.to_string());
                format!(
                    "{parent} {} {} {}",
                    function.name, frame.inclusive_before, frame.inclusive_after
                )
            })
            .collect()
    }

    #[test]
    fn stacks_are_joined_by_their_full_path() {
        assert_eq!(
            lines("m 1\n b 2\n  c 3\n z 4\n", "m 1\n a 5\n  c 6\n b 2\n  c 2\n"),
            ["- m 10 16", "0 a 0 11", "1 c 0 6", "0 b 5 4", "3 c 3 2", "0 z 4 0"]
        );
    }

    #[test]
    fn a_node_that_matches_across_an_inserted_call_has_two_frames() {
        let (evolution, flames) = flames(&tree("m\n c 3\n"), &tree("m\n a\n  c 3\n"));
        let names: Vec<_> = (0..evolution.nodes.len()).map(|at| evolution.name(at)).collect();
        assert_eq!(names, ["m", "a", "c"]);
        assert_eq!(flames.frames.len(), 4, "m, a, c below a, c below m");
        assert_eq!(flames.of_before, [Some(0), None, Some(3)]);
        assert_eq!(flames.of_after, [Some(0), Some(1), Some(2)]);
        let nodes: Vec<_> = flames.frames.iter().map(|frame| frame.node).collect();
        assert_eq!(nodes, [0, 1, 2, 2]);
    }

    #[test]
    fn each_frame_has_its_difference_and_its_noise() {
        let (_, flames) = flames(&tree("m\n a 1000\n b 1000\n"), &tree("m\n a 1004\n b 3000\n"));
        let noise: Vec<_> = flames.frames.iter().map(|frame| frame.difference.noise).collect();
        // The share of `a` falls, but its cost is the same.
        assert_eq!(noise, [0b1011, 0b1111, 0]);
        assert!(flames.frames[1].difference.height(CostMeasure::ShareInclusive) < 0.0);
        assert!(flames.frames[2].difference.height(CostMeasure::CostSelf) > 0.0);
    }

    #[test]
    fn executions_with_different_roots_are_joined_at_the_root() {
        assert_eq!(lines("one\n a 1\n", "two\n a 2\n"), ["- two 1 2", "0 a 1 2"]);
        assert_eq!(
            lines("m\n a 1\n", "w\n m\n  a 2\n"),
            ["- w 1 2", "0 a 1 0", "0 m 0 2", "2 a 0 2"]
        );
    }

    proptest! {
        #[test]
        fn frames_and_nodes_refer_to_each_other(before in trees(30), after in trees(30)) {
            let (evolution, flames) = flames(&before, &after);
            for (at, frame) in flames.frames.iter().enumerate() {
                prop_assert!(frame.parent.is_none_or(|parent| parent < at));
                let from_node = [flames.of_before[frame.node], flames.of_after[frame.node]];
                prop_assert!(from_node.contains(&Some(at)));
            }
            for (at, node) in evolution.nodes.iter().enumerate() {
                for (side, frame) in [(node.before, flames.of_before[at]), (node.after, flames.of_after[at])] {
                    prop_assert_eq!(side.is_some(), frame.is_some());
                }
                let sums = [
                    (node.before, flames.of_before[at].map(|frame| flames.frames[frame].inclusive_before)),
                    (node.after, flames.of_after[at].map(|frame| flames.frames[frame].inclusive_after)),
                ];
                for (side, sum) in sums {
                    prop_assert_eq!(side.map(|side| side.inclusive), sum);
                }
            }
        }

        #[test]
        fn every_cost_of_both_is_in_one_frame(before in trees(30), after in trees(30)) {
            let (_, flames) = flames(&before, &after);
            prop_assert_eq!(flames.frames.iter().map(|frame| frame.self_before).sum::<u64>(), before.total());
            prop_assert_eq!(flames.frames.iter().map(|frame| frame.self_after).sum::<u64>(), after.total());
        }
    }
}
