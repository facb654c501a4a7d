//! Iai: `cargo bench` programs that are linked with the `iai` crate and run themselves under cachegrind.
//!
//! They print the name of each benchmark before they start valgrind on its index. A script stands in for valgrind and
//! runs nothing. `--iai-run INDEX` runs one benchmark. The subject is the function that the macro wraps around it, which
//! is called through a pointer. A run is not timed by the library: the wall time is that of the process.

use super::process_time::time_processes;
use super::stand_in::StandIn;
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};
use crate::benchmark::BenchmarkSubject;

pub(super) struct IaiFramework;

/// Writes the file that iai reads after each run, with nothing counted.
const VALGRIND: &str = r#"#!/bin/sh
for argument; do
    case $argument in
        --cachegrind-out-file=*)
            printf 'events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\nsummary: 0 0 0 0 0 0 0 0 0\n' > "${argument#*=}"
            ;;
    esac
done
"#;

impl BenchmarkFramework for IaiFramework {
    fn name(&self) -> &'static str {
        "iai"
    }

    fn names_are_fixed(&self) -> bool {
        true
    }

    fn functions_set_up(&self) -> bool {
        true
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.symbols.any(|name| name.starts_with("iai::runner"))
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        let valgrind = StandIn::new("valgrind", VALGRIND)?;
        let text = valgrind.ask(program, &["--bench"])?.stdout.text();
        // Its results are indented.
        let names = text.lines().filter(|line| !line.is_empty() && !line.starts_with(' '));
        let run = |(index, name): (usize, &str)| {
            let run = SingleRun::of(
                vec!["--iai-run".into(), index.to_string().into()],
                BenchmarkSubject::Pattern(format!("{}::iai_wrappers::{name}", program.crate_name())),
            );
            (name.to_owned(), run)
        };
        Ok(names.enumerate().map(run).collect())
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time_processes(start)
    }
}
