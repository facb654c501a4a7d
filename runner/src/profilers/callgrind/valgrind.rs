//! A program and a tool's options → the file that the tool wrote of one run, or the reason why there is none.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::clocked_parts::FirstIntervalWatch;
use super::shared_start::PRELOAD;
use super::{BenchmarkSubject, ProfilerError, ProfilerRequest, io_error};
use crate::benchmark::TURN_COUNTING_ON;
use crate::interpreters::remove_maps;
use crate::owned::OwnedFolder;
use crate::process::{self, FinishedProcess, Invocation, ProcessError, ProcessSurroundings, RunningProcess};
use crate::profilers::error::{LINES_SHOWN, has_left_nothing, with_hint};

/// Bytes of a failed program's standard error that are read.
const BYTES_SHOWN: u64 = 16 << 10;

/// The program that runs the tools; found through `PATH`.
pub(super) const VALGRIND: &str = "valgrind";

/// The variable by which the loader looks for all functions of libraries at the start. Otherwise the first call of each does, in the
/// subject perhaps, and takes longer the more libraries are loaded.
const BIND_AT_START: &str = "LD_BIND_NOW";

/// One of valgrind's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValgrindTool {
    Callgrind,
    Dhat,
}

impl ValgrindTool {
    fn name(self) -> &'static str {
        match self {
            Self::Callgrind => "callgrind",
            Self::Dhat => "dhat",
        }
    }
}

/// Output of a tool; removed when dropped.
pub(super) struct ValgrindOutput {
    /// The file of the process that was started; those of forked processes are beside it.
    pub(super) path: PathBuf,
    /// Valgrind's own messages.
    pub(super) log: PathBuf,
    /// The number of the process that was started.
    pub(super) process: u32,
    _maps: Option<WrittenMaps>,
    _folder: OwnedFolder,
}

/// The perf maps of the processes whose outputs are in a folder; removed when dropped.
pub(super) struct WrittenMaps {
    outputs: PathBuf,
}

impl ValgrindOutput {
    /// Opens valgrind's own messages.
    pub(super) fn open_log(&self) -> Result<BufReader<File>, ProfilerError> {
        let log = File::open(&self.log).map_err(io_error("reading", &self.log))?;
        Ok(BufReader::new(log))
    }
}

impl WrittenMaps {
    /// The maps of a run, if its interpreter writes some.
    pub(super) fn of(request: &ProfilerRequest<'_>, tool: ValgrindTool, outputs: &Path) -> Option<Self> {
        naming_variables(request, tool).next().map(|_| Self {
            outputs: outputs.to_owned(),
        })
    }
}

impl Drop for WrittenMaps {
    fn drop(&mut self) {
        let entries = std::fs::read_dir(&self.outputs).into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| entry.file_name().to_str()?.strip_prefix("out.")?.parse().ok());
        remove_maps(processes);
    }
}

/// The variables by which an interpreter names its functions, where a tool counts them.
fn naming_variables<'r>(
    request: &'r ProfilerRequest<'_>,
    tool: ValgrindTool,
) -> impl Iterator<Item = &'r (OsString, OsString)> {
    let is_counted = tool == ValgrindTool::Callgrind;
    let interpreter = request.interpreter.filter(|_| is_counted);
    let naming = interpreter.and_then(|interpreter| interpreter.functions.as_ref().ok());
    naming.into_iter().flat_map(|naming| &naming.environment)
}

/// Runs a program of a request once.
pub(super) fn run(
    request: &ProfilerRequest<'_>,
    program: &Path,
    tool: ValgrindTool,
    options: Vec<OsString>,
) -> Result<ValgrindOutput, ProfilerError> {
    let folder = temporary_folder(tool)?;
    let log = folder.path().join("valgrind.log");
    let invocation = invocation(request, program, tool, options, [&log, &folder.path().join("out.%p")]);
    let maps = WrittenMaps::of(request, tool, folder.path());
    let mut watch: Option<FirstIntervalWatch> = None;
    let finished = match (tool, request.subject) {
        (ValgrindTool::Callgrind, BenchmarkSubject::FirstClocked { until, .. }) => {
            let mut is_enough = |running: RunningProcess<'_>| {
                let output = || folder.path().join(format!("out.{}", running.process));
                watch
                    .get_or_insert_with(|| FirstIntervalWatch::new(output(), *until))
                    .is_written()
            };
            process::run_until(&invocation, request.interruption, &mut is_enough)
        }
        (ValgrindTool::Callgrind | ValgrindTool::Dhat, _) => process::run(&invocation, request.interruption),
    }
    .map_err(|error| not_run(request, program, error))?;
    has_left_nothing(program, &finished)?;
    let path = folder.path().join(format!("out.{}", finished.process));
    if finished.status.success() || watch.is_some_and(|mut watch| watch.is_written()) {
        Ok(ValgrindOutput {
            path,
            log,
            process: finished.process,
            _maps: maps,
            _folder: folder,
        })
    } else {
        Err(failure(program, &finished, &log, &path))
    }
}

/// Output of a process and its forks under a tool, each with files of its own; removed when dropped.
pub(super) struct SharedFolder(OwnedFolder);

impl SharedFolder {
    pub(super) fn new() -> Result<Self, ProfilerError> {
        temporary_folder(ValgrindTool::Callgrind).map(Self)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The tool's output of a process.
    pub(super) fn output(&self, process: u32) -> PathBuf {
        self.path().join(format!("out.{process}"))
    }

    /// Valgrind's own messages about a process.
    pub(super) fn log(&self, process: u32) -> PathBuf {
        self.path().join(format!("log.{process}"))
    }

    /// The processes that wrote messages.
    pub(super) fn processes(&self) -> Result<Vec<u32>, ProfilerError> {
        let entries = std::fs::read_dir(self.path()).map_err(io_error("reading", self.path()))?;
        let names = entries.flatten().map(|entry| entry.file_name());
        Ok(names
            .filter_map(|name| name.to_str()?.strip_prefix("log.")?.parse().ok())
            .collect())
    }
}

/// Runs a program that forks under a tool, and returns its process.
pub(super) fn run_forking(
    request: &ProfilerRequest<'_>,
    program: &Path,
    tool: ValgrindTool,
    options: Vec<OsString>,
    folder: &SharedFolder,
) -> Result<u32, ProfilerError> {
    let files = ["log.%p", "out.%p"].map(|name| folder.path().join(name));
    let invocation = invocation(request, program, tool, options, files.each_ref());
    let finished = process::run(&invocation, request.interruption).map_err(|error| not_run(request, program, error))?;
    has_left_nothing(program, &finished)?;
    let process = finished.process;
    if finished.status.success() {
        Ok(process)
    } else {
        Err(failure(
            program,
            &finished,
            &folder.log(process),
            &folder.output(process),
        ))
    }
}

fn temporary_folder(tool: ValgrindTool) -> Result<OwnedFolder, ProfilerError> {
    OwnedFolder::temporary(tool.name()).map_err(io_error("creating a folder in", &std::env::temp_dir()))
}

/// The command line that writes a log and an output.
fn invocation(
    request: &ProfilerRequest<'_>,
    program: &Path,
    tool: ValgrindTool,
    options: Vec<OsString>,
    [log, output]: [&PathBuf; 2],
) -> Invocation {
    let mut invocation = Invocation::new(VALGRIND, request.directory, request.time_limit)
        .arguments([format!("--tool={}", tool.name())])
        .arguments(options)
        .arguments(["--demangle=no", "--vgdb=no"])
        // %p: a forked child must not overwrite its parent's file.
        .arguments([
            joined("--log-file=", log),
            joined(&format!("--{}-out-file=", tool.name()), output),
        ])
        .arguments(["--".as_ref(), program.as_os_str()])
        .arguments(request.arguments)
        .surrounded_by(ProcessSurroundings::Fixed {
            words: words(program, request.arguments),
        });
    if is_part_of_a_program(request) {
        invocation = invocation.variable(BIND_AT_START, "yes");
    }
    if let Some(library) = request.preloaded() {
        invocation = invocation.variable(PRELOAD, library);
    }
    for (name, value) in naming_variables(request, tool).chain(request.environment) {
        invocation = invocation.variable(name, value);
    }
    match tool {
        ValgrindTool::Callgrind if request.turns_counting_on() => invocation.variable(TURN_COUNTING_ON, "yes"),
        ValgrindTool::Callgrind | ValgrindTool::Dhat => invocation,
    }
}

/// True if functions of a program count, and not its start.
fn is_part_of_a_program(request: &ProfilerRequest<'_>) -> bool {
    let is_part = match request.subject {
        BenchmarkSubject::Function(_)
        | BenchmarkSubject::Pattern(_)
        | BenchmarkSubject::Clocked { .. }
        | BenchmarkSubject::FirstClocked { .. } => true,
        BenchmarkSubject::Process | BenchmarkSubject::FurtherIterations { .. } | BenchmarkSubject::Marked => false,
    };
    is_part && request.interpreter.is_none()
}

/// Bytes of a program's own words above its stack: its name, once more as its first argument, and the others.
fn words(program: &Path, arguments: &[OsString]) -> usize {
    let lengths = arguments.iter().map(|argument| argument.len() + 1);
    2 * (program.as_os_str().len() + 1) + lengths.sum::<usize>()
}

/// Explains why valgrind did not end by itself.
fn not_run(request: &ProfilerRequest<'_>, program: &Path, error: ProcessError) -> ProfilerError {
    let named = program.to_owned();
    match error {
        ProcessError::TimedOut { limit, .. } => ProfilerError::TimedOut { program: named, limit },
        ProcessError::Interrupted { .. } => ProfilerError::Interrupted { program: named },
        // The folder may be the one that is missing.
        ProcessError::Start { source, .. }
            if source.kind() == io::ErrorKind::NotFound && request.directory.is_dir() =>
        {
            ProfilerError::ValgrindMissing { program: named }
        }
        ProcessError::Start { source, .. } => io_error("starting valgrind in", request.directory)(source),
        ProcessError::Wait { source, .. } => io_error("waiting for valgrind on", program)(source),
    }
}

/// Distinguishes valgrind's own failures from the program's.
fn failure(program: &Path, finished: &FinishedProcess, log: &Path, output: &Path) -> ProfilerError {
    let program = program.to_owned();
    let said = finished.stderr.last_lines(LINES_SHOWN);
    if !output.exists() && (said.is_empty() || said.contains("valgrind:")) {
        let message = if said.is_empty() { tail(log) } else { said };
        return ProfilerError::ValgrindFailed { program, message };
    }
    ProfilerError::ProgramFailed {
        program,
        status: finished.status,
        stderr: with_hint(said),
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
    // System calls are logged beside them.
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("==") || !line.contains("SYSCALL["))
        .collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}
