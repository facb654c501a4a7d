//! Allocations of programs, counted by hand.

use super::{OwnedProfilerRequest, TestBuild, TestPrograms};
use crate::benchmark::BenchmarkSubject;
use crate::profilers::HeapUsage;
use crate::profilers::ProfilerError;
use crate::profilers::callgrind::heap;

/// A size above everything that a program without a subject holds, its buffer of standard output included.
const BLOCK: u64 = 1 << 16;

const PROGRAM: &str = "
use std::hint::black_box;
const BLOCK: usize = 1 << 16;
fn block() -> Box<[u8; BLOCK]> { black_box(Box::new(black_box([7; BLOCK]))) }
#[inline(never)]
fn subject(what: &str, held: Vec<u8>) -> (usize, Vec<u8>) {
    let count = match what {
        // 4 elements at first, then doubled until 16384
        \"growth\" => {
            let mut v: Vec<u64> = Vec::new();
            for i in 0..black_box(10_000) { v.push(black_box(i)); }
            black_box(&v).len()
        }
        \"loop\" => (0..black_box(10)).map(|_| block()[5] as usize).sum(),
        \"hold\" => {
            let mut all = Vec::with_capacity(black_box(10));
            for _ in 0..10 { all.push(block()); }
            black_box(&all).len()
        }
        \"free\" => {
            for _ in 0..3 { drop(black_box((block(), block()))); }
            6
        }
        _ => black_box(3),
    };
    (count, held)
}
fn main() {
    let what = std::env::args().nth(1).unwrap();
    let large = if what.contains('!') { 1 << 22 } else { 100 };
    let set_up: Vec<u8> = black_box(vec![1; large]);
    drop(black_box(set_up.clone()));
    let (count, held) = subject(what.trim_end_matches('!'), Vec::new());
    println!(\"{count} {} {}\", held.len(), set_up.len());
}
";

fn weighed(programs: &TestPrograms, what: &str, subject: BenchmarkSubject) -> Result<HeapUsage, ProfilerError> {
    let mut asked = OwnedProfilerRequest::new(programs, programs.folder.path().join("optimised"), "");
    asked.subject = subject;
    asked.arguments = vec![what.into()];
    heap(&programs.request(&asked))
}

#[test]
fn what_the_subject_allocates_is_counted_and_set_up_is_not() {
    let programs = TestPrograms::new(PROGRAM);
    programs.build(TestBuild::Optimised);
    let of = |what| {
        let subject = BenchmarkSubject::Function("count::subject".to_owned());
        let heap = weighed(&programs, what, subject).unwrap();
        (heap.blocks, heap.bytes, heap.peak)
    };
    assert_eq!(of("nothing"), (0, 0, Some(0)));
    assert_eq!(of("loop"), (10, 10 * BLOCK, Some(BLOCK)));
    assert_eq!(of("hold"), (11, 10 * BLOCK + 80, Some(10 * BLOCK + 80)));
    assert_eq!(of("free"), (6, 6 * BLOCK, Some(2 * BLOCK)));
    assert_eq!(of("growth"), (13, 8 * (2 * 16_384 - 4), Some(8 * 16_384)));
}

#[test]
fn where_set_up_holds_more_than_the_subject_the_subjects_peak_is_not_known() {
    let programs = TestPrograms::new(PROGRAM);
    programs.build(TestBuild::Optimised);
    let subject = BenchmarkSubject::Function("count::subject".to_owned());
    let heap = weighed(&programs, "loop!", subject).unwrap();
    assert_eq!((heap.bytes, heap.peak), (10 * BLOCK, None));
}

#[test]
fn the_whole_process_is_the_subject_where_there_is_none() {
    let programs = TestPrograms::new(PROGRAM);
    programs.build(TestBuild::Optimised);
    let nothing = weighed(&programs, "nothing", BenchmarkSubject::Process).unwrap();
    let looped = weighed(&programs, "loop", BenchmarkSubject::Process).unwrap();
    assert_eq!(looped.blocks, nothing.blocks + 10);
    // The argument is shorter by three, and the program keeps two copies of it.
    assert!(looped.bytes.abs_diff(nothing.bytes + 10 * BLOCK) <= 16);
    assert!(looped.peak > Some(BLOCK) && nothing.peak.is_some());
}

#[test]
fn failures_are_told_apart() {
    let programs = TestPrograms::new(PROGRAM);
    programs.build(TestBuild::Optimised);
    let unknown = BenchmarkSubject::Function("count::subjekt".to_owned());
    let error = weighed(&programs, "loop", unknown).unwrap_err();
    assert!(matches!(error, ProfilerError::SubjectNotFound { .. }), "{error}");
    let mut asked = OwnedProfilerRequest::new(&programs, programs.folder.path().join("optimised"), "");
    asked.subject = BenchmarkSubject::Process;
    let error = heap(&programs.request(&asked)).unwrap_err();
    assert!(matches!(error, ProfilerError::ProgramFailed { .. }), "{error}");
}
