//! Programs that list their benchmarks themselves, linked with the real Google Benchmark and GoogleTest.

use serde_json::Value;

use super::gate::{replace, report};
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
    let worse = |name: &str| {
        let all: &Vec<Value> = json["benchmarks"].as_array().unwrap();
        let one = all.iter().find(|benchmark| benchmark["name"] == name);
        one.and_then(|benchmark| benchmark["change"].as_f64())
    };
    for name in ["products/iterations:20", "All/Sizes.Product/0"] {
        assert!(worse(name).is_some_and(|change| change > 0.05), "{name}: {json:#}");
    }
    assert_eq!(worse("sums/100000"), None, "{json:#}");
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
