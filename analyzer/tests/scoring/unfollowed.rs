//! Changes in C and C++ that are seen and not followed: what may depend on them is at risk, and nothing else is.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 1_000_000;

const SUM: &str = "#include \"sum.h\"
static const int base = 3;
long sum(const int *of, int count) {
    long total = 0;
#if FAST
    total = fast(of, count);
#else
    total = slow(of, count);
#endif
    return total * base;
}
";

const BENCH: &str = "#include \"sum.h\"
static long subject(const int *of) { return sum(of, 9); }
int main(void) { return subject(numbers(9)); }
";

/// A program whose `subject` calls `sum`, which does everything.
fn program() -> ScoringTestFiles {
    ScoringTestFiles::default()
        .with("sum.c", SUM)
        .with("bench.c", BENCH)
        .with("sum.h", "#define STEP 1\nlong sum(const int *of, int count);\n")
        .with(
            "other.c",
            "static const int size = 4;\nint other(void) { return size; }\n",
        )
}

/// Whether a change of a file of the program is run.
fn is_run(path: &str, from: &str, to: &str) -> bool {
    let before = program();
    let content = before.content(path);
    assert!(content.contains(from), "{path} does not hold {from}");
    let after = before.clone().with(path, &content.replace(from, to));
    let recorded = ScoringTestProfile::new("subject", TOTAL)
        .function("k::subject", 2, 1, (TOTAL, 1_000))
        .in_file("bench.c")
        .function("k::sum", 3, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
        .in_file("sum.c");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

#[test]
fn a_declaration_that_the_measured_code_may_see_is_run() {
    for (path, from, to) in [
        ("sum.h", "STEP 1", "STEP 2"),
        ("sum.h", "long sum(", "__attribute__((cold)) long sum("),
        ("sum.c", "base = 3", "base = 30"),
        ("sum.c", "#include \"sum.h\"", "#include \"sum.h\"\n#include \"more.h\""),
    ] {
        assert!(is_run(path, from, to), "{path}: {from} → {to}");
    }
}

#[test]
fn a_condition_or_an_attribute_of_an_executed_function_is_run() {
    assert!(is_run("sum.c", "#if FAST", "#if 1"));
    assert!(is_run(
        "sum.c",
        "long sum(",
        "__attribute__((optimize(\"O0\"))) long sum("
    ));
}

#[test]
fn what_prepares_the_data_beside_the_measured_code_is_run() {
    assert!(is_run("bench.c", "numbers(9)", "numbers(99)"));
}

#[test]
fn a_function_that_may_be_called_in_place_of_an_executed_one_is_run() {
    assert!(is_run(
        "other.c",
        "int other(void)",
        "long sum(long a) { return a; }\nint other(void)"
    ));
    assert!(!is_run(
        "other.c",
        "int other(void)",
        "long unknown(long a) { return a; }\nint other(void)"
    ));
}

#[test]
fn comments_types_of_functions_and_code_that_nothing_executes_are_skipped() {
    for (path, from, to) in [
        ("sum.h", "#define STEP", "/* Steps. */\n#define STEP"),
        ("sum.h", "long sum(", "int more(void);\nlong sum("),
        ("sum.c", "total", "value"),
        ("other.c", "return size", "return size + 1"),
        ("other.c", "size = 4", "size = 5"),
    ] {
        assert!(!is_run(path, from, to), "{path}: {from} → {to}");
    }
}
