//! Functions that a process executes around a subject.

use super::*;
use crate::profilers::callgrind::set_up::with_set_up;

const SOURCE: &str = r"
fn size() -> u64 {
    300
}

fn input() -> Vec<u64> {
    (0..std::hint::black_box(size())).collect()
}

fn never(n: u64) -> u64 {
    n + 1
}

fn half(n: &u64) -> u64 {
    n / 2
}

#[inline(never)]
fn subject(input: &[u64]) -> u64 {
    input.iter().map(half).sum()
}

fn main() {
    let input = input();
    let sum = subject(std::hint::black_box(&input)) + half(&7);
    assert_ne!(sum, if sum == 1 { never(sum) } else { 1 });
}
";

/// The names of functions of the set-up, and those of others.
fn told_apart(profile: &Profile) -> [Vec<&str>; 2] {
    let (set_up, others): (Vec<_>, Vec<_>) = (profile.functions.iter())
        .filter(|function| !function.external)
        .partition(|function| function.is_of_set_up());
    [set_up, others].map(|functions| functions.into_iter().map(|function| &*function.name).collect())
}

#[test]
fn what_only_the_set_up_executes_is_in_the_profile_without_costs() {
    let programs = TestPrograms::new(SOURCE);
    let counting = programs.build(TestBuild::Counting);
    let asked = OwnedProfilerRequest {
        counting: Some(counting.clone()),
        ..OwnedProfilerRequest::new(&programs, programs.build(TestBuild::Optimised), "subject")
    };
    let request = programs.request(&asked);
    let subject = profile(&request).unwrap();
    let with = with_set_up(&request, subject.clone()).unwrap();
    let of_set_up = ["count::input", "count::main", "count::size"];
    assert_eq!(told_apart(&with), [&of_set_up[..], &["count::half", "count::subject"]]);
    assert_eq!((with.total, &with.lines), (subject.total, &subject.lines));

    // A counting program that fails, such as one that takes too long, leaves it to the optimised one.
    fs::write(&counting, "#!/bin/sh\nexit 1\n").unwrap();
    let with = with_set_up(&request, subject).unwrap();
    assert!(told_apart(&with)[0].contains(&"count::main"), "{with:?}");
}
