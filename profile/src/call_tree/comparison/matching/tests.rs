//! Matches in small trees worked out by hand, and in random trees checked against the paper's definition.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{CallTreeMatching, match_trees};
use crate::call_tree::fixtures::{tree, trees};
use crate::call_tree::{CallTree, CallTreeBuilder, CallTreeFunction, CallTreeNodeId, FunctionRenames, SharedFunctions};

fn matched(before: &CallTree, after: &CallTree, renames: &FunctionRenames) -> CallTreeMatching {
    match_trees(before, after, &SharedFunctions::of(before, after, renames))
}

fn path(tree: &CallTree, node: CallTreeNodeId) -> String {
    let names: Vec<_> = tree.path(node).iter().map(|&node| tree.name(node)).collect();
    names.join("/")
}

/// Each match as "path = path", and each unmatched node as "− path" or "+ path".
fn lines(before: &str, after: &str, renames: &[(&str, &str)]) -> Vec<String> {
    let (before, after) = (tree(before), tree(after));
    let renames = (renames.iter()).map(|(old, new)| ((*old).to_owned(), (*new).to_owned()));
    let matching = matched(&before, &after, &renames.collect());
    let mut lines = Vec::new();
    for (node, other) in (0..).map(CallTreeNodeId).zip(&matching.after_of) {
        lines.push(match other {
            Some(other) => format!("{} = {}", path(&before, node), path(&after, *other)),
            None => format!("- {}", path(&before, node)),
        });
    }
    let new = (0..)
        .map(CallTreeNodeId)
        .zip(&matching.before_of)
        .filter(|(_, before)| before.is_none());
    lines.extend(new.map(|(node, _)| format!("+ {}", path(&after, node))));
    lines
}

/// Figure 5 of the paper.
#[test]
fn an_inserted_inner_node_is_found_and_its_children_still_match() {
    assert_eq!(
        lines("A\n B\n C\n D\n", "A\n D\n  F\n E\n  B\n  C\n", &[]),
        ["A = A", "A/B = A/E/B", "A/C = A/E/C", "A/D = A/D", "+ A/D/F", "+ A/E"]
    );
}

#[test]
fn a_removed_inner_node_is_found_and_its_children_still_match() {
    assert_eq!(
        lines("A\n E\n  F\n   B\n    C\n", "A\n B\n  C\n", &[]),
        ["A = A", "- A/E", "- A/E/F", "A/E/F/B = A/B", "A/E/F/B/C = A/B/C"]
    );
}

#[test]
fn a_function_in_another_context_is_another_node() {
    assert_eq!(
        lines("A\n B\n  D\n C\n", "A\n B\n C\n  D\n", &[]),
        ["A = A", "A/B = A/B", "- A/B/D", "A/C = A/C", "+ A/C/D"]
    );
    assert_eq!(
        lines("A\n B\n  D\n", "A\n C\n  D\n", &[]),
        ["A = A", "- A/B", "- A/B/D", "+ A/C", "+ A/C/D"],
        "something inserted and something removed"
    );
}

#[test]
fn below_an_inserted_node_nothing_is_removed_on_the_way_to_a_match() {
    assert_eq!(
        lines("A\n B\n  C\n   D\n", "A\n X\n  B\n   D\n", &[]),
        ["A = A", "A/B = A/X/B", "- A/B/C", "- A/B/C/D", "+ A/X", "+ A/X/B/D"]
    );
}

#[test]
fn a_direct_call_is_preferred_to_an_inserted_one_however_cheap() {
    assert_eq!(
        lines("A\n B 9\n", "A\n B 1\n X\n  B 9\n", &[]),
        ["A = A", "A/B = A/B", "+ A/X", "+ A/X/B"]
    );
}

#[test]
fn the_nearest_is_preferred_and_of_the_near_ones_the_most_expensive() {
    assert_eq!(
        lines("A\n B 9\n", "A\n X\n  B 1\n Y\n  B 2\n Z\n  Z\n   B 9\n", &[])[1],
        "A/B = A/Y/B"
    );
}

#[test]
fn the_whole_tree_may_be_called_by_a_new_root() {
    assert_eq!(
        lines("main\n A\n", "wrapper\n main\n  A\n", &[]),
        ["main = wrapper/main", "main/A = wrapper/main/A", "+ wrapper"]
    );
    assert_eq!(
        lines("wrapper\n main\n  A\n", "main\n A\n", &[]),
        ["- wrapper", "wrapper/main = main", "wrapper/main/A = main/A"]
    );
}

#[test]
fn roots_of_two_benchmarks_match_each_other() {
    assert_eq!(
        lines("one\n A\n", "two\n X\n  A\n", &[]),
        ["one = two", "one/A = two/X/A", "+ two/X"]
    );
}

#[test]
fn a_renamed_function_and_its_callees_match() {
    assert_eq!(
        lines("A\n old\n  B\n", "A\n new\n  B\n", &[("old", "new")]),
        ["A = A", "A/old = A/new", "A/old/B = A/new/B"]
    );
    assert_eq!(
        lines("A\n old\n  B\n", "A\n X\n  new\n   B\n", &[("old", "new")]),
        ["A = A", "A/old = A/X/new", "A/old/B = A/X/new/B", "+ A/X"]
    );
}

#[test]
fn recursion_that_went_deeper_matches_where_it_can() {
    assert_eq!(
        lines("A\n B\n  B\n", "A\n B\n  B\n   B\n", &[]),
        ["A = A", "A/B = A/B", "A/B/B = A/B/B", "+ A/B/B/B"]
    );
}

#[test]
fn a_depth_of_a_hundred_thousand_calls_neither_overflows_nor_takes_long() {
    let chain = |names: &[&str]| {
        let mut builder = CallTreeBuilder::new(CallTreeFunction::named("main"));
        let mut context = builder.root();
        for name in names.iter().cycle().take(100_000) {
            let function = builder.declare(CallTreeFunction::named(*name));
            context = builder.enter(context, function);
        }
        builder.finish()
    };
    let matching = matched(&chain(&["a"]), &chain(&["n", "a"]), &FunctionRenames::new());
    let pairs = matching.after_of.iter().flatten().count();
    assert_eq!(pairs, 50_001, "every second one is inserted");
}

fn is_subsequence(one: &[u32], other: &[u32]) -> bool {
    let mut other = other.iter();
    one.iter().all(|function| other.any(|candidate| candidate == function))
}

/// The paper's definition, on paths of shared functions.
fn may_match(paths: &[Vec<Vec<u32>>; 2], pair: [usize; 2]) -> bool {
    let [one, other] = [&paths[0][pair[0]], &paths[1][pair[1]]];
    one.last() == other.last() && (is_subsequence(one, other) || is_subsequence(other, one))
}

/// Paths from the root; the roots count as one function if they match without being one.
fn paths(before: &CallTree, after: &CallTree, renames: &FunctionRenames, roots: bool) -> [Vec<Vec<u32>>; 2] {
    let functions = SharedFunctions::of(before, after, renames);
    [(before, &functions.of_before), (after, &functions.of_after)].map(|(tree, of)| {
        let mut paths: Vec<Vec<u32>> = Vec::new();
        for node in &tree.nodes {
            let mut path = node.parent.map_or(Vec::new(), |parent| paths[parent.index()].clone());
            let stands_for_all = roots && node.parent.is_none();
            path.push(if stands_for_all {
                u32::MAX
            } else {
                of[node.function.0 as usize].0
            });
            paths.push(path);
        }
        paths
    })
}

fn above(tree: &CallTree, node: usize) -> Vec<usize> {
    let node = CallTreeNodeId(u32::try_from(node).unwrap());
    let mut path: Vec<_> = tree.path(node).into_iter().map(CallTreeNodeId::index).collect();
    path.pop();
    path
}

fn is_above(tree: &CallTree, above: usize, below: usize) -> bool {
    above != below
        && tree
            .subtrees()
            .range(CallTreeNodeId(u32::try_from(above).unwrap()))
            .contains(&below)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn matches_are_what_the_paper_calls_equivalent_and_none_is_left_out(
        before in trees(14), after in trees(14), renamed in prop::option::of(("[a-d]", "[a-d]")),
    ) {
        let renames: FunctionRenames = renamed.into_iter().collect();
        let matching = matched(&before, &after, &renames);
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for (one, other) in matching.after_of.iter().enumerate() {
            if let Some(other) = other {
                prop_assert_eq!(matching.before_of[other.index()].map(CallTreeNodeId::index), Some(one));
                pairs.push([one, other.index()]);
            }
        }
        prop_assert_eq!(pairs.len(), matching.before_of.iter().flatten().count());
        let paths = paths(&before, &after, &renames, pairs.contains(&[0, 0]));
        let keeps_ancestors = |pair: [usize; 2], other: [usize; 2]| {
            is_above(&before, pair[0], other[0]) == is_above(&after, pair[1], other[1])
                && is_above(&before, other[0], pair[0]) == is_above(&after, other[1], pair[1])
        };
        let unmatched = |path: &[usize], side: usize| {
            path.iter().any(|&node| pairs.iter().all(|pair| pair[side] != node))
        };
        for &pair in &pairs {
            prop_assert!(may_match(&paths, pair), "{:?}", pair);
            let both = unmatched(&above(&before, pair[0]), 0) && unmatched(&above(&after, pair[1]), 1);
            prop_assert!(!both, "{:?} is reached by insertions and removals", pair);
            for &other in &pairs {
                prop_assert!(keeps_ancestors(pair, other), "{:?} {:?}", pair, other);
            }
        }
        for one in 0..before.nodes.len() {
            for other in 0..after.nodes.len() {
                let pair = [one, other];
                let is_free = matching.after_of[one].is_none() && matching.before_of[other].is_none();
                if !is_free || !may_match(&paths, pair) || !pairs.iter().all(|&other| keeps_ancestors(pair, other)) {
                    continue;
                }
                let both = unmatched(&above(&before, one), 0) && unmatched(&above(&after, other), 1);
                prop_assert!(both, "{:?} could be added", pair);
            }
        }
    }

    #[test]
    fn a_tree_matches_itself_node_by_node(tree in trees(30)) {
        let matching = matched(&tree, &tree, &FunctionRenames::new());
        let itself: Vec<_> = (0..).map(CallTreeNodeId).map(Some).take(tree.nodes.len()).collect();
        prop_assert_eq!(&matching.after_of, &itself);
        prop_assert_eq!(&matching.before_of, &itself);
    }

    #[test]
    fn swapped_trees_match_the_same(
        before in trees(25), after in trees(25), renamed in prop::option::of(("[a-d]", "[a-d]")),
    ) {
        let back = renamed.clone().map(|(old, new)| (new, old)).into_iter().collect();
        let matching = matched(&before, &after, &renamed.into_iter().collect());
        let swapped = matched(&after, &before, &back);
        prop_assert_eq!(matching.after_of, swapped.before_of);
        prop_assert_eq!(matching.before_of, swapped.after_of);
    }
}
