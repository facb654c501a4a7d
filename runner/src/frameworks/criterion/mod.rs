//! Criterion: `cargo bench` programs that are linked with it.

mod list;
mod time;

use super::symbols::ProgramSymbols;
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};
use crate::build::ExecutableKind;

pub(super) struct CriterionFramework;

impl BenchmarkFramework for CriterionFramework {
    fn name(&self) -> &'static str {
        "criterion"
    }

    fn runs(&self, _kind: ExecutableKind, symbols: &ProgramSymbols) -> bool {
        symbols.has_crate("criterion")
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}
