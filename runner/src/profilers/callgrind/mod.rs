//! A built benchmark → its [`Profile`]: runs the program under Valgrind's callgrind and attributes the trace to the
//! source. Cheaper runs return the total alone ([`execution_summary()`]), the calling contexts ([`call_tree()`]), or the
//! allocations ([`heap()`], by dhat).
//!
//! Builds nothing and keeps nothing: valgrind writes into a temporary folder. Only the thread that runs the subject is
//! measured.

mod call_trees;
mod clocked_parts;
mod heap;
mod interpreted;
mod presented;
mod profiler;
mod set_up;
mod shared_start;
mod subject_symbols;
mod two_runs;
mod valgrind;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use attribution::callgrind::system_calls::{self, RequestedPaths};
use attribution::callgrind::trace::{self, CallgrindError, CallgrindTrace};
use attribution::callgrind::{self, AttributionInput, PathRemapping, ProfiledBuild};
use profile::Profile;

use super::error::io_error;
use super::{HeapUsage, ProfiledCallTree, ProfilerError};
use crate::benchmark::{BenchmarkSubject, ClockedEnd};
use crate::frameworks::{Benchmark, SharedStartRun};
use crate::interpreters::Interpreter;
use crate::process::InterruptionFlag;
pub use call_trees::call_tree;
pub use heap::heap;
pub use profiler::CallgrindProfiler;
use set_up::{RunTraces, traces};
pub use shared_start::{MOST_RUNS_OF_A_START, shared_start_library};
use valgrind::{ValgrindOutput, ValgrindTool};

/// One program to profile, and the options of its run.
#[derive(Debug, Clone)]
pub struct ProfilerRequest<'a> {
    /// Name of the benchmark, for the profile.
    pub benchmark: &'a str,
    /// The optimised program, whose costs are recorded.
    pub program: &'a Path,
    /// The same source built for [`crate::build::BuildPurpose::Counts`], if it was: counts are then exact. Without it,
    /// counts of inlined code are estimates.
    pub counting: Option<&'a Path>,
    /// Arguments of either program.
    pub arguments: &'a [OsString],
    /// The folder that it runs in.
    pub directory: &'a Path,
    /// Variables added to the environment.
    pub environment: &'a [(OsString, OsString)],
    /// The part of the run that is measured.
    pub subject: &'a BenchmarkSubject,
    /// How source paths are named.
    pub roots: &'a PathRemapping,
    /// The limit of each run of the program.
    pub time_limit: Duration,
    /// The interpreter that the program is, if it is one.
    pub interpreter: Option<&'a Interpreter>,
    /// The library of [`shared_start_library()`]. Whatever can share a start is run with it, also by itself: what depends on the number of
    /// libraries, as unwinding a stack does, then costs the same.
    pub shared_start: Option<&'a Path>,
    /// The user's wish to stop.
    pub interruption: &'a InterruptionFlag,
}

impl ProfilerRequest<'_> {
    /// The library that is loaded into the program.
    fn preloaded(&self) -> Option<&Path> {
        let can_share = shared_start::can_share(self.subject, self.arguments, self.environment);
        self.shared_start.filter(|_| can_share)
    }

    /// True if the program itself has callgrind count from the first mark to the last. The way there then takes a fifth of the time.
    fn turns_counting_on(&self) -> bool {
        *self.subject == BenchmarkSubject::Marked
            && (self.interpreter).is_some_and(|interpreter| interpreter.turns_counting_on)
    }
}

/// Runs the program, twice if there is a counting build of it, and returns its profile. Of
/// [`BenchmarkSubject::FurtherIterations`], it is that of the short run.
///
/// # Errors
/// [`ProfilerError`]. No process is left running and no file is left behind.
pub fn profile(request: &ProfilerRequest<'_>) -> Result<Profile, ProfilerError> {
    let detail = TraceDetail::CostsAndJumps;
    let costs = profile_program(request, request.program, ProfiledBuild::Optimised, detail)?.profile;
    let Some(counting) = request.counting else {
        return Ok(costs);
    };
    let counts = profile_program(request, counting, ProfiledBuild::Counting, detail)?.profile;
    Ok(callgrind::merge_exact_counts(&costs, &counts))
}

/// The results of one run of a program.
struct SubjectRun {
    /// The profile of the subject.
    profile: Profile,
    /// The paths that the whole process asked the system for.
    requested: RequestedPaths,
    /// The profile of the whole process, if the same run tells it.
    process: Option<Profile>,
}

/// Everything that one run of a subject executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionSummary {
    /// Instructions; the [`Profile::total`] of the same run.
    pub total: u64,
    /// The program's own functions that were executed, by their names in its symbol table.
    pub functions: BTreeSet<String>,
    /// Other files with executed code: shared libraries, the loader.
    pub libraries: BTreeSet<PathBuf>,
    /// The program's own functions that the whole process executed, the subject's set-up included, if the same run tells them.
    pub of_process: Option<BTreeSet<String>>,
    /// The paths that the whole process asked the system for, the subject's set-up included.
    pub requested: RequestedPaths,
}

/// Runs the optimised program once and returns how much it executed. Takes less time and memory than [`profile()`]:
/// nothing is attributed to the source, and jumps are not recorded.
///
/// # Errors
/// As [`profile()`].
pub fn execution_summary(request: &ProfilerRequest<'_>) -> Result<ExecutionSummary, ProfilerError> {
    match two_runs::runs(request) {
        Some(runs) => two_runs::difference(&runs, summary_of_run),
        None => summary_of_run(request),
    }
}

fn summary_of_run(request: &ProfilerRequest<'_>) -> Result<ExecutionSummary, ProfilerError> {
    let program = request.program;
    let run = CallgrindRun {
        request,
        program,
        detail: TraceDetail::Costs,
    };
    Ok(ExecutionSummary::of(traces(&run, &read_program(program)?)?, program))
}

impl ExecutionSummary {
    fn of(run: RunTraces, program: &Path) -> Self {
        let (functions, libraries) = executed(&run.subject, program);
        Self {
            total: run.subject.total,
            functions,
            libraries,
            of_process: run.process.map(|process| executed(&process, program).0),
            requested: run.requested,
        }
    }
}

/// The program's own functions with executed code, and other files with such.
fn executed(trace: &CallgrindTrace, program: &Path) -> (BTreeSet<String>, BTreeSet<PathBuf>) {
    let own = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let (mut functions, mut libraries) = (BTreeSet::new(), BTreeSet::new());
    for instruction in &trace.instructions {
        let place = trace.objects.get(instruction.object as usize);
        let name = trace.symbols.get(instruction.symbol as usize);
        match (place.map(Path::new), name) {
            (_, _) if instruction.executed == 0 => {}
            (Some(place), _) if place != own && place != program => {
                libraries.insert(place.to_owned());
            }
            (_, Some(name)) if !functions.contains(name) => {
                functions.insert(name.clone());
            }
            _ => {}
        }
    }
    (functions, libraries)
}

/// Benchmarks in batches whose members share a start, for so many workers: by themselves, or by the library of
/// [`shared_start_library()`].
#[must_use]
pub fn batches<'b>(benchmarks: &[&'b Benchmark], library: Option<&Path>, workers: usize) -> Vec<Vec<&'b Benchmark>> {
    shared_start::batches(benchmarks, library.is_some(), workers)
}

/// The same as [`execution_summary()`] of the benchmarks of a batch, each with its request; `None` for those that need a start of their
/// own.
#[must_use]
pub fn execution_summaries(batch: &[(&Benchmark, ProfilerRequest<'_>)]) -> Vec<Option<ExecutionSummary>> {
    match (forks_of(batch), batch) {
        (Some(forks), _) => shared_start::summarize_forks(&forks),
        (None, [(first, _), ..]) => shared_start::summarize_together(&requests_of(batch), &first.program),
        (None, []) => Vec::new(),
    }
}

/// The same as [`heap()`] of the benchmarks of a batch, each with its request; `None` for those that need a start of their own.
#[must_use]
pub fn heaps(batch: &[(&Benchmark, ProfilerRequest<'_>)]) -> Vec<Option<HeapUsage>> {
    match batch {
        [(first, _), ..] => shared_start::heap_together(&requests_of(batch), &first.program),
        [] => Vec::new(),
    }
}

/// The runs of a batch whose program forks by itself; `None` for any other.
fn forks_of<'r>(
    batch: &[(&'r Benchmark, ProfilerRequest<'r>)],
) -> Option<Vec<(ProfilerRequest<'r>, &'r SharedStartRun)>> {
    let fork = |(benchmark, request): &(&'r Benchmark, ProfilerRequest<'r>)| {
        Some((request.clone(), benchmark.shared_start.as_ref()?))
    };
    batch.iter().map(fork).collect()
}

fn requests_of<'r>(batch: &[(&Benchmark, ProfilerRequest<'r>)]) -> Vec<ProfilerRequest<'r>> {
    batch.iter().map(|(_, request)| request.clone()).collect()
}

fn read_program(program: &Path) -> Result<Vec<u8>, ProfilerError> {
    std::fs::read(program).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ProfilerError::ProgramMissing {
            program: program.to_owned(),
        },
        _ => io_error("reading", program)(source),
    })
}

fn profile_program(
    request: &ProfilerRequest<'_>,
    program: &Path,
    build: ProfiledBuild,
    detail: TraceDetail,
) -> Result<SubjectRun, ProfilerError> {
    let binary = read_program(program)?;
    let run = CallgrindRun {
        request,
        program,
        detail,
    };
    let (trace, requested) = trace(&run, &binary)?;
    Ok(SubjectRun {
        profile: attributed(&run, &binary, build, &trace)?,
        requested,
        process: None,
    })
}

fn attributed(
    run: &CallgrindRun<'_>,
    binary: &[u8],
    build: ProfiledBuild,
    trace: &CallgrindTrace,
) -> Result<Profile, ProfilerError> {
    let with = AttributionInput {
        benchmark: run.request.benchmark,
        program: &run.program.to_string_lossy(),
        binary,
        build,
        roots: run.request.roots,
    };
    callgrind::attribute(trace, &with).map_err(|source| ProfilerError::DebugInfo {
        program: run.program.to_owned(),
        source,
    })
}

/// Everything that the subject of a program executes, and the paths that the process asked for.
fn trace(run: &CallgrindRun<'_>, binary: &[u8]) -> Result<(CallgrindTrace, RequestedPaths), ProfilerError> {
    let selected = run.selected(binary)?;
    let written = run.collect(selected.as_ref())?;
    let trace = run.read_trace(&written.path)?;
    run.check_executed(selected.as_ref(), trace.total)?;
    let requested = read_requested_paths(&written, run.request)?;
    Ok((trace, requested))
}

/// The paths that a process asked the system for.
fn read_requested_paths(
    written: &ValgrindOutput,
    request: &ProfilerRequest<'_>,
) -> Result<RequestedPaths, ProfilerError> {
    system_calls::requested_paths(written.open_log()?, request.directory).map_err(io_error("reading", &written.log))
}

/// The symbols of a subject by address, all names of one address together; `None` for the whole process.
fn subject_symbols(
    subject: &BenchmarkSubject,
    program: &Path,
    binary: &[u8],
) -> Result<Option<SymbolsByAddress>, ProfilerError> {
    let is_whole_process = match subject {
        BenchmarkSubject::Process | BenchmarkSubject::FurtherIterations { .. } | BenchmarkSubject::Marked => true,
        BenchmarkSubject::FirstClocked { within, .. } => within.is_empty(),
        BenchmarkSubject::Function(_) | BenchmarkSubject::Pattern(_) | BenchmarkSubject::Clocked { .. } => false,
    };
    if is_whole_process {
        return Ok(None);
    }
    let symbols = callgrind::function_symbols(binary).map_err(|source| ProfilerError::DebugInfo {
        program: program.to_owned(),
        source,
    })?;
    let selected = subject_symbols::select_symbols(&symbols, subject);
    if selected.is_empty() {
        return Err(ProfilerError::SubjectNotFound {
            program: program.to_owned(),
            subject: subject.to_string(),
            near: subject_symbols::near_misses(&symbols, subject),
        });
    }
    Ok(Some(selected))
}

/// The level of detail of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TraceDetail {
    /// Executed instructions and calls.
    Costs,
    /// Jumps as well.
    CostsAndJumps,
    /// Costs and calls of interpreted functions, with those of the interpreter itself in them.
    InterpretedFunctions,
    /// All of this, with functions distinguished by a number of callers.
    Contexts {
        /// The number of callers.
        callers: u32,
    },
}

/// Symbols by address, all names of one address together.
type SymbolsByAddress = BTreeMap<u64, Vec<String>>;

/// Bytes of options for functions. The system allows two million for a command line and its environment.
const LONGEST_OPTIONS: usize = 1 << 20;

/// One option or two for each function. Callgrind looks a name up in a tree, where a later name hides an earlier one that it begins,
/// and the second option for a name hides the first. So names are in order, and the second options are patterns.
fn function_options<'s>(
    selected: impl IntoIterator<Item = &'s SymbolsByAddress>,
    first: &str,
    second: Option<&str>,
) -> Vec<OsString> {
    let names: BTreeSet<&String> = (selected.into_iter()).flat_map(BTreeMap::values).flatten().collect();
    let firsts = names.iter().map(|name| format!("{first}={name}").into());
    let seconds = second.into_iter().flat_map(|second| {
        // More signs would have callgrind read beyond the end of short names.
        let pattern = |name: &str| match name.get(1..) {
            Some(rest) => format!("?{rest}"),
            None => name.to_owned(),
        };
        (names.iter()).map(move |name| format!("{second}={}", pattern(name)).into())
    });
    firsts.chain(seconds).collect()
}

/// One program of a request.
struct CallgrindRun<'r> {
    request: &'r ProfilerRequest<'r>,
    program: &'r Path,
    detail: TraceDetail,
}

impl CallgrindRun<'_> {
    /// The symbols that switch collection on and off, by address; `None` for the whole process.
    fn selected(&self, binary: &[u8]) -> Result<Option<SymbolsByAddress>, ProfilerError> {
        let (request, program) = (self.request, self.program);
        let Some(mut selected) = subject_symbols(request.subject, program, binary)? else {
            return Ok(None);
        };
        // A framework's functions around a benchmark do not call each other; only a run of the whole shows it of others.
        if selected.len() > 1 && matches!(request.subject, BenchmarkSubject::Function(_)) {
            let run = CallgrindRun {
                detail: TraceDetail::Costs,
                ..*self
            };
            let whole = run.read_trace(&run.collect(None)?.path)?;
            selected = subject_symbols::outermost(&whole, &selected);
        }
        if selected.is_empty() {
            return Err(self.not_executed());
        }
        Ok(Some(selected))
    }

    /// Runs the program under callgrind; costs are collected in `selected`, or from start to end.
    fn collect(&self, selected: Option<&SymbolsByAddress>) -> Result<ValgrindOutput, ProfilerError> {
        valgrind::run(
            self.request,
            self.program,
            ValgrindTool::Callgrind,
            self.options(selected),
        )
    }

    /// Callgrind's options for [`CallgrindRun::collect()`].
    fn options(&self, selected: Option<&SymbolsByAddress>) -> Vec<OsString> {
        let mut options: Vec<OsString> = vec![
            "--dump-instr=yes".into(),
            // Costs 8 µs for each system call, which no benchmark makes often.
            "--trace-syscalls=yes".into(),
            match self.detail {
                TraceDetail::Costs | TraceDetail::InterpretedFunctions => "--collect-jumps=no".into(),
                TraceDetail::CostsAndJumps | TraceDetail::Contexts { .. } => "--collect-jumps=yes".into(),
            },
        ];
        if let TraceDetail::Contexts { callers } = self.detail {
            options.push(format!("--separate-callers={callers}").into());
            // Levels of recursion are not distinguished.
            options.push("--separate-recs=1".into());
        }
        if self.detail == TraceDetail::InterpretedFunctions {
            options.extend(interpreted::options(self.request.subject));
        }
        let ends_with_call = matches!(
            self.request.subject,
            BenchmarkSubject::FirstClocked {
                until: ClockedEnd::LastOfCall,
                ..
            }
        );
        let second = ends_with_call.then_some("--dump-after");
        options.extend(function_options(selected, "--toggle-collect", second));
        if self.request.turns_counting_on() {
            options.push("--instr-atstart=no".into());
        }
        if let Some(function) = clocked_parts::end_of_parts(self.request.subject) {
            options.push(format!("--dump-before={function}").into());
        }
        options
    }

    /// The same for a run that collects costs everywhere: whatever begins or ends a subject ends a part. `None` if there are too
    /// many functions for a command line.
    fn options_of_parts<'s>(&self, selected: impl IntoIterator<Item = &'s SymbolsByAddress>) -> Option<Vec<OsString>> {
        let mut options = self.options(None);
        options.extend(function_options(selected, "--dump-before", Some("--dump-after")));
        (options.iter().map(|option| option.len()).sum::<usize>() <= LONGEST_OPTIONS).then_some(options)
    }

    /// Returns an error if there is a subject and none of it ran.
    fn check_executed(&self, selected: Option<&SymbolsByAddress>, total: u64) -> Result<(), ProfilerError> {
        if selected.is_some() && total == 0 {
            return Err(self.not_executed());
        }
        Ok(())
    }

    fn not_executed(&self) -> ProfilerError {
        ProfilerError::SubjectNotExecuted {
            program: self.program.to_owned(),
            subject: self.request.subject.in_words(),
        }
    }

    /// Opens the parts of callgrind's output that belong to the subject.
    fn open(&self, output: &Path) -> Result<Box<dyn BufRead>, ProfilerError> {
        let input = match self.request.subject {
            BenchmarkSubject::Clocked { depth, .. } => clocked_parts::parts(output)
                .and_then(|parts| clocked_parts::subject_parts(parts, *depth))
                .and_then(|parts| clocked_parts::concatenated(&parts)),
            BenchmarkSubject::FirstClocked { until, .. } => clocked_parts::parts(output)
                .and_then(|parts| clocked_parts::first_interval(parts, *until))
                .and_then(|parts| clocked_parts::concatenated(&parts)),
            BenchmarkSubject::Marked => clocked_parts::parts(output)
                .and_then(|parts| clocked_parts::concatenated(clocked_parts::marked_parts(&parts))),
            _ => File::open(output).map(|file| Box::new(BufReader::new(file)) as Box<dyn BufRead>),
        };
        input.map_err(io_error("reading", output))
    }

    fn read_trace(&self, output: &Path) -> Result<CallgrindTrace, ProfilerError> {
        self.read(self.open(output)?)
    }

    fn read_parts(&self, parts: &[PathBuf]) -> Result<CallgrindTrace, ProfilerError> {
        let joined = clocked_parts::concatenated(parts);
        self.read(joined.map_err(io_error("reading a part of the output of", self.program))?)
    }

    fn read(&self, input: Box<dyn BufRead>) -> Result<CallgrindTrace, ProfilerError> {
        trace::read(input).map_err(|source| match (source, self.request.subject) {
            (CallgrindError::Truncated { line: 0 }, BenchmarkSubject::Process) => ProfilerError::ProgramReplaced {
                program: self.program.to_owned(),
            },
            // The parts of a subject that was never called are empty.
            (CallgrindError::Truncated { line: 0 }, _) => self.not_executed(),
            (source, _) => self.unreadable(source),
        })
    }

    fn unreadable(&self, source: CallgrindError) -> ProfilerError {
        ProfilerError::Output {
            program: self.program.to_owned(),
            source,
        }
    }
}

#[cfg(test)]
mod tests;
