//! How a run ends: the documented exit codes, and the one place where an error is printed.

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
    /// A regression was measured: a result, not an error.
    Regression = 1,
    /// The command line, the settings, or the state of the repository do not allow what was asked for.
    Usage = 2,
    /// The machine, the file system, a tool or the store failed.
    Environment = 3,
    /// Not everything that was to be measured could be decided.
    Inconclusive = 4,
    /// Stopped by the user: what shells give for SIGINT.
    Interrupted = 130,
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not do what it was asked for.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be mended by whoever typed the command: *what was attempted: on what: why; what to do*.
    Usage(String),
    /// To be mended on the machine; same shape.
    Environment(String),
    /// Whoever read our output stopped reading. Not an error.
    BrokenPipe,
    /// The user asked to stop. What is done is kept.
    Interrupted,
}

impl Failure {
    /// A mistake in the command line, the settings or the choice of repository.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self::Usage(message.to_string())
    }

    /// Something that the machine did not allow.
    pub(crate) fn environment(message: impl Display) -> Self {
        Self::Environment(message.to_string())
    }

    /// Writes the failure to the standard error.
    pub(crate) fn print(&self) {
        if matches!(self, Self::BrokenPipe) {
            return;
        }
        let message = self.to_string();
        // Each line by itself: a message may show an excerpt of a file, but no control characters of it.
        let lines: Vec<_> = message.lines().map(report::text::safe).collect();
        // Nobody is left to be told where the standard error is closed as well.
        let _ = writeln!(
            anstream::stderr(),
            "{BAD}{STRONG}error:{STRONG:#}{BAD:#} {}",
            lines.join("\n")
        );
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::BrokenPipe => "whoever read the output stopped reading",
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
    /// Only for writing to the standard output: every other file is named where it fails.
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

/// What the runner could not do, classified as the engine does.
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
    runner::store::remote::RemoteError,
    runner::suite::SuiteError,
    runner::toolchain::ToolchainError,
);

/// Prints what clap has to say (an error, or the help that was asked for).
pub(crate) fn print_parser_message(answer: &clap::Error) -> ExitCode {
    // A closed pipe is the reader's choice.
    let _ = answer.print();
    if answer.use_stderr() {
        CommandExit::Usage.into()
    } else {
        CommandExit::Passed.into()
    }
}
