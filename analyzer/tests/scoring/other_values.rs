//! A value that a small function, a constructor or a compiler makes, and the code that works with it.

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, scored};
use analyzer::score::CostModel;

const TOTAL: u64 = 1_000_000;

/// A program whose `fill` does everything, and works with what small code gives.
fn program(small: &str, used: &str) -> ScoringTestFiles {
    ScoringTestFiles::default()
        .with("small.hpp", small)
        .with(
            "fill.cpp",
            &format!("#include \"small.hpp\"\nlong fill(int n) {{\n    long sum = 0;\n    for (int i = 0; i < ({used}); i++) {{\n        sum += i;\n    }}\n    return sum;\n}}\nlong other(int n) {{\n    return n;\n}}\n"),
        )
        .with("bench.cpp", "#include \"small.hpp\"\nint main(void) {\n    return fill(9) + other(9);\n}\n")
}

/// Which of two benchmarks are run: the one of `fill`, and the one of `other`.
fn are_run(small: &str, used: &str, (from, to): (&str, &str)) -> [bool; 2] {
    let before = program(small, used);
    assert!(
        before.content("small.hpp").contains(from),
        "{small} does not hold {from}"
    );
    let after = before.replaced(from, to);
    let line = |text: &str| {
        let mut lines = before.content("fill.cpp").lines().zip(1..);
        lines
            .find(|(line, _)| line.contains(text))
            .expect("the text is there")
            .1
    };
    let benchmark = |name: &str, text: &str| {
        ScoringTestProfile::new(name, TOTAL)
            .function("k::main", 2, 1, (TOTAL, 1))
            .in_file("bench.cpp")
            .function(&format!("k::{name}"), line(text), 1_000, (TOTAL - 1, TOTAL - 1))
            .in_file("fill.cpp")
            .line_beside(line(text), 1_000)
    };
    let recorded = vec![benchmark("fill", "long fill"), benchmark("other", "long other")];
    let score = scored(CostModel::Lito, &before, recorded, (&before, &after));
    ["fill", "other"].map(|name| score.benchmarks.iter().any(|one| one.name == name && one.selected))
}

#[test]
fn what_a_small_function_returns_is_followed_to_the_code_that_works_with_it() {
    for (small, used, change) in [
        (
            "static inline int half(int n) {\n    return n / 2;\n}\n",
            "half(n)",
            ("n / 2", "n * 2"),
        ),
        (
            "static inline char *half(int n) {\n    return text + n / 2;\n}\n",
            "*half(n)",
            ("n / 2", "n * 2"),
        ),
        (
            "static inline bool is_few(int n) {\n    return n < 9;\n}\n",
            "is_few(n) ? 1 : n",
            ("n < 9", "n > 9"),
        ),
        (
            "struct Row {\n    int size() const {\n        return 4 * count;\n    }\n    int count;\n};\n",
            "Row().size()",
            ("4 * count", "8 * count"),
        ),
        (
            "struct Row {\n    int size() const {\n        return 4 * count;\n    }\n    int count;\n};\n",
            "all<Row>->size()",
            ("4 * count", "8 * count"),
        ),
        (
            "struct Row {\n    bool operator<(int n) const {\n        return n > 4;\n    }\n};\n",
            "Row() < n",
            ("n > 4", "n < 4"),
        ),
        (
            "struct Row {\n    operator int() const {\n        return count / 4;\n    }\n    int count;\n};\n",
            "Row()",
            ("count / 4", "count * 4"),
        ),
    ] {
        assert_eq!(are_run(small, used, change), [true, false], "{small}");
    }
}

#[test]
fn a_function_that_returns_nothing_hands_nothing_on() {
    let small = "static inline void half(int *n) {\n    *n = *n / 2;\n}\n";
    assert_eq!(are_run(small, "half(&n), n", ("/ 2", "* 2")), [false, false]);
}

#[test]
fn a_field_that_a_constructor_gives_another_value_is_followed_to_its_readers() {
    let row = "struct Row {\n    explicit Row(int n) : count(n * 4) {}\n    int size() const {\n        return count;\n    }\n    int count;\n};\n";
    for used in ["Row(n).size()", "Row(n).count", "made<Row>(n)->count"] {
        assert_eq!(are_run(row, used, ("n * 4", "n * 8")), [true, false], "{used}");
    }
}

#[test]
fn what_compilers_compute_is_followed_to_the_code_that_has_its_value() {
    let looping = "constexpr int sum_of(int n) {\n    int sum = 0;\n    for (int i = 0; i < n; i++) {\n        sum += 2;\n    }\n    return sum;\n}\nconstexpr int SUM = sum_of(9);\n";
    let made = "struct Ratio {\n    constexpr Ratio(int a) : part(made(a * 2)) {}\n    int part;\n};\nconstexpr Ratio HALF(9);\n";
    let literal = "constexpr int operator\"\"_kb(unsigned long long n) {\n    return int(n) * 4;\n}\n";
    assert_eq!(are_run(looping, "SUM", ("sum += 2", "sum += 5")), [true, false]);
    assert_eq!(are_run(made, "HALF.part", ("a * 2", "a * 5")), [true, false]);
    assert_eq!(are_run(literal, "4_kb", ("n) * 4", "n) * 9")), [true, true]);
    // At run time it would have left a trace.
    assert_eq!(
        are_run(&looping.replace("constexpr", "static"), "SUM", ("sum += 2", "sum += 5")),
        [false, false]
    );
}

#[test]
fn an_object_that_runs_code_when_the_program_starts_is_run_wherever_it_stands() {
    let registers = "struct Row {\n    explicit Row(int (*step)(int));\n};\nint widen(int n);\n";
    for (from, to) in [
        (
            "int widen(int n);\n",
            "int widen(int n);\nstatic const Row again{widen};\n",
        ),
        (
            "int widen(int n);\n",
            "int widen(int n);\nstatic const bool done = (add(widen), true);\n",
        ),
    ] {
        assert_eq!(are_run(registers, "n", (from, to)), [true, true], "{to}");
    }
    let silent = "int widen(int n);\nstatic const int again = 3;\n";
    assert_eq!(are_run(registers, "n", ("int widen(int n);\n", silent)), [false, false]);
}

/// A table that is filled by a hash and a plan, which cost little themselves.
const TABLE: &str = "\
pub fn fill(xs: &[u64]) -> u64 {
    let plan = quick();
    let mut sum = 0;
    for x in xs.iter().take(plan) {
        sum += place(*x);
    }
    sum
}
fn place(x: u64) -> u64 {
    (hash(x)..9).sum()
}
fn hash(x: u64) -> u64 {
    x.wrapping_mul(31) ^ 7
}
fn quick() -> usize {
    9
}
fn thorough() -> usize {
    900
}
";

fn is_table_run(from: &str, to: &str) -> bool {
    is_table_run_from(("", ""), (from, to))
}

/// The same where the table is another one before the change.
fn is_table_run_from((was, is): (&str, &str), (from, to): (&str, &str)) -> bool {
    let source = TABLE.replacen(was, is, 1);
    let before = library(&source);
    let after = before.replaced(from, to);
    assert!(source.contains(from));
    let line = |text: &str| before.line_of(text);
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::fill", line("fn fill("), 1, (TOTAL, 9_000))
        .function("k::place", line("fn place("), 1_000, (991_000, 981_000))
        .function("k::hash", line("fn hash("), 1_000, (10_000, 10_000))
        .line(line("sum += place("), 1_000)
        .line(line("let plan"), 1)
        .site("k::fill", line("sum += place("), "k::place", (1_000, 991_000))
        .site("k::place", line("(hash(x)"), "k::hash", (1_000, 10_000));
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &after));
    score.benchmarks.iter().any(|one| one.selected)
}

#[test]
fn a_short_function_hands_its_value_on_where_it_calls_no_more_than_a_library() {
    assert!(is_table_run("x.wrapping_mul(31) ^ 7", "x.wrapping_mul(31) & 7"));
    assert!(!is_table_run("x.wrapping_mul(31) ^ 7", "x.wrapping_mul(31) ^ 7 // odd"));
    // It works for others, as a callback does.
    let before = ("x.wrapping_mul(31) ^ 7", "mixed(x) ^ 7");
    assert!(!is_table_run_from(before, ("mixed(x) ^ 7", "mixed(x) & 7")));
}

#[test]
fn another_value_to_start_from_is_a_risk_of_the_code_that_works_with_it() {
    assert!(is_table_run("let plan = quick();", "let plan = thorough();"));
    // The same value under another name.
    assert!(!is_table_run("quick()", "hasty()"));
}

/// A pipeline of stages that are called without their names, a hasher, an iterator and a text that is split.
const DISPATCHED: &str = "\
pub trait Stage { fn apply(&self, xs: &mut Vec<u64>); }
pub struct Double;
pub struct Sort;
impl Stage for Double {
    fn apply(&self, xs: &mut Vec<u64>) { xs.push(2); }
}
impl Stage for Sort {
    fn apply(&self, xs: &mut Vec<u64>) { xs.sort(); }
}
pub fn usual() -> Vec<Box<dyn Stage>> {
    vec![Box::new(Sort)]
}
pub struct Countdown(u64);
impl Iterator for Countdown {
    type Item = u64;
    fn next(&mut self) -> Option<u64> { self.0.checked_sub(3) }
}
impl std::hash::Hasher for Countdown {
    fn finish(&self) -> u64 { self.0 }
    fn write_u32(&mut self, x: u32) { self.0 = x.into(); }
}
pub fn all(n: u64) -> Vec<u64> {
    Countdown(n).collect()
}
pub fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}
";

fn is_dispatch_run(from: &str, to: &str) -> bool {
    let before = library(DISPATCHED);
    let after = before.replaced(from, to);
    assert!(DISPATCHED.contains(from));
    let line = |text: &str| before.line_of(text);
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::run", 900, 1, (TOTAL, 10))
        .function("k::usual", line("fn usual("), 1, (100, 100))
        .line(line("Box::new(Sort)"), 1)
        .function("k::Sort::apply", line("{ xs.sort(); }"), 1, (400_000, 400_000))
        .function("k::all", line("fn all("), 1, (300_000, 300_000))
        .line(line("Countdown(n)"), 1)
        .function("k::Countdown::write_u32", line("fn write_u32"), 100, (1_000, 1_000))
        .site("k::all", line("Countdown(n)"), "k::Countdown::write_u32", (100, 1_000))
        .function("k::words", line("fn words("), 1, (250_000, 10))
        .line(line("text.split_whitespace"), 1)
        .function("alloc::vec::Vec::collect", 0, 1, (249_990, 249_990))
        .site(
            "k::words",
            line("text.split_whitespace"),
            "alloc::vec::Vec::collect",
            (1, 249_990),
        );
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &after));
    score.benchmarks.iter().any(|one| one.selected)
}

#[test]
fn one_more_object_may_do_as_much_as_another_of_its_trait() {
    assert!(is_dispatch_run(
        "vec![Box::new(Sort)]",
        "vec![Box::new(Sort), Box::new(Double)]"
    ));
    // Nothing calls its methods without its name.
    assert!(!is_dispatch_run(
        "vec![Box::new(Sort)]",
        "{ drop(Box::new(Countdown(3))); vec![Box::new(Sort)] }"
    ));
}

#[test]
fn a_method_that_libraries_call_is_a_risk_of_the_code_that_names_its_type() {
    let sized = "fn size_hint(&self) -> (usize, Option<usize>) { (0, None) }\n    fn next(&mut self)";
    assert!(is_dispatch_run("fn next(&mut self)", sized));
    // The library's own takes its place.
    assert!(is_dispatch_run(
        "    fn write_u32(&mut self, x: u32) { self.0 = x.into(); }\n",
        ""
    ));
}

#[test]
fn a_call_in_place_of_another_decides_about_the_chain_behind_it() {
    assert!(is_dispatch_run("text.split_whitespace()", "text.split(' ')"));
}
