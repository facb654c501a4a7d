//! Divan: `cargo bench` programs that are linked with it.

mod list;
mod time;

use super::symbols::ProgramSymbols;
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};
use crate::build::ExecutableKind;

pub(super) struct DivanFramework;

impl BenchmarkFramework for DivanFramework {
    fn name(&self) -> &'static str {
        "divan"
    }

    fn runs(&self, _kind: ExecutableKind, symbols: &ProgramSymbols) -> bool {
        symbols.has_crate("divan")
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}
