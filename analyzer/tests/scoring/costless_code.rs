//! Code that an optimised build removes has no price.

use analyzer::cost::ChangeClass;
use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestProfile, library, scored};

const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += *x;
        total ^= total >> 3;
    }
    total
}
fn heavy(x: u64) -> bool {
    let mut i = 0;
    while i < x {
        i += 1;
    }
    i == x
}
";

/// With another line in the loop.
fn with(line: &str) -> BenchmarkPrediction {
    let sampled = library(SOURCE);
    let changed = sampled.replaced("total += *x;", &format!("total += *x;\n        {line}"));
    let recorded = ScoringTestProfile::new("b", 1_000_000)
        .function("k::run", sampled.line_of("fn run("), 1, (800_000, 800_000))
        .function("k::heavy", sampled.line_of("fn heavy("), 10, (200_000, 200_000))
        .line(sampled.line_of("total += *x;"), 1000);
    let score = scored(CostModel::Lito, &sampled, vec![recorded], (&sampled, &changed));
    score.benchmarks[0].clone()
}

#[test]
fn checks_that_optimised_builds_leave_out_are_not_priced() {
    assert!(with("assert!(heavy(*x));").terms.expected > 1.0);
    for line in ["debug_assert!(heavy(*x));", "debug_assert_eq!(heavy(*x), true);"] {
        let terms = with(line).terms;
        assert!(terms.expected.abs() < 0.01, "{line}: {terms:?}");
    }
}

#[test]
fn conditions_of_compilation_are_no_calls() {
    let terms = with("#[cfg(all(heavy(x), not(heavy(y))))] let y = 1;").terms;
    assert!(terms.expected.abs() < 0.02, "{terms:?}");
    // In the tokens of a macro of which nothing else is known.
    let alone = with("by_table! { => }").terms.expected;
    for tokens in [
        "=> #[cfg(all(heavy(x)))] fn f() {}",
        "=> if cfg!(all(heavy(x))) {}",
        "=> debug_assert!(heavy(*x));",
    ] {
        let terms = with(&format!("by_table! {{ {tokens} }}")).terms;
        assert!((terms.expected - alone).abs() < 0.02, "{tokens}: {terms:?}");
    }
    let called = with("by_table! { => heavy(*x) }").terms.expected;
    assert!(called > alone + 1.0, "{called} {alone}");
}

#[test]
fn what_is_folded_away_costs_next_to_nothing() {
    for line in [
        "let a = xs.as_ptr();",
        "let a = u64::from(1_u8);",
        "let a = u64::max_value();",
        "let a = xs.len();",
    ] {
        let terms = with(line).terms;
        let width = terms.touched.get(&ChangeClass::Calls).copied().unwrap_or(0.0);
        assert!(terms.expected < 0.01 && width < 0.002, "{line}: {terms:?}");
    }
}

#[test]
fn a_hint_touches_all_that_the_function_costs() {
    let terms = with("if unlikely(*x > 7) { total += 1; }").terms;
    assert!(
        (terms.touched[&ChangeClass::ImportedFunction] - 0.8).abs() < 1e-9,
        "{terms:?}"
    );
}

#[test]
fn checks_that_a_profile_keeps_are_not_left_out() {
    let is_run = |manifest: &str| {
        let sampled = library(SOURCE).with("Cargo.toml", manifest);
        let changed = sampled.replaced("total += *x;", "total += *x;\n        debug_assert!(heavy(*x));");
        let recorded = ScoringTestProfile::new("b", 1_000_000)
            .function("k::run", sampled.line_of("fn run("), 1, (800_000, 800_000))
            .line(sampled.line_of("total += *x;"), 1000);
        let score = scored(CostModel::Lito, &sampled, vec![recorded], (&sampled, &changed));
        score.benchmarks[0].selected
    };
    let package = "[package]\nname = \"k\"\nversion = \"0.1.0\"\n";
    assert!(is_run(&format!("{package}[profile.bench]\ndebug-assertions = true\n")));
    assert!(is_run(&format!("{package}[profile.measured]\ninherits = \"dev\"\n")));
    assert!(!is_run(&format!("{package}[profile.dev]\ndebug-assertions = true\n")));
}
