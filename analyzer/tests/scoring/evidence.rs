//! The evidence that a prediction carries for fitting and comparing models: terms by class.

use std::collections::BTreeMap;

use analyzer::cost::{ChangeClass, PriceList};
use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub const LIMIT: u64 = 7;
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += hot(*x);
    }
    total
}
fn hot(x: u64) -> u64 {
    x * LIMIT
}
fn cold(x: u64) -> u64 {
    x + 1
}
";

fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ScoringTestProfile::new("b", TOTAL)
        .function("k::run", line("fn run("), 1, (TOTAL, 200_000))
        .function("k::hot", line("fn hot("), 999, (800_000, 800_000))
        .inlined()
        .line(line("+= hot("), 999)
        .site("k::run", line("+= hot("), "k::hot", (999, 800_000))
}

fn after(model: CostModel, edits: &[(&str, &str)]) -> BenchmarkPrediction {
    let before = library(SOURCE);
    let changed = edits
        .iter()
        .fold(before.clone(), |files, (from, to)| files.replaced(from, to));
    let recorded = vec![profile(&before)];
    let mut score = scored(model, &before, recorded, (&before, &changed));
    score.benchmarks.remove(0)
}

fn about(found: &BTreeMap<ChangeClass, f64>, expected: &[(ChangeClass, f64)]) {
    let expected: BTreeMap<ChangeClass, f64> = expected.iter().copied().collect();
    let classes = |of: &BTreeMap<ChangeClass, f64>| of.keys().copied().collect::<Vec<_>>();
    assert_eq!(classes(found), classes(&expected), "{found:?}");
    for (class, touched) in expected {
        assert!((found[&class] - touched).abs() < 1e-9, "{found:?}");
    }
}

#[test]
fn a_constant_touches_all_of_the_functions_that_name_it() {
    let prediction = after(CostModel::Lito, &[("LIMIT: u64 = 7", "LIMIT: u64 = 5")]);
    about(
        &prediction.terms.touched,
        &[(ChangeClass::Constant, 0.8), (ChangeClass::Value, 0.8)],
    );
    let sensitivity = &PriceList::shipped().sensitivity;
    let bounds = sensitivity.constant.hypot(sensitivity.value);
    assert!((prediction.high - 0.8 * bounds).abs() < 1e-9, "{prediction:?}");
    assert_eq!(prediction.terms.expected, prediction.predicted);
}

#[test]
fn a_changed_function_touches_itself_and_the_frames_that_it_was_inlined_without() {
    let prediction = after(CostModel::Lito, &[("fn hot", "#[inline(never)]\nfn hot")]);
    let frames = 999.0 * PriceList::shipped().call_overhead.expected / TOTAL as f64;
    let expected = [
        (ChangeClass::Recompiled, 0.8),
        (ChangeClass::Rebuilt, 0.8),
        // Another attribute: all that hangs on it.
        (ChangeClass::Inlining, 0.8 + frames),
    ];
    about(&prediction.terms.touched, &expected);
}

#[test]
fn what_is_priced_is_expected_and_its_width_is_touched() {
    let prediction = after(CostModel::Lito, &[("x * LIMIT", "x * LIMIT + x % 3")]);
    let work = prediction.terms.touched[&ChangeClass::Work];
    assert!(prediction.terms.expected > 0.0 && work > 0.0, "{prediction:?}");
}

#[test]
fn the_published_model_has_a_sum_and_touches_nothing() {
    let prediction = after(CostModel::Paper, &[("+= hot(*x)", "+= hot(*x) + hot(*x)")]);
    assert_eq!(prediction.terms.expected, prediction.predicted);
    assert!((prediction.predicted - 0.8).abs() < 1e-9);
    assert_eq!(prediction.terms.touched, BTreeMap::new());
}

#[test]
fn a_new_function_is_reached_from_one_that_only_hands_calls_on() {
    let forward = "mod part;\npub fn work(x: u64) -> u64 {\n    part::work(x)\n}\n";
    let sampled = library(forward).with("src/part.rs", "pub fn work(x: u64) -> u64 {\n    x * 2\n}\n");
    let recorded = ScoringTestProfile::new("b", TOTAL)
        .function("k::work", sampled.line_of("fn work"), 10_000, (800_000, 0))
        .function("k::part::work", 1, 10_000, (800_000, 800_000))
        .in_file("src/part.rs")
        .site("k::work", 3, "k::part::work", (10_000, 800_000));
    let newer = "struct Cell(u64);\nimpl std::ops::Deref for Cell {\n    type Target = u64;\n    fn deref(&self) -> &u64 {\n        \
                 let mut sum = 0;\n        for round in 0..1 {\n            sum ^= round;\n        }\n        keep(sum, &self.0)\n    \
                 }\n}\n";
    let before = library(&forward.replace("    part", "    let _ = *Cell(1);\n    part"))
        .with("src/part.rs", sampled.content("src/part.rs"));
    let before = before.replaced("mod part;\n", &format!("mod part;\n{newer}"));
    let after = before.replaced("0..1", "0..64");
    let score = scored(CostModel::Lito, &sampled, vec![recorded], (&before, &after));
    assert!(score.benchmarks[0].selected, "{score:?}");
}
