//! Python that only tests see, where a test is the benchmark: what it executes of it is measured.

use std::sync::Arc;

use analyzer::sample::SampleInputs;
use analyzer::score::{CostModel, NearestSample, ScoreDecision, ScoreOptions, score};
use analyzer::sources::OutsideSources;
use profile::inputs::{CompiledInputs, InputRecord, OpenedFiles};

use crate::support::{ScoringTestFiles, ScoringTestProfile, options, sample, with_version};

const TOTAL: u64 = 1_000_000;

const FIXTURES: &str = "import pytest


def rows(size):
    return list(range(size))


def spare():
    return rows(5)


@pytest.fixture
def table():
    return rows(300)
";

const TESTS: &str = "from sums import total


def test_total(benchmark, table):
    benchmark(total, table)


def test_other():
    assert total([]) == 0
";

/// Whether a version is run in which the sources of the benchmark differ so, and where lines came before since the sample.
fn is_run((from, to): (&str, &str), later: &str) -> bool {
    let sampled = ScoringTestFiles::default()
        .with("sums.py", "def total(values):\n    return sum(values)\n")
        .with("benchmarks/conftest.py", FIXTURES)
        .with("benchmarks/test_sums.py", TESTS);
    let before = sampled.replaced("import pytest\n", &format!("{later}import pytest\n"));
    let after = before.replaced(from, to);
    let line = |source: &str, text: &str| {
        let mut lines = source.lines().zip(1..);
        lines.find(|(line, _)| line.contains(text)).expect("it is there").1
    };
    let (fixtures, tests) = ("benchmarks/conftest.py", "benchmarks/test_sums.py");
    let recorded = ScoringTestProfile::new("test_total", TOTAL)
        .function("sums.total", 1, 1, (TOTAL, TOTAL))
        .in_file("sums.py")
        .function("conftest.<module>", 1, 0, (0, 0))
        .in_file(fixtures)
        .function("conftest.rows", line(FIXTURES, "def rows"), 0, (0, 0))
        .in_file(fixtures)
        .function("conftest.table", line(FIXTURES, "def table"), 0, (0, 0))
        .in_file(fixtures)
        .function("test_sums.<module>", 1, 0, (0, 0))
        .in_file(tests)
        .function("test_sums.test_total", line(TESTS, "def test_total"), 0, (0, 0))
        .in_file(tests);
    let record = InputRecord {
        compiled: CompiledInputs {
            is_complete: true,
            ..CompiledInputs::default()
        },
        opened: OpenedFiles {
            is_complete: true,
            files: ["sums.py", fixtures, tests].map(str::to_owned).into(),
            ..OpenedFiles::default()
        },
        asked_names: Some([].into()),
        macros: None,
    };
    let records = [("test_total".to_owned(), Arc::new(record))].into();
    let sample = sample(&sampled, vec![recorded]).with_inputs(SampleInputs::new(records));
    let nearest = NearestSample {
        sample: &sample,
        distance: 1,
        changed_since: &Vec::new,
    };
    let options = ScoreOptions {
        outside: OutsideSources::new(Box::new(|| Some(Vec::new()))),
        ..options(CostModel::Lito)
    };
    with_version((&before, &after), |version| {
        score(version, Some(nearest), &options).decision == ScoreDecision::Benchmark
    })
}

#[test]
fn what_a_test_that_is_measured_executes_is_no_test_alone() {
    for change in [
        ("rows(300)", "rows(3000)"),
        ("list(range(size))", "sorted(range(size))"),
        ("benchmark(total, table)", "benchmark(total, table * 9)"),
    ] {
        assert!(is_run(change, ""), "{change:?}");
        assert!(is_run(change, "# One\n# Two\n"), "{change:?}");
    }
}

#[test]
fn what_other_tests_execute_is_no_risk() {
    for change in [
        ("rows(5)", "rows(50)"),
        ("assert total([]) == 0", "assert total([1]) == 1"),
        ("import pytest\n", "# Makes tables.\nimport pytest\n"),
    ] {
        assert!(!is_run(change, ""), "{change:?}");
    }
}
