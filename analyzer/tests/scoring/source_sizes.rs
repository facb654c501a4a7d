//! Sizes that stand in the source: loop bounds, and numbers that a call is given.

use analyzer::change::ChangeKind;
use analyzer::cost::{ChangeClass, PriceList};
use analyzer::resolve::CalleeEvidence;
use analyzer::score::{BenchmarkPrediction, CostModel, VersionScore};

use crate::support::{ScoringTestFiles, ScoringTestProfile, effect, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
const ROUNDS: u32 = 8;
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += hot(*x, 2);
        if *x > 10 {
            total += 1;
            total *= 3;
        }
    }
    total
}
fn hot(x: u64, n: u64) -> u64 {
    x * 3 + n
}
fn work(rounds: u32) -> u64 {
    let mut state = 0;
    for round in 0..rounds {
        state ^= hot(round, 1);
    }
    state
}
";

/// `run` once, its loop 1,000 times, the conditional never; `work` is not called.
fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ScoringTestProfile::new("b", TOTAL)
        .function("k::run", line("fn run("), 1, (TOTAL, 900_000))
        .function("k::hot", line("fn hot("), 1000, (10_000, 10_000))
        .line(line("+= hot("), 1000)
        .site("k::run", line("+= hot("), "k::hot", (1000, 10_000))
}

fn between(before: &ScoringTestFiles, after: &ScoringTestFiles) -> VersionScore {
    let sampled = library(SOURCE);
    let recorded = vec![profile(&sampled)];
    scored(CostModel::Lito, &sampled, recorded, (before, after))
}

fn with(line: &str) -> ScoringTestFiles {
    library(SOURCE).replaced("    for x in xs {\n", &format!("    for x in xs {{\n{line}\n"))
}

fn only(score: &VersionScore) -> &BenchmarkPrediction {
    assert_eq!(score.benchmarks.len(), 1);
    &score.benchmarks[0]
}

/// The effect of a loop added to `run`, with `hot` at 10 and an operation or two in each round.
fn of_new_loop(header: &str) -> f64 {
    let score = between(&library(SOURCE), &with(&format!("{header} {{ hot(1, 1); }}")));
    only(&score).predicted * TOTAL as f64 / 1000.0
}

#[test]
fn a_new_loop_runs_as_often_as_its_bounds_say() {
    for (header, rounds) in [
        ("for _ in 0..84293", 84_293.0),
        ("for _ in 0..ROUNDS", 8.0),
        ("for _ in (0..ROUNDS * 2).step_by(4)", 4.0),
        ("for _ in [1, 2, 3]", 3.0),
    ] {
        let ratio = of_new_loop(header) / (10.0 * rounds);
        assert!((1.0..2.0).contains(&ratio), "{header}: {ratio}");
    }
}

#[test]
fn a_loop_whose_bound_changed_runs_so_many_times_more() {
    let before = with("for _ in 0..20 { hot(1, 1); }");
    let score = between(&before, &before.replaced("0..20", "0..30"));
    let prediction = only(&score);
    // The loop came after the sample: 1,000 × 20 rounds by its own bound, half as many again, each a call at 10.
    let ratio = prediction.predicted * TOTAL as f64 / 100_000.0;
    assert!((0.999..1.5).contains(&ratio), "{prediction:?}");
}

#[test]
fn a_number_that_a_read_body_loops_over_is_priced_before_and_after() {
    let before = with("work(1);");
    let score = between(&before, &before.replaced("work(1)", "work(65)"));
    let effect = effect(&score, ChangeKind::Parameter);
    // 64 more rounds of a call at 10, a thousand times.
    let ratio = effect.share / (64.0 * 10.0 * 1000.0 / TOTAL as f64);
    assert!((1.0..2.0).contains(&ratio), "{effect:?}");
    assert_eq!(score.changes[0].resolved_by, Some(CalleeEvidence::Body));
    // The constant says the same.
    let after = before.replaced("work(1)", "work(8 * ROUNDS + 1)");
    assert_eq!(only(&between(&before, &after)).predicted, only(&score).predicted);
}

#[test]
fn a_call_of_an_unsampled_function_that_leaves_a_conditional_costs_what_its_body_costs() {
    let inside = library(SOURCE).replaced("total += 1;", "total += 1;\n            work(64);");
    let outside = with("work(64);");
    let score = between(&inside, &outside);
    let ratio = only(&score).predicted / (64.0 * 10.0 * 1000.0 / TOTAL as f64);
    assert!((1.0..2.0).contains(&ratio), "{score:?}");
}

#[test]
fn a_number_that_grows_may_cost_a_measured_callee_as_many_times_as_much() {
    let before = library(SOURCE);
    let touched = |given: &str| {
        let score = between(&before, &before.replaced("hot(*x, 2)", given));
        only(&score).terms.touched[&ChangeClass::Arguments]
    };
    // Something else, but no number: the callee's cost.
    assert!((touched("hot(*x + 1, 2)") - 0.01).abs() < 1e-9);
    // A number that grew to ten times what it was, and one beyond what is believed.
    assert!((touched("hot(*x, 20)") - 0.09).abs() < 1e-9);
    let most = PriceList::shipped().largest_growth;
    assert!((touched("hot(*x, 2000)") - 0.01 * most).abs() < 1e-9);
    // One that shrank.
    assert!((touched("hot(*x, 0)") - 0.01).abs() < 1e-9);
}

#[test]
fn what_is_of_another_size_may_cost_the_whole_function_more() {
    let before = with("let v: Vec<u64> = Vec::with_capacity(8);");
    let changed = before.replaced("capacity(8)", "capacity(16)");
    let score = between(&before, &changed);
    let touched = &only(&score).terms.touched;
    assert!((touched[&ChangeClass::Arguments] - 1.0).abs() < 1e-9);
}
