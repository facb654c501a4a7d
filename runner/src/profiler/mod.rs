//! A built benchmark in, its [`Profile`] out: runs the program under Valgrind's callgrind and attributes the
//! trace to the source.
//!
//! Builds nothing and keeps nothing: what callgrind writes lives in a temporary folder. Only the thread that
//! runs the subject is measured.

mod clock;
mod subject;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use profile::Profile;
use profile::attribution::{self, Attribution, Build, DebugInfoError, Roots};
use profile::format::callgrind::{self, CallgrindError, Trace};

use crate::process::{self, Finished, Interruption, Invocation, ProcessError};
pub use subject::Subject;

/// Lines of a failed program's standard error that are shown.
const LINES_SHOWN: usize = 12;

/// Bytes of it that are looked at.
const BYTES_SHOWN: u64 = 16 << 10;

/// The program that does the work; found through `PATH`.
const VALGRIND: &str = "valgrind";

/// Settings of a Cargo profile that make a build countable: nothing inlined, unrolled or merged, and the
/// same source paths taken as in an optimised build.
///
/// Set them as `CARGO_PROFILE_<NAME>_<SETTING>` for the profile that the benchmark is built with, and give
/// the result as [`Request::counting`].
pub const COUNTING_SETTINGS: [(&str, &str); 6] = [
    ("OPT_LEVEL", "0"),
    ("DEBUG", "1"),
    ("DEBUG_ASSERTIONS", "false"),
    ("OVERFLOW_CHECKS", "false"),
    ("LTO", "false"),
    ("STRIP", "none"),
];

/// What to profile, and how.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Name of the benchmark, for the profile.
    pub benchmark: &'a str,
    /// The optimised program: costs are its costs.
    pub program: &'a Path,
    /// The same source built with [`COUNTING_SETTINGS`], if it was: counts are then exact. Without it,
    /// counts of inlined code are estimates.
    pub counting: Option<&'a Path>,
    /// Arguments of either program.
    pub arguments: &'a [OsString],
    /// Where it runs.
    pub directory: &'a Path,
    /// Variables added to the environment.
    pub environment: &'a [(OsString, OsString)],
    /// What of the run is measured.
    pub subject: &'a Subject,
    /// How source paths are named.
    pub roots: &'a Roots,
    /// For each run of the program.
    pub time_limit: Duration,
    /// The user's wish to stop.
    pub interruption: &'a Interruption,
}

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfilerError {
    /// No Valgrind.
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
        /// What valgrind said.
        message: String,
    },
    /// There is no such program.
    #[error(
        "profiling {program}: there is no such program: correct `run` of the benchmark, or build it with `build`"
    )]
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
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// No function of the program is the subject.
    #[error(
        "profiling {program}: no function in it is the subject `{subject}`: it is misspelled, or inlined \
         everywhere (then mark it `#[inline(never)]`){}",
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
        "profiling {program}: the subject `{subject}` was not called in this run; check the benchmark's \
         command and arguments"
    )]
    SubjectNotExecuted {
        /// The profiled program.
        program: PathBuf,
        /// The subject as given.
        subject: String,
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
    /// The program did not end in time.
    #[error(
        "profiling {program}: it did not end within {} s and was stopped; under the profiler programs run \
         about 50 times slower: raise `time_limit` or reduce the input",
        .limit.as_secs_f64()
    )]
    TimedOut {
        /// The profiled program.
        program: PathBuf,
        /// The time it had.
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
    /// The program can't be read, or has no line tables.
    #[error("profiling {program}: {source}")]
    DebugInfo {
        /// The profiled program.
        program: PathBuf,
        /// Why.
        source: DebugInfoError,
    },
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

/// Runs the program, twice if there is a counting build of it, and returns its profile.
///
/// # Errors
/// [`ProfilerError`]. Nothing that was started is left running, nothing that was written is left behind.
pub fn profile(request: &Request<'_>) -> Result<Profile, ProfilerError> {
    let costs = profile_program(request, request.program, Build::Optimised)?;
    match request.counting {
        Some(counting) => add_counts(request, &costs, counting),
        None => Ok(costs),
    }
}

/// Runs the counting build and puts its counts into a profile of the optimised one: the second half of
/// [`profile()`], for callers that keep the estimates where the counting run fails or takes too long.
///
/// # Errors
/// As [`profile()`].
pub fn add_counts(
    request: &Request<'_>,
    costs: &Profile,
    counting: &Path,
) -> Result<Profile, ProfilerError> {
    let counts = profile_program(request, counting, Build::Counting)?;
    Ok(attribution::with_counts_of(costs, &counts))
}

fn profile_program(
    request: &Request<'_>,
    program: &Path,
    build: Build,
) -> Result<Profile, ProfilerError> {
    let binary = std::fs::read(program).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ProfilerError::ProgramMissing {
            program: program.to_owned(),
        },
        _ => io_error("reading", program)(source),
    })?;
    let in_debug_info = |source| ProfilerError::DebugInfo {
        program: program.to_owned(),
        source,
    };
    let run = Run { request, program };
    let trace = if *request.subject == Subject::Process {
        run.collect(None)?
    } else {
        let symbols = attribution::function_symbols(&binary).map_err(in_debug_info)?;
        let mut selected = subject::select(&symbols, request.subject);
        if selected.is_empty() {
            return Err(ProfilerError::SubjectNotFound {
                program: program.to_owned(),
                subject: request.subject.to_string(),
                near: subject::near_misses(&symbols, request.subject),
            });
        }
        // a framework's functions around a benchmark do not call each other
        if selected.len() > 1 && !matches!(request.subject, Subject::Clocked { .. }) {
            let whole = run.collect(None)?;
            selected = subject::outermost(&whole, &selected);
        }
        let not_executed = || ProfilerError::SubjectNotExecuted {
            program: program.to_owned(),
            subject: request.subject.to_string(),
        };
        if selected.is_empty() {
            return Err(not_executed());
        }
        let trace = run.collect(Some(&selected))?;
        if trace.total == 0 {
            return Err(not_executed());
        }
        trace
    };
    let with = Attribution {
        benchmark: request.benchmark,
        program: &program.to_string_lossy(),
        binary: &binary,
        build,
        roots: request.roots,
    };
    attribution::attribute(&trace, &with).map_err(in_debug_info)
}

/// One program of a request.
struct Run<'r> {
    request: &'r Request<'r>,
    program: &'r Path,
}

impl Run<'_> {
    /// Runs the program under callgrind; costs are collected in `selected`, or from start to end.
    fn collect(
        &self,
        selected: Option<&BTreeMap<u64, Vec<String>>>,
    ) -> Result<Trace, ProfilerError> {
        let folder = tempfile::Builder::new()
            .prefix("lito-callgrind-")
            .tempdir()
            .map_err(io_error("creating a folder in", &std::env::temp_dir()))?;
        let log = folder.path().join("valgrind.log");
        let mut invocation =
            Invocation::new(VALGRIND, self.request.directory, self.request.time_limit)
                .arguments([
                    "--tool=callgrind",
                    "--dump-instr=yes",
                    "--collect-jumps=yes",
                    "--demangle=no",
                    "--vgdb=no",
                ])
                // %p: a forked child must not overwrite its parent's file
                .arguments([
                    joined("--log-file=", &log),
                    joined("--callgrind-out-file=", &folder.path().join("out.%p")),
                ])
                .arguments(
                    (selected.into_iter())
                        .flat_map(BTreeMap::values)
                        .flatten()
                        .map(|symbol| format!("--toggle-collect={symbol}")),
                );
        if let Subject::Clocked { .. } = self.request.subject {
            invocation = invocation.arguments([format!("--dump-before={}", clock::CLOCK)]);
        }
        invocation = invocation
            .arguments(["--".as_ref(), self.program.as_os_str()])
            .arguments(self.request.arguments);
        for (name, value) in self.request.environment {
            invocation = invocation.variable(name, value);
        }
        let finished = process::run(&invocation, self.request.interruption)
            .map_err(|error| self.not_run(error))?;
        let output = folder.path().join(format!("out.{}", finished.process));
        if finished.status.success() {
            self.read_trace(&output)
        } else {
            Err(self.failure(&finished, &log, &output))
        }
    }

    /// Why valgrind did not come to an end of its own.
    fn not_run(&self, error: ProcessError) -> ProfilerError {
        let program = self.program.to_owned();
        match error {
            ProcessError::TimedOut { limit, .. } => ProfilerError::TimedOut { program, limit },
            ProcessError::Interrupted { .. } => ProfilerError::Interrupted { program },
            // the folder may be what is missing
            ProcessError::Start { source, .. }
                if source.kind() == io::ErrorKind::NotFound && self.request.directory.is_dir() =>
            {
                ProfilerError::ValgrindMissing { program }
            }
            ProcessError::Start { source, .. } => {
                io_error("starting valgrind in", self.request.directory)(source)
            }
            ProcessError::Wait { source, .. } => {
                io_error("waiting for valgrind on", self.program)(source)
            }
        }
    }

    /// Tells valgrind's own failures from the program's.
    fn failure(&self, finished: &Finished, log: &Path, output: &Path) -> ProfilerError {
        let program = self.program.to_owned();
        let said = finished.stderr.last_lines(LINES_SHOWN);
        if !output.exists() && (said.is_empty() || said.contains("valgrind:")) {
            let message = if said.is_empty() { tail(log) } else { said };
            return ProfilerError::ValgrindFailed { program, message };
        }
        ProfilerError::ProgramFailed {
            program,
            status: finished.status,
            stderr: said,
        }
    }

    fn read_trace(&self, output: &Path) -> Result<Trace, ProfilerError> {
        let input = match self.request.subject {
            Subject::Clocked { depth, .. } => clock::parts(output)
                .and_then(|parts| clock::subject(parts, *depth))
                .and_then(|parts| clock::joined(&parts)),
            _ => File::open(output).map(|file| Box::new(BufReader::new(file)) as Box<dyn BufRead>),
        };
        let input = input.map_err(io_error("reading", output))?;
        callgrind::read(input).map_err(|source| ProfilerError::Output {
            program: self.program.to_owned(),
            source,
        })
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Process => "the whole process",
            Self::Function(name) => name,
            Self::Pattern(pattern) => pattern,
            Self::Clocked { within, .. } => return formatter.write_str(&within.join("`, `")),
        })
    }
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ProfilerError {
    move |source| ProfilerError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut text = OsString::from(option);
    text.push::<&OsStr>(path.as_os_str());
    text
}

/// The last lines of a text file, empty if it can't be read.
fn tail(path: &Path) -> String {
    let mut end = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(BYTES_SHOWN)))?;
        file.take(BYTES_SHOWN).read_to_end(&mut end)
    });
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&end);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests;
