//! Changes in C and C++ that are seen and not followed: what may depend on them is at risk, and nothing else is.

use analyzer::score::{CostModel, DecisionCause, DecisionReason};

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored, scored_beside};

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
pub(super) fn program() -> ScoringTestFiles {
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
    is_run_between(&before, &after)
}

#[test]
fn a_declaration_that_the_measured_code_may_see_is_run() {
    for (path, from, to) in [
        ("sum.h", "long sum(", "__attribute__((cold)) long sum("),
        ("sum.c", "base = 3", "base = 30"),
        ("sum.c", "#include \"sum.h\"", "#include \"sum.h\"\n#include \"more.h\""),
    ] {
        assert!(is_run(path, from, to), "{path}: {from} → {to}");
    }
}

#[test]
fn a_macro_that_no_code_asks_for_is_run_only_where_a_header_of_others_may_ask() {
    assert!(!is_run("sum.h", "STEP 1", "STEP 2"));
    let beside = |include: &str| is_declaration_run(&format!("#define MODE 0\n{include}\n"), "", "MODE 0", "MODE 1");
    for known in [
        "#include <vector>",
        "#include <sys/types.h>",
        "#include <immintrin.h>",
        "#include \"sum.h\"",
        "#define SETTINGS \"sum.h\"\n#include SETTINGS",
    ] {
        assert!(!beside(known), "{known}");
    }
    for others in [
        "#include <zlib.h>",
        "#include \"config.h\"",
        "#include \"m.h\"",
        "#include SETTINGS",
    ] {
        assert!(beside(others), "{others}");
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
fn a_function_that_takes_the_name_of_an_executed_one_is_run() {
    assert!(is_run("other.c", "int other(void)", "int sum(void)"));
    assert!(!is_run("other.c", "int other(void)", "int another(void)"));
}

/// Whether a program is run that changes so.
pub(super) fn is_run_between(before: &ScoringTestFiles, after: &ScoringTestFiles) -> bool {
    let recorded = ScoringTestProfile::new("subject", TOTAL)
        .function("k::subject", 2, 1, (TOTAL, 1_000))
        .in_file("bench.c")
        .function("k::sum", 3, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
        .in_file("sum.c");
    let score = scored(CostModel::Lito, before, vec![recorded], (before, after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
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

#[test]
fn a_macro_or_variable_that_nothing_executed_writes_is_not_run() {
    for (of_header, of_source, from, to) in [
        (
            "#define VERSION 3\n",
            "int version(void) { return VERSION; }\n",
            "VERSION 3",
            "VERSION 4",
        ),
        (
            "#define MAJOR 3\n#define VERSION MAJOR\n",
            "int version(void) { return VERSION; }\n",
            "MAJOR 3",
            "MAJOR 4",
        ),
        (
            "static const int size = 3;\n",
            "int idle(void) { return size; }\n",
            "size = 3",
            "size = 4",
        ),
        (
            "#define SIZE 3\n/* SIZE says how many. */\n",
            "int idle(void) { return SIZE; }\n",
            "SIZE 3",
            "SIZE 4",
        ),
        (
            "#define VERSION 3\n",
            "#if VERSION != 3\n#error other header\n#endif\nint version(void) { return VERSION; }\n",
            "VERSION 3",
            "VERSION 4",
        ),
        // A name that nobody writes yet.
        (
            "\n",
            "#define LATE 1\nint idle(void) { return LATE; }\n",
            "#define LATE 1",
            "#define LATE 1\n#define OTHER 1",
        ),
        // On the declaration of a function that nothing executes.
        (
            "#define API\nAPI int idle(void);\n",
            "int idle(void) { return 1; }\n",
            "#define API",
            "#define API __attribute__((cold))",
        ),
    ] {
        assert!(
            !is_declaration_run(of_header, of_source, from, to),
            "{of_header}{of_source}"
        );
    }
}

#[test]
fn a_macro_or_variable_that_executed_code_may_meet_is_run() {
    for (of_header, of_source, from, to) in [
        // Written in the executed function, directly and through others.
        ("#define STEP 3\n", "", "STEP 3", "STEP 4"),
        ("#define HALF 3\n#define STEP (2 * HALF)\n", "", "HALF 3", "HALF 4"),
        (
            "#define HALF 3\nint half(void) { return HALF; }\n#define STEP half()\n",
            "",
            "HALF 3",
            "HALF 4",
        ),
        (
            "static const int one = 3;\nstatic const int STEP = one + 1;\n",
            "",
            "one = 3",
            "one = 4",
        ),
        // In a condition of the preprocessor.
        (
            "#define FAST 0\n",
            "#if FAST\nint other(void);\n#endif\nint idle(void) { return FAST; }\n",
            "FAST 0",
            "FAST 1",
        ),
        // Put together from two words.
        (
            "#define STEP_A 3\n#define JOIN(a, b) a##b\n#define STEP JOIN(STEP, _A)\n",
            "int idle(void) { return STEP_A; }\n",
            "STEP_A 3",
            "STEP_A 4",
        ),
        // In the layout of a type.
        (
            "#define SIZE 3\nstruct pair { int of[SIZE]; };\n",
            "int idle(void) { return SIZE; }\n",
            "SIZE 3",
            "SIZE 4",
        ),
        // For the headers of others: nothing in the project asks for it.
        (
            "#define HEADER_ONLY 0\n#include <others.h>\n",
            "",
            "HEADER_ONLY 0",
            "HEADER_ONLY 1",
        ),
        (
            "#define NDEBUG 0\n",
            "int idle(void) { return NDEBUG; }\n",
            "NDEBUG 0",
            "NDEBUG 1",
        ),
        // A value that is computed when the program starts, or that the linker finds.
        (
            "static Entry entry = make(3);\n",
            "Entry idle(void) { return entry; }\n",
            "make(3)",
            "make(4)",
        ),
        (
            "__attribute__((section(\"list\"))) static int entry = 3;\n",
            "int idle(void) { return entry; }\n",
            "entry = 3",
            "entry = 4",
        ),
        (
            "static int one = 3, STEP = 4;\n",
            "int idle(void) { return one; }\n",
            "STEP = 4",
            "STEP = 5",
        ),
        // New, where another file defines it unless it is there.
        ("\n", "#ifndef LATE\n#define LATE 1\n#endif\n", "\n", "#define LATE 1\n"),
        // New, for what was written before, for the headers of others, and for those of the system.
        ("\n", "", "\n", "#define STEP 4\n"),
        (
            "#include <others.h>\n",
            "",
            "#include <others.h>\n",
            "#define HEADER_ONLY 1\n#include <others.h>\n",
        ),
        (
            "#include <Others/All>\n",
            "",
            "#include <Others/All>\n",
            "#define HEADER_ONLY 1\n#include <Others/All>\n",
        ),
        (
            "#include <stdlib.h>\n",
            "",
            "#include <stdlib.h>\n",
            "#define _GNU_SOURCE 1\n#include <stdlib.h>\n",
        ),
        // A header of the system defines what a condition may ask for, and one of others anything.
        ("\n", "", "\n", "#include <stdlib.h>\n"),
        ("\n", "", "\n", "#include <others.h>\n"),
        // On the declaration of an executed function.
        (
            "#define API\nAPI long sum(long count);\n",
            "",
            "#define API",
            "#define API __attribute__((cold))",
        ),
    ] {
        assert!(
            is_declaration_run(of_header, of_source, from, to),
            "{of_header}{of_source}"
        );
    }
}

#[test]
fn a_type_is_run_unless_its_layout_alone_changed() {
    let header = "typedef struct pair {\n    int a, b;\n    int c;\n    int d;\n    int e;\n    int f;\n    int g;\n    int h;\n    \
                  int i;\n    int j;\n    long k, l, m, n;\n    long second;\n} pair;\nenum kind { ONE, TWO };\n\
                  struct list {\n    void add(int of);\n    int length;\n};\n";
    for (from, to) in [
        ("long second;", "long second; unsigned third;"),
        ("long second;", "long second; struct pair *next;"),
        ("TWO };", "TWO, THREE };"),
        // Nobody asks for them.
        ("ONE, TWO", "TWO, ONE"),
        ("void add(int of);", "void add(int of);\n    void drop(int of);"),
    ] {
        assert!(!is_declaration_run(header, "", from, to), "{from} → {to}");
    }
    for (from, to) in [
        ("long second;", "int between; long second;"),
        ("long second;", "char second;"),
        ("long second;", "long second; char text[9000];"),
        ("long second;", ""),
        ("struct list {", "struct list : base {"),
        ("void add(int of);", "virtual void add(int of);"),
        ("void add(int of);", "void add(int of);\n    virtual void drop();"),
    ] {
        let is_run = is_declaration_run(header, "", from, to);
        assert_eq!(is_run, !to.is_empty(), "{from} → {to}");
    }
}

#[test]
fn what_is_compiled_for_another_system_is_not_run() {
    let of =
        |condition: &str| format!("#{condition}\n#define HALF 3\n#else\n#define HALF 4\n#endif\n#define STEP HALF\n");
    for (condition, first, second) in [
        ("ifdef __OS2__", false, true),
        ("ifndef __OS2__", true, false),
        ("if defined(__OS2__) && STEP > 3", false, true),
        ("if defined(__OS2__) || FAST", true, true),
        ("ifdef FAST", true, true),
    ] {
        let header = of(condition);
        assert_eq!(
            is_declaration_run(&header, "", "HALF 3", "HALF 5"),
            first,
            "{condition}: first"
        );
        assert_eq!(
            is_declaration_run(&header, "", "HALF 4", "HALF 5"),
            second,
            "{condition}: second"
        );
    }
}

/// Whether a change of a header, or of what stands beside an executed function that writes `STEP`, is run.
fn is_declaration_run(of_header: &str, of_source: &str, from: &str, to: &str) -> bool {
    let executed = "#include \"sum.h\"\nlong sum(long count) {\n    return count * STEP;\n}\n";
    let of = |header: &str, source: &str| {
        ScoringTestFiles::default()
            .with("sum.h", header)
            .with("sum.c", &format!("{executed}{source}"))
            .with("bench.c", BENCH)
    };
    assert!(of_header.contains(from) || of_source.contains(from));
    let before = of(of_header, of_source);
    let after = of(&of_header.replace(from, to), &of_source.replace(from, to));
    let recorded = ScoringTestProfile::new("subject", TOTAL)
        .function("k::subject", 2, 1, (TOTAL, 1_000))
        .in_file("bench.c")
        .function("k::sum", 2, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
        .in_file("sum.c");
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
    score.benchmarks.iter().any(|benchmark| benchmark.selected)
}

#[test]
fn a_reason_names_what_is_not_followed_where_most_of_the_risk_comes_from_it() {
    let before = program();
    let recorded = ScoringTestProfile::new("subject", TOTAL)
        .function("k::subject", 2, 1, (TOTAL, 1_000))
        .in_file("bench.c")
        .function("k::sum", 3, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
        .in_file("sum.c");
    let cause = |reason: &DecisionReason| match reason {
        DecisionReason::Selected {
            cause: Some(DecisionCause::NotAnalysed { file }),
            ..
        } => Some(file.clone()),
        _ => None,
    };
    let with_header = before
        .clone()
        .with("sum.h", "#pragma pack(1)\nlong sum(const int *of, int count);\n");
    let with_both = with_header.with("sum.c", &SUM.replace("total * base", "total * base + 1"));
    let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &with_both));
    assert_eq!(cause(&score.reason), Some("sum.h".to_owned()));
}

#[test]
fn a_macro_of_a_header_that_a_harness_outside_may_write_is_run() {
    let of = |version: &str| {
        ScoringTestFiles::default()
            .with("sum.h", &format!("#define VERSION {version}\n"))
            .with("sum.c", "#include \"sum.h\"\nlong sum(long count) {\n    return count;\n}\nint version(void) { return VERSION; }\n")
    };
    let is_run = |file: &str, known: Option<&[&str]>| {
        let subject = ScoringTestProfile::new("subject", TOTAL).function("k::subject", 2, 1, (TOTAL, 1_000));
        let subject = match file {
            "bench.c" => subject.in_file(file),
            _ => subject.outside(file),
        };
        let recorded = subject
            .function("k::sum", 2, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
            .in_file("sum.c");
        let (before, after) = (of("3"), of("4"));
        let score = match known {
            Some(texts) => scored_beside(texts, &before, vec![recorded], (&before, &after)),
            None => scored(CostModel::Lito, &before, vec![recorded], (&before, &after)),
        };
        score.benchmarks.iter().any(|benchmark| benchmark.selected)
    };
    assert!(!is_run("bench.c", None));
    assert!(is_run("harness/1f/bench.c", None), "what it writes is not known");
    assert!(is_run("harness/1f/bench.c", Some(&["int rounds = VERSION;"])));
    assert!(!is_run("harness/1f/bench.c", Some(&["int rounds = 3;"])));
    let pasted = "#define OF(x) VER##x\nint rounds = OF(SION);";
    assert!(is_run("harness/1f/bench.c", Some(&[pasted])), "a name of two words");
    assert!(
        is_run("/opt/other/bench.c", Some(&["int rounds = 3;"])),
        "it is not of the harness"
    );
    assert!(!is_run("/usr/include/c++/12/vector.h", None));
}

#[test]
fn a_comment_that_names_a_source_does_not_put_it_into_another() {
    let header = |first: &str| format!("{first}\n#define STEP 1\nlong sum(const int *of, int count);\n");
    let is_run = |first: &str| {
        let before = program().with("sum.h", &header(first));
        let after = before
            .clone()
            .with("other.c", "#include \"more.h\"\nint other(void) { return 4; }\n");
        let recorded = ScoringTestProfile::new("subject", TOTAL)
            .function("k::subject", 2, 1, (TOTAL, 1_000))
            .in_file("bench.c")
            .function("k::sum", 3, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
            .in_file("sum.c")
            .function("k::inline", 1, 1, (1_000, 1_000))
            .in_file("sum.h");
        let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
        score.benchmarks.iter().any(|benchmark| benchmark.selected)
    };
    assert!(!is_run("/* cc sum.c other.c */"));
    assert!(is_run("#include \"other.c\""));
}

#[test]
fn text_that_is_read_around_inside_an_executed_function_is_run_where_it_changes() {
    let divided = "long sum(long count) {\n    long most = (\n#if FAST\n        3 +\n#else\n        SMALL\n#endif\n        count);\n    \
                   if LIKELY (count > most) { return 1; }\n    return most;\n}\n";
    let is_run = |before: &str, after: &str| {
        let of = |text: &str| ScoringTestFiles::default().with("sum.c", text);
        let recorded = ScoringTestProfile::new("subject", TOTAL)
            .function("k::sum", 1, 1_000, (TOTAL, TOTAL))
            .in_file("sum.c");
        let (before, after) = (of(before), of(after));
        let score = scored(CostModel::Lito, &before, vec![recorded], (&before, &after));
        score.benchmarks.iter().any(|benchmark| benchmark.selected)
    };
    for (from, to) in [("SMALL", "LARGE"), ("LIKELY", "RARELY"), ("LIKELY ", "")] {
        let other = divided.replace(from, to);
        assert!(is_run(divided, &other), "{from} → {to}");
        assert!(is_run(&other, divided), "{to} → {from}");
    }
}

/// Whether a change of an enumeration is run, where `sum` asks for `FAST_SUM` and code that is not executed for `IDLE_SUM`.
fn is_enumeration_run(before: &str, after: &str) -> bool {
    let with = |text: &str| {
        program()
            .with("sum.h", &format!("{text}\nlong sum(const int *of, int count);\n"))
            .with(
                "sum.c",
                &SUM.replace("FAST", "9 == FAST_SUM")
                    .replace("of, count);\n#else", "of, FAST_SUM);\n#else"),
            )
            .with("other.c", "#include \"sum.h\"\nint other(void) { return IDLE_SUM; }\n")
    };
    is_run_between(&with(before), &with(after))
}

#[test]
fn a_case_of_an_enumeration_is_run_where_executed_code_asks_for_it() {
    let before = "enum kind { FAST_SUM = 1, IDLE_SUM = 2 };";
    for after in [
        "enum kind { FAST_SUM = 1, IDLE_SUM = 3 };",
        "enum kind { FAST_SUM = 1, NEW_SUM = 8, IDLE_SUM = 2 };",
        "enum kind { FAST_SUM = 1, IDLE_SUM = 2, NEW_SUM = IDLE_SUM | 4, LAST_SUM };",
    ] {
        assert!(!is_enumeration_run(before, after), "{after}");
        assert!(!is_enumeration_run(after, before), "{after}");
        let [before, after] = [before, after].map(|text| format!("typedef {} kind;", &text[..text.len() - 1]));
        assert!(!is_enumeration_run(&before, &after), "{after}");
    }
    for after in [
        "enum kind { FAST_SUM = 4, IDLE_SUM = 2 };",
        "enum kind { NEW_SUM, FAST_SUM, IDLE_SUM = 2 };",
        "enum kind { FAST_SUM = 1, IDLE_SUM = 70000 };",
        "enum kind : char { FAST_SUM = 1, IDLE_SUM = 2 };",
    ] {
        assert!(is_enumeration_run(before, after), "{after}");
        assert!(is_enumeration_run(after, before), "{after}");
    }
}

#[test]
fn a_case_that_a_declaration_asks_for_is_run() {
    let with = |last: &str, use_of: &str| format!("enum kind {{ FAST_SUM = 1, IDLE_SUM = {last} }};\n{use_of}");
    for use_of in [
        "struct numbers { int of[IDLE_SUM]; };",
        "#if IDLE_SUM\n#endif",
        "#define CHOSEN IDLE_SUM\nstruct numbers { int of[CHOSEN]; };",
    ] {
        assert!(is_enumeration_run(&with("2", use_of), &with("3", use_of)), "{use_of}");
    }
    assert!(!is_enumeration_run(&with("2", "long many;"), &with("3", "long many;")));
}

#[test]
fn a_header_of_nothing_but_macros_and_types_is_run_where_a_condition_may_ask_for_it() {
    let is_run = |header: &str, condition: &str| {
        let of_header = format!("{condition}\n#define STEP 3\n");
        is_declaration_run(
            &of_header,
            "",
            "#define STEP 3\n",
            &format!("#include <{header}>\n#define STEP 3\n"),
        ) || is_declaration_run(
            &format!("#include <{header}>\n{of_header}"),
            "",
            &format!("#include <{header}>"),
            "",
        )
    };
    for header in [
        "float.h",
        "limits.h",
        "stddef.h",
        "stdint.h",
        "new",
        "type_traits",
        "utility",
    ] {
        assert!(!is_run(header, "#ifdef __clang__\n#endif"), "{header}");
    }
    for header in ["string.h", "cmath", "stdbool.h", "iostream", "algorithm", "others.h"] {
        assert!(is_run(header, ""), "{header}");
    }
    for (header, condition) in [
        ("float.h", "#ifndef DBL_MAX\n#endif"),
        ("limits.h", "#if LONG_MAX > 9\n#endif"),
        ("stddef.h", "#undef NULL"),
        ("cstdint", "#ifdef INT64_C\n#endif"),
        ("new", "#ifdef __cpp_lib_launder\n#endif"),
        ("type_traits", "#if _GLIBCXX_RELEASE > 9\n#endif"),
    ] {
        assert!(is_run(header, condition), "{header}: {condition}");
    }
}

#[test]
fn another_guard_of_a_header_is_run_where_another_file_writes_its_macro() {
    let [with_macro, with_another, with_directive] = [
        "#ifndef SUM_H\n#define SUM_H\n#define STEP 1\nlong sum(const int *of, int count);\n#endif\n",
        "#ifndef A_SUM_H\n#define A_SUM_H\n#define STEP 1\nlong sum(const int *of, int count);\n#endif\n",
        "#pragma once\n#define STEP 1\nlong sum(const int *of, int count);\n",
    ];
    for (before, after) in [
        (with_macro, with_another),
        (with_macro, with_directive),
        (with_directive, with_macro),
    ] {
        let program = program().with("sum.h", before);
        assert!(
            !is_run_between(&program, &program.clone().with("sum.h", after)),
            "{after}"
        );
        let asking = program.with("bench.c", &format!("#ifdef SUM_H\n#endif\n{BENCH}"));
        assert!(is_run_between(&asking, &asking.clone().with("sum.h", after)), "{after}");
        // Without its guard, it is read as often as it is included.
        let unguarded = "#define STEP 1\nlong sum(const int *of, int count);\nstatic const int more = 3;\n";
        assert!(is_run_between(&asking, &asking.clone().with("sum.h", unguarded)));
    }
}
