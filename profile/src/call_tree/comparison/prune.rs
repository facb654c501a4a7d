//! Two call trees → the same trees without the paths that are too small to see on either side. Totals do not change.

use super::cost_difference::share;
use super::merge::{MergedCallTreeNode, merge};
use super::path_matching::match_paths;
use crate::call_tree::{
    BuilderContextId, CallCount, CallTree, CallTreeBuilder, CallTreeNodeId, FunctionRenames, SharedFunctions,
    match_trees,
};

/// Name of the call that small calls are folded into.
pub const SMALLER_CALLS: &str = "(smaller calls)";

/// Two trees without their small paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedCallTrees {
    /// First tree.
    pub before: CallTree,
    /// Second tree.
    pub after: CallTree,
    /// Number of paths of either tree that were folded away.
    pub folded: usize,
}

/// Folds each path whose share of its total (0 to 1) is below `floor` on both sides, with everything below it. All such
/// calls of one context become one call of [`SMALLER_CALLS`] with their summed costs and, where known, their summed
/// calls. A single small call stays as it is, and so does a small call that matches a larger one: otherwise a blueprint
/// would show it as removed or new.
#[must_use]
pub fn prune(before: &CallTree, after: &CallTree, renames: &FunctionRenames, floor: f64) -> PrunedCallTrees {
    let paths = MergedPathShares::of(before, after, renames);
    let mut kept: Vec<bool> = (paths.shares.iter().zip(&paths.merged))
        .map(|(&share, path)| path.parent.is_none() || share >= floor)
        .collect();
    let mut small_below = vec![0usize; kept.len()];
    let mut into: Vec<usize> = Vec::with_capacity(kept.len());
    for (at, path) in paths.merged.iter().enumerate() {
        into.push(match path.parent {
            Some(parent) if !kept[at] => {
                let above = if kept[parent] { parent } else { into[parent] };
                small_below[above] += 1;
                above
            }
            _ => at,
        });
    }
    for at in 0..kept.len() {
        kept[at] |= small_below[into[at]] == 1;
    }
    PrunedCallTrees {
        before: rebuild(before, &paths.places(before, |path| path.before), &kept),
        after: rebuild(after, &paths.places(after, |path| path.after), &kept),
        folded: kept.iter().filter(|&&kept| !kept).count(),
    }
}

/// The smallest floor above which at most `most` paths remain. [`prune`] with it leaves at most twice as many, because
/// each kept path may get one call of folded ones.
#[must_use]
pub fn prune_floor_for(before: &CallTree, after: &CallTree, renames: &FunctionRenames, most: usize) -> f64 {
    let mut shares = MergedPathShares::of(before, after, renames).shares;
    if shares.len() <= most {
        return 0.0;
    }
    let (_, first_too_many, _) = shares.select_nth_unstable_by(most, |one, other| other.total_cmp(one));
    first_too_many.next_up()
}

/// Paths of both trees.
struct MergedPathShares {
    merged: Vec<MergedCallTreeNode>,
    /// For each path, the largest inclusive share of its nodes, of their partners, and of everything below.
    shares: Vec<f64>,
}

impl MergedPathShares {
    fn of(before: &CallTree, after: &CallTree, renames: &FunctionRenames) -> Self {
        let functions = SharedFunctions::of(before, after, renames);
        let matching = match_paths(before, after, &functions);
        let merged = merge(before, after, &functions, &matching);
        let sides = [before, after].map(|tree| (tree.inclusive(), tree.total()));
        let share_of = |side: usize, id: Option<CallTreeNodeId>| {
            let (inclusive, total) = &sides[side];
            id.map_or(0.0, |id| share(inclusive[id.index()], *total))
        };
        let contexts = match_trees(before, after, &functions);
        let mut shares: Vec<f64> = (merged.iter())
            .map(|path| {
                let matches = [
                    share_of(0, path.after.and_then(|id| contexts.before_of[id.index()])),
                    share_of(1, path.before.and_then(|id| contexts.after_of[id.index()])),
                ];
                let own = share_of(0, path.before).max(share_of(1, path.after));
                matches.into_iter().fold(own, f64::max)
            })
            .collect();
        for at in (0..merged.len()).rev() {
            if let Some(parent) = merged[at].parent {
                shares[parent] = shares[parent].max(shares[at]);
            }
        }
        Self { merged, shares }
    }

    /// For each node of one tree, the index of its path.
    fn places(&self, tree: &CallTree, side: fn(&MergedCallTreeNode) -> Option<CallTreeNodeId>) -> Vec<usize> {
        let mut places = vec![0; tree.nodes.len()];
        for (at, path) in self.merged.iter().enumerate() {
            if let Some(id) = side(path) {
                places[id.index()] = at;
            }
        }
        places
    }
}

/// Rebuilds a tree from the kept paths, with all others folded into the nearest kept caller.
fn rebuild(tree: &CallTree, places: &[usize], kept: &[bool]) -> CallTree {
    let function = |at: usize| tree.functions[tree.nodes[at].function.0 as usize].clone();
    let mut builder = CallTreeBuilder::new(function(0));
    let smaller = builder.declare_named(SMALLER_CALLS);
    // For each node, its context in the new tree; for each folded node whose caller is kept, its calls.
    let mut contexts: Vec<BuilderContextId> = Vec::with_capacity(tree.nodes.len());
    let mut folded: Vec<(BuilderContextId, Option<CallCount>)> = Vec::new();
    for (at, node) in tree.nodes.iter().enumerate() {
        let is_kept = kept[places[at]];
        let context = match node.parent.map(CallTreeNodeId::index) {
            None => builder.root(),
            Some(parent) if is_kept => {
                let declared = builder.declare(function(at));
                builder.enter(contexts[parent], declared)
            }
            Some(parent) if kept[places[parent]] => {
                let context = builder.enter(contexts[parent], smaller);
                folded.push((context, node.calls));
                context
            }
            Some(parent) => contexts[parent],
        };
        builder.add_self(context, node.self_cost);
        if let Some(calls) = node.calls.filter(|_| is_kept) {
            builder.add_calls(context, calls);
        }
        contexts.push(context);
    }
    // One unknown number of calls makes the sum unknown. Sorted, because kept calls may stand between the folded calls
    // of one context.
    folded.sort_by_key(|&(context, _)| context);
    for group in folded.chunk_by(|one, other| one.0 == other.0) {
        let known: Option<Vec<CallCount>> = group.iter().map(|&(_, calls)| calls).collect();
        for calls in known.into_iter().flatten() {
            builder.add_calls(group[0].0, calls);
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{SMALLER_CALLS, prune, prune_floor_for};
    use crate::call_tree::fixtures::{tree, trees};
    use crate::call_tree::{CallTree, CallTreeNodeId, FunctionRenames};

    fn lines(tree: &CallTree) -> Vec<String> {
        (0..)
            .map(CallTreeNodeId)
            .zip(&tree.nodes)
            .map(|(id, node)| {
                let names: Vec<_> = tree.path(id).into_iter().map(|id| tree.name(id)).collect();
                let calls = node.calls.map_or("?".to_owned(), |calls| calls.count.to_string());
                format!("{} {} x{calls}", names.join("/"), node.self_cost)
            })
            .collect()
    }

    fn pruned(before: &str, after: &str, floor: f64) -> [Vec<String>; 2] {
        let pruned = prune(&tree(before), &tree(after), &FunctionRenames::new(), floor);
        [lines(&pruned.before), lines(&pruned.after)]
    }

    #[test]
    fn small_calls_of_one_context_are_folded_into_one() {
        let text = "m 50 x1\n a 3 x2\n  b 1 x9\n c 40 x1\n d 6 x5\n";
        let [before, after] = pruned(text, text, 0.1);
        assert_eq!(before, ["m 50 x1", "m/(smaller calls) 10 x7", "m/c 40 x1"]);
        assert_eq!(before, after);
    }

    #[test]
    fn paths_that_are_large_on_one_side_stay_on_both() {
        let [before, after] = pruned("m 90\n a 1\n b 1\n c 8\n", "m 30\n a 60\n b 1\n c 9\n", 0.1);
        assert_eq!(before, ["m 90 x?", "m/(smaller calls) 9 x?", "m/a 1 x?"]);
        assert_eq!(after, ["m 30 x?", "m/(smaller calls) 10 x?", "m/a 60 x?"]);
    }

    #[test]
    fn a_single_small_call_is_not_folded() {
        let [before, _] = pruned("m 90\n a 1\n", "m 90\n", 0.1);
        assert_eq!(before, ["m 90 x?", "m/a 1 x?"]);
        let [before, after] = pruned("m 90\n a 1\n", "m 90\n b 1\n", 0.1);
        assert_eq!(
            (&*before[1], &*after[1]),
            ("m/(smaller calls) 1 x?", "m/(smaller calls) 1 x?")
        );
    }

    #[test]
    fn a_small_call_that_matches_a_large_one_below_an_inserted_call_stays() {
        let [_, after] = pruned("m 50\n a 50\n", "m 98\n n\n  a 1\n  b 1\n  c 1\n", 0.1);
        assert_eq!(after, ["m 98 x?", "m/n 0 x?", "m/n/(smaller calls) 2 x?", "m/n/a 1 x?"]);
    }

    #[test]
    fn one_unknown_number_of_calls_makes_the_sum_unknown() {
        let [before, _] = pruned("m 90\n a 1 x1\n b 1\n", "m 90\n", 0.1);
        assert_eq!(before, ["m 90 x?", "m/(smaller calls) 2 x?"]);
    }

    #[test]
    fn a_floor_of_nothing_folds_nothing() {
        let text = "m 50\n a 0\n b 0\n";
        assert_eq!(pruned(text, text, 0.0)[0].len(), 3);
        assert_eq!(
            prune_floor_for(&tree(text), &tree(text), &FunctionRenames::new(), 3),
            0.0
        );
    }

    proptest! {
        #[test]
        fn totals_stay_and_no_more_is_left_than_asked_for(before in trees(40), after in trees(40), most in 1usize..20) {
            let renames = FunctionRenames::new();
            let floor = prune_floor_for(&before, &after, &renames, most);
            let pruned = prune(&before, &after, &renames, floor);
            prop_assert_eq!(pruned.before.total(), before.total());
            prop_assert_eq!(pruned.after.total(), after.total());
            for tree in [&pruned.before, &pruned.after] {
                prop_assert!(tree.nodes.len() <= 2 * most);
            }
        }

        #[test]
        fn what_is_kept_costs_what_it_did(before in trees(40), after in trees(40), floor in 0.0f64..0.5) {
            let pruned = prune(&before, &after, &FunctionRenames::new(), floor);
            let inclusive = |tree: &CallTree| -> Vec<(String, u64)> {
                let path = |id| tree.path(id).into_iter().map(|id| tree.name(id)).collect::<Vec<_>>().join("/");
                (0..).map(CallTreeNodeId).map(path).zip(tree.inclusive()).collect()
            };
            let full = inclusive(&before);
            for kept in inclusive(&pruned.before) {
                prop_assert!(kept.0.ends_with(SMALLER_CALLS) || full.contains(&kept));
            }
        }
    }
}
