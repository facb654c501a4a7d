//! Exit codes, and the one place that prints errors.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use engine::EngineError;
use report::style::{BAD, STRONG};

/// The documented exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandExit {
    /// Passed, or skipped with a reason.
    Passed = 0,
    /// A regression was measured. A result, not an error.
    Regression = 1,
    /// The command line, the settings or the state of the repository rule the request out.
    Usage = 2,
    /// The machine, the file system, a tool or the store failed.
    Environment = 3,
    /// The measurements do not decide.
    Inconclusive = 4,
    /// Stopped by the user. Shells use this code for SIGINT.
    Interrupted = 130,
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user can fix it. The message says *what was attempted: on what: why; what to do*.
    Usage(String),
    /// The machine has to be fixed. The message has the same form.
    Environment(String),
    /// The reader of the output closed the pipe. Not an error.
    BrokenPipe,
    /// The user asked to stop. Finished work is kept.
    Interrupted,
}

impl Failure {
    /// A mistake in the command line, the settings or the choice of repository.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self::Usage(message.to_string())
    }

    /// A failure of the machine, the file system, a tool or the store.
    pub(crate) fn environment(message: impl Display) -> Self {
        Self::Environment(message.to_string())
    }

    /// Writes the failure to the standard error.
    pub(crate) fn print(&self) {
        if matches!(self, Self::BrokenPipe) {
            return;
        }
        // A message may quote a file, but not its control characters.
        let message = report::text::safe_lines(&self.to_string());
        // If the standard error is closed too, nobody can be told.
        let _ = writeln!(anstream::stderr(), "{BAD}{STRONG}error:{STRONG:#}{BAD:#} {message}");
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::BrokenPipe => "the reader of the output closed the pipe",
            Self::Interrupted => "interrupted; what was finished is kept",
            Self::Usage(message) | Self::Environment(message) => message,
        })
    }
}

impl From<&Failure> for CommandExit {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Usage(_) => Self::Usage,
            Failure::Environment(_) => Self::Environment,
            Failure::BrokenPipe => Self::Passed,
            Failure::Interrupted => Self::Interrupted,
        }
    }
}

impl From<io::Error> for Failure {
    /// Only for the standard output: errors of files name their file where they occur.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::environment(format_args!("writing the output: {error}")),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Request(message) => Self::Usage(message),
            EngineError::Environment(message) => Self::Environment(message),
            EngineError::Interrupted => Self::Interrupted,
        }
    }
}

/// Converts errors of the runner as the engine classifies them.
macro_rules! from_runner {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                EngineError::from(error).into()
            }
        })+
    };
}

from_runner!(
    runner::git::GitError,
    runner::github::GithubError,
    runner::measure::sides::MeasuredSidesError,
    runner::sample::SampleError,
    runner::store::StoreError,
    runner::store::bucket::BucketError,
    runner::store::remote::RemoteError,
    runner::suite::SuiteError,
    runner::toolchain::ToolchainError,
);

/// Prints clap's answer: an error, or the requested help.
pub(crate) fn print_parser_message(answer: &clap::Error) -> ExitCode {
    // A closed pipe is the reader's choice.
    let _ = answer.print();
    if answer.use_stderr() {
        CommandExit::Usage.into()
    } else {
        CommandExit::Passed.into()
    }
}
