//! Tango: `cargo bench` programs that are linked with `tango-bench`, which times two versions of a program in turns.
//!
//! `list` prints the names. `solo` runs the benchmarks that match a glob: at first one iteration, to estimate how many
//! fill the time, then a sample. Each reads the clock before and after its iterations. The subject is the first.

use super::timing::{MEASURED, TimedStart, TimingError, only_one, shown};
use super::units::nanoseconds;
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};
use crate::benchmark::{BenchmarkSubject, ClockedEnd};

pub(super) struct TangoFramework;

/// The crate, as symbols name it.
const LIBRARY: &str = "tango_bench";

/// The function that estimates the number of iterations; called through a pointer, so that it is never inlined.
const ESTIMATE: &str = "*tango_bench::ErasedSampler*::estimate_iterations";

/// Benchmarks draw their inputs from it: always the same ones.
const SEED: &str = "1";

impl BenchmarkFramework for TangoFramework {
    fn name(&self) -> &'static str {
        "tango"
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.symbols.has_crate(LIBRARY)
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        let text = program.ask(&["list", "--bench"])?.stdout.text();
        let run = |name: &str| {
            SingleRun::of(
                [
                    "solo",
                    "--bench",
                    "--seed",
                    SEED,
                    "--samples",
                    "1",
                    "--filter",
                    &glob_of(name),
                ]
                .map(Into::into)
                .to_vec(),
                BenchmarkSubject::FirstClocked {
                    within: vec![ESTIMATE.to_owned()],
                    // Benchmarks are set up before.
                    until: ClockedEnd::Second,
                },
            )
        };
        let names = text.lines().filter(|line| !line.trim().is_empty());
        Ok(names.map(|name| (name.to_owned(), run(name))).collect())
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        let mut arguments = start.benchmark.arguments.clone();
        if let Some(samples) = arguments.iter().position(|argument| argument == "--samples") {
            arguments[samples] = "--time".into();
            arguments[samples + 1] = MEASURED.as_secs_f64().to_string().into();
        }
        let text = start.run(arguments, &[])?.stdout.text();
        let value = mean(&text).ok_or_else(|| TimingError::Failed(format!("it printed no times: {}", shown(&text))))?;
        Ok(vec![value])
    }
}

/// A glob that matches this name alone.
fn glob_of(name: &str) -> String {
    let escaped = |c: char| [r"\*?[]{}!".contains(c).then_some('\\'), Some(c)];
    name.chars().flat_map(escaped).flatten().collect()
}

/// The mean in `name  [   1.2 ns ...   1.3 ns ...   9.9 ns ]  stddev: 0.1 ns`, the only such line; in nanoseconds.
fn mean(text: &str) -> Option<f64> {
    only_one(text.lines().filter_map(|line| {
        let (_, rest) = line.rsplit_once('[')?;
        let (times, _) = rest.split_once(']')?;
        nanoseconds(times.split("...").nth(1)?)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_read_from_the_only_line() {
        let line = "sum[1]    [   1.2 ns ...   1.5 us ...   9.9 ms ]  stddev:   0.1 ns\n";
        assert_eq!(mean(line), Some(1500.0));
        assert_eq!(mean(&line.repeat(2)), None);
        assert_eq!(mean("no times"), None);
    }

    #[test]
    fn a_name_is_a_glob_that_matches_itself_alone() {
        assert_eq!(glob_of("a/b[1]*"), r"a/b\[1\]\*");
    }
}
