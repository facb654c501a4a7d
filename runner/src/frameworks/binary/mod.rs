//! Binaries of a harness: each is one benchmark, timed as a whole process.

mod list;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun, process_time};
use crate::build::ExecutableKind;

pub(super) struct BinaryFramework;

impl BenchmarkFramework for BinaryFramework {
    fn name(&self) -> &'static str {
        "binary"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.kind == ExecutableKind::Binary
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        Ok(vec![list::only_benchmark(program)])
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        process_time::time_processes(start)
    }
}
