//! A framework's name → its folder in the runner: how its programs list benchmarks, how they are timed, and a failing test of
//! each.
//!
//! Knows nothing of the framework: the listing, the table of times and the subject are filled in by hand.

use super::scaffold::{camel_case, create_file, insert_before, snake_case};

/// The file that lists the frameworks.
const REGISTRY: &str = "runner/src/frameworks/mod.rs";

/// Writes the stubs of a framework and registers it.
pub(super) fn create(name: &str) -> Result<(), String> {
    let module = snake_case(name);
    let filled = |text: &str| {
        text.replace("{name}", name)
            .replace("{module}", &module)
            .replace("{Type}", &camel_case(name))
    };
    let folder = format!("runner/src/frameworks/{module}");
    create_file(&format!("{folder}/mod.rs"), &filled(FRAMEWORK))?;
    create_file(&format!("{folder}/list.rs"), &filled(LIST))?;
    create_file(&format!("{folder}/time.rs"), &filled(TIME))?;
    create_file(&format!("{folder}/listing.txt"), "")?;
    create_file(&format!("{folder}/times.txt"), "")?;
    insert_before(REGISTRY, "mod libtest;", &filled("mod {module};\n"))?;
    insert_before(
        REGISTRY,
        "    &libtest::LibtestFramework,",
        &filled("    &{module}::{Type}Framework,\n"),
    )
}

const FRAMEWORK: &str = r#"//! {name}: `cargo bench` programs that are linked with it.

mod list;
mod time;

use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SingleRun};

pub(super) struct {Type}Framework;

impl BenchmarkFramework for {Type}Framework {
    fn name(&self) -> &'static str {
        "{name}"
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.symbols.has_crate("{module}")
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(program)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(start)
    }
}
"#;

const LIST: &str = r#"//! {name}'s programs: how they list benchmarks, run one once, and which part of that run is measured.

use crate::benchmark::BenchmarkSubject;
use crate::frameworks::{FrameworkError, FrameworkProgram, SingleRun, terse_names};

/// The benchmarks of a program, each with its way to run once.
pub(super) fn benchmarks(program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
    let text = program.ask(&["--bench", "--list"])?.stdout.text();
    let run = |name: &str| SingleRun {
        arguments: ["--bench", "--test", "--exact", name].map(Into::into).to_vec(),
        subject: BenchmarkSubject::Process,
    };
    Ok(names(&text).into_iter().map(|name| (name.to_owned(), run(name))).collect())
}

/// The names in a listing.
fn names(text: &str) -> Vec<&str> {
    terse_names(text, &[": benchmark"])
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_listing_gives_the_names_of_its_benchmarks() {
        let found = names(include_str!("listing.txt"));
        assert!(!found.is_empty(), "write what a program of {name} lists into listing.txt, and compare the names");
    }
}
"#;

const TIME: &str = r#"//! {name}'s programs → the time of an iteration, from what they print.

use crate::frameworks::timing::{TimedStart, TimingError, only_one, shown};

/// The times of one start, in nanoseconds for an iteration.
pub(super) fn time_start(start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
    let arguments = start.arguments_replacing_test(&[]);
    let text = start.run(arguments, &[])?.stdout.text();
    let value = nanoseconds(&text)
        .ok_or_else(|| TimingError::Failed(format!("it printed no time of a benchmark: {}", shown(&text))))?;
    Ok(vec![value])
}

/// The number in `time: 12.5 ns`, the only such line.
fn nanoseconds(text: &str) -> Option<f64> {
    only_one(text.lines().filter_map(|line| {
        let (_, rest) = line.split_once("time:")?;
        rest.trim().strip_suffix(" ns")?.parse().ok()
    }))
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn the_printed_time_is_read_in_nanoseconds() {
        let found = nanoseconds(include_str!("times.txt"));
        assert!(found.is_some(), "write what a program of {name} prints into times.txt, and compare the time");
    }
}
"#;
