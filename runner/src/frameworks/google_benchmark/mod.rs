//! Google Benchmark: programs that a command builds and that are linked with the library.
//!
//! `--benchmark_list_tests` prints the names. A benchmark's function reads two clocks before its loop and two behind it, so that
//! the loop is what counts. From 1.8 on, `--benchmark_min_time=4x` asks for 4 iterations; before, a time of 0 asks for one.
//!
//! Of a program without symbols, the difference of two runs counts: of n and of 2n iterations, or repetitions where the source or
//! the release fixes the iterations. A repetition also prepares what the loop works with.

mod list;
mod time;

use super::cmake_sources::CmakeSources;
use super::found_suites::{FoundSuite, RepositorySources};
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};

pub(super) struct GoogleBenchmarkFramework;

/// `benchmark::RunSpecifiedBenchmarks`, as compilers write it.
const RUNS_ALL: &str = "9benchmark22RunSpecifiedBenchmarks";

/// The library, as build files of CMake link it.
const LIBRARIES: [&str; 4] = [
    "benchmark",
    "benchmark_main",
    "benchmark::benchmark",
    "benchmark::benchmark_main",
];

/// How many iterations a run asks for begins with this.
const ITERATIONS: &str = "--benchmark_min_time=";

/// The same for repetitions.
const REPETITIONS: &str = "--benchmark_repetitions=";

impl BenchmarkFramework for GoogleBenchmarkFramework {
    fn name(&self) -> &'static str {
        "google-benchmark"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.is_suite_of(RUNS_ALL)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    fn suites_in(&self, sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
        let Some(cmake) = CmakeSources::of(sources) else {
            return Vec::new();
        };
        let programs = cmake.programs_with(&LIBRARIES);
        let targets: Vec<&str> = programs.iter().map(|(_, program)| *program).collect();
        let suite = |(folder, program): &(&str, &str)| {
            let program = cmake.program(folder, program);
            FoundSuite {
                framework: self.name(),
                places: vec![program.clone()],
                build: cmake.build("BENCH", &targets),
                run: vec![program],
                env: Vec::new(),
                is_of_tests: false,
            }
        };
        programs.iter().map(suite).collect()
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}
