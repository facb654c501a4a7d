#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use profile::call_tree::CallTree;
use profile::probes::{ProbeCallKind, ProbeCallSite, ProbeFunction, ProbeMode, ProbeRegion, ProbeTable};
use profile::timeline::Timeline;
use profile::{CostUnit, Profile};

fn function(name: &str, how: ProbeMode) -> ProbeFunction {
    ProbeFunction {
        name: name.to_owned(),
        file: "src/lib.rs".to_owned(),
        line: 1,
        external: false,
        how,
        routine: false,
    }
}

fn site(name: &str, line: u32, operations: u32) -> ProbeCallSite {
    ProbeCallSite {
        name: name.to_owned(),
        full_name: name.to_owned(),
        line,
        operations,
        kind: ProbeCallKind::Named,
    }
}

fn region(function: u32, lines: &[(u32, u32)], sites: Vec<ProbeCallSite>) -> ProbeRegion {
    ProbeRegion {
        function,
        parent: None,
        lines: lines.to_vec(),
        head: None,
        sites,
    }
}

/// `a` calls `b` twice on two lines and a function without probes; `c` is a const function.
fn table() -> ProbeTable {
    let mut table = ProbeTable {
        functions: vec![
            function("k::a", ProbeMode::Whole),
            function("k::b", ProbeMode::Whole),
            function("k::c", ProbeMode::Not("a const function cannot hold probes")),
        ],
        ..ProbeTable::default()
    };
    table.regions.extend([
        region(
            0,
            &[(10, 3), (11, 8)],
            vec![site("b", 10, 1), site("push", 11, 5), site("c", 11, 1)],
        ),
        region(1, &[(20, 2)], vec![]),
    ]);
    table
}

fn of(text: &str) -> Profile {
    attribute_counts("bench", &table(), &ProbeCounts::read(text).unwrap())
}

fn self_cost(profile: &Profile, name: &str) -> u64 {
    let mut found = profile.functions.iter().filter(|f| f.name == name);
    found.next().unwrap().self_cost
}

#[test]
fn calls_without_an_entry_go_to_unprobed_functions() {
    let profile = of("lito-probe 1\np 1 4\np 2 4\nf 0 4 52\nf 1 4 8\nc 0 0 4 52\nc 1 1 4 8\nend\n");
    assert_eq!(profile.unit, CostUnit::Operations);
    assert_eq!(profile.total, 4 * 11 + 4 * 2);
    assert!(profile.exact_counts);
    let calls = |name: &str| {
        let mut found = profile.functions.iter().filter(|f| f.name == name);
        found.next().map(|f| (f.calls, f.external))
    };
    assert_eq!(calls("k::b"), Some((4, false)));
    assert_eq!(calls("push"), Some((4, true)));
    assert_eq!(calls("k::c"), Some((4, false)), "the source has it");
    assert_eq!(calls("b"), None);
    assert_eq!(self_cost(&profile, "push"), 20);
    assert_eq!(self_cost(&profile, "k::a"), 44 - 20 - 4);
    let sum: u64 = profile.functions.iter().map(|f| f.self_cost).sum();
    assert_eq!(sum, profile.total);
    let line = |number: u32| profile.lines.iter().find(|l| l.line == number).unwrap();
    assert_eq!((line(11).executions, line(11).self_cost), (4, 4 * (8 - 6)));
}

#[test]
fn the_head_of_a_loop_runs_once_more_than_its_body_for_each_time_it_is_entered() {
    let mut table = table();
    table.regions.push(ProbeRegion {
        parent: Some(1),
        head: Some(10),
        ..region(0, &[(10, 1), (12, 1)], vec![])
    });
    let counts = ProbeCounts::read("lito-probe 1\np 1 3\np 3 15\nend\n").unwrap();
    let profile = attribute_counts("bench", &table, &counts);
    let line = |number: u32| profile.lines.iter().find(|l| l.line == number).unwrap();
    assert_eq!((line(10).executions, line(12).executions), (18, 15));
    assert_eq!(
        line(10).self_cost,
        3 * 2 + 15,
        "the unanswered call of `b` is not the line's"
    );
}

#[test]
fn threads_are_added_up() {
    let profile = of("lito-probe 1\np 2 1\nf 1 1 2\np 2 3\nf 1 3 6\nend\n");
    assert_eq!(profile.total, 8);
    assert_eq!(profile.functions[0].calls, 4);
}

#[test]
fn a_truncated_text_is_an_error() {
    assert_eq!(
        ProbeCounts::read(""),
        Err(ProbeTextError::Header { wanted: "lito-probe 1" })
    );
    assert_eq!(
        ProbeCounts::read("lito-probe 1\np 1 4\n"),
        Err(ProbeTextError::Cut { lines: 2 })
    );
    assert!(matches!(
        ProbeCounts::read("lito-probe 1\np one 4\nend\n"),
        Err(ProbeTextError::Line { number: 2, .. })
    ));
}

proptest! {
    #[test]
    fn any_counts_give_a_profile_whose_self_costs_are_its_total(
        lines in proptest::collection::vec((0u8..3, 0u32..5, 0u32..5, 0u64..1000, 0u64..1000), 0..12),
    ) {
        let mut text = String::from("lito-probe 1\n");
        for (kind, a, b, calls, inclusive) in lines {
            text.push_str(&match kind {
                0 => format!("p {a} {calls}\n"),
                1 => format!("f {a} {calls} {inclusive}\n"),
                _ => format!("c {a} {b} {calls} {inclusive}\n"),
            });
        }
        text.push_str("end\n");
        let profile = of(&text);
        let sum: u64 = profile.functions.iter().map(|f| f.self_cost).sum();
        prop_assert_eq!(sum, profile.total);
        let counts = ProbeCounts::read(&text).unwrap();
        prop_assert_eq!(counts.total(&table()), profile.total);
    }
}

/// `a` and `b` of [`table`], and a second function with the name of `b`.
fn table_with_two_of_a_name() -> ProbeTable {
    let mut table = table();
    table.functions.push(function("k::b", ProbeMode::Whole));
    table
}

fn recorded(text: &str) -> Result<Option<Timeline>, ProbeTextError> {
    timeline(&table_with_two_of_a_name(), &[text.to_owned()])
}

#[test]
fn functions_of_one_name_are_one_row() {
    assert_eq!(timeline_rows(&table_with_two_of_a_name()), [0, 1, 2, 1]);
}

#[test]
fn a_row_s_share_is_of_its_frame_s_length_and_the_last_frame_is_as_long_as_it_was() {
    let text = "lito-timeline 1\nt 10 4\nr 0 4 4 2\nr 1 0 1 1\nr 9 4 4 2\nend\n";
    let timeline = recorded(text).unwrap().unwrap();
    assert_eq!((timeline.total, timeline.frame, timeline.frames()), (10, 4, 3));
    assert_eq!(timeline.unit, CostUnit::Operations);
    let names: Vec<&str> = timeline.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["k::a", "k::b"], "the table has no tenth function");
    assert_eq!(timeline.shares("k::a"), Some([100, 100, 100].as_slice()));
    assert_eq!(timeline.shares("k::b"), Some([0, 25, 50].as_slice()));
}

#[test]
fn functions_below_half_a_percent_of_every_frame_are_left_out() {
    let text = "lito-timeline 1\nt 1536 1024\nr 0 5 2\nr 1 6 0\nend\n";
    let timeline = recorded(text).unwrap().unwrap();
    assert_eq!(timeline.shares("k::a"), None);
    assert_eq!(timeline.shares("k::b"), Some([1, 0].as_slice()));
}

#[test]
fn of_several_threads_and_processes_the_one_that_executed_most_is_shown() {
    let table = table();
    let texts = [
        "lito-timeline 1\nt 1 1\nr 0 1\nt 3 1\nr 1 1 1 1\nend\n".to_owned(),
        "lito-timeline 1\nt 2 1\nr 0 1 1\nend\n".to_owned(),
        "lito-timeline 1\nend\n".to_owned(),
    ];
    let shown = timeline(&table, &texts).unwrap().unwrap();
    assert_eq!(shown.total, 3);
    let mut turned = texts.clone();
    turned.reverse();
    assert_eq!(timeline(&table, &turned), Ok(Some(shown)));
    assert_eq!(timeline(&table, &texts[2..]), Ok(None));
    assert_eq!(timeline(&table, &[]), Ok(None));
}

#[test]
fn frames_that_can_t_be_are_an_error() {
    for line in [
        "t 0 1",
        "t 10 3",
        "t 10 0",
        "t 81 1",
        "t 10 4 4",
        "r 0 1",
        "t 10 4\nr 0 4 4",
        "t 10 4\nr 0 4 4 5",
        "t 10 4\nr 0 4 4 2\nr 0 4 4 2",
        "t 10 4\nr 4294967296 4 4 2",
        "t 10 4\nr 0 4 4 -1",
        "t 10 4\nr",
        "",
        "p 1 1",
    ] {
        let error = recorded(&format!("lito-timeline 1\n{line}\nend\n"));
        assert!(matches!(error, Err(ProbeTextError::Line { .. })), "{line}: {error:?}");
    }
    assert!(matches!(
        recorded("lito-probe 1\nend\n"),
        Err(ProbeTextError::Header { .. })
    ));
    assert!(matches!(
        recorded("lito-timeline 1\nt 1 1\n"),
        Err(ProbeTextError::Cut { .. })
    ));
}

proptest! {
    #[test]
    fn any_text_gives_frames_or_an_error(
        lines in proptest::collection::vec(
            ("[trpx]", proptest::collection::vec(0u64..100, 0..5)),
            0..8,
        ),
    ) {
        let mut text = String::from("lito-timeline 1\n");
        for (kind, numbers) in lines {
            text.push_str(&kind);
            for number in numbers {
                text.push_str(&format!(" {number}"));
            }
            text.push('\n');
        }
        text.push_str("end\n");
        if let Ok(Some(timeline)) = recorded(&text) {
            let bytes = profile::timeline::encode(&timeline);
            prop_assert_eq!(profile::timeline::decode(&bytes), Ok(timeline));
        }
    }
}

/// Each node of a tree as its path, calls and self cost.
fn paths(tree: &CallTree) -> Vec<(String, Option<u64>, u64)> {
    let mut paths: Vec<(String, Option<u64>, u64)> = Vec::new();
    for node in &tree.nodes {
        let name = &tree.functions[node.function.0 as usize].name;
        let path = match node.parent {
            Some(parent) => format!("{} {name}", paths[parent.0 as usize].0),
            None => name.clone(),
        };
        paths.push((path, node.calls.map(|calls| calls.count), node.self_cost));
    }
    paths
}

fn contexts(text: &str) -> Result<ProbedCallTree, ProbeTextError> {
    call_tree(&table_with_two_of_a_name(), &[text.to_owned()])
}

#[test]
fn contexts_of_all_threads_are_one_tree_and_functions_of_one_name_one_node() {
    let text = "lito-contexts 1\nt 3 0\nn 0 0 1 10\nn 1 1 2 4\nn 1 3 1 5\nn 3 1 1 1\nt 0 0\nn 0 0 1 7\nend\n";
    let found = contexts(text).unwrap();
    let expected = [
        ("benchmark", None, 3),
        ("benchmark k::a", Some(2), 17),
        ("benchmark k::a k::b", Some(3), 9),
        ("benchmark k::a k::b k::b", Some(1), 1),
    ];
    let expected = expected.map(|(path, calls, cost)| (path.to_owned(), calls, cost));
    assert_eq!(paths(&found.tree), expected);
    assert_eq!((found.total, found.complete), (30, true));
    assert!(!contexts("lito-contexts 1\nt 3 1\nend\n").unwrap().complete);
}

#[test]
fn contexts_that_can_t_be_are_an_error() {
    for line in [
        "n 0 0 1 1",
        "t 1 2",
        "t 1",
        "t 1 0\nn 1 0 1 1",
        "t 1 0\nn 0 9 1 1",
        "t 1 0\nn 0 0 1",
        "t 1 0\nn 0 0 1 1\nt 1 0\nn 1 0 1 1",
        "t 1 0\nn 0 4294967296 1 1",
    ] {
        let error = contexts(&format!("lito-contexts 1\n{line}\nend\n"));
        assert!(matches!(error, Err(ProbeTextError::Line { .. })), "{line}: {error:?}");
    }
}

proptest! {
    #[test]
    fn contexts_add_up_to_the_total(
        nodes in proptest::collection::vec((0u64..6, 0u64..5, 0u64..9, 0u64..1000), 0..20),
    ) {
        let mut text = String::from("lito-contexts 1\nt 5 0\n");
        for (parent, function, entries, operations) in nodes {
            text.push_str(&format!("n {parent} {function} {entries} {operations}\n"));
        }
        text.push_str("end\n");
        if let Ok(found) = contexts(&text) {
            let sum: u64 = found.tree.nodes.iter().map(|node| node.self_cost).sum();
            prop_assert_eq!(sum, found.total);
        }
    }
}
