//! Catch2: each test case of a program that a command builds is a benchmark, where there are no others.
//!
//! A run of one test case executes one of the functions that the macros of the library make. It is what counts.

mod list;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun, process_time};

pub(super) struct Catch2Framework;

/// `Catch::Session`, as compilers write it.
const SESSION: &str = "5Catch7Session";

impl BenchmarkFramework for Catch2Framework {
    fn name(&self) -> &'static str {
        "catch2"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.is_suite_of(SESSION)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    /// A program tells how long a test case takes in milliseconds.
    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        process_time::time_processes(start)
    }
}
