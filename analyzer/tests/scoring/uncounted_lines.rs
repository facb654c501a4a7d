//! Functions of which a profile has no counts of lines, as of an interpreter: how often a loop runs is not known.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 50_000_000;

const LIBRARY: &str = "def total(values):
    out = []
    i = 0
    while i < len(values):
        out.append(values[i])
        i += 1
    return out
";

/// The upper bound of a change of a function with a share of the cost, in per cent, and whether it is run.
fn bound(share: u64, from: &str, to: &str) -> (f64, bool) {
    assert!(LIBRARY.contains(from));
    let of = |library: &str| {
        ScoringTestFiles::default()
            .with("lib.py", library)
            .with("bench.py", "import lib\nlib.total(range(9))\n")
    };
    let cost = TOTAL / 100 * share;
    let recorded = ScoringTestProfile::new("bench", TOTAL)
        .function("bench.<module>", 1, 1, (TOTAL, TOTAL - cost))
        .in_file("bench.py")
        .function("lib.total", 1, 10, (cost, cost))
        .in_file("lib.py");
    let (before, after) = (of(LIBRARY), of(&LIBRARY.replace(from, to)));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    let prediction = &score.benchmarks[0];
    (prediction.high, prediction.selected)
}

#[test]
fn what_stands_in_a_loop_of_unknown_rounds_may_cost_as_much_as_the_function() {
    for (from, to) in [
        ("len(values)", "len(list(values))"),
        ("out.append(values[i])", "out.extend([values[i]] * 5)"),
        ("return out", "return sorted(out)"),
    ] {
        let (high, is_selected) = bound(20, from, to);
        assert!(high >= 0.05 && is_selected, "{from} → {to}: {high}");
    }
}

#[test]
fn a_function_that_costs_little_is_no_risk_whatever_its_loops_do() {
    let (high, is_selected) = bound(1, "len(values)", "len(list(values))");
    assert!(high < 0.02 && !is_selected, "{high}");
}
