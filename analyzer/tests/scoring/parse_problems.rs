//! Syntax errors that a file had before the change: they hide nothing where everything that executes was read.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 1_000_000;
const FILE: &str = "sum.c";

const SUM: &str = "int step = = 3;
static long sum(long count) {
    return count * step;
}
long idle(long count) {
    return count + 1;
}
";

fn of(text: &str) -> ScoringTestFiles {
    ScoringTestFiles::default().with(FILE, text)
}

/// Whether a version is run whose sample executed the functions that are declared at these lines.
fn is_run(sampled: &str, lines: &[u32], before: &str, after: &str) -> bool {
    let subject = ScoringTestProfile::new("subject", TOTAL)
        .function("k::subject", 1, 1, (TOTAL, 1_000))
        .in_file("bench.c");
    let recorded = lines.iter().fold(subject, |profile, &line| {
        let name = format!("k::at_{line}");
        profile
            .function(&name, line, 1_000, (TOTAL / 4, TOTAL / 4))
            .in_file(FILE)
    });
    let score = scored(CostModel::Lito, &of(sampled), vec![recorded], (&of(before), &of(after)));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

fn is_change_run(from: &str, to: &str) -> bool {
    assert!(SUM.contains(from));
    is_run(SUM, &[2], SUM, &SUM.replace(from, to))
}

#[test]
fn an_error_that_no_change_touches_costs_no_run() {
    assert!(!is_change_run("count + 1", "count + 2"));
    assert!(!is_change_run("long idle", "/* Never called. */\nlong idle"));
}

#[test]
fn a_change_of_the_part_that_cannot_be_read_is_run() {
    assert!(is_change_run("= = 3", "= = 4"));
    assert!(is_change_run("= = 3", "= 3"));
    assert!(is_change_run("count + 1", "count + + + ;"));
}

#[test]
fn a_change_of_an_executed_function_is_run_beside_an_error() {
    assert!(is_change_run("count * step", "slow(count) * step"));
}

#[test]
fn a_change_of_a_function_that_holds_an_error_is_run() {
    let with_error = SUM.replace("return count + 1;", "int a = = 3;\n    return count + 1;");
    let changed = with_error.replace("count + 1", "count + 2");
    assert!(is_run(&with_error, &[2], &with_error, &changed));
}

#[test]
fn an_error_is_a_risk_where_an_executed_function_was_not_read() {
    let changed = SUM.replace("count + 1", "count + 2");
    assert!(is_run(SUM, &[1, 2], SUM, &changed));
}

#[test]
fn a_function_that_the_compiler_writes_is_read_with_its_type() {
    let with_type = format!("{SUM}struct pair {{ int one, other; }};\n");
    let changed = with_type.replace("count + 1", "count + 2");
    assert!(!is_run(&with_type, &[2, 8], &with_type, &changed));
    assert!(
        is_run(&with_type, &[2, 9], &with_type, &changed),
        "nothing stands there"
    );
}

#[test]
fn an_error_that_the_sampled_version_did_not_have_is_a_risk() {
    let changed = SUM.replace("count + 1", "count + 2");
    assert!(is_run(&SUM.replace("= = 3", "= 3"), &[2], SUM, &changed));
}
