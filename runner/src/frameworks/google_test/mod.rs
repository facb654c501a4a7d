//! GoogleTest: each test of a program that a command builds is a benchmark, where there are no others.
//!
//! `--gtest_list_tests` prints the names. Runs that repeat a test n and 2n times differ by n runs of the test, with what its
//! suite sets up.

mod list;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun, process_time};

pub(super) struct GoogleTestFramework;

/// `testing::UnitTest::Run`, as compilers write it.
const RUNS_ALL: &str = "7testing8UnitTest3RunEv";

impl BenchmarkFramework for GoogleTestFramework {
    fn name(&self) -> &'static str {
        "google-test"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.is_suite_of(RUNS_ALL)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        let text = program.ask(&["--gtest_list_tests"])?.stdout.text();
        let names = list::names(&text).into_iter();
        Ok(names.map(|name| (name.clone(), list::run_of(&name, program))).collect())
    }

    /// A program does not tell how long one test takes but to the millisecond.
    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        process_time::time_processes(start)
    }
}
