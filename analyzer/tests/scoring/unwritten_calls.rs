//! C and C++: work that no written call shows (values that are copied, arrays that are filled), and calls of the C library that
//! pass over as much as they are given.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 1_000_000;

/// Whether a change of a function is run that a benchmark calls 500 times, at little cost.
fn is_run(file: &str, source: &str, (from, to): (&str, &str)) -> bool {
    assert!(source.contains(from));
    let of = |library: &str| ScoringTestFiles::default().with(file, library);
    let recorded = ScoringTestProfile::new("bench", TOTAL)
        .function("total", 1, 500, (4_000, 4_000))
        .in_file(file);
    let (before, after) = (of(source), of(&source.replace(from, to)));
    scored(CostModel::Lito, &before, vec![recorded], (&before, &after)).benchmarks[0].selected
}

#[test]
fn a_value_that_is_no_reference_any_more_is_copied() {
    let source = "long total(const std::vector<long> &all, const std::string &name) {
    const std::vector<long> &mine = all;
    const auto &first = mine[0];
    return first + name.size() + mine.size();
}
";
    for change in [
        ("const std::vector<long> &all", "std::vector<long> all"),
        ("const std::string &name", "const std::string name"),
        ("const std::vector<long> &mine", "std::vector<long> mine"),
        ("const auto &first", "auto first"),
    ] {
        assert!(is_run("lib.cpp", source, change), "{change:?}");
    }
}

#[test]
fn what_the_c_library_passes_over_may_be_long() {
    let source = "long total(const char *text, long count)
{
    long sum = count;
    return sum + text[0];
}
";
    for change in [
        ("long sum = count;", "long sum = strlen(text);"),
        (
            "long sum = count;",
            "char *mine = calloc(1, count);\n    long sum = mine[0];",
        ),
        (
            "long sum = count;",
            "char mine[4096] = { 0 };\n    long sum = mine[count];",
        ),
    ] {
        assert!(is_run("lib.c", source, change), "{change:?}");
    }
    assert!(!is_run("lib.c", source, ("long sum = count;", "long sum = count + 1;")));
}

#[test]
fn a_bound_that_goes_from_the_length_that_the_c_library_is_given_is_a_risk() {
    let source = "long total(char *row, long count)
{
    memset(row, 0, count < 16 ? count : 16);
    return row[0] + found(row, count < 16 ? count : 16);
}
";
    let bound = "count < 16 ? count : 16";
    let without = |call: &str| (format!("{call}{bound})"), format!("{call}count)"));
    for (call, expected) in [("memset(row, 0, ", true), ("found(row, ", false)] {
        let (from, to) = without(call);
        assert_eq!(is_run("lib.c", source, (&from, &to)), expected, "{call}");
    }
}
