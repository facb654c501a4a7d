//! A function of C++ with another signature: at risk where code asks whether calls of it can be compiled, or where it is one of
//! several functions of a name, since something else may be called.

use analyzer::score::CostModel;

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};

const TOTAL: u64 = 1_000_000;

const ASKING: &str = "#include \"point.h\"
template <class T, class = void> struct writes : std::false_type {};
template <class T> struct writes<T, std::void_t<decltype(std::declval<const T &>().write_to(text()))>> : std::true_type {};
template <class T> void write(Text &to, const T &of) {
    if constexpr (writes<T>::value) of.write_to(to);
    else to.add(name_of(of));
}
";

const POINT: &str = "struct Point {
    void write_to(Text &to) const { to.add(x); }
    int x;
};
";

/// Whether a program is run in which a point is written, as its header changes.
fn is_run(write: &str, from: &str, to: &str) -> bool {
    let before = ScoringTestFiles::default()
        .with("point.h", POINT)
        .with("write.h", write)
        .with(
            "bench.cpp",
            "#include \"write.h\"\nlong subject() { write(out, Point()); return 1; }\n",
        );
    assert!(POINT.contains(from), "{from}");
    let after = before.clone().with("point.h", &POINT.replace(from, to));
    let recorded = ScoringTestProfile::new("subject", TOTAL)
        .function("subject", 2, 1, (TOTAL, 1_000))
        .in_file("bench.cpp")
        .function("write", 4, 1_000, (TOTAL - 1_000, TOTAL - 2_000))
        .in_file("write.h")
        .function("Point::write_to", 2, 1_000, (1_000, 1_000))
        .in_file("point.h");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

#[test]
fn a_signature_that_code_asks_about_is_run() {
    assert!(is_run(ASKING, "write_to(Text &to) const {", "write_to(Text &to) {"));
    assert!(is_run(ASKING, "void write_to(Text &to)", "bool write_to(Text &to)"));
}

#[test]
fn another_body_and_what_nobody_asks_about_are_not() {
    assert!(!is_run(ASKING, "to.add(x);", "to.add(-x);"));
    let plain = ASKING.replace(
        "decltype(std::declval<const T &>().write_to(text()))",
        "typename T::writes",
    );
    assert!(!is_run(&plain, "write_to(Text &to) const {", "write_to(Text &to) {"));
}

const OVERLOADS: &str = "template <class T, enable_if<is_small<T>> = 0> void show(Text &to, T of) { to.number(of); }
void show(Text &to, const char *of) { to.text(of); }
void hide(Text &to, const char *of) { to.text(of); }
";

/// Whether a program is run that shows numbers, as a header of functions changes of which it executes one.
fn is_chosen_otherwise(from: &str, to: &str) -> bool {
    let before = ScoringTestFiles::default().with("show.h", OVERLOADS).with(
        "bench.cpp",
        "#include \"show.h\"\nlong subject() { show(out, 3); hide(out, 0); return 1; }\n",
    );
    assert!(OVERLOADS.contains(from), "{from}");
    let after = before.clone().with("show.h", &OVERLOADS.replacen(from, to, 1));
    let recorded = ScoringTestProfile::new("subject", TOTAL)
        .function("subject", 2, 1, (TOTAL, TOTAL - 2_000))
        .in_file("bench.cpp")
        .function("show", 1, 1_000, (1_000, 1_000))
        .in_file("show.h")
        .function("hide", 3, 1_000, (1_000, 1_000))
        .in_file("show.h");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

#[test]
fn one_of_several_functions_of_a_name_with_other_types_or_conditions_is_run() {
    assert!(is_chosen_otherwise("is_small<T>", "is_tiny<T>"));
    assert!(is_chosen_otherwise("const char *of", "string_view of"));
}

#[test]
fn the_only_function_of_its_name_and_another_name_of_a_parameter_are_not() {
    assert!(!is_chosen_otherwise(
        "hide(Text &to, const char *of) { to.text(of); }",
        "hide(Text &to, string_view of) { to.text(of); }"
    ));
    assert!(!is_chosen_otherwise(
        "const char *of) { to.text(of)",
        "const char *text) { to.text(text)"
    ));
}
