//! The standard test harness: `#[bench]` functions of `cargo bench`, `#[test]` functions of `cargo test`.

mod list;
mod time;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};

pub(super) struct LibtestFramework;

impl BenchmarkFramework for LibtestFramework {
    fn name(&self) -> &'static str {
        "libtest"
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn functions_set_up(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program
            .symbols
            .any(|name| crate::benchmark::glob_matches(list::FRAME, name))
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}
