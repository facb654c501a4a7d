//! Functions that an optimised program executes without an instruction of their own in the profile.

use analyzer::score::{CostModel, NearestSample, ScoreDecision, score};
use profile::inputs::{CompilationUnit, UnitKind};

use crate::support::{ScoringTestFiles, ScoringTestProfile, inputs_of, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

const LOOP: &str = "for (int i = 0; i < 99; i++) { step(i); }";

/// A program that counts letters. `count` is executed and shows nothing of `is_letter` and what it calls; the way to
/// `is_rare` is never taken.
fn project() -> ScoringTestFiles {
    ScoringTestFiles::default().with(
        "count.cpp",
        "struct Mark {\n    char first;\n    ~Mark() {\n        first = 0;\n    }\n    bool operator==(char other) {\n        \
         return first == other;\n    }\n};\n\
         static int space(void) {\n    return ' ';\n}\n\
         static int is_letter(char letter) {\n    return letter != space();\n}\n\
         static int is_rare(char letter) {\n    return letter > 126;\n}\n\
         static int waits(char letter) {\n    while (letter > 126) {\n        letter--;\n    }\n    return letter;\n}\n\
         long count(const char *text) {\n    long letters = 0;\n    Mark mark;\n    for (; *text; text++) {\n        \
         letters += is_letter(*text);\n        if (letters > 1000000) {\n            letters -= is_rare(*text);\n            \
         letters -= 2;\n        }\n    }\n    return letters + waits(*text);\n}\n",
    )
}

/// Whether a change of the program is run, where a build of this kind left a record.
fn is_run(kind: UnitKind, old: &str, new: &str) -> bool {
    let before = project();
    let after = before.replaced(old, new);
    let line_of = |text: &str| {
        let lines = before.content("count.cpp").lines().zip(1..);
        let mut found = lines.filter(|(line, _)| line.contains(text)).map(|(_, number)| number);
        found.next().expect("the program has the text")
    };
    let line = line_of("letters += is_letter");
    let mut profile = ScoringTestProfile::new("count", TOTAL)
        .function("main", 1, 1, (TOTAL, 1))
        .in_file("bench.c")
        .function("count", line_of("long count"), 10, (TOTAL - 1, TOTAL - 1))
        .in_file("count.cpp");
    for (line, executions) in [(line - 3, 10), (line - 1, 100_010), (line, 100_000), (line + 6, 10)] {
        profile = profile.line_beside(line, executions);
    }
    let mut unit = CompilationUnit::new("", "count", kind);
    unit.files = ["count.cpp".to_owned()].into();
    let sample = sample(&before, vec![profile]).with_inputs(inputs_of("count", unit));
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    let scored = with_version((&before, &after), |version| {
        score(version, Some(nearest), &options(CostModel::Lito))
    });
    scored.decision == ScoreDecision::Benchmark
}

#[test]
fn a_loop_in_a_function_that_was_folded_into_an_executed_one_is_run() {
    let planted = format!("{LOOP}\n    return letter != space();");
    assert!(is_run(UnitKind::Command, "return letter != space();", &planted));
}

#[test]
fn a_loop_in_a_function_that_was_folded_into_a_folded_one_is_run() {
    let planted = format!("{LOOP}\n    return ' ';");
    assert!(is_run(UnitKind::Command, "return ' ';", &planted));
}

#[test]
fn a_function_whose_calls_were_not_reached_is_not_run() {
    let planted = format!("{LOOP}\n    return letter > 126;");
    assert!(!is_run(UnitKind::Command, "return letter > 126;", &planted));
}

#[test]
fn a_function_that_would_have_left_a_trace_is_not_run() {
    let planted = format!("{LOOP}\n    return letter;");
    assert!(!is_run(UnitKind::Command, "return letter;", &planted));
}

#[test]
fn a_function_that_an_unoptimised_build_would_show_is_not_run() {
    let planted = format!("{LOOP}\n    return letter != space();");
    assert!(!is_run(UnitKind::Program, "return letter != space();", &planted));
}

#[test]
fn a_long_loop_in_a_folded_method_that_is_called_without_its_name_is_run() {
    for (old, new) in [
        (
            "first = 0;",
            "for (int i = 0; i < 9999; i++) { step(i); }\n        first = 0;",
        ),
        (
            "return first == other;",
            "for (int i = 0; i < 9999; i++) { step(i); }\n        return first == other;",
        ),
    ] {
        assert!(is_run(UnitKind::Command, old, new), "{old}");
        assert!(!is_run(UnitKind::Program, old, new), "{old}");
    }
}
