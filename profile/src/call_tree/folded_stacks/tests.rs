//! Lines as profilers write them, malformed lines, and written stacks read back.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{FoldedError, FoldedLineProblem, FoldedStacks, read, write, write_difference};
use crate::call_tree::fixtures::{tree, trees};
use crate::call_tree::{CallTree, CostNoise, DifferentialFlameGraph, EvolutionBlueprint, FunctionRenames};

fn text(tree: &CallTree) -> String {
    let mut out = Vec::new();
    write(tree, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn problems(folded: &FoldedStacks) -> Vec<(usize, FoldedLineProblem)> {
    (folded.warnings.iter())
        .map(|warning| (warning.line, warning.problem))
        .collect()
}

#[test]
fn stacks_of_one_first_frame_have_it_as_their_root() {
    let folded = read(b"main;parse;next 12\nmain 3\nmain;parse 4\n").unwrap();
    assert_eq!(folded.warnings, []);
    assert_eq!(text(&folded.tree), "main 3\nmain;parse 4\nmain;parse;next 12\n");
    assert!(folded.tree.nodes.iter().all(|node| node.calls.is_none()));
    assert_eq!(
        folded.tree.functions.len(),
        3,
        "nothing is left of a root that is not needed"
    );
}

#[test]
fn stacks_of_several_first_frames_get_a_root() {
    let folded = read(b"thread 1;a 1\nthread 2;a 2\n").unwrap();
    assert_eq!(text(&folded.tree), "all;thread 1;a 1\nall;thread 2;a 2\n");
    assert_eq!(read(text(&folded.tree).as_bytes()).unwrap().tree, folded.tree);
}

#[test]
fn output_of_other_profilers_is_read() {
    let written = "\u{feff}# perf script\r\n\r\njava;com.A::run()V;operator new(unsigned long) 5\r\n  \
                   java; com.A::run()V ;;operator new(unsigned long)\t6  \r\njava;<T as U<'_>>::f 7";
    let folded = read(written.as_bytes()).unwrap();
    assert_eq!(folded.warnings, []);
    assert_eq!(
        text(&folded.tree),
        "java;<T as U<'_>>::f 7\njava;com.A::run()V;operator new(unsigned long) 11\n"
    );
}

#[test]
fn malformed_lines_are_left_out_with_a_warning() {
    let written = format!("a 1\na b\n12\n; 3\na -4\na 1e3\na {}9\na;b 2\nc .5\n", u64::MAX);
    let folded = read(written.as_bytes()).unwrap();
    assert_eq!(text(&folded.tree), "a 1\na;b 2\n");
    let expected = [
        (2, FoldedLineProblem::NoValue),
        (3, FoldedLineProblem::NoStack),
        (4, FoldedLineProblem::NoStack),
        (5, FoldedLineProblem::NoValue),
        (6, FoldedLineProblem::NoValue),
        (7, FoldedLineProblem::HugeValue),
        (9, FoldedLineProblem::NoValue),
    ];
    assert_eq!(problems(&folded), expected);
    assert_eq!(
        folded.warnings[0].to_string(),
        "line 2: no whole number at its end, left out"
    );
}

#[test]
fn fractions_are_rounded_with_a_warning() {
    let folded = read(b"a 1.5\na;b 2.49\na;c 3.0\na;d 4.\n").unwrap();
    assert_eq!(text(&folded.tree), "a 2\na;b 2\na;c 3\na;d 4\n");
    assert_eq!(
        problems(&folded),
        [(1, FoldedLineProblem::Fraction), (2, FoldedLineProblem::Fraction)]
    );
}

#[test]
fn warnings_do_not_grow_without_end() {
    let folded = read(format!("a 1\n{}", "a\n".repeat(1000)).as_bytes()).unwrap();
    assert_eq!(folded.warnings.len() + folded.more_warnings, 1000);
    assert_eq!(folded.warnings.len(), super::MOST_WARNINGS);
}

#[test]
fn a_stack_deeper_than_any_is_cut_and_keeps_its_cost() {
    let deep = format!("{} 5\n", vec!["f"; super::DEEPEST_STACK + 7].join(";"));
    let folded = read(format!("{deep}{deep}").as_bytes()).unwrap();
    assert_eq!(folded.tree.nodes.len(), super::DEEPEST_STACK);
    assert_eq!(folded.tree.total(), 10);
    assert_eq!(
        problems(&folded),
        [(1, FoldedLineProblem::Deep), (2, FoldedLineProblem::Deep)]
    );
    let long = format!("{} 5\n", "f".repeat(super::LONGEST_NAME + 1));
    assert!(read(long.as_bytes()).is_err());
}

#[test]
fn a_file_without_stacks_is_an_error_that_shows_the_format() {
    assert_eq!(read(b""), Err(FoldedError::NoStacks { lines: 1, first: None }));
    assert!(read(b"a;b 0\n").is_err(), "nothing costs anything");
    let error = read(b"<?xml version=\"1.0\"?>\n<svg>\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "reading folded stacks: none of 3 lines is a stack with a value, as `main;work 12` is; collapse the \
         profiler's output first (line 1: no whole number at its end, left out)"
    );
}

#[test]
fn names_that_would_be_read_as_something_else_are_written_without_it() {
    let mut tree = tree("main 1\n f 2\n");
    tree.functions[0].name = "[u8; 4]::f\n\r 5".to_owned();
    assert_eq!(text(&tree), "main 1\nmain;[u8: 4]::f   5 2\n");
}

#[test]
fn a_difference_has_both_values_of_each_stack() {
    let (before, after) = (tree("m 1\n a 2\n b\n  c 4\n"), tree("m 1\n a 3\n z 5\n"));
    let evolution = EvolutionBlueprint::of(&before, &after, &FunctionRenames::new(), CostNoise::Sampled);
    let flames = DifferentialFlameGraph::of(&before, &after, &evolution);
    let mut out = Vec::new();
    write_difference(&flames, &evolution.functions, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "m 1 1\nm;a 2 3\nm;b;c 4 0\nm;z 0 5\n");
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(tree in trees(30)) {
        let written = text(&tree);
        match read(written.as_bytes()) {
            Ok(folded) => {
                prop_assert_eq!(folded.warnings, []);
                prop_assert_eq!(folded.tree.total(), tree.total());
                prop_assert_eq!(text(&folded.tree), written);
            }
            Err(error) => prop_assert_eq!((tree.total(), error), (0, FoldedError::NoStacks { lines: 1, first: None })),
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_lines_are_read_or_told(lines in prop::collection::vec("[ab;# .0-9]{0,12}", 0..20)) {
        if let Ok(folded) = read(lines.join("\n").as_bytes()) {
            prop_assert_eq!(folded.tree.nodes[0].parent, None);
            prop_assert!(folded.tree.functions.is_sorted_by(|one, other| one.name < other.name));
            prop_assert!(folded.tree.nodes.iter().all(|node| (node.function.0 as usize) < folded.tree.functions.len()));
        }
    }
}
