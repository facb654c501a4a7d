//! The arguments by which an interpreter runs pytest → those by which it runs our program, which starts pytest.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The program.
const PROGRAM: &str = include_str!("program.py");

/// Options of the interpreter that stand before their value.
const WITH_VALUE: [&str; 3] = ["-X", "-W", "--check-hash-based-pycs"];

/// The start of the line in which the program prints its results.
const RESULTS: &str = "lito: ";

/// A command of pytest: `python3 -X dev -m pytest tests`, or a script of that name.
pub(super) struct PytestCommand<'a> {
    /// Those of the interpreter.
    options: &'a [OsString],
    /// Those of pytest.
    arguments: &'a [OsString],
    is_module: bool,
}

/// The work of the program.
pub(super) enum PytestTask<'a> {
    List,
    /// Runs a test, and marks this many calls in it.
    Count {
        test: &'a str,
        times: u32,
    },
    /// Counts several tests of a file: see [`SharedStartRun`](crate::frameworks::SharedStartRun).
    Share {
        file: &'a str,
        times: u32,
    },
}

impl<'a> PytestCommand<'a> {
    /// The command that an interpreter with these arguments is.
    pub(super) fn read(arguments: &'a [OsString]) -> Option<Self> {
        let mut at = 0;
        loop {
            let argument = arguments.get(at)?;
            if argument == "-m" {
                return (arguments.get(at + 1)? == "pytest").then(|| Self {
                    options: &arguments[..at],
                    arguments: &arguments[at + 2..],
                    is_module: true,
                });
            }
            if argument == "-c" {
                return None;
            }
            if !argument.as_encoded_bytes().starts_with(b"-") {
                let name = Path::new(argument).file_name();
                let is_pytest = ["pytest", "py.test"]
                    .iter()
                    .any(|pytest| name == Some(OsStr::new(pytest)));
                return is_pytest.then(|| Self {
                    options: &arguments[..at],
                    arguments: &arguments[at + 1..],
                    is_module: false,
                });
            }
            at += if WITH_VALUE.iter().any(|option| argument == option) {
                2
            } else {
                1
            };
        }
    }

    /// The arguments by which the interpreter does a task.
    pub(super) fn doing(&self, task: &PytestTask<'_>) -> Vec<OsString> {
        let (task, test, amount) = match task {
            PytestTask::List => ("list", "", String::new()),
            PytestTask::Count { test, times } => ("count", *test, times.to_string()),
            PytestTask::Share { file, times } => ("share", *file, times.to_string()),
        };
        let start = if self.is_module { "module" } else { "script" };
        let own = ["-c", PROGRAM, start, task, test, &amount].map(OsString::from);
        (self.options.iter().cloned())
            .chain(own)
            .chain(self.arguments.iter().cloned())
            .collect()
    }
}

/// The arguments that count a test, changed to time it: what it may repeat takes this many seconds.
pub(super) fn timed(arguments: &[OsString], seconds: f64) -> Option<Vec<OsString>> {
    let mut arguments = arguments.to_vec();
    let at = arguments.iter().position(|argument| argument == PROGRAM)?;
    *arguments.get_mut(at + 2)? = "time".into();
    *arguments.get_mut(at + 4)? = seconds.to_string().into();
    Some(arguments)
}

/// The results in what the program printed, as JSON: pytest and the tests print before them.
pub(super) fn results(text: &str) -> Option<&str> {
    text.lines().rev().find_map(|line| line.strip_prefix(RESULTS))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn pytest_is_found_as_a_module_or_a_script_behind_the_interpreters_options() {
        let read = |text: &str| {
            let arguments = words(text);
            PytestCommand::read(&arguments).map(|command| {
                let [own, given] = [command.options, command.arguments].map(|part| part.join(OsStr::new(" ")));
                (
                    own.into_string().unwrap(),
                    command.is_module,
                    given.into_string().unwrap(),
                )
            })
        };
        let found = |own: &str, is_module, given: &str| Some((own.to_owned(), is_module, given.to_owned()));
        assert_eq!(read("-m pytest"), found("", true, ""));
        assert_eq!(
            read("-X dev -I -m pytest tests -k a"),
            found("-X dev -I", true, "tests -k a")
        );
        assert_eq!(read("-E /venv/bin/pytest -m slow"), found("-E", false, "-m slow"));
        for other in [
            "",
            "-m unittest",
            "-m",
            "bench.py -m pytest",
            "-c pytest",
            "-X pytest",
            "pytest.py",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn a_count_becomes_a_measurement_of_time() {
        let arguments = words("-I -m pytest tests");
        let command = PytestCommand::read(&arguments).unwrap();
        let counted = command.doing(&PytestTask::Count {
            test: "a.py::t",
            times: 3,
        });
        assert_eq!(counted[3..], words("module count a.py::t 3 tests"));
        assert_eq!(
            timed(&counted, 0.2).unwrap()[3..],
            words("module time a.py::t 0.2 tests")
        );
        assert_eq!(timed(&arguments, 0.2), None);
    }

    #[test]
    fn the_program_calls_the_mark_and_looks_for_the_runs() {
        for name in [crate::benchmark::MARK, crate::frameworks::RUNS_VARIABLE] {
            assert!(PROGRAM.contains(name), "{name}");
        }
    }

    #[test]
    fn the_program_writes_results_as_they_are_read() {
        assert!(PROGRAM.contains(&format!("RESULTS = \"{RESULTS}\"")));
        assert_eq!(results("dots\nlito: [1]\n"), Some("[1]"));
        assert_eq!(results("dots"), None);
    }
}
