//! The effect of each kind of change in a function, by our model: its own figure, not only its direction.

use analyzer::change::ChangeKind;
use analyzer::cost::{ChangeClass, PriceList};
use analyzer::score::{BenchmarkPrediction, CostModel, VersionScore};

use crate::support::{ScoringTestFiles, ScoringTestProfile, effect, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub struct Sum { n: u64 }
impl Sum {
    pub fn run(&mut self, xs: &[u64]) -> u64 {
        let mut total = 0;
        for x in xs {
            total += hot(*x);
            if *x > 10 {
                total += warm(*x);
            }
        }
        self.n = total;
        total
    }
}
fn hot(x: u64) -> u64 {
    let mut i = 0;
    while i < x {
        i += step(i);
    }
    x * 3
}
fn warm(x: u64) -> u64 {
    x / 7
}
fn step(i: u64) -> u64 {
    1
}
";

/// `run` once, its loop 1,000 times, the conditional 100 times; the loop in `hot` 2,000 times.
fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ScoringTestProfile::new("b", TOTAL)
        .function("k::Sum::run", line("fn run("), 1, (TOTAL, 40_000))
        .function("k::hot", line("fn hot("), 1000, (800_000, 700_000))
        .function("k::warm", line("fn warm("), 100, (60_000, 60_000))
        .function("k::step", line("fn step("), 2000, (100_000, 100_000))
        .line(line("+= hot("), 1000)
        .line(line("+= warm("), 100)
        .line(line("+= step("), 2000)
        .site("k::Sum::run", line("+= hot("), "k::hot", (1000, 800_000))
        .site("k::Sum::run", line("+= warm("), "k::warm", (100, 60_000))
        .site("k::hot", line("+= step("), "k::step", (2000, 100_000))
}

fn after(from: &str, to: &str) -> VersionScore {
    let before = library(SOURCE);
    let changed = before.replaced(from, to);
    scored(CostModel::Lito, &before, vec![profile(&before)], (&before, &changed))
}

fn only(score: &VersionScore) -> &BenchmarkPrediction {
    assert_eq!(score.benchmarks.len(), 1);
    &score.benchmarks[0]
}

/// Within a hundredth of what is expected: operations beside it cost next to nothing.
fn about(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 0.01 * expected.abs(),
        "{found} is not about {expected}"
    );
}

#[test]
fn other_arguments_can_move_a_share_of_what_the_calls_cost_and_what_they_give_a_share_of_all() {
    let score = after("hot(*x)", "hot(*x + 1)");
    let effect = effect(&score, ChangeKind::Parameter);
    let sensitivity = PriceList::shipped().sensitivity;
    let share = 0.8 * sensitivity.arguments + sensitivity.value;
    about(effect.high, share);
    about(effect.low, -share);
    assert_eq!(effect.executions, 1000);
}

#[test]
fn another_field_value_can_move_a_share_of_the_whole_function() {
    let score = after("self.n = total", "self.n = total | 1");
    let effect = effect(&score, ChangeKind::FieldValue);
    let share = PriceList::shipped().sensitivity.field;
    about(effect.high, share);
    about(effect.low, -share);
}

/// Two types with a field of one name, each written by a function of its own.
const FIELDS_OF_ONE_NAME: &str = "\
pub struct Names { len: u64 }
impl Names {
    pub fn add(&mut self, added: u64) {
        self.len = added;
    }
}
pub struct Bytes { len: u64 }
impl Bytes {
    pub fn add(&mut self, added: u64) {
        self.len = added + 1;
    }
}
";

#[test]
fn fields_of_different_types_do_not_share_an_account() {
    let before = library(FIELDS_OF_ONE_NAME);
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function(
            "k::Names::add",
            before.line_of("self.len = added;") - 1,
            10,
            (300_000, 300_000),
        )
        .function(
            "k::Bytes::add",
            before.line_of("self.len = added + 1;") - 1,
            10,
            (200_000, 200_000),
        );
    let changed = (before.replaced("self.len = added;", "self.len = added | 1;"))
        .replaced("self.len = added + 1;", "self.len = added + 2;");
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &changed));
    // One account would hold the larger of the two only.
    about(only(&score).terms.touched[&ChangeClass::Field], 0.5);
}

#[test]
fn another_condition_can_run_its_block_never_or_whenever_it_is_reached() {
    let score = after("*x > 10", "*x > 11");
    assert_eq!(effect(&score, ChangeKind::ConditionExpression).executions, 100);
    let shipped = PriceList::shipped().sensitivity;
    let rebuilt = 0.04 * shipped.rebuilt;
    // 100 runs that cost 600 each, and some operations; 900 more could be added.
    let low = f64::hypot(0.06 * shipped.condition, rebuilt);
    let high = f64::hypot(0.54 * shipped.condition, rebuilt);
    let found = only(&score);
    assert!((low..1.05 * low).contains(&-found.low), "{found:?} {low}");
    assert!((high..1.05 * high).contains(&found.high), "{found:?} {high}");
}

#[test]
fn a_negated_condition_runs_its_block_where_it_did_not() {
    for (from, to) in [("if *x > 10", "if *x <= 10"), ("if *x > 10", "if !(*x > 10)")] {
        let score = after(from, to);
        // Up to 900 runs in place of 100, at 600 each.
        let found = &only(&score).terms;
        assert!((0.1..=0.48).contains(&found.expected), "{found:?}");
    }
    let changed = SOURCE.replace(
        "total += warm(*x);\n            }",
        "total += warm(*x);\n            } else {\n                total += warm(*x);\n            }",
    );
    let before = library(&changed);
    let negated = before.replaced("if *x > 10", "if *x <= 10");
    let first = before
        .content("src/lib.rs")
        .lines()
        .position(|line| line.contains("+= warm("))
        .expect("a call");
    let line = u32::try_from(first + 1).expect("a short file");
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::Sum::run", before.line_of("fn run("), 1, (TOTAL, 40_000))
        .function("k::warm", before.line_of("fn warm("), 1000, (600_000, 600_000))
        .line(line, 100)
        .line(line + 2, 900)
        .site("k::Sum::run", line, "k::warm", (100, 60_000))
        .site("k::Sum::run", line + 2, "k::warm", (900, 540_000));
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &negated));
    // Both branches cost the same.
    assert!(only(&score).terms.expected.abs() < 0.001, "{:?}", only(&score));
    assert!(
        only(&score).terms.touched[&ChangeClass::Condition] > 0.1,
        "{:?}",
        only(&score)
    );
}

#[test]
fn another_condition_of_a_block_that_leaves_decides_about_the_code_behind_it() {
    let before = library(SOURCE).replaced(
        "        self.n = total;",
        "        if total > 5 {\n            return 0;\n        }\n        self.n = total;",
    );
    let changed = before.replaced("total > 5", "total > 6");
    let score = scored(CostModel::Lito, &before, vec![profile(&before)], (&before, &changed));
    about(only(&score).terms.touched[&ChangeClass::EarlyExit], 1.0);
}

#[test]
fn another_bound_can_run_a_loop_never_or_twice_as_often() {
    let score = after("while i < x", "while i <= x");
    let shipped = PriceList::shipped().sensitivity;
    // 2,000 runs that cost 50 each, and some operations.
    let share = f64::hypot(0.1 * shipped.condition, 0.7 * shipped.rebuilt);
    let found = only(&score);
    assert!((share..1.2 * share).contains(&found.high), "{found:?} {share}");
    assert!((share..1.2 * share).contains(&-found.low), "{found:?} {share}");
}

#[test]
fn an_attribute_can_move_a_share_of_the_function_itself() {
    let score = after("fn hot", "#[cold]\nfn hot");
    let effect = effect(&score, ChangeKind::Attribute);
    let costs = PriceList::shipped();
    let share = 0.7 * costs.sensitivity.recompiled;
    about(effect.low, -share);
    about(effect.high, share);
    assert_eq!(effect.executions, 1000);
}

#[test]
fn a_function_with_any_change_is_compiled_anew() {
    let score = after("x * 3", "x * 3 + 1");
    let share = 0.7 * PriceList::shipped().sensitivity.rebuilt;
    let prediction = only(&score);
    // An operation or two beside it, a thousand times.
    assert!((share..1.4 * share).contains(&prediction.high), "{prediction:?}");
    assert!((share - 0.01..=share).contains(&-prediction.low), "{prediction:?}");
}

#[test]
fn a_function_that_the_sample_did_not_have_may_be_hot() {
    let sampled = library(SOURCE);
    let fresh = "fn fresh(x: u64) -> u64 {\n    x.min(9) + 1\n}\n";
    let before = library(&format!("{SOURCE}{fresh}")).replaced("x * 3", "fresh(x)");
    let changed = before.replaced("x.min(9) + 1", "x.min(9) + 2 + x");
    let score = scored(CostModel::Lito, &sampled, vec![profile(&sampled)], (&before, &changed));
    // The function that mentions it costs this much by itself.
    let bound = 0.7 * PriceList::shipped().sensitivity.unsampled;
    let prediction = only(&score);
    about((prediction.high - prediction.low) / 2.0, bound);
    let before = library(&format!("{SOURCE}{fresh}"));
    // A function that comes is not one that the sample missed.
    let score = scored(CostModel::Lito, &sampled, vec![profile(&sampled)], (&sampled, &before));
    assert_eq!((only(&score).low, only(&score).high), (0.0, 0.0));
}

#[test]
fn a_way_out_that_came_can_save_and_one_that_went_can_cost() {
    let early = "        if total > 5 {\n            return 0;\n        }\n        self.n = total;";
    let before = library(SOURCE);
    let changed = before.replaced("        self.n = total;", early);
    let share = PriceList::shipped().sensitivity.early_exit;
    let scored = |change| {
        let recorded = vec![profile(&before)];
        scored(CostModel::Lito, &before, recorded, change)
    };
    let came = scored((&before, &changed));
    about(effect(&came, ChangeKind::ConditionalAddition).low, -share);
    assert!(effect(&came, ChangeKind::ConditionalAddition).high < 0.01);
    let went = scored((&changed, &before));
    about(effect(&went, ChangeKind::ConditionalDeletion).high, share);
    // A new block that stays in the function is no way out.
    let stays = scored((&before, &changed.replaced("return 0;", "total += 1;")));
    assert!(effect(&stays, ChangeKind::ConditionalAddition).low > -0.01);
}

#[test]
fn a_loop_around_a_conditional_multiplies_what_is_in_it() {
    let one = "            if *x > 10 {\n                total += warm(*x);\n            }\n";
    let looped = format!("            for _ in 0..3 {{\n{one}            }}\n");
    let before = library(SOURCE);
    let changed = before.replaced(one, &looped);
    let predicted = |(one, two): (&ScoringTestFiles, &ScoringTestFiles)| {
        let recorded = profile(&before);
        only(&scored(CostModel::Lito, &before, vec![recorded], (one, two))).predicted
    };
    // The calls of `warm` are 0.06 of all; the model takes a new loop to run several times.
    assert!(predicted((&before, &changed)) > 0.06);
    // A block that is no longer in a loop runs as often as what was around that.
    let unlooped = before
        .replaced("        for x in xs {\n            total += hot(*x);\n", "")
        .replaced(
            "            }\n        }\n        self.n",
            "            }\n        self.n",
        );
    assert!(predicted((&before, &unlooped)) < -0.8);
}

#[test]
fn no_benchmark_can_save_more_than_it_costs() {
    let before = library(SOURCE);
    let changed = before.replaced("            total += hot(*x);\n", "");
    // Costs of parallel code, or of code measured otherwise, may add up to more than the total.
    let recorded = profile(&before).function("k::other", 900, 1, (1, 1));
    let score = scored(
        CostModel::Lito,
        &before,
        vec![recorded.of_total(TOTAL / 2)],
        (&before, &changed),
    );
    let prediction = only(&score);
    assert_eq!((prediction.low, prediction.predicted), (-1.0, -1.0));
}

/// The predicted change of the profile's function `warm`, of this body and self cost, for another
/// operation, in units of the profile.
fn another_operation(body: &str, calls: u64, self_cost: u64) -> f64 {
    let before = library(SOURCE).replaced("x / 7", body);
    let changed = before.replaced(body, &format!("{body} / 11"));
    let line = before.line_of("fn warm(");
    let recorded = ScoringTestProfile::new("b", TOTAL).function("k::warm", line, calls, (self_cost, self_cost));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &changed));
    only(&score).predicted * TOTAL as f64
}

#[test]
fn an_operation_costs_what_those_of_its_function_cost() {
    // 10,000 calls at 8 each: one division costs it all, four a quarter of it.
    about(another_operation("x / 7", 10_000, 80_000), 80_000.0);
    about(another_operation("x / 7 / 5 / 3 / 2", 10_000, 80_000), 20_000.0);
    // Never more than an operation can cost.
    let most = PriceList::shipped().operation.high;
    about(another_operation("x / 7", 1_000, 500_000), 1_000.0 * most);
}

#[test]
fn what_is_computed_for_an_argument_costs_as_often_as_the_call_runs() {
    let added = |argument: &str| {
        let call = format!("            total += warm({argument});\n            if *x > 10 {{");
        only(&after("            if *x > 10 {", &call)).predicted
    };
    let difference = added("*x + 1 + 2") - added("*x");
    let operation = PriceList::shipped().operation;
    let most = 1000.0 * 3.0 * operation.high / TOTAL as f64;
    assert!(difference > 0.0 && difference <= most, "{difference}");
}

#[test]
fn another_bound_can_run_a_loop_that_hardly_runs_whenever_it_is_reached() {
    let before = library(SOURCE);
    let changed = before.replaced("while i < x", "while i <= x");
    let line = |text: &str| before.line_of(text);
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::hot", line("fn hot("), 1000, (60_000, 10_000))
        .function("k::step", line("fn step("), 10, (50_000, 50_000))
        .line(line("+= step("), 10)
        .site("k::hot", line("+= step("), "k::step", (10, 50_000));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &changed));
    let share = PriceList::shipped().sensitivity.condition;
    // 10 runs that cost 5,000 each, and a thousand ways in.
    about(only(&score).high, 5.0 * share);
    assert!((0.05 * share..0.06 * share).contains(&-only(&score).low), "{score:?}");
}

#[test]
fn what_a_condition_decides_on_includes_the_loops_in_its_block() {
    let looped = "seen += 1;\n                for y in xs {\n                    total += warm(*y);\n                }";
    let before = library(SOURCE).replaced("total += warm(*x);", looped);
    let changed = before.replaced("*x > 10", "*x > 11");
    let line = |text: &str| before.line_of(text);
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::Sum::run", line("fn run("), 1, (TOTAL, 10_000))
        .function("k::warm", line("fn warm("), 500, (100_000, 100_000))
        .line(line("+= hot("), 1000)
        .line(line("if *x"), 1000)
        .line(line("seen +="), 100)
        .line(line("+= warm("), 500)
        .site("k::Sum::run", line("+= warm("), "k::warm", (500, 100_000));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &changed));
    let share = PriceList::shipped().sensitivity.condition;
    // All 500 calls, at 200 each, are behind the condition.
    let low = -only(&score).low;
    assert!((0.1 * share..0.11 * share).contains(&low), "{score:?}");
}
