//! The arguments by which an interpreter runs a suite → those by which it runs our program in its place.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Options of the interpreter that stand before their value.
const WITH_VALUE: [&str; 3] = ["-X", "-W", "--check-hash-based-pycs"];

/// The start of the line in which our programs print their results.
const RESULTS: &str = "lito: ";

/// A command of the interpreter: `python3 -X dev -m pytest tests`, or a script with its arguments.
pub(in crate::frameworks) struct PythonCommand<'a> {
    /// Those of the interpreter.
    options: &'a [OsString],
    pub(in crate::frameworks) started: StartedCode<'a>,
    /// Those of the module or script.
    arguments: &'a [OsString],
}

/// The code that an interpreter starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::frameworks) enum StartedCode<'a> {
    /// A module, by its name.
    Module(&'a OsStr),
    /// A script, by its path.
    Script(&'a OsStr),
}

impl StartedCode<'_> {
    /// True for a module of one of these names, or a script whose file has one.
    pub(in crate::frameworks) fn is_one_of(&self, names: &[&str]) -> bool {
        let name = match self {
            Self::Module(name) => Some(*name),
            Self::Script(path) => Path::new(path).file_name(),
        };
        names.iter().any(|one| name == Some(OsStr::new(one)))
    }
}

/// The work of our program.
pub(super) enum SuiteTask<'a> {
    List,
    /// Runs a benchmark, and marks this many calls in it.
    Count {
        benchmark: &'a str,
        times: u32,
    },
    /// Counts several of a group: see [`SharedStartRun`](crate::frameworks::SharedStartRun).
    Share {
        group: &'a str,
        times: u32,
    },
}

impl<'a> PythonCommand<'a> {
    /// The command that an interpreter with these arguments is; `None` if it starts neither a module nor a script.
    pub(super) fn read(arguments: &'a [OsString]) -> Option<Self> {
        let mut at = 0;
        let (started, behind) = loop {
            let argument = arguments.get(at)?;
            if argument == "-m" {
                break (StartedCode::Module(arguments.get(at + 1)?), at + 2);
            }
            if argument == "-c" {
                return None;
            }
            if !argument.as_encoded_bytes().starts_with(b"-") {
                break (StartedCode::Script(argument), at + 1);
            }
            at += if WITH_VALUE.iter().any(|option| argument == option) {
                2
            } else {
                1
            };
        };
        Some(Self {
            options: &arguments[..at],
            started,
            arguments: &arguments[behind..],
        })
    }

    /// The arguments by which the interpreter does a task with our program.
    pub(super) fn doing(&self, program: &str, task: &SuiteTask<'_>) -> Vec<OsString> {
        let (task, chosen, amount) = match task {
            SuiteTask::List => ("list", "", String::new()),
            SuiteTask::Count { benchmark, times } => ("count", *benchmark, times.to_string()),
            SuiteTask::Share { group, times } => ("share", *group, times.to_string()),
        };
        let (start, name) = match self.started {
            StartedCode::Module(name) => ("module", name),
            StartedCode::Script(path) => ("script", path),
        };
        let own = ["-c", program, start].map(OsString::from);
        (self.options.iter().cloned())
            .chain(own)
            .chain([name.to_owned()])
            .chain([task, chosen, &amount].map(OsString::from))
            .chain(self.arguments.iter().cloned())
            .collect()
    }
}

/// The arguments that count a benchmark, changed to time it: what it may repeat takes this many seconds.
pub(super) fn timed(program: &str, arguments: &[OsString], seconds: f64) -> Option<Vec<OsString>> {
    let mut arguments = arguments.to_vec();
    let at = arguments.iter().position(|argument| argument == program)?;
    let [_, _, _, task, _, amount] = arguments.get_mut(at..at + 6)? else {
        return None;
    };
    *task = "time".into();
    *amount = seconds.to_string().into();
    Some(arguments)
}

/// The results in what our program printed, as JSON: the suite prints before them.
pub(super) fn results(text: &str) -> Option<&str> {
    text.lines().rev().find_map(|line| line.strip_prefix(RESULTS))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::frameworks::{asv, pyperf, pytest};

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_module_or_a_script_is_found_behind_the_interpreters_options() {
        let read = |text: &str| {
            let arguments = words(text);
            PythonCommand::read(&arguments).map(|command| {
                let [own, given] = [command.options, command.arguments].map(|part| part.join(OsStr::new(" ")));
                let started = match command.started {
                    StartedCode::Module(name) => ("module", name.to_owned()),
                    StartedCode::Script(path) => ("script", path.to_owned()),
                };
                (own.into_string().unwrap(), started, given.into_string().unwrap())
            })
        };
        let found =
            |own: &str, start, name: &str, given: &str| Some((own.to_owned(), (start, name.into()), given.to_owned()));
        assert_eq!(read("-m pytest"), found("", "module", "pytest", ""));
        assert_eq!(
            read("-X dev -I -m pytest tests -k a"),
            found("-X dev -I", "module", "pytest", "tests -k a")
        );
        assert_eq!(
            read("-E /venv/bin/pytest -m slow"),
            found("-E", "script", "/venv/bin/pytest", "-m slow")
        );
        for other in ["-m", "-c pytest", "-X pytest", "-E"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn a_framework_is_known_by_the_name_of_its_module_or_script() {
        let is_pytest = |text: &str| {
            let arguments = words(text);
            PythonCommand::read(&arguments).is_some_and(|command| command.started.is_one_of(&["pytest", "py.test"]))
        };
        for one in ["-m pytest", "/venv/bin/pytest", "py.test -k a"] {
            assert!(is_pytest(one), "{one}");
        }
        for other in ["-m unittest", "bench.py -m pytest", "pytest.py", "pytest/run"] {
            assert!(!is_pytest(other), "{other}");
        }
    }

    #[test]
    fn a_count_becomes_a_measurement_of_time() {
        let arguments = words("-I -m pytest tests");
        let command = PythonCommand::read(&arguments).unwrap();
        let task = SuiteTask::Count {
            benchmark: "a.py::t",
            times: 3,
        };
        let counted = command.doing("program", &task);
        assert_eq!(counted, words("-I -c program module pytest count a.py::t 3 tests"));
        assert_eq!(
            timed("program", &counted, 0.2).unwrap(),
            words("-I -c program module pytest time a.py::t 0.2 tests")
        );
        assert_eq!(timed("program", &arguments, 0.2), None);
        assert_eq!(timed("pytest", &arguments, 0.2), None);
    }

    #[test]
    fn each_program_marks_the_subject_and_writes_results_as_they_are_read() {
        for suite in [&pytest::PYTEST, &asv::ASV, &pyperf::PYPERF] {
            for name in [crate::benchmark::MARK, crate::benchmark::TURN_COUNTING_ON] {
                assert!(suite.program.contains(name), "{} {name}", suite.name);
            }
            assert!(
                suite.program.contains(&format!("RESULTS = \"{RESULTS}\"")),
                "{}",
                suite.name
            );
            let shares = (suite.group)("a::b").or((suite.group)("a.b")).is_some();
            let looks_for_runs = suite.program.contains(crate::frameworks::RUNS_VARIABLE);
            assert_eq!(shares, looks_for_runs, "{}", suite.name);
        }
        assert_eq!(results("dots\nlito: [1]\n"), Some("[1]"));
        assert_eq!(results("dots"), None);
    }
}
