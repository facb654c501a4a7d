//! Commands of the settings file: a definition is one benchmark, timed as a whole process.

mod list;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun, process_time};

pub(super) use list::{benchmarks, environment, suite, suite_arguments};

pub(super) struct CommandFramework;

impl BenchmarkFramework for CommandFramework {
    fn name(&self) -> &'static str {
        "command"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    /// A definition names the command; built programs never do.
    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, _program: &FrameworkProgram<'_>) -> bool {
        false
    }

    /// The definition names the benchmark, the program does not.
    fn list(&self, _program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        Ok(Vec::new())
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        process_time::time_processes(start)
    }
}
