//! The difference of two runs, held against what is counted inside the subject.

use super::*;
use crate::profilers::callgrind::{call_tree, heap};

/// Largest relative difference between the two ways to count: what the loop around the subject costs.
const AGREEMENT: f64 = 0.0002;

const RUST: &str = r#"
#[inline(never)]
fn subject(input: &[u64], round: u64) -> u64 {
    let mut sorted: Vec<u64> = input.iter().map(|n| n.wrapping_mul(2 * round + 1) % 1009).collect();
    sorted.sort();
    sorted.iter().zip(0..).map(|(n, at)| n ^ at).sum()
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).map_or(1, |text| text.parse().unwrap());
    let input: Vec<u64> = (0..4000).map(|n| n * n % 997).collect();
    let sum: u64 = (0..rounds).map(|_| subject(std::hint::black_box(&input), 3)).sum();
    assert!(sum != 1);
}
"#;

const C: &str = r#"
#include <stdlib.h>

__attribute__((noinline, noclone)) unsigned subject(const unsigned *input) {
    unsigned sum = 0;
    for (int i = 0; i < 4000; i++)
        for (int j = 0; j < 10; j++)
            sum = sum * 31 + (input[i] >> j);
    __asm__ volatile("" : : "r"(sum));
    return sum;
}

int main(int count, char **arguments) {
    unsigned *input = malloc(4000 * sizeof *input), sum = 0;
    for (unsigned i = 0; i < 4000; i++)
        input[i] = i * i;
    for (int round = atoi(arguments[1]); round > 0; round--)
        sum += subject(input);
    return sum == 1 && count == 0;
}
"#;

const CPP: &str = r#"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace work {
inline unsigned count(const std::vector<unsigned> &input) {
    std::map<unsigned, unsigned> seen;
    for (unsigned value : input)
        seen[value % 101]++;
    return seen.rbegin()->second;
}

__attribute__((noinline, noclone)) unsigned subject(const std::vector<unsigned> &input) { return count(input); }
}

int main(int, char **arguments) {
    std::vector<unsigned> input(4000);
    for (unsigned i = 0; i < input.size(); i++)
        input[i] = i * i;
    // The allocator finds blocks to use again from the first round on.
    unsigned sum = work::count(input);
    for (int round = std::atoi(arguments[1]); round > 0; round--)
        sum += work::subject(input);
    return sum == 1;
}
"#;

/// A program that repeats its subject as often as its argument says.
fn compiled(compiler: &str, name: &str, source: &str) -> (TestPrograms, PathBuf) {
    let programs = TestPrograms::new("");
    let program = programs.folder.path().join("program");
    fs::write(programs.folder.path().join(name), source).unwrap();
    let invocation = Invocation::new(compiler, programs.folder.path(), Duration::from_secs(300))
        // Whatever the loader looks up at a first call is looked up at the start.
        .arguments(["-O2", "-g", "-Wl,-z,now", name, "-o", "program"]);
    let finished = process::run(&invocation, &InterruptionFlag::default()).unwrap();
    assert!(finished.status.success(), "{}", finished.stderr.text());
    (programs, program)
}

fn further(programs: &TestPrograms, program: &Path, iterations: u32) -> OwnedProfilerRequest {
    OwnedProfilerRequest {
        arguments: vec![iterations.to_string().into()],
        subject: BenchmarkSubject::FurtherIterations {
            twice: vec![(2 * iterations).to_string().into()],
        },
        ..OwnedProfilerRequest::new(programs, program.to_owned(), "")
    }
}

#[test]
fn the_difference_is_what_is_counted_inside_the_subject() {
    let rust = || {
        let programs = TestPrograms::new(RUST);
        let program = programs.build(TestBuild::Optimised);
        (programs, program)
    };
    for (language, (programs, program), subject) in [
        ("Rust", rust(), "subject"),
        ("C", compiled("cc", "program.c", C), "subject"),
        ("C++", compiled("c++", "program.cc", CPP), "work::subject"),
    ] {
        for iterations in [1, 3] {
            let inside = OwnedProfilerRequest {
                arguments: vec![iterations.to_string().into()],
                ..OwnedProfilerRequest::new(&programs, program.clone(), subject)
            };
            let inside = execution_summary(&programs.request(&inside)).unwrap().total;
            let asked = further(&programs, &program, iterations);
            let difference = execution_summary(&programs.request(&asked)).unwrap().total;
            let apart = inside.abs_diff(difference);
            #[allow(clippy::cast_precision_loss)]
            let share = apart as f64 / inside as f64;
            assert!(
                share <= AGREEMENT,
                "{language}, {iterations}: {inside} inside, {difference} as a difference"
            );
        }
    }
}

#[test]
fn the_call_tree_and_the_heap_are_those_of_the_further_iterations() {
    let (programs, program) = compiled("c++", "program.cc", CPP);
    let asked = further(&programs, &program, 2);
    let tree = call_tree(&programs.request(&asked)).unwrap();
    let counted = execution_summary(&programs.request(&asked)).unwrap();
    assert_eq!(tree.total, counted.total);
    assert_eq!(tree.tree.total(), counted.total);
    let names: Vec<&str> = (tree.tree.functions.iter()).map(|function| &*function.name).collect();
    assert!(names.contains(&"work::subject"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("_dl_start")), "{names:?}");
    let heap = heap(&programs.request(&asked)).unwrap();
    assert_eq!(heap.blocks, 2 * 51, "one node for each square modulo 101");
}

#[test]
fn a_program_that_does_not_look_at_the_number_is_named_with_what_to_do() {
    let programs = TestPrograms::new("fn main() { println!(\"{}\", std::env::args().len()); }");
    let program = programs.build(TestBuild::Optimised);
    let asked = further(&programs, &program, 3);
    let error = execution_summary(&programs.request(&asked)).unwrap_err().to_string();
    assert!(error.contains("twice as many iterations cost no more"), "{error}");
    assert!(
        error.contains("arguments `6`") && error.contains("{iterations}"),
        "{error}"
    );
}
