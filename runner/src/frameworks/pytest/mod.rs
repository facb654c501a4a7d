//! pytest: what tests hand to the fixture `benchmark` of pytest-benchmark or another plugin; each test, where there are none.
//!
//! A program of ours starts pytest in the place of the command in lito.toml, with a plugin that lists the tests or selects one. It
//! calls a function that marks the subject before and behind it: fixtures, the import of modules and pytest itself do not count.

mod command_line;
mod list;
mod time;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SharedStartRun, SingleRun};
use command_line::PytestCommand;

pub(super) struct PytestFramework;

impl BenchmarkFramework for PytestFramework {
    fn name(&self) -> &'static str {
        "pytest"
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.is_interpreter && PytestCommand::read(program.arguments).is_some()
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    fn shared_start(&self, program: &FrameworkProgram<'_>, name: &str) -> Option<SharedStartRun> {
        list::shared_start(program, name)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}
