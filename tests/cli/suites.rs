//! Programs that list their benchmarks themselves: the real Google Benchmark, GoogleTest, Catch2 and pytest.

use std::path::PathBuf;

use serde_json::Value;

use super::gate::{replace, report};
use super::interpreted::naming_interpreter;
use super::repository::TestRepository;

const SETTINGS: &str = "[gate]
audit = \"0%\"
metrics = [\"instructions\"]

[[benchmarks]]
adapter = \"command\"
build = [\"sh\", \"-c\", \"c++ -O2 -g sums.cpp bench.cpp -lbenchmark -lpthread -o $CARGO_TARGET_DIR/bench\"]
run = [\"target/bench\"]
exclude = [\"*/100\"]

[[benchmarks]]
adapter = \"command\"
build = [\"sh\", \"-c\", \"c++ -O2 -g sums.cpp tests.cpp -lgtest -lgtest_main -lpthread -o $CARGO_TARGET_DIR/tests\"]
run = [\"target/tests\"]
";

const SUMS: &str = "#include <vector>
long sum(const std::vector<int> &of) {
    long total = 0;
    for (int one : of)
        total += one;
    return total;
}
long product(const std::vector<int> &of) {
    long total = 1;
    for (int one : of)
        total = total * one % 1000003;
    return total;
}
";

const BENCH: &str = "#include <vector>
#include <benchmark/benchmark.h>
long sum(const std::vector<int> &of);
long product(const std::vector<int> &of);
static void sums(benchmark::State &state) {
    std::vector<int> of(state.range(0), 3);
    for (auto _ : state)
        benchmark::DoNotOptimize(sum(of));
}
BENCHMARK(sums)->Arg(100)->Arg(100000);
static void products(benchmark::State &state) {
    std::vector<int> of(5000, 3);
    for (auto _ : state)
        benchmark::DoNotOptimize(product(of));
}
BENCHMARK(products)->Iterations(20);
BENCHMARK_MAIN();
";

const TESTS: &str = "#include <vector>
#include <gtest/gtest.h>
long sum(const std::vector<int> &of);
long product(const std::vector<int> &of);
TEST(Sum, Many) { EXPECT_EQ(sum(std::vector<int>(200000, 2)), 400000); }
TEST(Sum, DISABLED_None) { FAIL(); }
class Sizes : public testing::TestWithParam<int> {};
TEST_P(Sizes, Product) { EXPECT_GT(product(std::vector<int>(GetParam(), 2)), 0); }
INSTANTIATE_TEST_SUITE_P(All, Sizes, testing::Values(20000));
";

/// A repository of C++ with a program of benchmarks and one of tests.
fn suites() -> TestRepository {
    for header in ["benchmark/benchmark.h", "gtest/gtest.h"] {
        super::needs::file(&format!("/usr/include/{header}"));
    }
    let repository = TestRepository::with_library();
    for (file, text) in [
        ("lito.toml", SETTINGS),
        ("sums.cpp", SUMS),
        ("bench.cpp", BENCH),
        ("tests.cpp", TESTS),
        (".gitignore", "/target\n/Cargo.lock\n"),
    ] {
        repository.write(file, text);
    }
    repository.commit("the sums");
    repository
}

fn instructions(repository: &TestRepository, benchmark: &str) -> f64 {
    let shown = report(
        &repository.lito(&["store", "show", "HEAD", "--bench", benchmark, "--format", "json"]),
        0,
    );
    shown["total"].as_f64().unwrap_or_else(|| panic!("{shown:#}"))
}

#[test]
fn the_benchmarks_that_a_program_lists_are_measured_each_by_itself() {
    let repository = suites();
    repository.lito(&["sample"]).output();
    // Four instructions or five for each number, and nothing of what is prepared or printed.
    for (benchmark, least, most) in [
        ("sums/100000", 300_000.0, 520_000.0),
        ("products/iterations:20", 500_000.0, 3_000_000.0),
        ("Sum.Many", 700_000.0, 1_300_000.0),
        ("All/Sizes.Product/0", 100_000.0, 900_000.0),
    ] {
        let counted = instructions(&repository, benchmark);
        assert!(least < counted && counted < most, "{benchmark}: {counted}");
    }
    replace(&repository, "sums.cpp", "total * one %", "(total * one + total / 3) %");
    let json = report(&repository.lito(&["gate", "--format", "json"]), 1);
    for name in ["products/iterations:20", "All/Sizes.Product/0"] {
        assert!(
            change(&json, name).is_some_and(|change| change > 0.05),
            "{name}: {json:#}"
        );
    }
    assert_eq!(change(&json, "sums/100000"), None, "{json:#}");
}

/// The change of a benchmark that a gate measured.
fn change(json: &Value, name: &str) -> Option<f64> {
    let all: &Vec<Value> = json["benchmarks"].as_array().unwrap();
    let one = all.iter().find(|benchmark| benchmark["name"] == name);
    one.and_then(|benchmark| benchmark["change"].as_f64())
}

const PYTHON_LIBRARY: &str = "CACHE = {}


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result


def table(size):
    return {number: str(number) for number in range(size)}


def cached(size):
    if size not in CACHE:
        CACHE[size] = table(size)
    return len(CACHE[size])
";

const PYTHON_BENCHMARKS: &str = "import pytest

from sums import cached, table, total


@pytest.fixture(scope='module')
def numbers():
    return list(table(3000))


def test_total(benchmark, numbers):
    assert benchmark(total, numbers) == 4498500


def test_cached(benchmark):
    assert benchmark(cached, 3000) == 3000


def test_rounds(benchmark):
    benchmark.pedantic(table, setup=lambda: ((len(table(400)),), {}), rounds=5)


def test_plain():
    assert total([1]) == 1
";

const PYTHON_TESTS: &str = "import unittest

import pytest

from sums import table, total


@pytest.mark.parametrize('size', [10, 2000])
def test_total(size, tmp_path):
    (tmp_path / 'size').write_text(str(size))
    assert total(range(size)) >= 45


@pytest.mark.skipif(True, reason='not here')
def test_left_out():
    pass


@pytest.mark.xfail
def test_known_to_fail():
    assert total([]) == 1


class TestTable(unittest.TestCase):
    def test_size(self):
        self.assertEqual(len(table(1000)), 1000)
";

/// A repository of Python whose suite of pytest is in one file; `None` as for [`python_repository()`].
fn python_suite(tests: &str) -> Option<TestRepository> {
    python_repository("-m pytest checks", &[("checks/test_sums.py", tests)])
}

#[test]
fn what_tests_of_python_hand_to_the_fixture_benchmark_is_measured_without_their_fixtures() {
    let Some(repository) = python_suite(PYTHON_BENCHMARKS) else {
        return;
    };
    repository.lito(&["sample"]).output();
    let of = |test: &str| format!("checks/test_sums.py::test_{test}");
    // Some hundred instructions for each number or entry; the second call finds all in the cache.
    for (test, least, most) in [
        ("total", 200_000.0, 2_000_000.0),
        ("cached", 500.0, 20_000.0),
        ("rounds", 50_000.0, 800_000.0),
    ] {
        let counted = instructions(&repository, &of(test));
        assert!(least < counted && counted < most, "{test}: {counted}");
    }
    let shown = ["store", "show", "HEAD", "--bench", &of("total"), "--format", "json"];
    let profile = report(&repository.lito(&shown), 0);
    let executions = |text: &str| {
        let at = PYTHON_LIBRARY.lines().position(|line| line.contains(text)).unwrap() + 1;
        let mut lines = profile["lines"].as_array().unwrap().iter();
        let line = lines.find(|line| line["file"] == "sums.py" && line["line"] == at);
        line.map(|line| line["executions"].as_u64().unwrap())
    };
    assert_eq!(executions("result += number"), Some(3000));
    assert_eq!(executions("return {number"), None, "the fixture makes the table");
    repository
        .lito(&["store", "show", "HEAD", "--bench", &of("plain")])
        .says(2, &["it was not profiled"]);
    replace(&repository, "sums.py", "result += number", "result += abs(number)");
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("report");
    let gate = ["gate", "--format", "json", "--report", files.to_str().unwrap()];
    let json = report(&repository.lito(&gate), 1);
    let written = std::fs::read_dir(&files).unwrap().map(|file| file.unwrap().path());
    let mut written = written.filter_map(|path| path.extension().map(ToOwned::to_owned));
    // The contexts of an interpreter's functions would explain nothing.
    assert!(!written.any(|extension| extension == "html"));
    assert!(
        change(&json, &of("total")).is_some_and(|change| change > 0.2),
        "{json:#}"
    );
    assert_eq!(change(&json, &of("rounds")), None, "{json:#}");
}

#[test]
fn each_test_of_python_is_a_benchmark_where_there_are_no_others() {
    let Some(repository) = python_suite(PYTHON_TESTS) else {
        return;
    };
    let listed = report(&repository.lito(&["bench", "list", "--format", "json"]), 0);
    let names: Vec<&str> = (listed.as_array().unwrap().iter())
        .map(|benchmark| benchmark["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "checks/test_sums.py::TestTable::test_size",
            "checks/test_sums.py::test_total[10]",
            "checks/test_sums.py::test_total[2000]"
        ]
    );
    repository.lito(&["sample"]).output();
    let [few, many] =
        ["10", "2000"].map(|size| instructions(&repository, &format!("checks/test_sums.py::test_total[{size}]")));
    assert!(few > 0.0 && many - few > 50_000.0, "{few} {many}");
    // The tests of the file shared a start.
    repository.git(&["update-ref", "-d", "refs/lito/store"]);
    let alone = "checks/test_sums.py::test_total[2000]";
    repository.lito(&["sample", "--bench", alone]).output();
    let counted = instructions(&repository, alone);
    assert!((counted / many - 1.0).abs() < 0.002, "{counted} {many}");
    repository.write("checks/test_sums.py", "import missing\n");
    repository
        .lito(&["bench", "list"])
        .says(2, &["No module named 'missing'"]);
}

const ASV_SETTINGS: &str = "{
    // Where the benchmarks are.
    \"version\": 1,
    \"project\": \"sums\",
    \"benchmark_dir\": \"speed\"
}
";

const ASV_SUITE: &str = "from sums import cached, table, total


class Totals:
    params = [[10, 2000], ['list', 'range']]
    param_names = ['size', 'kind']
    skip_params = [(10, 'range')]

    def setup(self, size, kind):
        self.numbers = range(size) if kind == 'range' else list(table(size))

    def time_total(self, size, kind):
        self.numbers = total(self.numbers)

    def mem_table(self, size, kind):
        return table(size)


def time_cached():
    cached(3000)


def setup_only_elsewhere():
    raise NotImplementedError


def time_elsewhere():
    pass


time_elsewhere.setup = setup_only_elsewhere
";

const PYPERF_SCRIPT: &str = "import pyperf

from sums import cached, table, total


def repeated(loops, size):
    table(4000)
    start = pyperf.perf_counter()
    for _ in range(loops):
        total(range(size))
    return pyperf.perf_counter() - start


async def waiting(size):
    return total(range(size))


if __name__ == '__main__':
    runner = pyperf.Runner()
    runner.argparser.add_argument('--size', type=int, default=10)
    size = runner.parse_args().size
    runner.bench_func('cached', cached, 3000)
    runner.bench_time_func('loops', repeated, size)
    runner.bench_async_func('waiting', waiting, size)
    runner.timeit('statement', 'total(numbers)', setup='numbers = range(%d)' % size, globals=globals())
    runner.bench_command('program', ['true'])
";

/// A repository of Python with a suite that a command runs; `None` if no interpreter is there that names its functions.
fn python_repository(command: &str, files: &[(&str, &str)]) -> Option<TestRepository> {
    naming_interpreter()?;
    let python = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/python/environment/bin/python");
    assert!(python.exists(), "`tests/setup.sh suites` installs the suites");
    let words = command.split(' ').map(|word| format!(", \"{word}\""));
    let settings = format!(
        "[gate]\naudit = \"0%\"\n\n[[benchmarks]]\nadapter = \"command\"\nrun = [\"{}\"{}]\nenv = {{ PYTHONPATH = \".\" }}\n",
        python.display(),
        words.collect::<String>()
    );
    let repository = TestRepository::unborn();
    let all = [("lito.toml", &*settings), ("sums.py", PYTHON_LIBRARY)];
    for (file, text) in all.iter().chain(files) {
        repository.write(file, text);
    }
    repository.commit("the sums");
    Some(repository)
}

fn listed(repository: &TestRepository) -> Vec<String> {
    let listed = report(&repository.lito(&["bench", "list", "--format", "json"]), 0);
    let all = listed.as_array().unwrap().iter();
    all.map(|benchmark| benchmark["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_timed_methods_of_an_asv_suite_are_measured_for_each_combination_of_parameters() {
    let files = [
        ("asv.conf.json", ASV_SETTINGS),
        ("speed/__init__.py", ""),
        ("speed/all.py", ASV_SUITE),
    ];
    let Some(repository) = python_repository("-m asv run --bench all", &files) else {
        return;
    };
    let of = |case: &str| format!("all.Totals.time_total({case})");
    let names = [
        of("10, 'list'"),
        of("2000, 'list'"),
        of("2000, 'range'"),
        "all.time_cached".to_owned(),
        "all.time_elsewhere".to_owned(),
    ];
    assert_eq!(listed(&repository), names);
    repository
        .lito(&["sample"])
        .says(0, &["all.time_elsewhere", "leave it out by `exclude` in lito.toml"]);
    // The set-up is done anew for the call that counts, and is no part of it.
    let [few, many] = ["10, 'list'", "2000, 'list'"].map(|case| instructions(&repository, &of(case)));
    assert!(
        few < 20_000.0 && (100_000.0..2_000_000.0).contains(&many),
        "{few} {many}"
    );
    assert!(instructions(&repository, "all.time_cached") < 20_000.0);
    // The methods of the class shared a start.
    repository.git(&["update-ref", "-d", "refs/lito/store"]);
    let alone = of("2000, 'list'");
    repository.lito(&["sample", "--bench", &alone]).output();
    let counted = instructions(&repository, &alone);
    assert!((counted / many - 1.0).abs() < 0.002, "{counted} {many}");
    replace(&repository, "sums.py", "result += number", "result += abs(number)");
    let json = report(&repository.lito(&["gate", "--bench", &alone, "--format", "json"]), 1);
    assert!(change(&json, &alone).is_some_and(|change| change > 0.2), "{json:#}");
}

#[test]
fn what_a_script_hands_to_pyperf_is_measured_without_what_it_prepares() {
    let Some(repository) = python_repository("speed.py --size 2000", &[("speed.py", PYPERF_SCRIPT)]) else {
        return;
    };
    assert_eq!(listed(&repository), ["cached", "loops", "statement", "waiting"]);
    repository.lito(&["sample"]).output();
    assert!(instructions(&repository, "cached") < 20_000.0);
    let [loops, statement, waiting] =
        ["loops", "statement", "waiting"].map(|benchmark| instructions(&repository, benchmark));
    // Each adds the same numbers, beside what the framework and an event loop add.
    assert!((100_000.0..2_000_000.0).contains(&loops), "{loops}");
    for other in [statement, waiting] {
        assert!((other / loops - 1.0).abs() < 0.1, "{loops} {statement} {waiting}");
    }
    replace(&repository, "sums.py", "result += number", "result += abs(number)");
    let json = report(&repository.lito(&["gate", "--bench", "loops", "--format", "json"]), 1);
    assert!(change(&json, "loops").is_some_and(|change| change > 0.2), "{json:#}");
}

const CTEST_SETTINGS: &str = "[[benchmarks]]
adapter = \"command\"
build = [\"sh\", \"-c\", \"cmake -S . -B $CARGO_TARGET_DIR -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build $CARGO_TARGET_DIR\"]
run = [\"ctest\", \"--test-dir\", \"target\", \"-E\", \"left_out\"]
";

const CTEST_PROJECT: &str = "cmake_minimum_required(VERSION 3.10)
project(sums CXX)
enable_testing()
add_executable(check sums.cpp check.cpp)
add_test(NAME few COMMAND check 1000)
add_test(NAME many COMMAND check)
set_tests_properties(many PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} ENVIRONMENT SIZE=200000)
add_test(NAME left_out COMMAND check 1)
add_test(NAME fails COMMAND check none)
set_tests_properties(fails PROPERTIES WILL_FAIL TRUE)
add_test(NAME not_built COMMAND nothing)
";

const CHECK: &str = "#include <cstdlib>
#include <vector>
long sum(const std::vector<int> &of);
int main(int count, char **words) {
    const char *size = count > 1 ? words[1] : std::getenv(\"SIZE\");
    std::vector<int> of(std::atoi(size), 2);
    return sum(of) == 0;
}
";

#[test]
fn each_test_of_ctest_is_the_whole_process_that_it_starts() {
    super::needs::program("ctest");
    let repository = TestRepository::unborn();
    for (file, text) in [
        ("lito.toml", CTEST_SETTINGS),
        ("CMakeLists.txt", CTEST_PROJECT),
        ("sums.cpp", SUMS),
        ("check.cpp", CHECK),
    ] {
        repository.write(file, text);
    }
    repository.commit("the sums");
    repository.lito(&["sample"]).output();
    assert_eq!(listed(&repository), ["few", "many"]);
    let [few, many] = ["few", "many"].map(|test| instructions(&repository, test));
    // One and a quarter of an instruction for each number at least, beside what a process starts with.
    assert!(many - few > 200_000.0, "{few} {many}");
    // Make lists the folder, and has no use for what CMake did not name.
    repository.write("NEWS", "");
    repository.commit("the news");
    assert!(repository.lito(&["score"]).output().contains("skip, risk 0%"));
    let init = repository.lito(&["init", "--force", "--ci", "none"]);
    init.says(0, &["found tests of ctest", "tests stand in"]);
    assert_eq!(listed(&repository), ["few", "left_out", "many"]);
}

#[test]
fn the_programs_of_google_benchmark_that_cmake_builds_are_found_and_listed() {
    super::needs::program("cmake");
    super::needs::file("/usr/include/benchmark/benchmark.h");
    let repository = TestRepository::unborn();
    let project = "cmake_minimum_required(VERSION 3.10)\nproject(sums CXX)\noption(SUMS_BENCHMARKS \"\" OFF)\n\
                   if(SUMS_BENCHMARKS)\n  add_subdirectory(speed)\nendif()\n";
    let program = "find_package(benchmark REQUIRED)\nadd_executable(bench ../sums.cpp bench.cpp)\n\
                   target_link_libraries(bench PRIVATE benchmark::benchmark)\n";
    for (file, text) in [
        ("CMakeLists.txt", project),
        ("speed/CMakeLists.txt", program),
        ("speed/bench.cpp", BENCH),
        ("sums.cpp", SUMS),
    ] {
        repository.write(file, text);
    }
    repository.commit("the sums");
    let init = repository.lito(&["init", "--ci", "none"]);
    init.says(0, &["found benchmarks of google-benchmark in target/cmake/speed/bench"]);
    assert_eq!(
        listed(&repository),
        ["products/iterations:20", "sums/100", "sums/100000"]
    );
}

/// Before release 3 the library is one header; since, there is a library besides.
const CATCH_SETTINGS: &str = "[[benchmarks]]
adapter = \"command\"
build = [\"sh\", \"-c\", '''
test -e /usr/include/catch2/catch_all.hpp && new=-DNEW && library=\"-lCatch2Main -lCatch2\"
c++ -O1 -g $new cases.cpp $library -o $CARGO_TARGET_DIR/cases''']
run = [\"target/cases\"]
";

const CASES: &str = "#ifdef NEW
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
#include <vector>
long sum(const std::vector<long> &of) {
    long total = 0;
    for (long one : of)
        total += one;
    return total;
}
struct Filled {
    std::vector<long> of = std::vector<long>(30000, 1);
};
TEST_CASE(\"few, [not] many\") { REQUIRE(sum({1, 2}) == 3); }
TEST_CASE(\"sections\") {
    std::vector<long> of(10000, 2);
    SECTION(\"once\") { REQUIRE(sum(of) == 20000); }
    SECTION(\"again\") { REQUIRE(sum(of) > 0); }
}
TEST_CASE_METHOD(Filled, \"filled before\") { REQUIRE(sum(of) == 30000); }
TEMPLATE_TEST_CASE(\"kinds\", \"\", int, long) { REQUIRE(sum(std::vector<long>(20000, sizeof(TestType))) > 0); }
TEST_CASE(\"hidden\", \"[.]\") { FAIL(); }
";

#[test]
fn each_test_case_of_catch2_is_measured_by_itself() {
    let headers = ["catch_all.hpp", "catch.hpp"].map(|header| format!("/usr/include/catch2/{header}"));
    let there = headers.iter().find(|header| PathBuf::from(header).exists());
    super::needs::file(there.unwrap_or(&headers[1]));
    let repository = TestRepository::with_library();
    repository.write("lito.toml", CATCH_SETTINGS);
    repository.write("cases.cpp", CASES);
    repository.commit("the cases");
    repository.lito(&["sample"]).output();
    // Some instructions for each number, and nothing of what a fixture or another case prepares.
    for (case, least, most) in [
        ("few, [not] many", 10.0, 20_000.0),
        ("sections", 40_000.0, 200_000.0),
        ("filled before", 60_000.0, 170_000.0),
        ("kinds - int", 40_000.0, 250_000.0),
        ("kinds - long", 40_000.0, 250_000.0),
    ] {
        let counted = instructions(&repository, case);
        assert!(least < counted && counted < most, "{case}: {counted}");
    }
    let shown = repository.lito(&["store", "show", "HEAD", "--bench", "hidden"]);
    shown.says(2, &["it was not profiled"]);
}

#[test]
fn a_program_that_lists_nothing_is_told_what_to_do() {
    let repository = TestRepository::with_library();
    repository.write("lito.toml", "[[benchmarks]]\nadapter = \"command\"\nrun = [\"true\"]\n");
    repository.commit("a program without a name");
    let doctor = repository.lito(&["doctor"]).stdout;
    assert!(doctor.contains("benchmarks  1 command in lito.toml"), "{doctor}");
    repository
        .lito(&["bench", "list"])
        .says(2, &["Google Benchmark", "give it a `name`"]);
}
