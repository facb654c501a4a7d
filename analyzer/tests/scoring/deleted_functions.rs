//! Functions that went: what they cost is spent on something else now, which nobody has measured.

use analyzer::cost::ChangeClass;
use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestProfile, library, scored};

const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    let mut total = start(xs.len() as u64);
    for x in xs {
        total += *x;
        total ^= mix(total, 5) >> 3;
    }
    total
}
pub fn idle(xs: &[u64]) -> usize {
    xs.iter().filter(|x| **x % 3 == 1).count()
}
";

const ANEW: &str = "\
pub struct Sum;
impl Sum {
    pub fn of(words: &str) -> Option<char> {
        words.chars().rev().nth(7)
    }
}
";

fn prediction(sampled: &str, before: &str, after: &str) -> BenchmarkPrediction {
    let sampled = library(sampled);
    let recorded = ScoringTestProfile::new("b", 1_000_000)
        .function("k::run", sampled.line_of("fn run("), 10, (800_000, 600_000))
        .line(sampled.line_of("total += *x;"), 1000);
    let (before, after) = (library(before), library(after));
    let score = scored(CostModel::Lito, &sampled, vec![recorded], (&before, &after));
    score.benchmarks[0].clone()
}

#[test]
fn an_executed_function_that_went_touches_what_it_cost_by_itself() {
    let prediction = prediction(SOURCE, SOURCE, ANEW);
    let touched = prediction.terms.touched[&ChangeClass::Replaced];
    assert!((touched - 0.6).abs() < 1e-9, "{prediction:?}");
}

#[test]
fn a_function_that_came_and_went_since_the_sample_touches_what_it_may_have_held() {
    let (run, _) = SOURCE.split_at(SOURCE.find("pub fn idle").expect("it is there"));
    let calling = run.replace("total += *x;", "total += T::step(*x);");
    // By a trait: it is not written out where it is called.
    let step = "fn step(x: u64) -> u64 {\n    x.rotate_left(3) * 7\n}\n";
    let before = format!("{calling}struct T;\nimpl Step for T {{\n{step}}}\n");
    let after = format!("{}struct T;\n", calling.replace("T::step(*x)", "*x"));
    let prediction = prediction(SOURCE, &before, &after);
    assert!(prediction.terms.touched[&ChangeClass::Replaced] > 0.5, "{prediction:?}");
}

#[test]
fn a_function_that_was_not_executed_may_go() {
    let (run, _) = SOURCE.split_at(SOURCE.find("pub fn idle").expect("it is there"));
    let prediction = prediction(SOURCE, SOURCE, run);
    assert_eq!(prediction.terms.touched.get(&ChangeClass::Replaced), None);
}

#[test]
fn two_functions_are_not_both_what_a_sampled_one_became() {
    // Both are alike; one is exactly what was sampled, in another file.
    let (run, _) = SOURCE.split_at(SOURCE.find("pub fn idle").expect("it is there"));
    let one = run.replace("fn run(", "fn first(");
    let two = run
        .replace("fn run(", "fn second(")
        .replace("total ^= mix(total, 5) >> 3;", "total ^= mix(total, 6);");
    let prediction = prediction(SOURCE, &format!("{two}{one}"), ANEW);
    let touched = prediction.terms.touched[&ChangeClass::Replaced];
    assert!((touched - 0.6).abs() < 1e-9, "{prediction:?}");
}
