//! Properties of our model that hold whatever its parameters are.

use analyzer::change::ChangeKind;
use analyzer::resolve::CalleeEvidence;
use analyzer::score::{BenchmarkPrediction, CostModel, DecisionReason, ScoreDecision, VersionScore};

use crate::support::{ScoringTestFiles, ScoringTestProfile, costs_of, library, scored, without_sample};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
use std::collections::HashMap;
const WIDTH: usize = 16;
pub struct Index { rows: HashMap<u64, u64> }
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += hot(*x);
        if *x > 10 {
            total += warm(*x);
        }
    }
    total
}
fn hot(x: u64) -> u64 {
    x * 3 + WIDTH as u64
}
fn warm(x: u64) -> u64 {
    x / 7
}
fn cold(x: u64) -> u64 {
    x + 1
}
";

/// run once, its loop 1,000 times, the conditional 100 times.
fn profile(files: &ScoringTestFiles, name: &str) -> ScoringTestProfile {
    let (run, hot, warm) = (
        files.line_of("fn run("),
        files.line_of("fn hot("),
        files.line_of("fn warm("),
    );
    let (in_loop, in_conditional) = (files.line_of("+= hot("), files.line_of("+= warm("));
    ScoringTestProfile::new(name, TOTAL)
        .function("k::run", run, 1, (TOTAL, 40_000))
        .function("k::hot", hot, 1000, (800_000, 800_000))
        .function("k::warm", warm, 100, (60_000, 60_000))
        .function("memchr::find", 9, 50, (100_000, 100_000))
        .line(in_loop, 1000)
        .line(in_loop + 1, 1000)
        .line(in_conditional, 100)
        .site("k::run", in_loop, "k::hot", (1000, 800_000))
        .site("k::run", in_conditional, "k::warm", (100, 60_000))
}

/// The score of an edit of `SOURCE`, each pair replaced in turn.
fn after(edits: &[(&str, &str)]) -> VersionScore {
    let before = library(SOURCE);
    let mut source = SOURCE.to_owned();
    for (from, to) in edits {
        assert!(source.contains(from), "{from:?} is not in the source");
        source = source.replace(from, to);
    }
    let changed = library(&source);
    scored(
        CostModel::Lito,
        &before,
        vec![profile(&before, "b")],
        (&before, &changed),
    )
}

fn only(score: &VersionScore) -> &BenchmarkPrediction {
    assert_eq!(score.benchmarks.len(), 1);
    &score.benchmarks[0]
}

#[test]
fn what_cannot_cost_anything_is_skipped_and_says_so() {
    let renamed: &[(&str, &str)] = &[("total", "sum")];
    let documented: &[(&str, &str)] = &[("fn hot", "/// Three times.\nfn hot")];
    let formatted: &[(&str, &str)] = &[("x * 3 + WIDTH as u64", "x\n        * 3\n        + WIDTH as u64")];
    let tested: &[(&str, &str)] = &[(
        "fn cold",
        "#[cfg(test)]\nmod tests { #[test] fn t() { super::run(&[1]); } }\nfn cold",
    )];
    for edits in [renamed, documented, formatted, tested] {
        let score = after(edits);
        assert_eq!(score.changes, [], "{edits:?}");
        assert_eq!(score.decision, ScoreDecision::Skip);
        assert_eq!(score.probability, 0.0);
        assert_eq!(score.reason, DecisionReason::NothingCompiledChanged);
    }
}

#[test]
fn a_change_of_code_that_no_benchmark_executes_is_listed_without_effect() {
    let score = after(&[("x + 1", "x + 1 + hot(x)")]);
    assert!(!score.changes.is_empty());
    assert!(score.changes.iter().all(|change| change.effects.is_empty()));
    assert_eq!((score.decision, score.probability), (ScoreDecision::Skip, 0.0));
    assert_eq!(score.reason, DecisionReason::NotExecuted);
}

#[test]
fn an_added_call_costs_its_executions_times_its_measured_cost() {
    let score = after(&[(
        "        if *x > 10 {",
        "        total += warm(*x);\n        if *x > 10 {",
    )]);
    let change = score
        .changes
        .iter()
        .find(|c| c.kind == ChangeKind::CallAddition)
        .expect("an addition");
    let effect = &change.effects[0];
    assert_eq!((effect.executions, effect.unit_cost), (1000, 600.0));
    // The call itself, and up to ten instructions for handing over its argument.
    assert!((0.6..=0.61).contains(&effect.share), "{effect:?}");
    assert_eq!(change.resolved_by, Some(CalleeEvidence::SameFunction));
    assert_eq!(change.callee.as_deref(), Some("k::warm"));
    assert!(only(&score).predicted > 0.55 && only(&score).selected);
}

#[test]
fn a_removed_call_is_the_mirror_image_of_an_added_one() {
    let score = after(&[("        total += hot(*x);\n", "")]);
    assert!(only(&score).predicted < -0.75, "{:?}", only(&score));
    assert_eq!(
        score.decision,
        ScoreDecision::Benchmark,
        "an improvement is worth a run too"
    );
}

#[test]
fn a_call_moved_into_a_rarer_block_saves_the_difference() {
    let moved = after(&[
        ("        total += hot(*x);\n", ""),
        (
            "            total += warm(*x);",
            "            total += hot(*x);\n            total += warm(*x);",
        ),
    ]);
    // 900 of 1,000 executions of 800 instructions.
    assert!((only(&moved).predicted + 0.72).abs() < 0.03, "{:?}", only(&moved));
}

#[test]
fn a_new_function_is_priced_by_reading_it() {
    let call = ("total += hot(*x);", "total += T::fresh(*x);\n        total += hot(*x);");
    let unit = |body: &str| {
        // By a trait: it is not written out where it is called.
        let definition = format!("struct T;\nimpl Fresh for T {{\nfn fresh(x: u64) -> u64 {{\n{body}\n}}\n}}\nfn cold");
        let score = after(&[call, ("fn cold", &definition)]);
        let change = score
            .changes
            .iter()
            .find(|change| change.callee.as_deref() == Some("k::T::fresh"))
            .expect("the call is a change");
        assert_eq!(change.resolved_by, Some(CalleeEvidence::Body));
        change.effects[0].unit_cost
    };
    let trivial = unit("x + 1");
    let one_call = unit("warm(x)");
    let in_a_loop = unit("let mut t = 0;\nfor i in 0..x {\nt += warm(i);\n}\nt");
    assert!(trivial < 30.0, "{trivial}");
    assert!((600.0..650.0).contains(&one_call), "{one_call}");
    assert!(in_a_loop > 2.0 * one_call, "{in_a_loop}");
}

#[test]
fn a_recursive_new_function_has_a_price() {
    let score = after(&[
        ("total += hot(*x);", "total += fresh(*x);\n        total += hot(*x);"),
        (
            "fn cold",
            "fn fresh(x: u64) -> u64 { if x == 0 { 0 } else { fresh(x - 1) + other(x) } }\nfn other(x: u64) -> u64 { fresh(x) }\nfn cold",
        ),
    ]);
    assert!(only(&score).high.is_finite() && only(&score).predicted > 0.0);
}

#[test]
fn code_moved_into_a_new_function_cancels_out() {
    let score = after(&[
        ("            total += warm(*x);", "            total += outlined(*x);"),
        ("fn cold", "fn outlined(x: u64) -> u64 {\n    warm(x)\n}\nfn cold"),
    ]);
    assert!(only(&score).predicted.abs() < 0.005, "{:?}", only(&score));
}

#[test]
fn a_changed_condition_is_bounded_by_its_block() {
    let score = after(&[("*x > 10", "*x > 1")]);
    let benchmark = only(&score);
    // The block ran for 100 of 1,000: it has more to add than to save.
    assert!(benchmark.high > -benchmark.low && benchmark.low < 0.0, "{benchmark:?}");
    assert!(
        score
            .changes
            .iter()
            .any(|change| change.kind == ChangeKind::ConditionExpression)
    );
}

#[test]
fn hot_changes_are_more_probable_than_warm_ones() {
    let hot = after(&[("x * 3 +", "x * 3 * x +")]);
    let warm = after(&[("x / 7", "x / 7 / x")]);
    assert!(
        only(&hot).probability > only(&warm).probability,
        "{:?} {:?}",
        only(&hot),
        only(&warm)
    );
}

#[test]
fn a_new_early_return_may_save_what_comes_after_it() {
    let with_return = after(&[(
        "    let mut total = 0;",
        "    if xs.is_empty() {\n        return 0;\n    }\n    let mut total = 0;",
    )]);
    assert!(only(&with_return).low < -0.1, "{:?}", only(&with_return));
    let without = after(&[(
        "    let mut total = 0;",
        "    let mut total = 0;\n    if xs.is_empty() {\n        total = 1;\n    }",
    )]);
    assert!(only(&without).low > -0.1, "{:?}", only(&without));
}

#[test]
fn a_block_that_panics_is_not_taken_to_run() {
    let checked = |inside: &str| {
        let score = after(&[(
            "        if *x > 10 {",
            &format!("        if *x == 7 {{\n            {inside};\n        }}\n        if *x > 10 {{"),
        )]);
        only(&score).high
    };
    let (cold, hot) = (checked("panic!(\"{}\", warm(*x))"), checked("total += warm(*x)"));
    assert!(cold < hot / 4.0, "{cold} {hot}");
}

#[test]
fn a_benchmark_cannot_save_more_than_it_costs() {
    let score = after(&[
        ("        total += hot(*x);\n", ""),
        ("            total += warm(*x);\n", ""),
        ("x * 3 +", "x +"),
    ]);
    let benchmark = only(&score);
    assert!(benchmark.low >= -1.0 && benchmark.predicted >= -1.0, "{benchmark:?}");
}

#[test]
fn a_constant_touches_the_functions_that_name_it() {
    let score = after(&[("usize = 16", "usize = 4096")]);
    assert_eq!(score.changes.len(), 1);
    let effect = &score.changes[0].effects[0];
    // Its only user, hot, is 80% of the benchmark.
    assert!(
        (0.1..=0.8).contains(&effect.high) && effect.low == -effect.high,
        "{effect:?}"
    );
    assert_eq!(score.decision, ScoreDecision::Benchmark);
}

#[test]
fn a_type_that_no_executed_function_names_has_no_effect() {
    let score = after(&[("rows: HashMap<u64, u64>", "rows: std::collections::BTreeMap<u64, u64>")]);
    let of_type: Vec<_> = score
        .changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Type)
        .collect();
    assert!(!of_type.is_empty());
    assert!(of_type.iter().all(|change| change.effects.is_empty()));
}

#[test]
fn a_dependency_can_move_what_is_spent_in_it() {
    let manifest = |version: &str, other: &str| {
        format!(
            "[package]\nname = \"k\"\nversion = \"0.1.0\"\n[dependencies]\nmemchr = \"{version}\"\nunused = \"{other}\"\n"
        )
    };
    let before = library(SOURCE).with("Cargo.toml", &manifest("=1.0.0", "=1.0.0"));
    let bumped = |version: &str, other: &str| {
        let after = library(SOURCE).with("Cargo.toml", &manifest(version, other));
        scored(CostModel::Lito, &before, vec![profile(&before, "b")], (&before, &after))
    };
    let used = bumped("=1.1.0", "=1.0.0");
    assert_eq!(used.changes[0].kind, ChangeKind::Dependency);
    assert!(used.changes[0].effects[0].high > 0.02, "{:?}", used.changes);
    let unused = bumped("=1.0.0", "=2.0.0");
    assert!(unused.changes[0].effects.is_empty());
    assert_eq!(unused.decision, ScoreDecision::Skip);
}

#[test]
fn a_build_setting_touches_everything() {
    let before = library(SOURCE);
    let after = library(SOURCE).with(
        "Cargo.toml",
        "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[profile.release]\nopt-level = 1\n",
    );
    let score = scored(CostModel::Lito, &before, vec![profile(&before, "b")], (&before, &after));
    assert_eq!(
        (score.changes[0].kind, score.decision),
        (ChangeKind::BuildSetting, ScoreDecision::Benchmark)
    );
}

#[test]
fn another_call_of_an_inlined_function_puts_its_inlining_at_risk() {
    let before = library(SOURCE);
    let changed = library(&SOURCE.replace(
        "            total += warm(*x);",
        "            total += warm(*x) + hot(0);",
    ));
    let high = |recorded: ScoringTestProfile| {
        let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &changed));
        only(&score).high
    };
    let line = before.line_of("fn hot(");
    let base = || {
        ScoringTestProfile::new("b", TOTAL).function("k::run", before.line_of("fn run("), 1, (TOTAL, TOTAL - 20_000))
    };
    let conditional = before.line_of("+= warm(");
    let outlined = base()
        .function("k::hot", line, 10_000, (20_000, 20_000))
        .line(conditional, 1);
    let inlined = base()
        .function("k::hot", line, 10_000, (20_000, 20_000))
        .inlined()
        .line(conditional, 1);
    assert!(high(inlined) > high(outlined) + 0.003);
}

#[test]
fn a_file_that_cannot_be_analysed_raises_the_probability() {
    let clean = after(&[("x / 7", "x / 9")]);
    let broken = after(&[("x / 7", "x / 9"), ("x + 1", "x + ")]);
    assert!(!broken.degraded.is_empty());
    assert!(only(&broken).probability >= only(&clean).probability);
    assert_eq!(broken.decision, ScoreDecision::Benchmark);
}

#[test]
fn each_benchmark_has_its_own_probability() {
    let before = library(SOURCE);
    let changed = library(&SOURCE.replace("x / 7", "hot(x) / 7"));
    let elsewhere =
        ScoringTestProfile::new("elsewhere", TOTAL).function("k::cold", before.line_of("fn cold("), 5, (TOTAL, TOTAL));
    let score = scored(
        CostModel::Lito,
        &before,
        vec![elsewhere, profile(&before, "b")],
        (&before, &changed),
    );
    let names: Vec<(&str, bool)> = score
        .benchmarks
        .iter()
        .map(|b| (b.name.as_str(), b.probability > 0.0))
        .collect();
    assert_eq!(names, [("b", true), ("elsewhere", false)], "most probable first");
    assert_eq!(costs_of(&score, "elsewhere"), []);
}

#[test]
fn effects_of_a_version_add_up_to_its_prediction() {
    let score = after(&[("x / 7", "hot(x) / 7"), ("total += hot(*x);", "total += warm(*x);")]);
    let sum: f64 = score
        .changes
        .iter()
        .flat_map(|change| &change.effects)
        .map(|effect| effect.share)
        .sum();
    assert!((sum - only(&score).predicted).abs() < 1e-6, "{sum} {:?}", only(&score));
}

#[test]
fn without_a_sample_code_is_a_risk_and_documents_are_not() {
    let before = library(SOURCE).with("README.md", "one");
    let code = without_sample((
        &before,
        &library(&SOURCE.replace("x / 7", "x / 9")).with("README.md", "one"),
    ));
    assert_eq!(code.decision, ScoreDecision::Benchmark);
    assert!(code.sample.is_none() && code.benchmarks.is_empty());
    assert!(
        matches!(code.reason, DecisionReason::NoSample(Some(_))),
        "{:?}",
        code.reason
    );
    let document = without_sample((&before, &library(SOURCE).with("README.md", "two")));
    assert_eq!((document.decision, document.probability), (ScoreDecision::Skip, 0.0));
}

#[test]
fn without_a_sample_a_file_that_a_benchmark_may_read_is_a_risk() {
    let decision = |source: &str, path: &str| {
        let before = library(source).with(path, "1");
        let after = library(source).with(path, "(0..1000).sum::<u64>()");
        let score = without_sample((&before, &after));
        let names_it = score.changes.iter().any(|change| change.file == path);
        assert_eq!(
            names_it,
            score.decision == ScoreDecision::Benchmark,
            "{path} in {source}"
        );
        score.decision
    };
    let compiled_in = "pub fn cost() -> u64 {\n    include!(\"table.in\")\n}\n";
    assert_eq!(decision(compiled_in, "src/table.in"), ScoreDecision::Benchmark);
    assert_eq!(decision(SOURCE, "benches/data.json"), ScoreDecision::Benchmark);
    let text = "pub static PAGE: &str = include_str!(\"../README.md\");\n";
    assert_eq!(decision(text, "README.md"), ScoreDecision::Benchmark);
    let test = "#[test]\nfn is_read() {\n    assert!(matches(\"README.md\"));\n}\n";
    assert_eq!(decision(test, "README.md"), ScoreDecision::Skip);
    let documentation = "#![doc = include_str!(\"../README.md\")]\n";
    assert_eq!(decision(documentation, "README.md"), ScoreDecision::Skip);
    assert_eq!(decision(SOURCE, "docs/style.css"), ScoreDecision::Skip);
    let folder = "pub static PAGES: Dir = include_dir!(\"$CARGO_MANIFEST_DIR/pages\");\n";
    assert_eq!(decision(folder, "pages/deep/style.css"), ScoreDecision::Benchmark);
    assert_eq!(decision(folder, "docs/style.css"), ScoreDecision::Skip);
    assert_eq!(decision(SOURCE, ".github/data.json"), ScoreDecision::Skip);
    let with = |path: &str, source: &str| {
        let before = library(SOURCE).with(path, source).with("pages/a.html", "1");
        without_sample((&before, &before.clone().with("pages/a.html", "2"))).decision
    };
    let included = "static PAGE: &str = include_str!(\"../pages/a.html\");\n";
    assert_eq!(with("benches/b.rs", included), ScoreDecision::Benchmark);
    let reads = "fn main() {\n    std::fs::read_dir(\"pages\").unwrap();\n}\n";
    assert_eq!(with("build.rs", reads), ScoreDecision::Benchmark);
    assert_eq!(with("tests/t.rs", included), ScoreDecision::Skip);
}

#[test]
fn without_a_sample_a_method_that_may_take_calls_over_is_a_risk() {
    let before = "pub struct A;\npub trait T {\n    fn run(&self) -> u64 {\n        1\n    }\n}\nimpl T for A {}\n\
                  pub fn all(a: &A) -> u64 {\n    a.run()\n}\n";
    let with_method = |name: &str| {
        let method = format!("impl A {{\n    pub fn {name}(&self) -> u64 {{\n        (0..1000).sum()\n    }}\n}}\n");
        without_sample((&library(before), &library(&format!("{before}{method}")))).decision
    };
    assert_eq!(with_method("run"), ScoreDecision::Benchmark);
    assert_eq!(with_method("unheard_of"), ScoreDecision::Skip);
}

#[test]
fn without_a_sample_the_heaviest_change_comes_first_not_the_first_file() {
    const MANIFEST: &str = "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    const PLAIN: &str = "pub const LIMIT: u64 = 3;\npub fn plain(x: u64) -> u64 {\n    x + 1\n}\n";
    const HOT: &str = "pub fn hot(of: &[u64]) -> u64 {\n    let mut sum = 0;\n    for x in of {\n        \
                       sum += x;\n    }\n    sum\n}\n";
    let files = |plain: &str, hot: &str, manifest: &str| {
        (library("pub mod a;\npub mod z;\n").with("src/a.rs", plain))
            .with("src/z.rs", hot)
            .with("Cargo.toml", manifest)
    };
    let before = files(PLAIN, HOT, MANIFEST);
    let first = |plain: &str, hot: &str, manifest: &str| {
        let score = without_sample((&before, &files(plain, hot, manifest)));
        let heaviest = score.changes.first().expect("something changed");
        (heaviest.file.clone(), heaviest.function.clone())
    };
    let named = |file: &str, function: &str| (file.to_owned(), Some(function.to_owned()));
    let plain = PLAIN.replace("= 3", "= 4").replace("x + 1", "x + 1 + 2");
    let hot = HOT.replace("sum += x", "sum += x * 3");
    assert_eq!(first(&plain, &hot, MANIFEST), named("src/z.rs", "k::z::hot"), "a loop");
    assert_eq!(
        first(&plain, HOT, MANIFEST),
        named("src/a.rs", "k::a::plain"),
        "a function before a constant"
    );
    let optimised = format!("{MANIFEST}\n[profile.bench]\nopt-level = 1\n");
    assert_eq!(
        first(&plain, &hot, &optimised),
        (String::from("Cargo.toml"), None),
        "what everything is compiled with"
    );
}

#[test]
fn a_test_that_is_itself_the_benchmark_counts() {
    let source = format!(
        "{SOURCE}#[cfg(test)]\nmod tests {{\n    #[test]\n    fn load() {{\n        super::run(&[1]);\n    }}\n}}\n"
    );
    let before = library(&source);
    let changed = library(&source.replace("super::run(&[1]);", "super::run(&[1]);\n        super::run(&[2]);"));
    let executed = ScoringTestProfile::new("load", 2 * TOTAL)
        .function("k::tests::load", before.line_of("fn load("), 1, (2 * TOTAL, 10))
        .function("k::run", before.line_of("fn run("), 1, (TOTAL, TOTAL));
    let score = scored(CostModel::Lito, &before, vec![executed], (&before, &changed));
    assert!(only(&score).predicted > 0.4, "{score:?}");
    let elsewhere = scored(
        CostModel::Lito,
        &before,
        vec![profile(&before, "b")],
        (&before, &changed),
    );
    assert_eq!(elsewhere.changes, []);
}
