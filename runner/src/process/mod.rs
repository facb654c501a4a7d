//! One command line → its exit status, captured output and resource use, whatever the command does.
//!
//! A command runs in its own process group, under a time limit. When the limit passes or the user interrupts, the group
//! receives SIGTERM, gets a grace period, and is then killed. Whatever the command leaves behind is killed too, wherever
//! it hides, also if this process is killed. Output is read to the end so that the command never blocks, but only its beginning and its end
//! are kept. Knows nothing of the purpose of a command.

mod invocation;
mod output;
mod supervised;
mod supervisor;
mod surroundings;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use invocation::Invocation;
pub use output::{CapturedOutput, KEPT_OUTPUT};
use output::{read_in_background, wait_for_output};
use supervised::SupervisedProgram;
use supervisor::ProgramEnd;
pub use surroundings::ProcessSurroundings;
use surroundings::fixed_variables;
pub(crate) use surroundings::may_lack_a_variable;

/// Time between SIGTERM and SIGKILL: enough for a program to remove its temporary files.
pub const GRACE: Duration = Duration::from_secs(2);

/// Interval at which a waiting run checks the interruption flag.
const INTERRUPTION_INTERVAL: Duration = Duration::from_millis(50);

/// Interval at which the output of a run that may be enough is looked at.
const OUTPUT_INTERVAL: Duration = Duration::from_millis(5);

/// The longest time between the signals that one request to stop sends to several processes.
const SIGNALS_APART: Duration = Duration::from_secs(1);

/// Variables with lito's credentials for the store and for GitHub. No program that it starts inherits them; git
/// receives only those that it needs.
const SECRETS: [&str; 2] = ["LITO_STORE_TOKEN", "GITHUB_TOKEN"];

/// True if a variable holds one of lito's credentials.
pub(crate) fn is_secret(name: &OsStr) -> bool {
    SECRETS.iter().any(|secret| name == *secret)
}

/// The toolchain that rustup chose for this program when cargo started it, and the source of that choice.
const CHOSEN_TOOLCHAIN: [&str; 2] = ["RUSTUP_TOOLCHAIN", "RUSTUP_TOOLCHAIN_SOURCE"];

/// Result of a command.
#[derive(Debug, Clone)]
pub struct FinishedProcess {
    /// Its process id, which the system may reuse by now.
    pub process: u32,
    /// Its exit status.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: CapturedOutput,
    /// Standard error.
    pub stderr: CapturedOutput,
    /// Wall time.
    pub wall: Duration,
    /// Processor time, user and system, of the command and the children it waited for.
    pub cpu: Duration,
    /// Largest resident set of any of them, in bytes.
    pub peak_memory: u64,
    /// Processes that it left behind when it ended by itself, and that were killed; on Linux only.
    pub left_running: Option<LeftRunning>,
}

/// Processes that a command started and did not wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftRunning {
    /// Their number, without their own children.
    pub count: u32,
    /// The name of one of them, as the system shortens it.
    pub name: String,
}

impl LeftRunning {
    fn of(end: &ProgramEnd) -> Option<Self> {
        (end.left > 0).then(|| Self {
            count: end.left,
            name: end.name_of_left(),
        })
    }
}

/// As the object of a sentence: ``the process `sleep` running``, `` `sleep` and 2 more processes running``.
impl std::fmt::Display for LeftRunning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.count {
            1 => write!(formatter, "the process `{}` running", self.name),
            count => write!(formatter, "`{}` and {} more processes running", self.name, count - 1),
        }
    }
}

impl FinishedProcess {
    /// The end of the process as a clause: `exited with code 101`, `was killed by signal 9`.
    #[must_use]
    pub fn ending(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exited with code {code}"),
            (None, Some(signal)) => format!("was killed by signal {signal}"),
            (None, None) => "ended in an unknown way".to_owned(),
        }
    }
}

/// Reason why there is no [`FinishedProcess`].
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program could not be started.
    #[error("starting `{command}` in {}: {source}", directory.display())]
    Start {
        /// The command line.
        command: String,
        /// Its working directory.
        directory: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The limit passed, and the whole process group was killed.
    #[error(
        "running `{command}`: still running after its time limit of {limit:?}, so it was killed{}",
        said(last_words)
    )]
    TimedOut {
        /// The command line.
        command: String,
        /// The limit.
        limit: Duration,
        /// The last lines of its output.
        last_words: String,
    },
    /// The user asked to stop.
    #[error("running `{command}`: interrupted")]
    Interrupted {
        /// The command line.
        command: String,
    },
    /// The system lost the process.
    #[error("waiting for `{command}`: {source}")]
    Wait {
        /// The command line.
        command: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

fn said(last_words: &str) -> String {
    if last_words.is_empty() {
        String::new()
    } else {
        format!("; its last output: {last_words}")
    }
}

/// The user's request to stop, shared by everything that runs commands.
#[derive(Debug, Clone, Default)]
pub struct InterruptionFlag(Arc<AtomicBool>);

impl InterruptionFlag {
    /// A flag that SIGINT and SIGTERM raise; the second signal kills every process group that runs, and ends this
    /// process at once.
    ///
    /// # Errors
    /// The system refuses the signal handlers.
    #[allow(unsafe_code)]
    pub fn on_signals() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let raised = Arc::clone(&flag);
            let on_signal = move || {
                if raised.swap(true, Ordering::SeqCst) {
                    supervised::kill_all();
                    signal_hook::low_level::exit(128 + signal);
                }
            };
            // SAFETY: the handler reads and writes atomics, sends signals and ends the process, each of which is allowed
            // in a handler.
            unsafe { signal_hook::low_level::register(signal, on_signal)? };
        }
        Ok(Self(flag))
    }

    /// Asks everything that watches this flag to stop.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// True once a stop was requested.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Runs a command to its end.
///
/// A failing command is not an error here: its status contains the failure.
///
/// # Errors
/// It can't be started, exceeds its limit, or the interruption is raised; in the last two cases nothing of it is
/// left running.
pub fn run(invocation: &Invocation, interruption: &InterruptionFlag) -> Result<FinishedProcess, ProcessError> {
    run_watched(invocation, interruption, INTERRUPTION_INTERVAL, &mut |_| false)
}

/// A command that runs.
#[derive(Debug, Clone, Copy)]
pub struct RunningProcess<'a> {
    /// Its process id.
    pub process: u32,
    /// Its standard output so far, at most the first [`KEPT_OUTPUT`] bytes.
    pub stdout: &'a [u8],
}

/// Runs a command until the caller has what it wants; then its group is ended as at the time limit. The status tells
/// whether it ended by itself.
///
/// # Errors
/// As [`run`].
pub fn run_until(
    invocation: &Invocation,
    interruption: &InterruptionFlag,
    is_enough: &mut dyn FnMut(RunningProcess<'_>) -> bool,
) -> Result<FinishedProcess, ProcessError> {
    run_watched(invocation, interruption, OUTPUT_INTERVAL, is_enough)
}

fn run_watched(
    invocation: &Invocation,
    interruption: &InterruptionFlag,
    interval: Duration,
    is_enough: &mut dyn FnMut(RunningProcess<'_>) -> bool,
) -> Result<FinishedProcess, ProcessError> {
    let command = || invocation.to_string();
    if interruption.is_raised() {
        return Err(ProcessError::Interrupted { command: command() });
    }
    let started = Instant::now();
    let mut program = start(invocation)?;
    let process = program.process;
    let (stdout, stderr) = program.streams();
    let stdout = stdout.map(read_in_background);
    let stderr = stderr.map(read_in_background);
    let mut end = None;
    let ending = loop {
        let left = invocation.time_limit.saturating_sub(started.elapsed());
        match program.end.recv_timeout(left.min(interval)) {
            Ok(received) => {
                end = Some(received);
                break ProcessEnding::Exited;
            }
            Err(_) if interruption.is_raised() => break ProcessEnding::Interrupted,
            Err(_) if started.elapsed() >= invocation.time_limit => break ProcessEnding::TimedOut,
            Err(_) => {
                let stdout = stdout.as_ref();
                if stdout
                    .is_some_and(|stdout| stdout.with_first(|stdout| is_enough(RunningProcess { process, stdout })))
                {
                    break ProcessEnding::Sufficed;
                }
            }
        }
    };
    let end = end.unwrap_or_else(|| {
        program.end_politely();
        program.end.recv_timeout(GRACE).unwrap_or_else(|_| {
            program.kill();
            program
                .end
                .recv()
                .unwrap_or_else(|error| Err(std::io::Error::other(error)))
        })
    });
    drop(program);
    let ending = match (ending, &end) {
        // Whoever ends lito may end all of its processes at once, as schedulers do: that is no failure of the program.
        (ProcessEnding::Exited, end) if was_ended(end, interruption) => ProcessEnding::Interrupted,
        (ending, _) => ending,
    };
    let stdout = stdout.map(|stream| wait_for_output(&stream)).unwrap_or_default();
    let stderr = stderr.map(|stream| wait_for_output(&stream)).unwrap_or_default();
    match ending {
        ProcessEnding::Interrupted => Err(ProcessError::Interrupted { command: command() }),
        ProcessEnding::TimedOut => Err(ProcessError::TimedOut {
            command: command(),
            limit: invocation.time_limit,
            last_words: stderr.last_lines(3),
        }),
        ProcessEnding::Exited | ProcessEnding::Sufficed => {
            let end = end.map_err(|source| ProcessError::Wait {
                command: command(),
                source,
            })?;
            Ok(FinishedProcess {
                process,
                status: ExitStatus::from_raw(end.status),
                stdout,
                stderr,
                wall: end.wall(),
                cpu: processor_time(&end.usage),
                peak_memory: peak_memory(&end.usage),
                left_running: LeftRunning::of(&end),
            })
        }
    }
}

/// True if a program failed, and a stop is requested now or within the time that signals to several processes are apart.
fn was_ended(end: &std::io::Result<ProgramEnd>, interruption: &InterruptionFlag) -> bool {
    let status = end.as_ref().ok().map(|end| ExitStatus::from_raw(end.status));
    let patience = match status {
        Some(status) if status.success() => return false,
        Some(status) if status.signal() == Some(libc::SIGTERM) => SIGNALS_APART,
        Some(_) | None => SIGNALS_APART / 10,
    };
    let since = Instant::now();
    while !interruption.is_raised() && since.elapsed() < patience {
        std::thread::sleep(OUTPUT_INTERVAL);
    }
    interruption.is_raised()
}

// The one place where processes are started.
#[allow(clippy::disallowed_types)]
fn start(invocation: &Invocation) -> Result<SupervisedProgram, ProcessError> {
    let mut command = std::process::Command::new(&invocation.program);
    command
        .args(&invocation.arguments)
        .current_dir(&invocation.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    match invocation.surroundings {
        ProcessSurroundings::Inherited => inherit_variables(&mut command, invocation),
        ProcessSurroundings::Fixed { words } => {
            let variables = fixed_variables(std::env::vars_os(), &invocation.environment, words);
            command.env_clear().envs(variables);
            fix_addresses(&mut command);
        }
    }
    SupervisedProgram::start(command).map_err(|source| ProcessError::Start {
        command: invocation.to_string(),
        directory: invocation.directory.clone(),
        source,
    })
}

#[allow(clippy::disallowed_types)]
fn inherit_variables(command: &mut std::process::Command, invocation: &Invocation) {
    // A build or a measured program may run anybody's code.
    for secret in SECRETS {
        command.env_remove(secret);
    }
    if std::env::var_os(CHOSEN_TOOLCHAIN[1]).is_some_and(|source| belongs_to_one_folder(&source)) {
        for variable in CHOSEN_TOOLCHAIN {
            command.env_remove(variable);
        }
    }
    for (name, value) in &invocation.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// True if rustup chose a toolchain by the `rust-toolchain.toml` of the folder in which lito was started, or because
/// that folder has none. A checkout of another version may name another toolchain, which an inherited choice would
/// override. A toolchain that the user requested (`cargo +nightly lito`, `RUSTUP_TOOLCHAIN`, `rustup override`) applies
/// everywhere.
fn belongs_to_one_folder(source: &OsStr) -> bool {
    source == "toolchain-file" || source == "default"
}

/// Makes a program and all that it starts lie at the same addresses in every run.
///
/// Systems other than Linux lack this option.
#[allow(clippy::disallowed_types, unsafe_code)]
fn fix_addresses(command: &mut std::process::Command) {
    #[cfg(target_os = "linux")]
    // SAFETY: between fork and exec only calls that are safe in signal handlers are allowed; personality is one system
    // call, and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            let now = libc::personality(KEPT_PERSONALITY);
            // If it is refused, the program still runs.
            if let Ok(now) = libc::c_ulong::try_from(now) {
                libc::personality(now | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            }
            Ok(())
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// The argument that makes the system tell the personality of a process, and change nothing.
#[cfg(target_os = "linux")]
const KEPT_PERSONALITY: libc::c_ulong = 0xffff_ffff;

enum ProcessEnding {
    Exited,
    /// The caller has what it wanted.
    Sufficed,
    TimedOut,
    Interrupted,
}

fn processor_time(usage: &libc::rusage) -> Duration {
    let part = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    part(usage.ru_utime) + part(usage.ru_stime)
}

fn peak_memory(usage: &libc::rusage) -> u64 {
    // Linux counts kilobytes, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit
}
