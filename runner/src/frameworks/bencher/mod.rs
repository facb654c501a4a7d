//! Bencher: `cargo bench` programs that are linked with the `bencher` crate, a copy of the standard test harness's
//! `#[bench]` for stable compilers.

mod list;

use super::timing::{TimedStart, TimingError, shown};
use super::units::nanoseconds_per_iteration;
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};

pub(super) struct BencherFramework;

impl BenchmarkFramework for BencherFramework {
    fn name(&self) -> &'static str {
        "bencher"
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.symbols.has_crate("bencher")
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    /// The time per iteration of the benchmark whose name is the filter; others match it too.
    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        let arguments = start.benchmark.arguments.clone();
        let name = arguments
            .last()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let text = start.run(arguments, &[])?.stdout.text();
        let own: String = text.lines().filter(|line| list::name_of(line) == Some(&name)).collect();
        let value = nanoseconds_per_iteration(&own)
            .ok_or_else(|| TimingError::Failed(format!("it printed no bench time: {}", shown(&text))))?;
        Ok(vec![value])
    }
}
