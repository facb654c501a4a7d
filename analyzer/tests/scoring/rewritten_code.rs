//! Code that took the place of other code: its price is not believed without end.

use analyzer::score::{BenchmarkPrediction, CostModel};

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};

const TOTAL: u64 = 1_000_000;

const SOURCE: &str = "\
pub fn run(xs: &[u64]) -> u64 {
    let mut total = 0;
    for x in xs {
        total += first(*x);
        total ^= second(*x);
        total *= third(*x);
    }
    total
}
fn first(x: u64) -> u64 {
    x
}
fn second(x: u64) -> u64 {
    x
}
fn third(x: u64) -> u64 {
    x
}
fn dear(x: u64) -> u64 {
    x
}
";

const BODY: &str = "        total += first(*x);
        total ^= second(*x);
        total *= third(*x);
";

/// A thousand rounds; the three calls cost 30 each, `dear` 3,000.
fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    let line = |text: &str| files.line_of(text);
    ["first", "second", "third"].iter().fold(
        ScoringTestProfile::new("b", TOTAL)
            .function("k::run", line("fn run("), 1, (100_000, 10_000))
            .function("k::dear", line("fn dear("), 10, (30_000, 30_000))
            .line(line("total += first("), 1000)
            .line(line("total ^= second("), 1000)
            .line(line("total *= third("), 1000),
        |recorded, name| {
            let declared = line(&format!("fn {name}("));
            recorded.function(&format!("k::{name}"), declared, 1000, (30_000, 30_000))
        },
    )
}

fn after(body: &str) -> BenchmarkPrediction {
    let before = library(SOURCE);
    let changed = before.replaced(BODY, body);
    let recorded = vec![profile(&before)];
    let mut score = scored(CostModel::Lito, &before, recorded, (&before, &changed));
    score.benchmarks.remove(0)
}

#[test]
fn a_part_that_was_written_anew_is_not_believed_to_cost_many_times_as_much() {
    let replaced = after("        total += dear(*x + 1) ^ dear(*x) ^ dear(*x + 2);\n").predicted;
    // Read, 9,000 a round instead of 90: of a hundred times as much a small part is left.
    assert!((0.2..2.0).contains(&replaced), "{replaced}");
    // Added to what is there, the same is taken as it is read.
    let added = after(&format!(
        "{BODY}        total += dear(*x + 1) ^ dear(*x) ^ dear(*x + 2);\n"
    ));
    assert!((8.9..9.2).contains(&added.predicted), "{added:?}");
}

#[test]
fn a_part_that_became_as_dear_again_is_believed() {
    let replaced =
        after("        total += first(*x) ^ first(*x);\n        total ^= first(*x + 1) ^ first(*x + 2) ^ first(*x);\n");
    // Two calls of 30 went net, four came.
    assert!((0.05..0.07).contains(&replaced.predicted), "{replaced:?}");
}

#[test]
fn what_went_is_saved_in_full() {
    let replaced = after("");
    assert!((-0.11..-0.09).contains(&replaced.predicted), "{replaced:?}");
}
