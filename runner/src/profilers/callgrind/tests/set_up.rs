//! Functions that a process executes around a subject.

use super::*;
use attribution::callgrind::ProfiledBuild;

use crate::profilers::callgrind::set_up::{process_profile, profile_with_process};
use crate::profilers::callgrind::{TraceDetail, profile_program};

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
    let with_set_up = |subject: Profile| subject.with_set_up(&process_profile(&request, None, None).unwrap());
    let with = with_set_up(subject.clone());
    let of_set_up = ["count::input", "count::main", "count::size"];
    assert_eq!(told_apart(&with), [&of_set_up[..], &["count::half", "count::subject"]]);
    assert_eq!((with.total, &with.lines), (subject.total, &subject.lines));

    // A counting program that fails, such as one that takes too long, leaves it to the optimised one.
    fs::write(&counting, "#!/bin/sh\nexit 1\n").unwrap();
    let with = with_set_up(subject);
    assert!(told_apart(&with)[0].contains(&"count::main"), "{with:?}");
}

/// A subject between two readings of the clock, in a function that is called twice; `THREAD` runs beside it.
const CLOCKED: &str = r"
use std::time::Instant;

#[inline(never)]
fn work(n: u64) -> u64 {
    (0..std::hint::black_box(n)).map(|i| i ^ 5).sum()
}

#[inline(never)]
fn input() -> u64 {
    work(3000)
}

#[inline(never)]
fn bench(n: u64) -> u64 {
    let before = work(11);
    let start = Instant::now();
    let sum = work(n);
    let end = Instant::now();
    std::hint::black_box((start, end));
    sum + before + work(12)
}

fn main() {
    let start = Instant::now();
    let input = input() % 7;
    THREAD
    let sum = bench(500 + input) + work(40) + bench(400 + input);
    assert!(sum > 0 && start.elapsed().as_nanos() > 0);
}
";

fn calls(profile: &Profile, name: &str) -> u64 {
    let named = profile.functions.iter().filter(|function| function.name == name);
    named.map(|function| function.calls).sum()
}

#[test]
fn one_run_tells_a_clocked_subject_and_its_process_as_two_runs_do() {
    let detail = TraceDetail::CostsAndJumps;
    for thread in ["", "std::thread::spawn(|| work(9000)).join().unwrap();"] {
        let programs = TestPrograms::new(&CLOCKED.replace("THREAD", thread));
        for (build, profiled) in [
            (TestBuild::Optimised, ProfiledBuild::Optimised),
            (TestBuild::Counting, ProfiledBuild::Counting),
        ] {
            let mut asked = OwnedProfilerRequest::new(&programs, programs.build(build), "");
            for depth in [0, 1] {
                asked.subject = BenchmarkSubject::Clocked {
                    within: vec!["count::bench".to_owned()],
                    depth,
                };
                let request = programs.request(&asked);
                let both = profile_with_process(&request, request.program, profiled).unwrap();
                let alone = profile_program(&request, request.program, profiled, detail).unwrap();
                assert!(both.requested == alone.requested, "{depth} {thread}");
                assert_eq!(both.profile.total, alone.profile.total, "{depth} {thread}");
                for name in ["count::bench", "count::work", "count::work::{closure}"] {
                    assert_eq!(
                        calls(&both.profile, name),
                        calls(&alone.profile, name),
                        "{name} {depth} {thread}"
                    );
                }

                let whole = ProfilerRequest {
                    subject: &BenchmarkSubject::Process,
                    ..request.clone()
                };
                let process = profile_program(&whole, request.program, profiled, detail).unwrap();
                let named = |profile: &Profile| -> Vec<String> {
                    let own = profile.functions.iter().filter(|function| !function.external);
                    own.map(|function| function.name.clone()).collect()
                };
                assert_eq!(
                    named(&both.process.unwrap()),
                    named(&process.profile),
                    "{depth} {thread}"
                );
            }
        }
    }
}
