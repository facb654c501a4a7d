//! Suites of Python: a program of ours runs in the place of the command in lito.toml, and lists the benchmarks, counts one or times one.
//!
//! Each framework has a program; `calls.py` and `forks.py` are the parts that they have in common. A program calls a function that
//! marks the subject before and behind it: imports, set-up and the framework itself do not count.

mod command_line;
mod list;
mod time;

use super::found_suites::{FoundSuite, RepositorySources};
use super::timing::{TimedStart, TimingError};
use super::{BenchmarkFramework, FrameworkError, FrameworkProgram, SharedStartRun, SingleRun};
pub(super) use command_line::{PythonCommand, StartedCode};

/// A framework whose suites an interpreter of Python runs.
pub(super) struct PythonSuite {
    pub(super) name: &'static str,
    /// Our program, whose arguments `calls.py` describes.
    pub(super) program: &'static str,
    /// True for a command that runs a suite of this framework, in a folder.
    pub(super) is_started_by: fn(&PythonCommand<'_>, &std::path::Path) -> bool,
    /// The suites of this framework that the sources of a repository show.
    pub(super) suites_in: fn(&RepositorySources<'_>) -> Vec<FoundSuite>,
    /// The benchmarks that share a start have this part of their names in common; `None` for one that shares none.
    pub(super) group: fn(&str) -> Option<&str>,
}

impl PythonSuite {
    fn command<'a>(&self, program: &FrameworkProgram<'a>) -> Option<PythonCommand<'a>> {
        PythonCommand::read(program.arguments).filter(|command| (self.is_started_by)(command, program.directory))
    }
}

impl BenchmarkFramework for PythonSuite {
    fn name(&self) -> &'static str {
        self.name
    }

    fn serves_bench_targets(&self) -> bool {
        false
    }

    fn runs(&self, program: &FrameworkProgram<'_>) -> bool {
        program.is_interpreter && self.command(program).is_some()
    }

    fn list(&self, program: &FrameworkProgram<'_>) -> Result<Vec<(String, SingleRun)>, FrameworkError> {
        list::benchmarks(self, program)
    }

    fn shared_start(&self, program: &FrameworkProgram<'_>, name: &str) -> Option<SharedStartRun> {
        list::shared_start(self, program, name)
    }

    fn suites_in(&self, sources: &RepositorySources<'_>) -> Vec<FoundSuite> {
        (self.suites_in)(sources)
    }

    fn time(&self, start: &TimedStart<'_>) -> Result<Vec<f64>, TimingError> {
        time::time_start(self.program, start)
    }
}

/// The variables by which a suite finds the library that a repository keeps in a folder of its own.
pub(super) fn library_variables(sources: &RepositorySources<'_>) -> Vec<(&'static str, String)> {
    let is_library = |path: &str| {
        let module = path.strip_prefix("src/").unwrap_or_default();
        let is_package = module.ends_with("/__init__.py") && module.matches('/').count() == 1;
        is_package || module.ends_with(".py") && !module.contains('/')
    };
    match sources.paths().any(is_library) {
        true => vec![("PYTHONPATH", "src".to_owned())],
        false => Vec::new(),
    }
}
