//! Blueprints of small trees whose numbers are worked out by hand, and the paper's own examples.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{EvolutionBlueprint, EvolutionNodeKind};
use crate::call_tree::fixtures::{tree, trees};
use crate::call_tree::{CallTree, CostMeasure, CostNoise, FunctionRenames};

fn evolution(before: &str, after: &str) -> EvolutionBlueprint {
    EvolutionBlueprint::of(&tree(before), &tree(after), &FunctionRenames::new(), CostNoise::Counted)
}

/// One line per node: indentation, sign of its kind, name, H of the inclusive cost, H of the self cost.
fn costs(evolution: &EvolutionBlueprint) -> Vec<String> {
    let mut depths: Vec<usize> = Vec::new();
    for node in &evolution.nodes {
        depths.push(node.parent.map_or(0, |parent| depths[parent] + 1));
    }
    (evolution.nodes.iter().enumerate())
        .map(|(at, node)| {
            let sign = match node.kind() {
                EvolutionNodeKind::Both => "=",
                EvolutionNodeKind::New => "+",
                EvolutionNodeKind::Removed => "-",
            };
            let [.., inclusive, own] = node.difference.heights;
            let indent = " ".repeat(depths[at]);
            format!("{indent}{sign}{} {inclusive} {own}", evolution.name(at))
        })
        .collect()
}

fn find(evolution: &EvolutionBlueprint, name: &str) -> usize {
    (0..evolution.nodes.len())
        .find(|&at| evolution.name(at) == name)
        .unwrap()
}

/// Figure 5: E is new and calls B and C, F is new and calls nothing.
#[test]
fn the_height_of_a_new_node_is_the_cost_that_it_adds_to_its_children() {
    let evolution = evolution(
        "A 10\n B 20\n C 30\n D 40\n",
        "A 10\n D 40\n  F 7\n E 5\n  B 25\n  C 30\n",
    );
    assert_eq!(
        costs(&evolution),
        ["=A 17 0", " =D 7 0", "  +F 7 7", " +E 10 5", "  =B 5 5", "  =C 0 0",]
    );
    let e = &evolution.nodes[find(&evolution, "E")];
    let expected = 60.0 / 117.0 - (20.0 / 100.0 + 30.0 / 100.0);
    assert!((e.difference.height(CostMeasure::ShareInclusive) - expected).abs() < 1e-12);
}

#[test]
fn a_removed_node_is_the_mirror_image_of_a_new_one() {
    let evolution = evolution(
        "A 10\n D 40\n  F 7\n E 5\n  B 25\n  C 30\n",
        "A 10\n B 20\n C 30\n D 40\n",
    );
    assert_eq!(
        costs(&evolution),
        [
            "=A -17 0",
            " =D -7 0",
            "  -F -7 -7",
            " -E -10 -5",
            "  =B -5 -5",
            "  =C 0 0",
        ]
    );
}

/// The paper's numbers, with parse(InputSource) found below the new parse_proxy.
#[test]
fn the_slow_method_of_the_papers_example_is_high_and_the_one_that_calls_it_is_not() {
    let evolution = EvolutionBlueprint::of(&xml_before(), &xml_after(), &FunctionRenames::new(), CostNoise::Counted);
    let share = |name| {
        let node = &evolution.nodes[find(&evolution, name)];
        let percent = node.difference.height(CostMeasure::ShareInclusive) * 100.0;
        (node.kind(), percent.round())
    };
    assert_eq!(share("build(InputSource)"), (EvolutionNodeKind::Both, 0.0));
    assert_eq!(
        share("parse_proxy"),
        (EvolutionNodeKind::New, 4.0),
        "57% after, of which parse had 53% before"
    );
    assert_eq!(share("new_method"), (EvolutionNodeKind::New, 37.0));
    assert_eq!(share("parse(InputSource)"), (EvolutionNodeKind::Both, -32.0));
    assert_eq!(share("createParser"), (EvolutionNodeKind::Both, -2.0));
}

fn xml_before() -> CallTree {
    tree(
        "main\n build(File)\n  build(URL)\n   build(InputSource) 9\n    createContentHandler 34\n    createParser 404\n    \
         parse(InputSource) 495\n",
    )
}

fn xml_after() -> CallTree {
    tree(
        "main\n build(File)\n  build(URL)\n   build(InputSource)\n    createContentHandler 36\n    createParser 784\n    \
         parse_proxy 1\n     new_method 699\n     parse(InputSource) 385\n",
    )
}

#[test]
fn widths_are_logarithms_of_how_many_calls_more_or_less() {
    let evolution = evolution(
        "A x1\n B x10\n C x3\n R x7\n  S x9\n",
        "A x1\n B x110\n C x3\n N x5\n  M x4\n",
    );
    let width = |name| evolution.nodes[find(&evolution, name)].width;
    let ln = |calls: f64| Some((calls + 1.0).ln());
    assert_eq!(width("A"), Some(0.0));
    assert_eq!(width("B"), ln(100.0));
    assert_eq!(width("C"), Some(0.0));
    assert_eq!(width("N"), ln(4.0), "against the one call of A before");
    assert_eq!(width("M"), ln(3.0), "N was not there: A again");
    assert_eq!(width("R"), ln(6.0));
    assert_eq!(width("S"), ln(8.0));
}

#[test]
fn without_known_calls_there_is_no_width() {
    let evolution = evolution("A\n B x1\n", "A\n B x1\n N x1\n");
    let widths: Vec<_> = evolution.nodes.iter().map(|node| node.width).collect();
    assert_eq!(widths, [None, Some(0.0), None]);
}

#[test]
fn a_new_root_is_compared_with_no_call() {
    let evolution = evolution("A x2\n", "N x3\n A x2\n");
    assert_eq!(evolution.nodes[0].width, Some(4f64.ln()));
    assert_eq!(evolution.nodes[1].width, Some(0.0));
}

#[test]
fn new_and_removed_nodes_stand_where_their_names_do() {
    let evolution = evolution("A\n b\n d\n  x\n f\n", "A\n b\n c\n e\n  x\n f\n");
    assert_eq!(
        costs(&evolution),
        [
            "=A 0 0", " =b 0 0", " +c 0 0", " -d 0 0", "  -x 0 0", " +e 0 0", "  +x 0 0", " =f 0 0"
        ]
    );
}

proptest! {
    #[test]
    fn the_merged_tree_has_every_node_once_and_each_tree_in_its_shape(before in trees(30), after in trees(30)) {
        let evolution = EvolutionBlueprint::of(&before, &after, &FunctionRenames::new(), CostNoise::Sampled);
        for (tree, is_after) in [(&before, false), (&after, true)] {
            let side = |at: usize| {
                let node = &evolution.nodes[at];
                if is_after { node.after } else { node.before }
            };
            let mut seen = vec![false; tree.nodes.len()];
            for (at, node) in evolution.nodes.iter().enumerate() {
                prop_assert!(node.parent.is_none_or(|parent| parent < at));
                prop_assert_eq!(node.parent.is_none(), at == 0);
                if let Some(here) = side(at) {
                    prop_assert!(!std::mem::replace(&mut seen[here.node.index()], true));
                    // the parent in this tree is the nearest caller that this tree has
                    let above = std::iter::successors(node.parent, |&above| evolution.nodes[above].parent);
                    let nearest = above.filter_map(side).next().map(|above| above.node);
                    prop_assert_eq!(tree.nodes[here.node.index()].parent, nearest);
                }
            }
            prop_assert!(seen.into_iter().all(|seen| seen));
        }
    }

    #[test]
    fn a_tree_against_itself_differs_nowhere(tree in trees(30)) {
        let evolution = EvolutionBlueprint::of(&tree, &tree, &FunctionRenames::new(), CostNoise::Counted);
        prop_assert_eq!(evolution.nodes.len(), tree.nodes.len());
        for node in &evolution.nodes {
            prop_assert_eq!(node.kind(), EvolutionNodeKind::Both);
            prop_assert_eq!(node.difference.heights, [0.0; 4]);
            prop_assert_eq!(node.difference.noise, 0b1111);
            prop_assert!(node.width.is_none_or(|width| width == 0.0));
        }
    }

    #[test]
    fn swapped_executions_differ_the_other_way_round(before in trees(30), after in trees(30)) {
        let there = EvolutionBlueprint::of(&before, &after, &FunctionRenames::new(), CostNoise::Sampled);
        let back = EvolutionBlueprint::of(&after, &before, &FunctionRenames::new(), CostNoise::Sampled);
        prop_assert_eq!(there.nodes.len(), back.nodes.len());
        for node in &there.nodes {
            let mirrored = back.nodes.iter().find(|other| other.before == node.after && other.after == node.before);
            let mirrored = mirrored.unwrap();
            prop_assert_eq!(mirrored.difference.heights.map(|height| 0.0 - height), node.difference.heights);
            prop_assert_eq!(mirrored.difference.noise, node.difference.noise);
            prop_assert_eq!(mirrored.width, node.width);
        }
    }

    #[test]
    fn differences_of_own_cost_add_up_to_that_of_the_totals(before in trees(30), after in trees(30)) {
        let evolution = EvolutionBlueprint::of(&before, &after, &FunctionRenames::new(), CostNoise::Counted);
        let sum: f64 = evolution.nodes.iter().map(|node| node.difference.height(CostMeasure::CostSelf)).sum();
        let difference = after.total() as f64 - before.total() as f64;
        prop_assert_eq!(sum, difference);
    }
}
