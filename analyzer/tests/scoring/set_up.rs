//! Functions that a benchmark executes only while it sets up: the profile has them without calls and costs.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 1_000_000;

const LIBRARY: &str = "def make(size):
    return list(range(size))

def work(table):
    return sum(table)

def unused():
    return 1
";

/// Whether a change is run if `make` is in the profile as a function of the set-up.
fn is_selected(from: &str, to: &str) -> bool {
    assert!(LIBRARY.contains(from));
    let of = |library: &str| ScoringTestFiles::default().with("lib.py", library);
    let recorded = ScoringTestProfile::new("bench", TOTAL)
        .function("lib.make", 1, 0, (0, 0))
        .in_file("lib.py")
        .function("lib.work", 4, 10, (TOTAL, TOTAL))
        .in_file("lib.py");
    let (before, after) = (of(LIBRARY), of(&LIBRARY.replace(from, to)));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks[0].selected
}

#[test]
fn what_set_up_leaves_behind_may_decide_about_everything() {
    for (from, to) in [
        ("range(size)", "range(2 * size)"),
        ("range(size)", "range(size + 1)"),
        ("return list", "return sorted"),
    ] {
        assert!(is_selected(from, to), "{from} → {to}");
    }
}

#[test]
fn what_neither_set_up_nor_the_subject_executes_is_no_risk() {
    assert!(!is_selected("return 1", "return 2"));
    assert!(!is_selected("def make(size):", "# Makes a table.\ndef make(size):"));
}
