//! The price of one call where the profile has not seen it: unknown functions, and new ones that are read.

use analyzer::cost::PriceList;
use analyzer::resolve::CalleeEvidence;
use analyzer::score::{BenchmarkEffect, CostModel};

use crate::support::{ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub fn run(x: u64) -> u64 {
    x
}
";

/// Six functions that are called more than once, at 10 to 60 units a call; two that are called once.
fn profile() -> ScoringTestProfile {
    let once = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", 1, 1, (TOTAL, TOTAL))
        .function("k::cheap", 901, 1, (5, 5));
    (1..=6).rev().fold(once, |recorded, n| {
        recorded.function(&format!("k::f{n}"), 910, n + 1, (10 * n * (n + 1), 0))
    })
}

/// The effect of a call that is added to `run`, with definitions beside it.
fn price(call: &str, definitions: &str) -> (BenchmarkEffect, Option<CalleeEvidence>) {
    let before = library(SOURCE);
    let called = format!("    {call};\n    x\n}}\n{definitions}");
    let after = before.replaced("    x\n}\n", &called);
    let score = scored(CostModel::Lito, &before, vec![profile()], (&before, &after));
    let name = call.split('(').next();
    let change = score
        .changes
        .iter()
        .find(|change| change.callee.as_deref().map(|c| c.trim_start_matches("k::")) == name)
        .expect("the call is a change");
    (change.effects[0].clone(), change.resolved_by)
}

/// Functions of a type by a trait: such are not written out where they are called.
fn implemented(functions: &str) -> String {
    format!("struct T;\nimpl Fresh for T {{\n{functions}\n}}\n")
}

#[test]
fn a_call_of_nobody_knows_what_costs_what_the_profile_s_calls_cost() {
    let (effect, evidence) = price("nobody::knows()", "");
    assert_eq!(evidence, Some(CalleeEvidence::Unknown));
    // The median of six, the cheapest of all, and four fifths of the way to the dearest.
    assert_eq!(effect.unit_cost, 40.0);
    assert!((effect.low * TOTAL as f64 - 5.0).abs() < 1e-6, "{effect:?}");
    assert!((effect.high * TOTAL as f64 - 50.0).abs() < 1e-6, "{effect:?}");
}

#[test]
fn a_function_that_only_another_benchmark_calls_may_cost_what_it_costs_there() {
    let before = library(SOURCE);
    let after = before.replaced("    x\n", "    heavy::heavy();\n    x\n");
    let other = ScoringTestProfile::new("c", TOTAL).function("k::heavy::heavy", 920, 2, (TOTAL, TOTAL));
    let score = scored(CostModel::Lito, &before, vec![profile(), other], (&before, &after));
    let effect = &score.changes[0].effects[0];
    assert_eq!(effect.unit_cost, 40.0);
    assert_eq!(effect.high, 0.5);
    let benchmark = score
        .benchmarks
        .iter()
        .find(|benchmark| benchmark.name == "b")
        .expect("it runs");
    assert!(benchmark.selected, "{benchmark:?}");
}

#[test]
fn a_function_that_no_benchmark_executes_is_read_in_a_file_that_did_not_change() {
    let before = library(&format!("{SOURCE}mod idle;\n")).with(
        "src/idle.rs",
        "pub struct Idle;\nimpl Idle {\n    pub fn turn(&self) {\n        rounds();\n    }\n}\n\
         pub fn rounds() {\n    for i in 0..1000 {\n        step(i);\n    }\n}\nfn step(i: u64) {\n    i * i;\n}\n",
    );
    let effect = |call: &str| {
        let after = before.replaced("    x\n", &format!("    {call};\n    x\n"));
        let score = scored(CostModel::Lito, &before, vec![profile()], (&before, &after));
        (score.changes[0].effects[0].clone(), score.changes[0].resolved_by)
    };
    let (rounds, evidence) = effect("idle::rounds()");
    assert_eq!(evidence, Some(CalleeEvidence::Body));
    assert!(rounds.unit_cost > 1000.0, "{rounds:?}");
    // A receiver of no known type: its methods of that name are what it may cost at most.
    let (turn, evidence) = effect("idle.turn()");
    assert_eq!(evidence, Some(CalleeEvidence::Unknown));
    assert!(turn.high > 1000.0 / TOTAL as f64, "{turn:?}");
}

#[test]
fn a_new_function_costs_its_frame_and_its_calls() {
    let frame = PriceList::shipped().call_overhead.expected;
    let unit = |body: &str| {
        let (effect, evidence) = price("T::fresh()", &implemented(&format!("fn fresh() {{ {body} }}")));
        assert_eq!(evidence, Some(CalleeEvidence::Body));
        effect.unit_cost
    };
    assert_eq!(unit(""), frame);
    assert_eq!(unit("f3();"), frame + 30.0);
    assert_eq!(unit("f3(); f1(); f6();"), frame + 100.0);
}

#[test]
fn what_is_computed_for_an_argument_costs_beside_the_call() {
    let costs = PriceList::shipped();
    let unit = |body: &str| {
        price("T::fresh(1)", &implemented(&format!("fn fresh(a: u64) {{ {body} }}")))
            .0
            .unit_cost
    };
    let more = unit("f3(a + a * a);") - unit("f3(a);");
    assert_eq!(more, 2.0 * costs.operation.expected);
}

#[test]
fn new_functions_are_read_to_a_depth() {
    let frame = PriceList::shipped().call_overhead.expected;
    let depth = PriceList::shipped().body_depth;
    // g1 calls g2, … and the last one f6.
    let chain = |length: u32| -> f64 {
        let links: String = (1..length)
            .map(|n| format!("fn g{n}() {{ T::g{}(); }}\n", n + 1))
            .collect();
        price("T::g1()", &implemented(&format!("{links}fn g{length}() {{ f6(); }}")))
            .0
            .unit_cost
    };
    assert_eq!(chain(depth), 60.0 + f64::from(depth) * frame);
    // One more is not read: it costs what nobody knows.
    assert_eq!(chain(depth + 1), 40.0 + f64::from(depth) * frame);
}

#[test]
fn a_function_that_calls_itself_costs_one_round() {
    let frame = PriceList::shipped().call_overhead.expected;
    let (effect, _) = price("fresh()", "fn fresh() { f3(); fresh(); }\n");
    assert_eq!(effect.unit_cost, frame + 30.0);
}

#[test]
fn a_vanished_function_costs_no_more_what_it_cost() {
    let after = library(SOURCE);
    let before = library(&format!(
        "pub fn run(x: u64) -> u64 {{\n    T::gone();\n    x\n}}\n{}",
        implemented("fn gone() { f3(); }")
    ));
    let score = scored(CostModel::Lito, &before, vec![profile()], (&before, &after));
    let call = score
        .changes
        .iter()
        .find(|change| change.callee.as_deref() == Some("k::T::gone"))
        .expect("the call is a change");
    let frame = PriceList::shipped().call_overhead.expected;
    assert_eq!(call.effects[0].cost, -(frame + 30.0));
}

/// `run` a thousand times, and its slow way out twice.
const SLOW: &str = "\
pub fn run(x: u64) -> u64 {
    x
}
fn slow(x: u64) -> u64 {
    x
}
";

fn of_slow_way(call: &str, definitions: &str) -> BenchmarkEffect {
    of_slow_way_as(call, definitions, |recorded| recorded)
}

fn of_slow_way_as(
    call: &str,
    definitions: &str,
    slow: impl FnOnce(ScoringTestProfile) -> ScoringTestProfile,
) -> BenchmarkEffect {
    let before = library(SLOW);
    let called = format!("    {call}\n    x\n}}\nfn slow");
    let after = before.replaced("    x\n}\nfn slow", &called);
    let after = library(&format!("{}{definitions}", after.content("src/lib.rs")));
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", 1, 1000, (TOTAL, 800_000))
        .function("k::slow", before.line_of("fn slow("), 2, (200_000, 200_000));
    let score = scored(CostModel::Lito, &before, vec![slow(recorded)], (&before, &after));
    let most = score.changes.iter().flat_map(|change| &change.effects);
    most.max_by(|one, two| one.high.total_cmp(&two.high))
        .expect("an effect")
        .clone()
}

#[test]
fn a_conditional_of_which_nothing_is_known_takes_the_slow_way_no_more_often_than_it_was_taken() {
    let beyond = "if x > 9 { slow(x); }";
    let inside = "fn read(x: u64) {\n    if x > 9 { slow(x); }\n}\n";
    for effect in [of_slow_way(beyond, ""), of_slow_way("read(x);", inside)] {
        assert!((0.19..0.25).contains(&effect.share), "{effect:?}");
        // It may be taken more often all the same.
        assert!(effect.high > 1.5, "{effect:?}");
    }
    // Without a condition it is.
    let effect = of_slow_way("slow(x);", "");
    assert!(effect.share > 90.0, "{effect:?}");
}

#[test]
fn the_few_calls_that_are_left_of_an_inlined_function_are_not_what_each_call_costs() {
    let effect = of_slow_way_as("slow(x);", "", ScoringTestProfile::inlined);
    assert!((0.19..0.25).contains(&effect.share), "{effect:?}");
    assert!(effect.high > 90.0, "{effect:?}");
}
