//! Functions that were renamed, moved or split since the sample: their profile is that of what they were.

use analyzer::cost::Class;
use analyzer::score::{Model, Prediction};

use crate::support::{Files, Recorded, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    let mut total = start(xs.len() as u64);
    for x in xs {
        total += *x;
        total ^= mix(total, 5) >> 3;
        if total > 99 {
            total -= reduce(*x);
        }
    }
    finish(total)
}
fn cold(xs: &[u64]) -> u64 {
    let mut least = start(0);
    for x in xs {
        least = least.min(*x) + mix(1, 2);
    }
    least
}
";

fn profile(files: &Files) -> Recorded {
    let line = |text: &str| files.line_of(text);
    Recorded::new("b", TOTAL)
        .function("k::run", line("fn run("), 10, (800_000, 800_000))
        .line(line("total += *x;"), 1000)
        .line(line("total -= reduce"), 100)
}

/// Sampled at `SOURCE`; then `moved`; then one more operation in the loop.
fn after(moved: &Files) -> Prediction {
    let sampled = library(SOURCE);
    let changed = moved.replaced("total += *x;", "total += *x * 3;");
    let recorded = vec![profile(&sampled)];
    let mut score = scored(Model::Lito, &sampled, recorded, (moved, &changed));
    assert_eq!(score.changes.len(), 1, "{score:?}");
    score.benchmarks.remove(0)
}

fn is_found(prediction: &Prediction) {
    let touched = &prediction.terms.touched;
    assert_eq!(touched.get(&Class::Unsampled), None, "{prediction:?}");
    assert!(
        (touched[&Class::Rebuilt] - 0.8).abs() < 1e-9,
        "{prediction:?}"
    );
    assert!(prediction.terms.expected > 0.0, "{prediction:?}");
}

#[test]
fn a_renamed_function_is_found_by_what_it_does() {
    let renamed = library(SOURCE).replaced("fn run(", "fn sum_of_all(");
    is_found(&after(&renamed));
    // With another body in part.
    is_found(&after(&renamed.replaced("finish(total)", "total")));
}

#[test]
fn a_function_that_moved_to_another_file_and_type_is_found() {
    let (function, rest) = SOURCE.split_at(SOURCE.find("fn cold").expect("it is there"));
    let function = function.replace("pub fn run(", "impl Sum {\n    pub fn run_all(&self, ");
    let moved = library(rest).with("src/sum.rs", &format!("pub struct Sum;\n{function}}}\n"));
    is_found(&after(&moved));
}

#[test]
fn the_part_that_does_the_work_of_a_split_function_is_found() {
    let split = SOURCE.replace(
        "pub fn run(xs: &[u64]) -> u64 {",
        "pub fn run(xs: &[u64]) -> u64 {\n    run_inner(xs)\n}\nfn run_inner(xs: &[u64]) -> u64 {",
    );
    is_found(&after(&library(&split)));
}

#[test]
fn a_copy_of_a_function_that_is_still_there_is_not_that_function() {
    let (function, _) = SOURCE.split_at(SOURCE.find("fn cold").expect("it is there"));
    let copy = function
        .replace("fn run(", "fn run_backwards(")
        .replace("total += *x;", "total += *x + 0;");
    let both = library(&format!("{SOURCE}{copy}"));
    let sampled = library(SOURCE);
    let changed = both.replaced("total += *x + 0;", "total += *x + 1;");
    let recorded = vec![profile(&sampled)];
    let score = scored(Model::Lito, &sampled, recorded, (&both, &changed));
    let touched = &score.benchmarks[0].terms.touched;
    assert_eq!(touched.keys().collect::<Vec<_>>(), [&Class::Unsampled]);
}

#[test]
fn a_new_function_in_a_new_file_may_be_hot_but_not_very() {
    let fresh = library(SOURCE).with(
        "src/fresh.rs",
        "pub fn f(x: u64) -> u64 {\n    g(x) + 1\n}\n",
    );
    let changed = fresh.replaced("g(x) + 1", "g(x) + 2");
    let sampled = library(SOURCE);
    let recorded = vec![profile(&sampled)];
    let score = scored(Model::Lito, &sampled, recorded, (&fresh, &changed));
    let touched = score.benchmarks[0].terms.touched[&Class::Unsampled];
    assert!((touched - analyzer::cost::Costs::shipped().unknown_file).abs() < 1e-9);
}
