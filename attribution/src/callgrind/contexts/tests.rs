#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{AttributedCallTree, OutermostFrame, SymbolizedSteps, grow, join_call_counts};
use crate::callgrind::trace::read_contexts;
use crate::callgrind::{AttributionInput, PathRemapping, ProfiledBuild};
use profile::call_tree::{CallCount, CallTree, CallTreeBuilder, CallTreeFunction};

const HEADER: &str = "positions: instr line\nevents: Ir\nob=x\n";

/// The tree of a program without debug information, in which each symbol is a function.
fn tree_of(body: &str, outermost: OutermostFrame) -> AttributedCallTree {
    let trace = read_contexts(format!("{HEADER}{body}").as_bytes(), 1 << 10).unwrap();
    let with = AttributionInput {
        benchmark: "x",
        program: "",
        binary: &[],
        build: ProfiledBuild::Optimised,
        roots: &PathRemapping::default(),
    };
    let placed = SymbolizedSteps {
        program: None,
        steps: &[],
        placement: &super::SymbolizedProgram::default(),
    };
    grow(&trace, placed, &with, outermost)
}

/// Each node below the root: its path without the root's name, self cost, calls; `~` marks estimates.
fn lines(tree: &CallTree) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for node in &tree.nodes {
        let name = &tree.functions[node.function.0 as usize].name;
        let path = match node.parent {
            None => String::new(),
            Some(parent) => format!("{} {name}", paths[parent.0 as usize]),
        };
        paths.push(path.trim().to_owned());
    }
    let line = |(path, node): (&String, &profile::call_tree::CallTreeNode)| {
        let calls = node.calls.map_or("?".to_owned(), |calls| {
            format!("{}{}", if calls.estimated { "~" } else { "" }, calls.count)
        });
        format!("{path}: {} {calls}", node.self_cost)
    };
    (paths.iter().zip(&tree.nodes).skip(1)).map(line).collect()
}

#[test]
fn the_tree_starts_where_collection_starts() {
    // main executes nothing while costs are collected
    let body = "fn=(1) main\ncfn=(2) subject'main\ncalls=3 32 1\n16 1 12\n\
                fn=(2)\n32 1 6\ncfn=(3) f'subject'main\ncalls=6 64 1\n32 1 6\nfn=(3)\n64 1 6\ntotals: 12\n";
    let shown = tree_of(body, OutermostFrame::Shown);
    assert_eq!(lines(&shown.tree), ["subject: 6 3", "subject f: 6 6"]);
    let hidden = tree_of(body, OutermostFrame::Root);
    assert_eq!(lines(&hidden.tree), ["f: 6 6"]);
    assert_eq!(hidden.tree.nodes[0].self_cost, 6);
}

#[test]
fn contexts_whose_chain_was_cut_hang_below_those_that_call_them() {
    // `leaf` is called by two contexts that its own name does not distinguish
    let body = "fn=(1) top\n16 1 2\ncfn=(2) a'top\ncalls=1 32 1\n16 1 31\ncfn=(3) b'top\ncalls=1 48 1\n16 1 11\n\
                fn=(2)\n32 1 1\ncfn=(4) leaf\ncalls=1 64 1\n32 1 30\nfn=(3)\n48 1 1\ncfn=(4)\ncalls=1 64 1\n48 1 10\n\
                fn=(4)\n64 1 2\n68 1 38\ntotals: 44\n";
    let grown = tree_of(body, OutermostFrame::Shown);
    assert_eq!(
        lines(&grown.tree),
        [
            "top: 2 1",
            "top a: 1 1",
            "top a leaf: 30 1",
            "top b: 1 1",
            "top b leaf: 10 1",
        ]
    );
    assert_eq!(grown.divided, 40);
}

#[test]
fn recursion_is_folded_and_no_cost_counts_twice() {
    // a → b → a → b, then cut: the last context calls the one before
    let body = "fn=(1) a\n16 1 1\ncfn=(2) b'a\ncalls=1 32 1\n16 1 9\n\
                fn=(2)\n32 1 1\ncfn=(3) a'b\ncalls=1 16 1\n32 1 8\n\
                fn=(3)\n16 1 4\ncfn=(4) b'a'b\ncalls=4 32 1\n16 1 20\n\
                fn=(4)\n32 1 4\ncfn=(3)\ncalls=3 16 1\n32 1 15\ntotals: 10\n";
    let grown = tree_of(body, OutermostFrame::Shown);
    assert_eq!(lines(&grown.tree), ["a: 5 5", "a b: 5 5"]);
}

fn built(paths: &[(&str, u64, u64, bool)]) -> CallTree {
    let mut builder = CallTreeBuilder::new(CallTreeFunction::named(super::ROOT));
    for (path, cost, calls, estimated) in paths {
        let mut context = builder.root();
        for name in path.split(' ') {
            let declared = builder.declare(CallTreeFunction {
                external: name.starts_with("std"),
                ..CallTreeFunction::named(name)
            });
            context = builder.enter(context, declared);
        }
        builder.add_self(context, *cost);
        builder.add_calls(
            context,
            CallCount {
                count: *calls,
                estimated: *estimated,
            },
        );
    }
    builder.finish()
}

#[test]
fn calls_come_from_the_same_path_of_the_unoptimised_run() {
    let costs = built(&[("f", 10, 1, false), ("f g", 5, 7, true)]);
    let counts = built(&[("f", 900, 2, false), ("f g", 300, 4, false)]);
    let joined = join_call_counts(&costs, &counts);
    assert_eq!(lines(&joined.tree), ["f: 10 2", "f g: 5 4"]);
    assert_eq!(joined.counted, 15);
}

#[test]
fn a_call_that_the_source_has_once_goes_where_the_source_has_it() {
    let costs = built(&[("f", 10, 1, false), ("f leaf", 5, 7, true)]);
    let counts = built(&[
        ("f", 0, 2, false),
        ("f std::between", 0, 3, false),
        ("f std::between leaf", 0, 6, false),
    ]);
    assert_eq!(
        lines(&join_call_counts(&costs, &counts).tree),
        ["f: 10 2", "f std::between: 0 3", "f std::between leaf: 5 6"]
    );
}

#[test]
fn a_function_with_several_candidates_keeps_its_place_and_its_calls() {
    let costs = built(&[("f", 10, 1, false), ("f leaf", 5, 7, true)]);
    let counts = built(&[
        ("f", 0, 2, false),
        ("f std::one leaf", 0, 6, false),
        ("f std::two leaf", 0, 6, false),
    ]);
    let joined = join_call_counts(&costs, &counts);
    assert!(
        lines(&joined.tree).contains(&"f leaf: 5 ~7".to_owned()),
        "{:?}",
        lines(&joined.tree)
    );
    assert_eq!(joined.counted, 10);
}

#[test]
fn a_function_of_the_optimised_build_alone_does_not_hide_its_callees() {
    let costs = built(&[
        ("f", 10, 1, false),
        ("f std::lost", 0, 9, true),
        ("f std::lost leaf", 5, 9, true),
    ]);
    let counts = built(&[("f", 0, 2, false), ("f leaf", 0, 6, false)]);
    assert_eq!(
        lines(&join_call_counts(&costs, &counts).tree),
        ["f: 10 2", "f std::lost: 0 ~9", "f std::lost leaf: 5 6"]
    );
}

#[test]
fn project_functions_without_cost_are_kept_and_others_only_on_the_way_to_them() {
    let costs = built(&[("f", 10, 1, false)]);
    let counts = built(&[
        ("f", 0, 1, false),
        ("f gone", 0, 3, false),
        ("f std::alone", 0, 5, false),
        ("f std::map", 0, 2, false),
        ("f std::map closure", 0, 8, false),
    ]);
    assert_eq!(
        lines(&join_call_counts(&costs, &counts).tree),
        ["f: 10 1", "f gone: 0 3", "f std::map: 0 2", "f std::map closure: 0 8"]
    );
}

/// A graph of contexts whose functions repeat: (caller, callee, calls, cost), and self costs.
type RandomContextGraph = (Vec<(usize, usize, u64, u64)>, Vec<u64>);

fn graph() -> impl Strategy<Value = RandomContextGraph> {
    let calls = (0usize..8, 0usize..8, 0u64..9, 0u64..99);
    (prop::collection::vec(calls, 0..24), prop::collection::vec(0u64..50, 8))
}

proptest! {
    #[test]
    fn no_graph_of_contexts_loses_cost((calls, own) in graph()) {
        let mut body = String::new();
        let name = |context: usize| format!("({}) f{}'c{context}", context + 1, context % 3);
        for (context, cost) in own.iter().enumerate() {
            body += &format!("fn={}\n{} 1 {cost}\n", name(context), 16 * context);
            for (from, to, count, cost) in &calls {
                if *from == context {
                    body += &format!("cfn={}\ncalls={count} {} 1\n{} 1 {cost}\n", name(*to), 16 * to, 16 * from);
                }
            }
        }
        let total: u64 = own.iter().sum();
        body += &format!("totals: {total}\n");
        let grown = tree_of(&body, OutermostFrame::Shown);
        let sum = |tree: &CallTree| tree.nodes.iter().map(|node| node.self_cost).sum::<u64>();
        prop_assert_eq!(sum(&grown.tree), total);
        prop_assert!(grown.divided <= total);
        let joined = join_call_counts(&grown.tree, &grown.tree);
        prop_assert_eq!(joined.counted, total);
        prop_assert_eq!(joined.tree, grown.tree);
    }

    #[test]
    fn joining_keeps_every_cost(
        costs in prop::collection::vec(("[a-d]( [a-d]){0,3}", 0u64..99, 1u64..9, any::<bool>()), 0..12),
        counts in prop::collection::vec(("[a-d]( [a-d]){0,3}", 0u64..99, 1u64..9, any::<bool>()), 0..12),
    ) {
        let tree = |paths: &[(String, u64, u64, bool)]| {
            let paths: Vec<_> = paths.iter().map(|(path, a, b, c)| (&**path, *a, *b, *c)).collect();
            built(&paths)
        };
        let (costs, counts) = (tree(&costs), tree(&counts));
        let sum = |tree: &CallTree| tree.nodes.iter().map(|node| node.self_cost).sum::<u64>();
        let joined = join_call_counts(&costs, &counts);
        prop_assert_eq!(sum(&joined.tree), sum(&costs));
        prop_assert!(joined.counted <= sum(&costs));
    }
}
