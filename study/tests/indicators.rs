//! The signs of the baselines: what came, went and changed, and how much of a benchmark that is.

#[path = "../../analyzer/tests/scoring/support.rs"]
#[allow(dead_code)] // the analyzer's tests use the rest
mod support;

use analyzer::score::{CostModel, NearestSample, with_scoring_context};
use study::accuracy::{BaselineIndicators, baseline_indicators};

use support::{ScoringTestFiles, ScoringTestProfile, library, options, sample, with_version};

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

fn signs(model: CostModel, edits: &[(&str, &str)]) -> BaselineIndicators {
    let before = library(SOURCE);
    let changed = edits
        .iter()
        .fold(before.clone(), |files, (from, to)| files.replaced(from, to));
    let sample = sample(&before, vec![profile(&before)]);
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    let found = with_version((&before, &changed), |version| {
        with_scoring_context(version, nearest, &options(model), baseline_indicators)
    });
    found["b"]
}

#[test]
fn signs_count_what_came_went_and_changed_whichever_the_model() {
    let edits = [
        ("x * LIMIT", "x * LIMIT + x"),
        (
            "fn cold(x: u64) -> u64 {\n    x + 1\n}\n",
            "fn came(x: u8, y: u8) -> u8 {\n    y / x\n}\n",
        ),
    ];
    let found = signs(CostModel::Lito, &edits);
    assert_eq!(found, signs(CostModel::Paper, &edits));
    assert_eq!((found.new, found.deleted, found.deleted_reached), (1, 1, 0));
    assert_eq!(found.changed_reached, 1);
    assert!((found.changed_share - 0.8).abs() < 1e-9);
    assert!((found.changed_inclusive - 0.8).abs() < 1e-9);
    assert!((found.changed_calls - 0.999).abs() < 1e-9);
    // A body and one operation became a body and two.
    assert!((found.length - 0.5).abs() < 1e-9, "{found:?}");
    assert_eq!(found.length, found.length_reached);
    assert!(0.0 < found.changed_work && found.changed_work < 0.8, "{found:?}");
}

#[test]
fn a_function_that_no_benchmark_runs_has_a_length_only() {
    let found = signs(CostModel::Lito, &[("x + 1", "x + 1 + x")]);
    let length = BaselineIndicators {
        length: 0.5,
        ..BaselineIndicators::default()
    };
    assert_eq!(found, length);
}

#[test]
fn a_function_that_went_and_was_executed_is_told_apart() {
    let found = signs(
        CostModel::Lito,
        &[("fn hot(x: u64) -> u64 {\n    x * LIMIT\n}\n", ""), ("hot(*x)", "*x")],
    );
    assert_eq!((found.deleted, found.deleted_reached), (1, 1));
}
