//! The published model against its own example and its own rules (Sandoval et al., section 4.1).

use analyzer::resolve::CalleeEvidence;
use analyzer::score::{CostModel, DecisionReason, ScoreDecision};

use crate::support::{ScoringTestFiles, ScoringTestProfile, costs_of, library, scored};

const SEQUENCE: &str = "\
pub struct Sequence { parsers: Vec<Parser> }
impl Sequence {
    pub fn parse_on(&self, context: &mut Context) -> bool {
        for parser in &self.parsers {
            let start = context.position();
            if parser.fails_on(context) {
                context.set_position(start);
                return false;
            }
        }
        true
    }
}
";

fn sequence() -> ScoringTestFiles {
    library(SEQUENCE)
}

/// The execution of Figure 3: the method 10 times, its loop body 100 times, its conditional 50 times.
fn figure_3(total: u64) -> ScoringTestProfile {
    let files = sequence();
    let method = files.line_of("fn parse_on");
    let (body, conditional) = (files.line_of("let start"), files.line_of("set_position"));
    ScoringTestProfile::new("parse", total)
        .function("k::Sequence::parse_on", method, 10, (total / 2, 100))
        .function("k::Context::position", 101, 100, (1000, 1000))
        .function("k::Context::set_position", 102, 50, (2500, 2500))
        .function("k::Context::remember", 103, 3, (300, 300))
        .function("k::Context::restore", 104, 2, (400, 400))
        .line(method, 10)
        .line(body, 100)
        .line(body + 1, 100)
        .line(conditional, 50)
        .line(conditional + 1, 50)
        .site(
            "k::Sequence::parse_on",
            conditional,
            "k::Context::set_position",
            (50, 2500),
        )
}

#[test]
fn the_example_of_figure_3_costs_8500_units_or_85_percent() {
    // remember is called once for each parse: 10 × 100 u; restore takes the place of set_position in the
    // conditional: 50 × 200 u − 50 × 50 u. 1,000 + 10,000 − 2,500 = 8,500 u of 10,000 u.
    let after = library(
        &SEQUENCE
            .replace("        for parser", "        context.remember();\n        for parser")
            .replace("context.set_position(start)", "context.restore(start)"),
    );
    let before = sequence();
    let score = scored(CostModel::Paper, &before, vec![figure_3(10_000)], (&before, &after));
    let total: f64 = costs_of(&score, "parse").iter().map(|(_, cost)| cost).sum();
    assert!((total - 8500.0).abs() < 1e-6, "{:?}", costs_of(&score, "parse"));
    let benchmark = &score.benchmarks[0];
    assert!((benchmark.predicted - 0.85).abs() < 1e-9);
    assert_eq!(
        (benchmark.low, benchmark.high),
        (benchmark.predicted, benchmark.predicted)
    );
    assert_eq!(score.decision, ScoreDecision::Benchmark);
}

#[test]
fn the_threshold_itself_is_selected_and_a_unit_less_is_not() {
    let before = sequence();
    // 10 × 100 u of 20,000 u is 5%, of 20,001 u it is less.
    let after = library(&SEQUENCE.replace("        for parser", "        context.remember();\n        for parser"));
    let at = scored(CostModel::Paper, &before, vec![figure_3(20_000)], (&before, &after));
    let below = scored(CostModel::Paper, &before, vec![figure_3(20_001)], (&before, &after));
    assert_eq!(
        (at.decision, below.decision),
        (ScoreDecision::Benchmark, ScoreDecision::Skip)
    );
}

#[test]
fn a_deleted_call_is_a_saving() {
    let before = sequence();
    let after = library(&SEQUENCE.replace("                context.set_position(start);\n", ""));
    let score = scored(CostModel::Paper, &before, vec![figure_3(10_000)], (&before, &after));
    assert!((score.benchmarks[0].predicted + 0.25).abs() < 1e-9);
    assert_eq!(
        score.decision,
        ScoreDecision::Skip,
        "the published model looks for regressions only"
    );
}

#[test]
fn code_that_the_benchmark_does_not_execute_contributes_nothing() {
    let cold = "pub fn cold(context: &mut Context) {\n    context.position();\n}\n";
    let before = library(&format!("{SEQUENCE}{cold}"));
    let after = library(&format!(
        "{SEQUENCE}{}",
        cold.replace(
            "    context.position();",
            "    context.position();\n    context.remember();"
        )
    ));
    let score = scored(CostModel::Paper, &before, vec![figure_3(10_000)], (&before, &after));
    assert_eq!(costs_of(&score, "parse"), []);
    assert_eq!(score.decision, ScoreDecision::Skip);
    assert_eq!(score.reason, DecisionReason::NotExecuted);
}

#[test]
fn a_new_function_costs_the_highest_unless_it_is_fast() {
    let before = sequence();
    let with = |definition: &str| {
        library(&format!(
            "{}{definition}",
            SEQUENCE.replace("        true\n", "        fresh(context);\n        true\n")
        ))
    };
    let price = |after: &ScoringTestFiles| {
        let score = scored(CostModel::Paper, &before, vec![figure_3(10_000)], (&before, after));
        let change = score
            .changes
            .iter()
            .find(|change| change.callee.as_deref().is_some_and(|callee| callee.ends_with("fresh")))
            .expect("the call of the new function is a change");
        assert_eq!(change.resolved_by, Some(CalleeEvidence::Body));
        change.effects[0].unit_cost
    };
    // The dearest function of the profile is parse_on: 5,000 u in 10 calls.
    let slow = with("fn fresh(context: &mut Context) -> u64 { for x in 0..3 { context.position(); } 1 }\n");
    assert!((price(&slow) - 500.0).abs() < 1e-9);
    for body in ["for x in 0..3 { x; } 1", "context.position(); 1"] {
        let slow = with(&format!("fn fresh(context: &mut Context) -> u64 {{ {body} }}\n"));
        assert!((price(&slow) - 500.0).abs() < 1e-9, "{body}");
    }
    // The cheapest is position: 1,000 u in 100 calls.
    let fast = with("fn fresh(context: &mut Context) -> u64 { context.here + 1 }\n");
    assert!((price(&fast) - 10.0).abs() < 1e-9);
}

#[test]
fn a_library_function_costs_the_highest_unless_it_is_an_accessor() {
    let before = sequence();
    let unit = |statement: &str| {
        let called = format!("        {statement}\n        true\n");
        let after = library(&SEQUENCE.replace("        true\n", &called));
        let recorded = vec![figure_3(10_000)];
        let score = scored(CostModel::Paper, &before, recorded, (&before, &after));
        assert_eq!(score.changes[0].resolved_by, Some(CalleeEvidence::Unknown));
        score.changes[0].effects[0].unit_cost
    };
    // position at 10 u a call, and parse_on at 500.
    assert_eq!(unit("self.parsers.is_empty();"), 10.0);
    assert_eq!(unit("self.parsers.sort();"), 500.0);
    assert_eq!(unit("nobody::knows();"), 500.0);
}

#[test]
fn a_new_conditional_is_taken_to_be_executed() {
    let before = sequence();
    let after = library(&SEQUENCE.replace(
        "            let start",
        "            if parser.odd {\n                context.remember();\n            }\n            let start",
    ));
    let score = scored(CostModel::Paper, &before, vec![figure_3(100_000)], (&before, &after));
    let cost: f64 = costs_of(&score, "parse").iter().map(|(_, cost)| cost).sum();
    assert!((cost - 100.0 * 100.0).abs() < 1e-6, "{:?}", costs_of(&score, "parse"));
}

#[test]
fn a_new_loop_runs_as_often_as_the_most_recent_executed_enclosing_loop() {
    let before = sequence();
    let inside = library(&SEQUENCE.replace(
        "                context.set_position(start);",
        "                context.set_position(start);\n                for _ in 0..9 {\n                    context.remember();\n                }",
    ));
    let score = scored(CostModel::Paper, &before, vec![figure_3(100_000)], (&before, &inside));
    let cost: f64 = costs_of(&score, "parse").iter().map(|(_, cost)| cost).sum();
    // The loop around runs 100 times, though the conditional in it only 50.
    assert!((cost - 100.0 * 100.0).abs() < 1e-6, "{:?}", costs_of(&score, "parse"));

    let outside = library(&SEQUENCE.replace(
        "        true\n",
        "        for _ in 0..9 {\n            context.remember();\n        }\n        true\n",
    ));
    let score = scored(CostModel::Paper, &before, vec![figure_3(100_000)], (&before, &outside));
    let cost: f64 = costs_of(&score, "parse").iter().map(|(_, cost)| cost).sum();
    assert!((cost - 10.0 * 100.0).abs() < 1e-6, "{:?}", costs_of(&score, "parse"));
}

#[test]
fn counts_follow_a_function_whose_lines_have_shifted_since_the_sample() {
    let sampled = sequence();
    let before = library(&format!("pub fn above() {{}}\n\n{SEQUENCE}"));
    let after = library(&format!(
        "pub fn above() {{}}\n\n{}",
        SEQUENCE.replace("context.set_position(start)", "context.restore(start)")
    ));
    let score = scored(CostModel::Paper, &sampled, vec![figure_3(10_000)], (&before, &after));
    let cost: f64 = costs_of(&score, "parse").iter().map(|(_, cost)| cost).sum();
    assert!((cost - 7500.0).abs() < 1e-6, "{:?}", costs_of(&score, "parse"));
}
