//! CTest: the tests of a build of CMake, each a whole process, where a command names `ctest` and gives no name.
//!
//! `ctest --show-only=json-v1` tells the command of each test, which lito runs itself.

mod list;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun, process_time};
use crate::benchmark::CTEST;
use crate::build::ExecutableKind;

pub(super) struct CtestFramework;

impl BenchmarkFramework for CtestFramework {
    fn name(&self) -> &'static str {
        "ctest"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    /// They stand in the files of CMake.
    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.kind == ExecutableKind::Suite && program.path.file_name().is_some_and(|name| name == CTEST)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::tests(program)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        process_time::time_processes(start)
    }
}
