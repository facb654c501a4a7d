//! Branches of the preprocessor in a program of which the sample recorded the macros that its compilers know.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::sample::SampleInputs;
use analyzer::score::{CostModel, NearestSample, ScoreDecision, score};
use profile::inputs::{CompilationUnit, CompiledInputs, CompilerMacros, InputRecord, OpenedFiles, UnitKind};

use crate::support::{ScoringTestFiles, ScoringTestProfile, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

/// The function that the benchmark executes, with lines in it.
fn sum(lines: &str) -> String {
    format!("#include \"sum.h\"\n#include <stdio.h>\nlong sum(long count) {{\n{lines}    return count * 3;\n}}\n")
}

/// The same under a condition.
fn under(condition: &str) -> String {
    sum(&format!(
        "#if {condition}\n    for (long i = 0; i < 9; i++) count += slow(i);\n#endif\n"
    ))
}

const HEADER: &str = "#ifndef SUM_H\n#define SUM_H\n#define LIMIT 9\n#define CODE(a, b) ((a) * 10 + (b))\n#if __GNUC__ >= 4\n# define HAS_FAST 1\n#else\n# define HAS_FAST 0\n\
                      #endif\nlong sum(long count);\n#endif\n";

fn project() -> ScoringTestFiles {
    ScoringTestFiles::default()
        .with("Makefile", "bench: bench.c sum.c\n")
        .with("bench.c", "#include \"sum.h\"\nint main(void) { return sum(9); }\n")
        .with("sum.c", &sum(""))
        .with("sum.h", HEADER)
        .with("other.h", "#define OF_ANOTHER_PROGRAM 1\n")
}

fn names<T: FromIterator<String>>(names: &[&str]) -> T {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn macros() -> CompilerMacros {
    let predefined = [
        ("__GNUC__", "13"),
        ("SPEED", "(2)"),
        ("NAMED", "SPEED"),
        ("__x(a)", "a"),
    ];
    CompilerMacros {
        predefined: predefined.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
        unsettled: names(&["BUFSIZ"]),
        files: names(&["bench.c", "sum.c", "sum.h"]),
    }
}

/// A sample's version, its macros, and the sides of a change.
struct Case {
    sampled: ScoringTestFiles,
    macros: Option<CompilerMacros>,
    before: ScoringTestFiles,
    after: ScoringTestFiles,
}

impl Case {
    fn new(after: ScoringTestFiles) -> Self {
        Self {
            sampled: project(),
            macros: Some(macros()),
            before: project(),
            after,
        }
    }

    /// Another text of `sum.c`.
    fn of(text: &str) -> Self {
        Self::new(project().with("sum.c", text))
    }

    fn runs(self) -> bool {
        let mut command = CompilationUnit::new("", "command", UnitKind::Command);
        command.files = names::<BTreeSet<_>>(&["Makefile", "bench.c", "sum.c", "sum.h"]);
        command.watched = names::<BTreeSet<_>>(&["config.mk", "include/local.h"]);
        let record = InputRecord {
            compiled: CompiledInputs {
                is_complete: true,
                units: vec![command],
                settings: BTreeSet::new(),
            },
            opened: OpenedFiles {
                is_complete: true,
                ..OpenedFiles::default()
            },
            asked_names: None,
            macros: self.macros,
        };
        let recorded = ScoringTestProfile::new("sum", TOTAL)
            .function("main", 2, 1, (TOTAL, 1_000))
            .in_file("bench.c")
            .function("sum", 3, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
            .in_file("sum.c");
        let records = BTreeMap::from([("sum".to_owned(), Arc::new(record))]);
        let sample = sample(&self.sampled, vec![recorded]).with_inputs(SampleInputs::new(records));
        let nearest = NearestSample {
            sample: &sample,
            distance: 1,
            changed_since: &Vec::new,
        };
        let scored = with_version((&self.before, &self.after), |version| {
            score(version, Some(nearest), &options(CostModel::Lito))
        });
        scored.decision == ScoreDecision::Benchmark
    }
}

#[test]
fn a_branch_that_the_compilers_leave_out_is_not_run() {
    for condition in [
        "__GNUC__ < 4",
        "defined(NOBODY_DEFINES_IT)",
        "NOBODY_DEFINES_IT",
        "defined(OF_ANOTHER_PROGRAM)",
        "SPEED * NAMED != 4",
        "!defined(__x)",
        "__x(0)",
        "0 && LIMIT",
        // Of the header, which the source includes.
        "LIMIT < 4",
        "!HAS_FAST",
        "CODE(1, 2) != 12",
    ] {
        assert!(!Case::of(&under(condition)).runs(), "{condition}");
    }
}

#[test]
fn a_branch_that_may_be_compiled_is_run() {
    for condition in [
        "1",
        "__GNUC__ >= 4",
        "defined(BUFSIZ)",
        "LIMIT > 4",
        "HAS_FAST",
        "CODE(1, 2) == 12",
        "SPEED == NAMED",
        "__has_include(<fast.h>)",
        "defined(__has_builtin)",
        "__x(1)",
        "!defined(NOBODY_DEFINES_IT)",
    ] {
        assert!(Case::of(&under(condition)).runs(), "{condition}");
    }
}

/// A version that leaves the branch out, as far as macros are known.
fn left_out() -> ScoringTestFiles {
    project().with("sum.c", &under("NOBODY_DEFINES_IT"))
}

#[test]
fn macros_that_are_not_known_decide_nothing() {
    let unrecorded = Case {
        macros: None,
        ..Case::new(left_out())
    };
    assert!(unrecorded.runs());
    for (path, text) in [
        ("Makefile", "CFLAGS = -DNOBODY_DEFINES_IT\nbench: bench.c sum.c\n"),
        ("config.mk", "CFLAGS = -DNOBODY_DEFINES_IT\n"),
        ("include/local.h", "#define NOBODY_DEFINES_IT\n"),
        ("lito.toml", "build = [\"make\", \"CFLAGS=-DNOBODY_DEFINES_IT\"]\n"),
        ("sum.h", &HEADER.replace("LIMIT 9", "NOBODY_DEFINES_IT 9")),
        ("sum.h", &HEADER.replace("long sum", "#include <limits.h>\nlong sum")),
    ] {
        let since = Case {
            before: project().with(path, text),
            ..Case::new(left_out().with(path, text))
        };
        assert!(since.runs(), "{path}: {text}");
        let with_it = Case::new(left_out().with(path, text));
        assert!(with_it.runs(), "{path}: {text}");
    }
    let includes_another = project().with(
        "sum.c",
        &format!("#include \"other.h\"\n{}", under("OF_ANOTHER_PROGRAM")),
    );
    assert!(Case::new(includes_another).runs());
}

#[test]
fn a_header_of_the_system_defines_no_name_of_the_project() {
    let own = "#define SUM_A\n#define SUM_B\n#define SUM_C\n#define SUM_D\n";
    let with = |header: &str, condition: &str| {
        let before = project().with("sum.h", &format!("{HEADER}{own}{header}"));
        let case = Case {
            before: before.clone(),
            sampled: project().with("sum.h", &format!("{HEADER}{own}")),
            ..Case::new(before.with("sum.c", &under(condition)))
        };
        case.runs()
    };
    assert!(!with("#include <limits.h>\n", "SUM_E"));
    assert!(with("#include <limits.h>\n", "NOBODY_DEFINES_IT"));
    assert!(with("#include <of_others.h>\n", "SUM_E"));
    // Compilers alone define it.
    assert!(!with("#include <of_others.h>\n", "defined(__clang__)"));
}

#[test]
fn macros_of_one_file_are_followed_in_it() {
    for (lines, is_expected) in [
        ("#define MINE 0\n#if MINE\n    count = slow(count);\n#endif\n", false),
        ("#define MINE 1\n#if MINE\n    count = slow(count);\n#endif\n", true),
        ("#undef SPEED\n#ifdef SPEED\n    count = slow(count);\n#endif\n", false),
        (
            "#define MINE 0\n#ifdef BUFSIZ\n# define MINE 1\n#endif\n#if MINE\n    count = slow(count);\n#endif\n",
            true,
        ),
        (
            "#ifdef BUFSIZ\n#elif 1\n# define MINE\n#endif\n#ifndef MINE\n    count = slow(count);\n#endif\n",
            true,
        ),
        ("#if MINE\n    count = slow(count);\n#endif\n#define MINE 1\n", false),
        (
            "#pragma push_macro(\"MINE\")\n#if MINE\n    count = slow(count);\n#endif\n",
            true,
        ),
    ] {
        let before = project().with("sum.c", &sum(&lines.replace("slow(count)", "count")));
        let case = Case {
            sampled: before.clone(),
            before,
            ..Case::of(&sum(lines))
        };
        assert_eq!(case.runs(), is_expected, "{lines}");
    }
}

#[test]
fn macros_of_a_header_are_known_behind_the_line_that_includes_it() {
    let below = |text: &str| text.replace("#include \"sum.h\"\n", "") + "#include \"sum.h\"\n";
    let with = |header: &str, source: &dyn Fn(&str) -> String| {
        let before = project().with("sum.h", header).with("sum.c", &source(&sum("")));
        let after = before.clone().with("sum.c", &source(&under("LIMIT < 4")));
        Case {
            sampled: before.clone(),
            before,
            ..Case::new(after)
        }
    };
    let as_is = str::to_owned;
    assert!(!with(HEADER, &as_is).runs());
    assert!(with(HEADER, &below).runs(), "before that line");
    let within = |text: &str| text.replace("#include \"sum.h\"", "#ifdef BUFSIZ\n#include \"sum.h\"\n#endif");
    assert!(with(HEADER, &within).runs(), "if that line is compiled");
    let unguarded = HEADER.replace("#ifndef SUM_H", "#ifdef BUFSIZ");
    assert!(with(&unguarded, &as_is).runs(), "if the header defines it");
    let through_another = with(HEADER, &|text: &str| text.replace("sum.h", "api.h"));
    let with_another = |files: ScoringTestFiles| files.with("api.h", "#pragma once\n#include \"sum.h\"\n");
    let through_another = Case {
        sampled: with_another(through_another.sampled),
        before: with_another(through_another.before),
        after: with_another(through_another.after),
        macros: Some(CompilerMacros {
            files: names(&["api.h", "bench.c", "sum.c", "sum.h"]),
            ..macros()
        }),
    };
    assert!(!through_another.runs());
    // The system has a header of that name, too.
    let with_limits = |files: ScoringTestFiles| files.with("vendor/limits.h", "#pragma once\n#define VENDOR 1\n");
    let of_limits = |text: &str| with_limits(project()).with("sum.c", &format!("#include <limits.h>\n{text}"));
    let of_the_system = Case {
        sampled: of_limits(&sum("")),
        before: of_limits(&sum("")),
        after: of_limits(&under("!VENDOR")),
        macros: Some(CompilerMacros {
            files: names(&["bench.c", "sum.c", "sum.h", "vendor/limits.h"]),
            ..macros()
        }),
    };
    assert!(of_the_system.runs());
    // A version that changes it, and a source that does not change.
    let other = HEADER.replace("LIMIT 9", "LIMIT 3");
    let before = project().with("sum.c", &under("LIMIT < 4"));
    let changed = Case {
        sampled: before.clone(),
        before: before.clone(),
        ..Case::new(before.with("sum.h", &other))
    };
    assert!(changed.runs());
}

#[test]
fn a_file_that_may_be_read_twice_may_begin_with_its_own_macros() {
    let lines = "#if MINE\n    count = slow(count);\n#endif\n#define MINE 1\n";
    let included = project()
        .with("sum.c", &sum(lines))
        .with("bench.c", "#include \"sum.c\"\nint main(void) { return sum(9); }\n");
    let case = Case {
        before: project().with("bench.c", included.content("bench.c")),
        sampled: project().with("bench.c", included.content("bench.c")),
        ..Case::new(included)
    };
    assert!(case.runs());
}

#[test]
fn another_condition_that_the_same_compilers_meet_changes_nothing() {
    let before = project().with("sum.h", &HEADER.replace("__GNUC__ >= 4", "defined(__GNUC__)"));
    let case = Case {
        sampled: before.clone(),
        before,
        ..Case::new(project())
    };
    assert!(!case.runs());
}
