//! A program of a framework, as it is asked for its benchmarks, and the run of one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::FrameworkError;
use super::symbols::ProgramSymbols;
use crate::benchmark::BenchmarkSubject;
use crate::build::ExecutableKind;
use crate::process::{self, FinishedProcess, InterruptionFlag, Invocation};

/// The time limit of a list: frameworks run every set-up function to make it.
const LISTING_LIMIT: Duration = Duration::from_secs(60);

/// A program of a framework.
pub(crate) struct FrameworkProgram<'a> {
    pub(super) path: &'a Path,
    /// Those that it is always given.
    pub(super) arguments: &'a [OsString],
    /// Iterations that a run asks for, where the framework takes their number.
    pub(super) iterations: u32,
    pub(super) directory: &'a Path,
    pub(super) environment: &'a [(OsString, OsString)],
    pub(super) kind: ExecutableKind,
    pub(super) target: &'a str,
    /// Empty for an interpreter.
    pub(super) symbols: &'a ProgramSymbols,
    /// True if it is an interpreter.
    pub(super) is_interpreter: bool,
    pub(super) interruption: &'a InterruptionFlag,
}

/// The arguments and the subject that run one benchmark once.
pub(crate) struct SingleRun {
    pub(super) arguments: Vec<OsString>,
    pub(super) subject: BenchmarkSubject,
    /// The program, where it is another one than that which lists the benchmarks.
    pub(super) program: Option<OtherProgram>,
}

/// A program that a benchmark runs in place of the one that lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OtherProgram {
    pub(super) path: PathBuf,
    /// The folder that it runs in, if it is another one.
    pub(super) directory: Option<PathBuf>,
    /// Variables that it has besides.
    pub(super) environment: Vec<(OsString, OsString)>,
}

impl SingleRun {
    /// A run of the program that lists the benchmarks.
    pub(super) fn of(arguments: Vec<OsString>, subject: BenchmarkSubject) -> Self {
        Self {
            arguments,
            subject,
            program: None,
        }
    }
}

impl FrameworkProgram<'_> {
    /// True for a program that a command builds, linked with a library that has a function whose symbol contains this.
    pub(super) fn is_suite_of(&self, symbol: &str) -> bool {
        self.kind == ExecutableKind::Suite && self.symbols.any_linked(|name| name.contains(symbol))
    }

    pub(super) fn ask(&self, arguments: &[&str]) -> Result<FinishedProcess, FrameworkError> {
        let invocation = self.invocation(arguments);
        self.succeeded(&invocation, process::run(&invocation, self.interruption)?)
    }

    /// The same process if it succeeded.
    pub(super) fn succeeded(
        &self,
        invocation: &Invocation,
        finished: FinishedProcess,
    ) -> Result<FinishedProcess, FrameworkError> {
        if finished.status.success() {
            return Ok(finished);
        }
        let words = [finished.stderr.last_lines(3), finished.stdout.last_lines(3)];
        Err(FrameworkError::Failed {
            command: invocation.to_string(),
            ending: finished.ending(),
            reason: words
                .into_iter()
                .find(|words| !words.is_empty())
                .unwrap_or_else(|| "no output".to_owned()),
        })
    }

    /// A run of the iterations that are asked for, beside one of twice as many: the difference counts. `asking_for` gives the
    /// arguments for a number of them.
    pub(super) fn further_iterations(&self, asking_for: impl Fn(u32) -> Vec<String>) -> SingleRun {
        SingleRun::of(
            self.with_arguments(asking_for(self.iterations)),
            BenchmarkSubject::FurtherIterations {
                twice: self.with_arguments(asking_for(self.iterations.saturating_mul(2))),
            },
        )
    }

    /// The arguments that it is always given, and others.
    pub(super) fn with_arguments(&self, others: Vec<String>) -> Vec<OsString> {
        let others = others.into_iter().map(OsString::from);
        self.arguments.iter().cloned().chain(others).collect()
    }

    /// The crate that the program's own functions are in, as symbols name it.
    pub(super) fn crate_name(&self) -> String {
        self.target.replace('-', "_")
    }

    pub(super) fn invocation(&self, arguments: &[&str]) -> Invocation {
        let invocation = Invocation::new(self.path, self.directory, LISTING_LIMIT)
            .arguments(self.arguments)
            .arguments(arguments);
        self.environment
            .iter()
            .fold(invocation, |invocation, (name, value)| invocation.variable(name, value))
    }
}
