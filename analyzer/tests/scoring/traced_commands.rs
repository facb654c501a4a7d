//! Changed files of a program that a command builds, where the sample recorded everything that the command read.

use std::collections::BTreeSet;
use std::sync::Arc;

use analyzer::sample::{Sample, SampleInputs};
use analyzer::score::{CostModel, NearestSample, ScoreDecision, score};
use profile::inputs::{CompilationUnit, CompiledInputs, InputRecord, OpenedFiles, UnitKind};

use crate::support::{ScoringTestFiles, ScoringTestProfile, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

/// A program of C, its Makefile, a generator of a table, and files that the build does not read.
fn project() -> ScoringTestFiles {
    ScoringTestFiles::default()
        .with("Makefile", "bench: bench.c sum.c\n")
        .with("bench.c", "int main(void) { return sum(9); }\n")
        .with(
            "sum.c",
            "long sum(long count) {\n    return count * 3;\n}\nlong idle(void) { return 1; }\n",
        )
        .with("table.c", "int main(void) { return print(3); }\n")
        .with("CMakeLists.txt", "project(sum)\n")
        .with("tests/sum_test.c", "int main(void) { return sum(1) != 3; }\n")
        .with("docs/search.js", "search(1)\n")
        .with("README.md", "sums\n")
        .with("words.txt", "one\n")
}

fn paths(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

/// The record of a build that read some files; the run opened nothing.
fn record(runs_a_tool: bool) -> InputRecord {
    let mut command = CompilationUnit::new("", "command", UnitKind::Command);
    command.files = paths(&["Makefile", "bench.c", "sum.c", "table.c"]);
    command.watched = paths(&["include/config.h"]);
    let mut looked_at = CompilationUnit::new("", "command", UnitKind::LookedAt);
    looked_at.files = paths(&["README.md", "words.txt"]);
    looked_at.watched = paths(&["LICENSE.md", "config.mk"]);
    let tool = CompilationUnit::new("", "table", UnitKind::Tool);
    let mut units = vec![command, looked_at];
    units.extend(runs_a_tool.then_some(tool));
    InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            units,
            settings: BTreeSet::new(),
        },
        opened: OpenedFiles {
            is_complete: true,
            folders: paths(&["plugins"]),
            ..OpenedFiles::default()
        },
        asked_names: None,
        macros: None,
    }
}

fn is_run_on(sample: (&ScoringTestFiles, InputRecord), change: (&ScoringTestFiles, &ScoringTestFiles)) -> bool {
    is_run_among(sample, change, &[])
}

/// Whether a change is run where these files changed since the sample.
fn is_run_among(
    (sampled, record): (&ScoringTestFiles, InputRecord),
    change: (&ScoringTestFiles, &ScoringTestFiles),
    changed: &[&str],
) -> bool {
    let recorded = ScoringTestProfile::new("sum", TOTAL)
        .function("main", 1, 1, (TOTAL, 1_000))
        .in_file("bench.c")
        .function("sum", 1, 1_000, (TOTAL - 1_000, TOTAL - 1_000))
        .in_file("sum.c");
    let records = [("sum".to_owned(), Arc::new(record))].into();
    is_run_by(
        &sample(sampled, vec![recorded]).with_inputs(SampleInputs::new(records)),
        change,
        changed,
    )
}

fn is_run_by(sample: &Sample, change: (&ScoringTestFiles, &ScoringTestFiles), changed: &[&str]) -> bool {
    let nearest = NearestSample {
        sample,
        distance: 1,
        changed_since: &|| changed.iter().map(|path| (*path).to_owned()).collect(),
    };
    let scored = with_version(change, |version| {
        score(version, Some(nearest), &options(CostModel::Lito))
    });
    scored.decision == ScoreDecision::Benchmark
}

/// Whether a change of one file is run.
fn is_run(path: &str, content: &str) -> bool {
    let before = project();
    is_run_on((&before, record(false)), (&before, &before.clone().with(path, content)))
}

#[test]
fn what_the_command_did_not_read_is_not_run() {
    for path in [
        "CMakeLists.txt",
        "Cargo.toml",
        "rust-toolchain.toml",
        "tests/sum_test.c",
        "docs/search.js",
        "tests/new.c",
        "docs/new.js",
        "src/meson.build",
    ] {
        assert!(!is_run(path, "int other(void) { return 2; }\n"), "{path}");
    }
}

#[test]
fn what_the_command_read_or_looked_for_is_run() {
    for path in ["Makefile", "include/config.h", "plugins/new.c"] {
        assert!(is_run(path, "bench: bench.c\n"), "{path}");
    }
    assert!(is_run(
        "sum.c",
        "long sum(long count) {\n    return slow(count) * 3;\n}\nlong idle(void) { return 1; }\n"
    ));
}

#[test]
fn a_script_that_says_the_same_in_other_words_is_not_run() {
    assert!(!is_run("Makefile", "# The program.\nbench: bench.c sum.c\n"));
    assert!(is_run("Makefile", "# The program. \\\nbench: bench.c sum.c\n"));
    let cmake = |change: &str, then: fn(&mut InputRecord)| {
        let before = project().with("CMakeLists.txt", "project(sum)\nadd_executable(sum sum.c)\n");
        let after = before.clone().with("CMakeLists.txt", change);
        let mut record = record(false);
        record.compiled.units[0].files.insert("CMakeLists.txt".to_owned());
        then(&mut record);
        is_run_on((&before, record), (&before, &after))
    };
    let same = "# Sums.\nproject( sum )\nmessage(\"sum\")\nadd_executable(sum\n  sum.c)\n";
    assert!(!cmake(same, |_| {}));
    assert!(cmake("project(sum)\nadd_executable(sum bench.c)\n", |_| {}));
    // A benchmark reads it, or a compiler puts it into a program.
    assert!(cmake(same, |record| {
        record.opened.files.insert("CMakeLists.txt".to_owned());
    }));
    assert!(cmake(same, |record| {
        let mut library = CompilationUnit::new("sum", "sum", UnitKind::Library);
        library.files = paths(&["CMakeLists.txt"]);
        record.compiled.units.push(library);
    }));
}

#[test]
fn a_comment_of_a_text_that_is_no_script_of_a_build_tool_is_run() {
    for path in ["run.sh", "words.mk", "data.txt"] {
        let before = project().with(path, "one\n");
        let mut record = record(false);
        record.compiled.units[0].files.insert(path.to_owned());
        let after = before.clone().with(path, "# two\none\n");
        assert!(is_run_on((&before, record), (&before, &after)), "{path}");
    }
}

#[test]
fn a_document_that_the_command_only_looked_for_is_not_run() {
    assert!(!is_run("README.md", "sums of numbers\n"));
    assert!(!is_run("LICENSE.md", "free\n"));
    assert!(is_run("config.mk", "CFLAGS = -O0\n"));
    // It may have been read in an earlier build.
    assert!(is_run("words.txt", "two\n"));
    let before = project();
    let gone = ScoringTestFiles::default().with("Makefile", before.content("Makefile"));
    assert!(is_run_on((&before, record(false)), (&before, &gone)));
}

#[test]
fn a_source_that_the_command_read_is_compared() {
    assert!(!is_run(
        "sum.c",
        "long sum(long count) {\n    return count * 3;\n}\nlong idle(void) { return 2; }\n"
    ));
}

#[test]
fn a_script_that_changed_since_the_sample_may_read_what_it_leads_to() {
    let sampled = project();
    let is_run_after = |script: &str| {
        let before = sampled.clone().with("Makefile", script);
        let after = before.clone().with("CMakeLists.txt", "project(other)\n");
        is_run_on((&sampled, record(false)), (&before, &after))
    };
    for script in [
        "include CMakeLists.txt\n",
        "bench: sum.c\n\tcat *\n",
        "include $(NAME).txt\n",
        "include $(shell find .)\n",
    ] {
        assert!(is_run_after(script), "{script}");
    }
    assert!(!is_run_after("bench: bench.c sum.c\n\tcc -O1 $^ -o $@\n"));
}

#[test]
fn a_source_that_includes_another_since_the_sample_reads_it() {
    let sampled = project();
    let included = "#include \"tests/sum_test.c\"\nlong sum(long count) {\n    return count * 3;\n}\n";
    let before = sampled.clone().with("sum.c", included);
    let after = before.clone().with("tests/sum_test.c", "#define count 4\n");
    assert!(is_run_on((&sampled, record(false)), (&before, &after)));
}

/// The project with headers of which the build read `config.h` alone.
fn with_headers() -> (ScoringTestFiles, InputRecord) {
    let sampled = project()
        .with("config.h", "#define LEVEL 1\n#define USE_FAST 0\n")
        .with("fast.h", "#include \"inner.h\"\n")
        .with("inner.h", "#define STEP 4\n")
        .with(
            "sum.c",
            "#include \"config.h\"\n#if USE_FAST\n#include \"fast.h\"\n#endif\n#ifndef STEP\n#define STEP 3\n#endif\nlong sum(long count) {\n    return count * STEP;\n}\n",
        );
    let mut record = record(false);
    record.compiled.units[0].files.insert("config.h".to_owned());
    (sampled, record)
}

/// Whether a change of a file is run, where others changed between the sample and the version before.
fn is_run_later(earlier: &[(&str, &str)], (path, content): (&str, &str)) -> bool {
    let (sampled, record) = with_headers();
    let before = (earlier.iter()).fold(sampled.clone(), |files, (path, content)| files.with(path, content));
    let after = before.clone().with(path, content);
    is_run_on((&sampled, record), (&before, &after))
}

const OTHER_INNER: (&str, &str) = ("inner.h", "#define STEP 5\n");

#[test]
fn a_header_that_nothing_includes_is_not_run() {
    assert!(!is_run_later(&[], OTHER_INNER));
    let other_level = ("config.h", "#define LEVEL 2\n#define USE_FAST 0\n");
    assert!(!is_run_later(&[other_level], OTHER_INNER));
    let comment = "// Like fast.h and tests/sum_test.c.\nint main(void) { return sum(10); }\n";
    for change in [OTHER_INNER, ("tests/sum_test.c", "int main(void) { return 1; }\n")] {
        assert!(!is_run_later(&[("bench.c", comment)], change), "{change:?}");
    }
}

#[test]
fn a_header_that_a_condition_lets_in_since_the_sample_is_run() {
    for config in [
        "#define LEVEL 1\n#define USE_FAST 1\n",
        "#define LEVEL 1\n#define USE_FAST LEVEL\n",
        "#define LEVEL 1\n",
    ] {
        assert!(is_run_later(&[("config.h", config)], OTHER_INNER), "{config}");
    }
    let by_level = ("config.h", "#define LEVEL 1\n#define USE_FAST LEVEL\n");
    let (sampled, record) = with_headers();
    let sampled = sampled.with(by_level.0, by_level.1);
    let before = sampled
        .clone()
        .with("config.h", "#define LEVEL 0\n#define USE_FAST LEVEL\n");
    let after = before.clone().with(OTHER_INNER.0, OTHER_INNER.1);
    assert!(is_run_on((&sampled, record), (&before, &after)));
}

#[test]
fn a_header_of_a_header_that_is_included_since_the_sample_is_run() {
    let included = "#include \"fast.h\"\nint main(void) { return sum(STEP); }\n";
    assert!(is_run_later(&[("bench.c", included)], OTHER_INNER));
    let by_macro = "#define PART \"inner.h\"\n#include PART\nint main(void) { return sum(STEP); }\n";
    assert!(is_run_later(&[("bench.c", by_macro)], OTHER_INNER));
    let without_config = "#include \"inner.h\"\nlong sum(long count) {\n    return count * STEP;\n}\n";
    assert!(is_run_later(&[("sum.c", without_config)], OTHER_INNER));
}

#[test]
fn a_header_that_other_options_of_the_compiler_may_let_in_is_run() {
    let options = ("Makefile", "bench: bench.c sum.c\n\tcc -DUSE_FAST=1 $^\n");
    assert!(is_run_later(&[options], OTHER_INNER));
}

#[test]
fn a_benchmark_that_no_command_builds_is_none() {
    let before = project();
    let benchmark = "#[bench]\nfn quick(bencher: &mut Bencher) {\n    bencher.iter(|| sum(3));\n}\n";
    let is_run = |path: &str| {
        let after = before.clone().with(path, benchmark);
        is_run_among((&before, record(false)), (&before, &after), &[path])
    };
    assert!(!is_run("benches/quick.rs"));
    assert!(is_run("plugins/quick.rs"), "a command lists the folder");
}

#[test]
fn a_benchmark_of_which_nothing_is_recorded_may_be_built_by_other_means() {
    let sampled = project();
    let benchmark = "#[bench]\nfn quick(bencher: &mut Bencher) {\n    bencher.iter(|| sum(3));\n}\n";
    let before = sampled.clone().with("benches/quick.rs", benchmark);
    let after = before.replaced("return 1;", "return 2;");
    let profile = |name: &str| {
        let profile = ScoringTestProfile::new(name, TOTAL);
        profile
            .function("sum", 1, 1_000, (TOTAL, TOTAL))
            .in_file("sum.c")
            .function("main", 1, 1, (TOTAL, 0))
            .in_file("bench.c")
    };
    let is_run = |recorded: &[&str]| {
        let record = Arc::new(record(false));
        let records = recorded.iter().map(|name| ((*name).to_owned(), Arc::clone(&record)));
        let sample =
            sample(&sampled, vec![profile("sum"), profile("other")]).with_inputs(SampleInputs::new(records.collect()));
        is_run_by(&sample, (&before, &after), &["benches/quick.rs", "sum.c"])
    };
    assert!(!is_run(&["sum", "other"]));
    assert!(is_run(&["sum"]));
}

#[test]
fn what_a_command_reads_since_it_is_described_otherwise_is_run() {
    let described = |options: &str| {
        let text = format!(
            "[[benchmarks]]\nadapter = \"command\"\nname = \"sum\"\nbuild = [\"make\"]\nrun = [\"./bench\"{options}]\n"
        );
        project()
            .with("lito.toml", &text)
            .with("include/fast.h", "int a;\n")
            .with("large.json", "[]\n")
    };
    let sampled = described("");
    let is_run = |before: &ScoringTestFiles, path: &str| {
        let after = before.clone().with(path, "int b;\n");
        is_run_among((&sampled, record(false)), (before, &after), &["lito.toml", path])
    };
    for path in ["include/fast.h", "large.json", "CMakeLists.txt"] {
        assert!(!is_run(&sampled, path), "{path}");
        assert!(is_run(&described(", \"large.json\""), path), "{path}");
    }
}

#[test]
fn a_source_of_which_nothing_executes_is_run_where_the_build_runs_what_it_built() {
    let before = project();
    let after = before.clone().with("table.c", "int main(void) { return print(4); }\n");
    assert!(is_run_on((&before, record(true)), (&before, &after)));
    assert!(!is_run_on((&before, record(false)), (&before, &after)));
}

#[test]
fn a_program_that_starts_others_may_build_them_from_anything() {
    let before = project();
    for path in ["CMakeLists.txt", "tests/sum_test.py"] {
        let after = before.clone().with(path, "other\n");
        let starts_others = InputRecord {
            opened: OpenedFiles::default(),
            ..record(false)
        };
        assert!(is_run_on((&before, starts_others), (&before, &after)), "{path}");
    }
}
