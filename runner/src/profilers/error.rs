//! Failures of a profiler, and the one classification of them that every caller uses.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use attribution::callgrind::DebugInfoError;
use attribution::callgrind::trace::CallgrindError;
use attribution::probes::ProbeTextError;

use crate::process::{FinishedProcess, LeftRunning, may_lack_a_variable};

/// Lines of a failed program's standard error that are shown.
pub(super) const LINES_SHOWN: usize = 12;

/// The reason why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfilerError {
    /// Valgrind is not installed.
    #[error(
        "profiling {program}: valgrind was not found; install it (`apt-get install valgrind`, \
         `dnf install valgrind`)"
    )]
    ValgrindMissing {
        /// The program to be profiled.
        program: PathBuf,
    },
    /// Valgrind could not run the program at all.
    #[error("profiling {program}: valgrind failed: {message}")]
    ValgrindFailed {
        /// The profiled program.
        program: PathBuf,
        /// Valgrind's message.
        message: String,
    },
    /// The program does not exist.
    #[error("profiling {program}: there is no such program: correct the benchmark's `run`, or build it with `build`")]
    ProgramMissing {
        /// The program as given.
        program: PathBuf,
    },
    /// The user asked to stop.
    #[error("profiling {program}: interrupted")]
    Interrupted {
        /// The profiled program.
        program: PathBuf,
    },
    /// A file could not be read or written.
    #[error("profiling: {action} {path}: {source}")]
    Io {
        /// The operation that was attempted.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// No function of the program is the subject.
    #[error(
        "profiling {program}: no function in it matches the subject `{subject}`: it is misspelled, or inlined \
         everywhere (then mark it `#[inline(never)]`, in C `__attribute__((noinline))`){}",
        suggestions(.near)
    )]
    SubjectNotFound {
        /// The profiled program.
        program: PathBuf,
        /// The subject as given.
        subject: String,
        /// Names in the program that are close to it.
        near: Vec<String>,
    },
    /// The subject exists, but the program never called it.
    #[error(
        "profiling {program}: {subject} was not called in this run; check the benchmark's \
         command and arguments; a name that changes from run to run, as one with a time in it, runs nothing"
    )]
    SubjectNotExecuted {
        /// The profiled program.
        program: PathBuf,
        /// The subject as it is called in a sentence.
        subject: String,
    },
    /// The process left an empty profile.
    #[error(
        "profiling {program}: it starts another program in its place, as a script may, and that one is not profiled; \
         name that program, with its arguments, in `run`"
    )]
    ProgramReplaced {
        /// The profiled program.
        program: PathBuf,
    },
    /// A profiler of machine code tells the functions of the interpreter apart, and not those of the source.
    #[error(
        "profiling {program}: it is an interpreter, and the calling contexts of the functions that it runs are not known; \
         their costs are in the profile: `lito store show`"
    )]
    NoContextsOfInterpreted {
        /// The interpreter.
        program: PathBuf,
    },
    /// A run with twice as many iterations costs no more.
    #[error(
        "profiling {program}: twice as many iterations cost no more, with the arguments `{}`; let the program repeat what is \
         measured as often as `{{iterations}}` in `run` says",
        .arguments.join(" ")
    )]
    NoFurtherIterations {
        /// The profiled program.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// The subject has no probe.
    #[error(
        "profiling {program}: the subject `{subject}` has no probe: {reason}{}",
        suggestions(.near)
    )]
    SubjectNotProbed {
        /// The program.
        program: PathBuf,
        /// The subject as given.
        subject: String,
        /// The reason.
        reason: &'static str,
        /// Names in the sources that are close to it.
        near: Vec<String>,
    },
    /// The text that a program's probes wrote is unusable.
    #[error("profiling {program}: {source}")]
    Counts {
        /// The program.
        program: PathBuf,
        /// Why.
        source: ProbeTextError,
    },
    /// The program failed.
    #[error("profiling {program}: it ended with {status}{}", last_lines(.stderr))]
    ProgramFailed {
        /// The profiled program.
        program: PathBuf,
        /// Exit code or signal.
        status: ExitStatus,
        /// The last lines of its standard error.
        stderr: String,
    },
    /// The program left processes behind, whose work is in no count, and which disturb the next run.
    #[error("profiling {program}: it left {left}, so not all of its work is counted: let it wait for what it starts")]
    LeftRunning {
        /// The profiled program.
        program: PathBuf,
        /// The processes; they were killed.
        left: LeftRunning,
    },
    /// The program did not end in time.
    #[error(
        "profiling {program}: it did not end within {} s and was stopped; under the profiler programs run \
         about 50 times slower: raise `time_limit` or reduce the input",
        .limit.as_secs_f64()
    )]
    TimedOut {
        /// The profiled program.
        program: PathBuf,
        /// The limit.
        limit: Duration,
    },
    /// Callgrind's output is unusable.
    #[error("profiling {program}: {source}")]
    Output {
        /// The profiled program.
        program: PathBuf,
        /// Why.
        source: CallgrindError,
    },
    /// Dhat's output is unusable.
    #[error("profiling {program}: reading dhat's output: {reason}")]
    HeapOutput {
        /// The profiled program.
        program: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The program can't be read, or has no line tables.
    #[error("profiling {program}: {source}")]
    DebugInfo {
        /// The profiled program.
        program: PathBuf,
        /// Why.
        source: DebugInfoError,
    },
}

/// The kind of a failure, by what a caller does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfilerFailureKind {
    /// The benchmark failed: recorded, and the others go on.
    Benchmark,
    /// The benchmark ran longer than it may: recorded, and the others go on.
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The profiler's tool is missing or runs nothing: another profiler may work.
    Tool,
    /// The machine failed: no file can be read or written.
    Machine,
    /// The user asked to stop.
    Interrupted,
}

impl ProfilerError {
    /// The kind of this failure.
    #[must_use]
    pub fn kind(&self) -> ProfilerFailureKind {
        match self {
            Self::Interrupted { .. } => ProfilerFailureKind::Interrupted,
            Self::TimedOut { limit, .. } => ProfilerFailureKind::TimedOut { limit: *limit },
            Self::ValgrindMissing { .. } | Self::ValgrindFailed { .. } => ProfilerFailureKind::Tool,
            Self::Io { .. } => ProfilerFailureKind::Machine,
            Self::ProgramMissing { .. }
            | Self::SubjectNotFound { .. }
            | Self::SubjectNotExecuted { .. }
            | Self::ProgramReplaced { .. }
            | Self::NoContextsOfInterpreted { .. }
            | Self::NoFurtherIterations { .. }
            | Self::SubjectNotProbed { .. }
            | Self::Counts { .. }
            | Self::ProgramFailed { .. }
            | Self::LeftRunning { .. }
            | Self::Output { .. }
            | Self::HeapOutput { .. }
            | Self::DebugInfo { .. } => ProfilerFailureKind::Benchmark,
        }
    }
}

fn suggestions(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!("; did you mean `{}`?", near.join("`, `"))
    }
}

fn last_lines(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; its last lines:\n{stderr}")
    }
}

/// Names the file operation that failed.
pub(super) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ProfilerError {
    move |source| ProfilerError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

/// Refuses a run that left processes behind.
pub(super) fn has_left_nothing(program: &Path, finished: &FinishedProcess) -> Result<(), ProfilerError> {
    match &finished.left_running {
        None => Ok(()),
        Some(left) => Err(ProfilerError::LeftRunning {
            program: program.to_owned(),
            left: left.clone(),
        }),
    }
}

/// The last words of a failed program, with the way out where it may lack a variable.
pub(super) fn with_hint(said: String) -> String {
    if may_lack_a_variable(&said) {
        let hint = "counted programs get a fixed set of variables; if it needs another one, set it by `env` or name it in \
                    `pass_env` in lito.toml";
        format!("{said}\n{hint}")
    } else {
        said
    }
}
