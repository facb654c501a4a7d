//! Calling contexts of programs with hand-known calls.

use std::collections::BTreeMap;

use super::{OwnedProfilerRequest, TestBuild, TestPrograms, profile};
use crate::benchmark::BenchmarkSubject;
use crate::profilers::ProfiledCallTree;
use crate::profilers::callgrind::call_tree;

/// Two contexts of one function, an inlined one between, recursion of one function and of two, and a closure.
const PROGRAM: &str = "
use std::hint::black_box;
#[inline(never)] fn leaf(n: u64) -> u64 { (0..n).fold(0, |t, i| t ^ black_box(i)) }
#[inline(always)] fn twice(n: u64) -> u64 { leaf(n) + leaf(n / 2) }
#[inline(never)] fn left(n: u64) -> u64 { twice(n) }
#[inline(never)] fn right(n: u64) -> u64 { leaf(3 * n) + black_box(1) }
#[inline(never)] fn even(n: u64) -> u64 { if black_box(n) == 0 { 1 } else { 1 + odd(n - 1) } }
#[inline(never)] fn odd(n: u64) -> u64 { if black_box(n) == 0 { 0 } else { 2 + even(n - 1) + leaf(1) } }
#[inline(never)] fn fib(n: u64) -> u64 { if black_box(n) < 2 { 1 } else { fib(n - 1) + fib(n - 2) } }
#[inline(never)] fn subject(n: u64) -> u64 { left(n) + right(n) + even(10) + fib(6) }
fn main() { leaf(black_box(3)); println!(\"{}\", subject(black_box(10))); }
";

/// (Calls, whether they are an estimate, inclusive cost) by path of the program's own functions.
type CallsByPath = BTreeMap<String, (u64, bool, u64)>;

fn by_path(contexts: &ProfiledCallTree) -> CallsByPath {
    let tree = &contexts.tree;
    let mut inclusive: Vec<u64> = tree.nodes.iter().map(|node| node.self_cost).collect();
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            inclusive[parent.0 as usize] += inclusive[at];
        }
    }
    assert_eq!(inclusive[0], contexts.total, "self costs add up to the total");
    let mut paths: Vec<String> = Vec::new();
    let mut found = CallsByPath::new();
    for (node, inclusive) in tree.nodes.iter().zip(inclusive) {
        let function = &tree.functions[node.function.0 as usize];
        let mut path = node.parent.map_or(String::new(), |p| paths[p.0 as usize].clone());
        if !function.external {
            path = format!("{path} {}", function.name.trim_start_matches("count::"));
            let path = path.trim().to_owned();
            if let Some(calls) = node.calls {
                found.insert(path, (calls.count, calls.estimated, inclusive));
            }
        }
        paths.push(path);
    }
    found
}

fn contexts_of(source: &str, subject: BenchmarkSubject, counted: bool) -> (ProfiledCallTree, profile::Profile) {
    let programs = TestPrograms::new(source);
    let mut asked = OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "");
    asked.subject = subject;
    asked.counting = counted.then(|| programs.build(TestBuild::Counting));
    let request = programs.request(&asked);
    (call_tree(&request).unwrap(), profile(&request).unwrap())
}

#[test]
fn each_path_has_its_own_calls_inlined_ones_and_recursion_included() {
    let (contexts, _) = contexts_of(PROGRAM, BenchmarkSubject::Function("count::subject".to_owned()), true);
    let found = by_path(&contexts);
    for (path, calls) in [
        ("subject", 1),
        ("subject left", 1),
        ("subject left twice", 1),
        ("subject left twice leaf", 2),
        ("subject left twice leaf leaf::{closure}", 15),
        ("subject right leaf", 1),
        ("subject right leaf leaf::{closure}", 30),
        ("subject even", 6),
        ("subject even odd", 5),
        ("subject even odd leaf", 5),
        ("subject fib", 25),
    ] {
        let got = found.get(path).map(|(calls, estimated, _)| (*calls, *estimated));
        assert_eq!(got, Some((calls, false)), "{path}: {found:#?}");
    }
    assert!(!found.contains_key("subject even odd even"), "recursion is folded");
    assert_eq!((contexts.cut, contexts.complete), (None, true));
    assert_eq!(
        contexts.tree.functions[contexts.tree.nodes[0].function.0 as usize].name,
        "benchmark"
    );
}

#[test]
fn a_tree_has_the_profiles_total_and_outside_recursion_its_inclusive_costs() {
    for subject in [
        BenchmarkSubject::Function("count::subject".to_owned()),
        BenchmarkSubject::Process,
    ] {
        let is_process = subject == BenchmarkSubject::Process;
        let (contexts, profile) = contexts_of(PROGRAM, subject, false);
        let found = by_path(&contexts);
        if is_process {
            // Before `main`, the C library reads the list of mappings line by line; valgrind's own are in it.
            let differ = contexts.total.abs_diff(profile.total);
            assert!(differ < profile.total / 10, "{differ} of {}", profile.total);
        } else {
            assert_eq!(contexts.total, profile.total);
        }
        assert_eq!(contexts.counted, 0);
        let inclusive = |name: &str| -> u64 {
            let last = |path: &&String| path.rsplit(' ').next() == Some(name);
            found.keys().filter(last).map(|path| found[path].2).sum()
        };
        for name in ["left", "right", "fib", "leaf", "subject"] {
            let whole = format!("count::{name}");
            let function = profile.functions.iter().find(|f| f.name == whole).unwrap();
            assert_eq!(inclusive(name), function.inclusive, "{name}: {found:#?}");
        }
    }
}

#[test]
fn without_a_counting_build_bodies_are_counted_and_copies_are_estimates() {
    let (contexts, _) = contexts_of(PROGRAM, BenchmarkSubject::Function("count::subject".to_owned()), false);
    let found = by_path(&contexts);
    let calls = |path: &str| found.get(path).map(|(calls, estimated, _)| (*calls, *estimated));
    assert_eq!(calls("subject fib"), Some((25, false)));
    assert_eq!(calls("subject left twice leaf"), Some((2, false)));
    assert!(calls("subject left twice").unwrap().1);
}

#[test]
fn what_a_pattern_names_is_the_frame_around_the_benchmark() {
    let (contexts, _) = contexts_of(PROGRAM, BenchmarkSubject::Pattern("count::subject*".to_owned()), true);
    let found = by_path(&contexts);
    assert_eq!(found.get("left").map(|(calls, ..)| *calls), Some(1), "{found:#?}");
    assert!(!found.contains_key("subject"));
}

#[test]
fn chains_longer_than_callgrind_keeps_apart_lose_neither_cost_nor_calls() {
    // 150 levels of two functions each, in another order every time
    let source = "
use std::hint::black_box;
#[inline(never)] fn a(n: u64, s: u64) -> u64 {
    if black_box(n) == 0 { 1 } else if s & 1 == 0 { b(n - 1, s / 2) } else { c(n - 1, s / 2) }
}
#[inline(never)] fn b(n: u64, s: u64) -> u64 { 1 + a(n, s) + black_box(1) }
#[inline(never)] fn c(n: u64, s: u64) -> u64 { 2 + a(n, s) + black_box(2) }
#[inline(never)] fn subject(n: u64) -> u64 {
    let (mut s, mut t) = (7, 0);
    for _ in 0..n {
        s = s * 6364136223846793005u64 % 1000003;
        t ^= a(150, s | s << 20 | s << 40);
    }
    t
}
fn main() { println!(\"{}\", subject(black_box(5))); }
";
    let (contexts, profile) = contexts_of(source, BenchmarkSubject::Function("count::subject".to_owned()), false);
    assert_eq!(contexts.total, profile.total);
    assert_eq!(contexts.cut, Some(200));
    let found = by_path(&contexts);
    let calls = |path: &str| found.get(path).map(|(calls, ..)| *calls);
    assert_eq!(calls("subject a"), Some(5 * 151), "{found:#?}");
    assert_eq!(calls("subject a b").unwrap() + calls("subject a c").unwrap(), 5 * 150);
}
