//! C and C++: files that a build reads and of which no benchmark executes anything, but what they say reaches executed code.

use analyzer::score::{CostModel, NearestSample, score};
use profile::inputs::{CompilationUnit, UnitKind};

use crate::support::{ScoringTestFiles, ScoringTestProfile, inputs_of, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

/// A program whose `sum` does everything, in `sum.cpp`.
fn program(others: &[(&str, &str)]) -> ScoringTestFiles {
    let files = ScoringTestFiles::default()
        .with(
            "sum.cpp",
            "#include \"limits.hpp\"\nlong sum(int n) {\n    return n * LIMIT;\n}\n",
        )
        .with("bench.cpp", "int main(void) {\n    return sum(9);\n}\n");
    others.iter().fold(files, |files, (path, text)| files.with(path, text))
}

/// Whether a program is run of which a file changes, where the build read all of its files.
fn is_run(others: &[(&str, &str)], path: &str, (from, to): (&str, &str)) -> bool {
    let before = program(others);
    let content = before.content(path);
    assert!(content.contains(from), "{path} does not hold {from}");
    let after = before.clone().with(path, &content.replace(from, to));
    let profile = ScoringTestProfile::new("sum", TOTAL)
        .function("k::main", 1, 1, (TOTAL, 1))
        .in_file("bench.cpp")
        .function("k::sum", 2, 1_000, (TOTAL - 1, TOTAL - 1))
        .in_file("sum.cpp");
    let mut unit = CompilationUnit::new("", "sum", UnitKind::Command);
    unit.files = ["sum.cpp", "bench.cpp"]
        .into_iter()
        .chain(others.iter().map(|(path, _)| *path))
        .map(str::to_owned)
        .collect();
    let sample = sample(&before, vec![profile]).with_inputs(inputs_of("sum", unit));
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    let scored = with_version((&before, &after), |version| {
        score(version, Some(nearest), &options(CostModel::Lito))
    });
    scored.benchmarks.iter().any(|benchmark| benchmark.selected)
}

#[test]
fn a_table_of_numbers_counts_as_much_as_the_code_that_puts_it_in() {
    let table = ("table.inc", "1, 2, 3,\n4, 5, 6,\n");
    let used = (
        "limits.hpp",
        "static const int ALL[] = {\n#include \"table.inc\"\n};\n#define LIMIT ALL[0]\n",
    );
    let idle = (
        "idle.cpp",
        "static const int ALL[] = {\n#include \"table.inc\"\n};\nint idle(void) {\n    return ALL[0];\n}\n",
    );
    let limits = ("limits.hpp", "#define LIMIT 3\n");
    assert!(is_run(&[table, used], "table.inc", ("4, 5", "4, 50")));
    assert!(!is_run(&[table, idle, limits], "table.inc", ("4, 5", "4, 50")));
}

#[test]
fn a_source_that_another_one_puts_in_is_seen_by_what_stands_behind_it() {
    let limits = ("limits.hpp", "typedef unsigned short small;\n#define LIMIT 3\n");
    let one = ("one.cpp", "typedef long wide;\nint one(void) {\n    return 1;\n}\n");
    let change = ("typedef long wide;", "typedef short wide;");
    let unity = ("all.cpp", "#include \"one.cpp\"\n#include \"sum.cpp\"\n");
    assert!(is_run(&[limits, one, unity], "one.cpp", change));
    assert!(!is_run(&[limits, one], "one.cpp", change));
}

#[test]
fn a_new_name_that_hides_another_in_unexecuted_code_is_followed_to_executed_code() {
    let limits = (
        "limits.hpp",
        "namespace app {\nconstexpr unsigned MOST = 20;\n}\n#include \"inner.hpp\"\n#include \"budget.hpp\"\n",
    );
    let inner = (
        "inner.hpp",
        "namespace app::inner {\nconstexpr unsigned HEIGHT = 10;\n}\n",
    );
    let budget = |name: &str| format!("namespace app::inner {{\nconstexpr unsigned {name} = MOST * 2;\n}}\n");
    let new = ("HEIGHT = 10;", "HEIGHT = 10;\nconstexpr unsigned MOST = 80;");
    assert!(is_run(
        &[limits, inner, ("budget.hpp", &budget("LIMIT"))],
        "inner.hpp",
        new
    ));
    assert!(!is_run(
        &[limits, inner, ("budget.hpp", &budget("IDLE"))],
        "inner.hpp",
        new
    ));
    let other = ("HEIGHT = 10;", "HEIGHT = 10;\nconstexpr unsigned LEAST = 80;");
    assert!(!is_run(
        &[limits, inner, ("budget.hpp", &budget("LIMIT"))],
        "inner.hpp",
        other
    ));
}

#[test]
fn a_source_that_names_another_file_for_its_lines_is_run() {
    let limits = ("limits.hpp", "#define LIMIT 3\n");
    let parser = |start: &str| format!("{start}int parse(int n) {{\n    return n + 1;\n}}\n");
    let change = ("n + 1", "n + 9");
    assert!(is_run(
        &[limits, ("parser.cpp", &parser("#line 1 \"parser.y\"\n"))],
        "parser.cpp",
        change
    ));
    assert!(is_run(
        &[limits, ("parser.cpp", &parser("# 1 \"parser.y\"\n"))],
        "parser.cpp",
        change
    ));
    assert!(!is_run(
        &[limits, ("parser.cpp", &parser("#line 20\n"))],
        "parser.cpp",
        change
    ));
}
