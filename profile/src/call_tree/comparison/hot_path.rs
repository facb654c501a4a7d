//! A blueprint → the end of the delta hot path: the node that best explains the difference. Views open with it.
//!
//! The paper's delta hot path is "the path from the root node to the leaves that has the greatest execution time
//! variation" (section IV.B). Comparing leaves alone would miss the self cost of functions that call others. So a
//! node's self cost counts as a leaf below it, as the `[self]` entries of profilers do, and the path ends at the node
//! whose self cost varies most. Three refinements find the cause:
//!
//! - only nodes count that vary in the direction of the whole run: a part that got faster does not explain why the run
//!   got slower;
//! - a node explains at most the change of its function over all contexts. A call that moved to another context is
//!   removed in one place and new in another at the same cost, and explains nothing;
//! - a node explains at most the change of its nearest context that both executions have (itself, or the nearest caller
//!   of a new or removed node). A function that was extracted, inlined or replaced at the same cost to its caller
//!   explains nothing either.

use std::cmp::Ordering;

use crate::call_tree::{EvolutionBlueprint, EvolutionNode, EvolutionNodeKind, EvolutionSide};

/// For each node, the end of the hot path that starts there: among the node and everything below it, the node whose
/// self cost varies most in the direction in which they vary together; in either direction if they cancel out. The
/// first entry belongs to the root. A node below which nothing varies is its own end.
///
/// Below a node to which all cost only moved, nothing explains anything; there the plain variation counts. Ties go to a
/// node that only one execution has, then to the larger difference of calls, then to the first in preorder.
#[must_use]
pub fn hot_leaves(evolution: &EvolutionBlueprint) -> Vec<usize> {
    let changes = inclusive_changes(evolution);
    let variations = variations(evolution, &changes);
    let risen = strongest(evolution, |at| variations[at].strength(1));
    let fallen = strongest(evolution, |at| variations[at].strength(-1));
    (0..evolution.nodes.len())
        .map(|at| {
            let up = (risen[at], variations[risen[at]].strength(1));
            let down = (fallen[at], variations[fallen[at]].strength(-1));
            let (leaf, strength) = match changes[at].cmp(&0) {
                Ordering::Greater => up,
                Ordering::Less => down,
                Ordering::Equal if up.1 >= down.1 => up,
                Ordering::Equal => down,
            };
            if strength.own > 0 { leaf } else { at }
        })
        .collect()
}

/// Change of a node's self cost, signed, in the unit of the runs.
struct SelfCostVariation {
    /// Part of the change that explains the difference of the whole run.
    explained: i128,
    own: i128,
    /// True if only one execution has the node.
    is_one_sided: bool,
    calls: u64,
}

/// Strength of a variation; the first field that differs decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct VariationStrength {
    explained: i128,
    own: i128,
    is_one_sided: bool,
    calls: u64,
}

impl SelfCostVariation {
    /// Strength in one direction: 1 is upwards, −1 downwards.
    fn strength(&self, direction: i128) -> VariationStrength {
        VariationStrength {
            explained: (self.explained * direction).max(0),
            own: self.own * direction,
            is_one_sided: self.is_one_sided,
            calls: self.calls,
        }
    }
}

fn variations(evolution: &EvolutionBlueprint, changes: &[i128]) -> Vec<SelfCostVariation> {
    let mut functions = vec![0i128; evolution.functions.table.len()];
    for node in &evolution.nodes {
        functions[node.function.0 as usize] += own_change(node);
    }
    // For each node, the change of the nearest context that both executions have.
    let mut contexts: Vec<i128> = Vec::with_capacity(changes.len());
    for (at, node) in evolution.nodes.iter().enumerate() {
        let above = node.parent.filter(|_| node.kind() != EvolutionNodeKind::Both);
        contexts.push(above.map_or(changes[at], |above| contexts[above]));
    }
    (evolution.nodes.iter().zip(contexts))
        .map(|(node, context)| {
            let own = own_change(node);
            let function = functions[node.function.0 as usize];
            let calls = |side: Option<EvolutionSide>| side.and_then(|side| side.calls).map_or(0, |calls| calls.count);
            SelfCostVariation {
                explained: within(within(own, function), context),
                own,
                is_one_sided: node.kind() != EvolutionNodeKind::Both,
                calls: calls(node.after).abs_diff(calls(node.before)),
            }
        })
        .collect()
}

/// The smaller of two changes in the same direction; 0 for opposite ones.
fn within(change: i128, limit: i128) -> i128 {
    if change.signum() == limit.signum() {
        change.signum() * change.abs().min(limit.abs())
    } else {
        0
    }
}

/// For each node, the strongest among itself and everything below it; among equals, the first.
fn strongest(evolution: &EvolutionBlueprint, strength: impl Fn(usize) -> VariationStrength) -> Vec<usize> {
    let mut best: Vec<usize> = (0..evolution.nodes.len()).collect();
    for (at, node) in evolution.nodes.iter().enumerate().rev() {
        let Some(parent) = node.parent else { continue };
        let (here, there) = (best[at], best[parent]);
        // Children come in reverse order here, so that an equally strong earlier sibling replaces a later one, but not
        // the parent.
        let is_stronger = match strength(here).cmp(&strength(there)) {
            Ordering::Greater => true,
            Ordering::Equal => there != parent,
            Ordering::Less => false,
        };
        if is_stronger {
            best[parent] = here;
        }
    }
    best
}

/// For each node, the summed change of itself and everything below it.
fn inclusive_changes(evolution: &EvolutionBlueprint) -> Vec<i128> {
    let mut changes: Vec<i128> = evolution.nodes.iter().map(own_change).collect();
    for (at, node) in evolution.nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            changes[parent] += changes[at];
        }
    }
    changes
}

fn own_change(node: &EvolutionNode) -> i128 {
    let cost = |side: Option<EvolutionSide>| side.map_or(0, |side| i128::from(side.self_cost));
    cost(node.after) - cost(node.before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::hot_leaves;
    use crate::call_tree::fixtures::{tree, trees};
    use crate::call_tree::{CallTree, CostNoise, EvolutionBlueprint, FunctionRenames};

    fn compare(before: &CallTree, after: &CallTree) -> EvolutionBlueprint {
        EvolutionBlueprint::of(before, after, &FunctionRenames::new(), CostNoise::Counted)
    }

    /// Names on the hot path of a node, from the root on.
    fn path_from(evolution: &EvolutionBlueprint, from: usize) -> String {
        let leaf = hot_leaves(evolution)[from];
        let mut path: Vec<_> = std::iter::successors(Some(leaf), |&at| evolution.nodes[at].parent)
            .map(|at| evolution.name(at))
            .collect();
        path.reverse();
        path.join(" ")
    }

    fn path(before: &str, after: &str) -> String {
        path_from(&compare(&tree(before), &tree(after)), 0)
    }

    /// Section II of the blueprint's paper: its numbers, in milliseconds.
    const XML: [&str; 2] = [
        "main\n build(File)\n  build(URL)\n   build(InputSource) 9\n    parse(InputSource) 495\n    createParser 404\n    \
         createContentHandler 34\n",
        "main\n build(File)\n  build(URL)\n   build(InputSource)\n    parse_proxy 1\n     new_method 699\n     \
         parse(InputSource) 385\n    createParser 784\n    createContentHandler 36\n",
    ];

    #[test]
    fn the_slow_method_behind_an_inserted_call_is_found() {
        assert_eq!(
            path(XML[0], XML[1]),
            "main build(File) build(URL) build(InputSource) parse_proxy new_method"
        );
    }

    #[test]
    fn its_removal_is_found_as_well() {
        assert_eq!(
            path(XML[1], XML[0]),
            "main build(File) build(URL) build(InputSource) parse_proxy new_method"
        );
    }

    /// Section IV.B of the blueprint's paper, first drop: `on:` now calls `elementsNotEdge` twice, once through
    /// `encompassingRectangle`, and `translateWithoutUpdating…` moved to another context. The paper names the calls;
    /// costs and counts are invented so that the moved call costs more than the new ones.
    #[test]
    fn a_method_that_is_now_called_twice_is_found_beside_a_larger_one_that_only_moved() {
        let before = "testFixedSize x1\n applyLayout 5 x1\n  on: 10 x20\n   encompassingRectangle 30 x20\n   \
                      translate 20 x20\n    translateWithoutUpdating 300 x400\n";
        let after = "testFixedSize x1\n applyLayout 5 x1\n  on: 14 x20\n   elementsNotEdge 120 x20\n   \
                     encompassingRectangle 32 x20\n    elementsNotEdge 110 x20\n   \
                     translateBy 20 x20\n    translateWithoutUpdating 300 x400\n";
        assert_eq!(path(before, after), "testFixedSize applyLayout on: elementsNotEdge");
        let through_rectangle = after.replace("elementsNotEdge 110", "elementsNotEdge 130");
        assert_eq!(
            path(before, &through_rectangle),
            "testFixedSize applyLayout on: encompassingRectangle elementsNotEdge"
        );
    }

    /// Section IV.B, second drop: `bounds` is slower, and another part makes up for some of it.
    #[test]
    fn a_slower_method_is_found_though_an_improvement_hides_part_of_it() {
        let before =
            "testFixedSize\n on: 10\n  bounds 100\n   position 50\n  translateWithoutUpdating 400\n   bounds 40\n";
        let after =
            "testFixedSize\n on: 10\n  bounds 450\n   position 52\n  translateWithoutUpdating 150\n   bounds 60\n";
        assert_eq!(path(before, after), "testFixedSize on: bounds");
    }

    /// Example 1 of Sandoval Alcocer, Beck and Bergel, *Performance Evolution Matrix* (VISSOFT 2019): a loop in
    /// `nextName` checks each character, and calls `atEnd` each time. The numbers are invented.
    #[test]
    fn a_loop_that_calls_an_unchanged_method_more_often_is_on_the_path() {
        let before = "parseDocument\n nextTag 40 x100\n  nextName 60 x100\n   atEnd 30 x100\n  peek 20 x100\n";
        let after = "parseDocument\n nextTag 40 x100\n  nextName 95 x100\n   atEnd 300 x1000\n  peek 21 x100\n";
        assert_eq!(path(before, after), "parseDocument nextTag nextName atEnd");
        let inlined = after
            .replace("nextName 95", "nextName 365")
            .replace("atEnd 300 x1000", "atEnd 30 x100");
        assert_eq!(
            path(before, &inlined),
            "parseDocument nextTag nextName",
            "its own cost is a leaf"
        );
    }

    /// Example 2 of that paper: `transElements` now calls two methods.
    #[test]
    fn of_two_new_calls_the_costlier_is_found() {
        let before = "open\n operateElements 10\n  transElements 30\n";
        let after = "open\n operateElements 10\n  transElements 32\n   getPixelsFromValue 80\n   \
                     heightOfPositiveArea 35\n";
        assert_eq!(
            path(before, after),
            "open operateElements transElements getPixelsFromValue"
        );
    }

    #[test]
    fn an_extracted_or_inlined_function_is_not_blamed_for_its_previous_cost() {
        let one = "m 10\n f 100\n g 30\n";
        let two = "m 10\n f 20\n  part 80\n g 30\n";
        assert_eq!(path(one, &two.replace("g 30", "g 70")), "m g");
        assert_eq!(path(two, &one.replace("g 30", "g 70")), "m g");
        assert_eq!(path(one, &two.replace("part 80", "part 120")), "m f part");
    }

    #[test]
    fn of_equal_variations_a_new_node_comes_first_then_more_calls_then_the_first() {
        assert_eq!(path("m\n a 5 x1\n", "m\n a 15 x99\n b 10 x1\n"), "m b");
        assert_eq!(path("m\n a 5 x1\n b 5 x1\n", "m\n a 15 x1\n b 15 x9\n"), "m b");
        assert_eq!(path("m\n a 5\n b 5\n", "m\n a 15\n b 15\n"), "m a");
        assert_eq!(
            path("m\n a 5\n  b 5\n", "m\n a 15\n  b 15\n"),
            "m a",
            "not what it calls"
        );
    }

    #[test]
    fn if_the_total_did_not_change_the_largest_variation_is_taken_in_either_direction() {
        assert_eq!(path("m\n a 50\n b 10\n c 10\n", "m\n a 20\n b 25\n c 25\n"), "m a");
        assert_eq!(path("m\n a 20\n b 25\n c 25\n", "m\n a 50\n b 10\n c 10\n"), "m a");
    }

    #[test]
    fn without_any_difference_it_ends_where_it_starts() {
        assert_eq!(path("m\n a 5\n", "m\n a 5\n"), "m");
    }

    #[test]
    fn the_path_from_a_node_stays_below_it() {
        let evolution = compare(&tree("m\n a 9\n  b 5\n c 5\n"), &tree("m\n a 9\n  b 4\n c 9\n"));
        assert_eq!(path_from(&evolution, 0), "m c");
        assert_eq!(path_from(&evolution, 1), "m a b");
    }

    #[test]
    fn below_the_target_of_a_move_the_moved_cost_is_found() {
        let evolution = compare(&tree("m\n a\n  c 9\n b\n"), &tree("m\n a\n b\n  c 9\n"));
        let b = (0..evolution.nodes.len())
            .find(|&at| evolution.name(at) == "b")
            .expect("it is there");
        assert_eq!(path_from(&evolution, b), "m b c");
    }

    proptest! {
        #[test]
        fn what_explains_a_slowdown_is_slower(before in trees(30), after in trees(30)) {
            let evolution = compare(&before, &after);
            let leaf = &evolution.nodes[hot_leaves(&evolution)[0]];
            let change = super::own_change(leaf);
            prop_assert_eq!(
                change.signum(),
                match after.total().cmp(&before.total()) {
                    std::cmp::Ordering::Greater => 1,
                    std::cmp::Ordering::Less => -1,
                    std::cmp::Ordering::Equal => change.signum(),
                }
            );
        }

        #[test]
        fn a_leaf_is_the_node_itself_or_below_it(before in trees(30), after in trees(30)) {
            let evolution = compare(&before, &after);
            for (at, leaf) in hot_leaves(&evolution).into_iter().enumerate() {
                let mut above = std::iter::successors(Some(leaf), |&at| evolution.nodes[at].parent);
                prop_assert!(above.any(|above| above == at));
            }
        }
    }
}
