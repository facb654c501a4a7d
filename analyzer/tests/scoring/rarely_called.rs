//! Work that is added to a function which costs next to nothing: how much data it passes over is not in the source.

use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 4_000_000;

const SOURCE: &str = "\
pub fn work(of: &[u64]) -> u64 {
    let mut sum = 0;
    for value in of {
        sum = sum * 31 + *value;
    }
    sum
}
pub fn cold(of: &[u64]) -> u64 {
    of.len() as u64
}
";

/// Both functions are called 200 times; `work` goes over so many values each time.
fn profile(files: &ScoringTestFiles, values: u64) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ScoringTestProfile::new("b", TOTAL)
        .function("k::work", line("fn work("), 200, (3_600_000, 3_600_000))
        .line(line("sum = sum * 31"), 200 * values)
        .function("k::cold", line("fn cold("), 200, (600, 600))
        .line(line("of.len() as u64"), 200)
}

/// `body` in place of that of `cold`.
fn with_body(body: &str, values: u64) -> BenchmarkPrediction {
    let before = library(SOURCE);
    let after = before.replaced("of.len() as u64", body);
    let recorded = vec![profile(&before, values)];
    let mut score = scored(CostModel::Lito, &before, recorded, (&before, &after));
    score.benchmarks.remove(0)
}

const BODIES: [&str; 7] = [
    "let mut most = 0;\n    for value in of {\n        if *value > most {\n            most = *value;\n        }\n    }\n    most",
    "of.iter().filter(|value| **value > 5).count() as u64",
    "u64::from(of.contains(&7))",
    "u64::from(of.is_sorted())",
    "of.to_vec().len() as u64",
    "{\n        let mut sorted = of.to_vec();\n        sorted.sort();\n        sorted[0]\n    }",
    "format!(\"{of:?}\").len() as u64",
];

#[test]
fn what_passes_over_the_data_of_a_benchmark_is_at_risk_where_it_is_called_rarely() {
    let missed = BODIES.into_iter().filter(|body| !with_body(body, 4_000).selected);
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn what_passes_over_data_is_no_risk_where_a_benchmark_has_little_of_it() {
    let flagged = BODIES.into_iter().filter(|body| with_body(body, 4).selected);
    assert_eq!(flagged.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_measured_function_that_takes_the_place_of_next_to_nothing_is_at_risk() {
    let prediction = with_body("work(of)", 4_000);
    // Another 200 calls of 18,000 each, although what stood there cost next to nothing.
    assert!(prediction.selected && prediction.high > 0.8, "{prediction:?}");
}
