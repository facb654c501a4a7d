//! Several requests of one program → a profile of each, from one start of valgrind.
//!
//! A start of valgrind takes longer than a small test. The program starts once and forks before any of its own code
//! runs; each fork has the arguments of one request and writes its own output. No state passes from one run to the next,
//! as it would if one process ran them in turn: a table that the first fills would be missing from the profiles of the
//! others. Whatever does not fit is left out, and the caller gives it a start of its own.
//!
//! Subjects between readings of the clock, each in a function of its own, share a start as well: the output of a fork is in parts,
//! which end at the functions of all of them.

mod forking_program;
mod library;
mod report;

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use attribution::callgrind::ProfiledBuild;
use attribution::callgrind::system_calls::{self, RequestedPaths};
use object::read::elf::{ElfFile64, ProgramHeader};

use super::set_up::{RunTraces, profiles, subject_of_parts};
use super::valgrind::{self, SharedFolder, ValgrindTool};
use super::{
    CallgrindRun, ExecutionSummary, ProfilerError, ProfilerRequest, SubjectRun, SymbolsByAddress, TraceDetail,
    clocked_parts, heap, io_error, read_program, subject_symbols,
};
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::Benchmark;
use crate::profilers::HeapUsage;
pub(super) use forking_program::{fork_from_one_start, profile_forks, summarize_forks};
use library::NAME;
pub use library::shared_start_library;
pub(super) use library::{SOURCE as LIBRARY_SOURCE, build as build_library};
use report::{RequestedRun, ended_well, overdue, requested, started};

/// The most runs that share a start: what an interruption loses.
pub const MOST_RUNS_OF_A_START: usize = 20;

/// The longest that a run may take beside others. For a longer one, a start of its own costs little.
const LONGEST_RUN: Duration = Duration::from_secs(10);

/// After this time no other run begins.
const BUDGET: Duration = Duration::from_secs(10);

/// If fewer runs than these begin in the time of a start, a start of their own costs little.
const FEWEST_RUNS: usize = 4;

/// After this number of runs that took too long, the others have starts of their own.
const MOST_OVERDUE: usize = 2;

/// The dynamic loader of glibc, the only one that hands the program's arguments to a library.
const LOADER: &[u8] = b"/ld-linux";

/// A log's words about a process that forks.
const FORKED: &str = "created child";

/// The variable that loads the library.
pub(super) const PRELOAD: &str = "LD_PRELOAD";

/// Benchmarks in batches of [`MOST_RUNS_OF_A_START`] at most, whose members share a start. No worker is left without work. Those that only
/// share one by the library do if the machine `has_library`.
pub(super) fn batches<'b>(benchmarks: &[&'b Benchmark], has_library: bool, workers: usize) -> Vec<Vec<&'b Benchmark>> {
    let most = benchmarks.len().div_ceil(workers.max(1)).min(MOST_RUNS_OF_A_START);
    let share = |one: &Benchmark, other: &Benchmark| {
        fork_from_one_start(one, other) || has_library && share_a_start(one, other)
    };
    let mut batches: Vec<Vec<&Benchmark>> = Vec::new();
    for benchmark in benchmarks {
        let open = (batches.iter_mut()).find(|batch| batch.len() < most && share(batch[0], benchmark));
        match open {
            Some(batch) => batch.push(benchmark),
            None => batches.push(vec![benchmark]),
        }
    }
    batches
}

/// True if a program with such arguments and variables can share a start with another one.
pub(super) fn can_share(
    subject: &BenchmarkSubject,
    arguments: &[OsString],
    environment: &[(OsString, OsString)],
) -> bool {
    let is_in_functions = matches!(subject, BenchmarkSubject::Pattern(_) | BenchmarkSubject::Clocked { .. });
    let sets_libraries = std::env::var_os(PRELOAD).is_some() || environment.iter().any(|(name, _)| name == PRELOAD);
    // The first tells the program that runs follow, the second where they are.
    is_in_functions && arguments.len() >= 2 && !sets_libraries
}

/// True if both benchmarks can share a start.
pub(super) fn share_a_start(one: &Benchmark, other: &Benchmark) -> bool {
    let have_ends = match (&one.subject, &other.subject) {
        (BenchmarkSubject::Pattern(one), BenchmarkSubject::Pattern(other)) => one == other,
        (one, other) => [one, other]
            .iter()
            .all(|subject| matches!(subject, BenchmarkSubject::Clocked { .. })),
    };
    have_ends
        && can_share(&one.subject, &one.arguments, &one.environment)
        && one.arguments.len() == other.arguments.len()
        && one.program == other.program
        && one.counting == other.counting
        && one.directory == other.directory
        && one.environment == other.environment
}

/// A run of each request, in the order of the requests; `None` for those that need a start of their own. All requests are for the
/// same program. With the profile of the whole process, if `tells_process`.
pub(super) fn profile_together(
    requests: &[ProfilerRequest<'_>],
    program: &Path,
    (build, tells_process): (ProfiledBuild, bool),
) -> Vec<Option<SubjectRun>> {
    let detail = TraceDetail::CostsAndJumps;
    trace_together(requests, (program, detail), tells_process, |run, binary, traces| {
        profiles(run, binary, build, traces).ok()
    })
}

/// How much a run of each request executes: see [`profile_together()`].
pub(super) fn summarize_together(requests: &[ProfilerRequest<'_>], program: &Path) -> Vec<Option<ExecutionSummary>> {
    trace_together(requests, (program, TraceDetail::Costs), true, |_, _, traces| {
        Some(ExecutionSummary::of(traces, program))
    })
}

/// The outcome of a run of each request, by its traces.
fn trace_together<T>(
    requests: &[ProfilerRequest<'_>],
    (program, detail): (&Path, TraceDetail),
    tells_process: bool,
    outcome: impl Fn(&CallgrindRun<'_>, &[u8], RunTraces) -> Option<T>,
) -> Vec<Option<T>> {
    run_together(requests, program, |binary, subjects| {
        let first = &subjects[0];
        let run = run_of(first.request, program, detail);
        let options = match first.request.subject {
            BenchmarkSubject::Clocked { .. } => run.options_of_parts(subjects.iter().map(|subject| &subject.selected)),
            _ => Some(run.options(Some(&first.selected))),
        };
        let Some(options) = options else {
            return Ok(BegunRuns::default());
        };
        let start = SharedStart::new(subjects, program, ValgrindTool::Callgrind, options)?;
        Ok(start.runs(subjects, |subject, process| {
            let run = run_of(subject.request, program, detail);
            let traces = start.traces(&run, &subject.selected, process, tells_process)?;
            (traces.subject.total > 0)
                .then(|| outcome(&run, binary, traces))
                .flatten()
        }))
    })
}

fn run_of<'r>(request: &'r ProfilerRequest<'r>, program: &'r Path, detail: TraceDetail) -> CallgrindRun<'r> {
    CallgrindRun {
        request,
        program,
        detail,
    }
}

/// The requests to the allocator in a run of each request: see [`profile_together()`].
pub(super) fn heap_together(requests: &[ProfilerRequest<'_>], program: &Path) -> Vec<Option<HeapUsage>> {
    run_together(requests, program, |_, subjects| {
        let start = SharedStart::new(subjects, program, ValgrindTool::Dhat, heap::options())?;
        Ok(start.runs(subjects, |subject, process| {
            heap::read(&start.folder.output(process), program, Some(&subject.selected)).ok()
        }))
    })
}

/// A request, and the symbols of its subject.
struct SharedSubject<'r> {
    request: &'r ProfilerRequest<'r>,
    selected: SymbolsByAddress,
}

/// The outcomes of the runs of one start that began; `None` for those that need a start of their own.
struct BegunRuns<T> {
    outcomes: Vec<Option<T>>,
    /// The number of runs that were ended at their limit.
    overdue: usize,
}

impl<T> Default for BegunRuns<T> {
    fn default() -> Self {
        Self {
            outcomes: Vec::new(),
            overdue: 0,
        }
    }
}

/// Starts a program as often as it takes: `start` gets its bytes and the subjects that have no outcome yet, two at least.
fn run_together<T>(
    requests: &[ProfilerRequest<'_>],
    program: &Path,
    start: impl Fn(&[u8], &[SharedSubject<'_>]) -> Result<BegunRuns<T>, ProfilerError>,
) -> Vec<Option<T>> {
    let mut outcomes = Vec::new();
    // Whatever goes wrong, the start of each alone tells the reason.
    if (requests.iter()).all(|request| request.preloaded().is_some())
        && let Ok(binary) = read_program(program)
        && has_loader(&binary)
        && let Ok(subjects) = shared_subjects(requests, program, &binary)
    {
        let mut overdue = 0;
        while overdue < MOST_OVERDUE
            && subjects.len() - outcomes.len() > 1
            && let Ok(begun) = start(&binary, &subjects[outcomes.len()..])
        {
            let is_worth_it = begun.outcomes.len() >= FEWEST_RUNS;
            outcomes.extend(begun.outcomes);
            overdue += begun.overdue;
            if !is_worth_it {
                break;
            }
        }
    }
    outcomes.resize_with(requests.len(), || None);
    outcomes
}

/// The subjects of the requests in a program's bytes.
fn shared_subjects<'r>(
    requests: &'r [ProfilerRequest<'r>],
    program: &Path,
    binary: &[u8],
) -> Result<Vec<SharedSubject<'r>>, ProfilerError> {
    let mut subjects: Vec<SharedSubject<'_>> = Vec::new();
    for request in requests {
        // Those of a subject are the same for every run.
        let known = subjects.iter().find(|known| known.request.subject == request.subject);
        let selected = match known {
            Some(known) => Some(known.selected.clone()),
            None => subject_symbols(request.subject, program, binary)?,
        };
        subjects.push(SharedSubject {
            request,
            selected: selected.unwrap_or_default(),
        });
    }
    Ok(subjects)
}

/// One start of a tool, and what it wrote.
struct SharedStart {
    folder: SharedFolder,
    /// The process that forked.
    process: u32,
    /// Those of the runs that began, which are the first ones; `None` for those that did not end well.
    processes: Vec<Option<u32>>,
    overdue: usize,
}

impl SharedStart {
    fn new(
        subjects: &[SharedSubject<'_>],
        program: &Path,
        tool: ValgrindTool,
        options: Vec<OsString>,
    ) -> Result<Self, ProfilerError> {
        let first = subjects[0].request;
        let folder = SharedFolder::new()?;
        let report = folder.path().join("report");
        let runs = folder.path().join("runs");
        let asked: Vec<RequestedRun<'_>> = (subjects.iter())
            .map(|SharedSubject { request, .. }| RequestedRun {
                limit: request.time_limit.min(LONGEST_RUN),
                arguments: request.arguments,
            })
            .collect();
        std::fs::write(&runs, requested(&report, BUDGET, &asked)).map_err(io_error("writing", &runs))?;
        // A program without the library takes the first and the third on for names of tests, and runs none.
        let mut arguments = vec![NAME.into(); first.arguments.len()];
        arguments[1] = runs.into_os_string();
        let all = ProfilerRequest {
            arguments: &arguments,
            time_limit: (asked.iter().map(|run| run.limit).sum::<Duration>()).min(BUDGET + LONGEST_RUN),
            ..first.clone()
        };
        let process = valgrind::run_forking(&all, program, tool, options, &folder)?;
        let report = std::fs::read_to_string(&report).map_err(io_error("reading", &report))?;
        let begun = started(&report);
        let mut processes = ended_well(&report, begun.len().min(subjects.len()));
        // A process that no run is known to have begun may have opened files for any of them. Dhat tells of no calls.
        let known: usize = begun.iter().map(|run| family(&folder, *run).len()).sum();
        if tool == ValgrindTool::Callgrind && folder.processes()?.len() > 1 + known {
            processes.fill(None);
        }
        Ok(Self {
            folder,
            process,
            processes,
            overdue: overdue(&report),
        })
    }

    /// The traces of a run; that of the process if `tells_process` and the subject has parts of its own.
    fn traces(
        &self,
        run: &CallgrindRun<'_>,
        selected: &SymbolsByAddress,
        process: u32,
        tells_process: bool,
    ) -> Option<RunTraces> {
        let output = self.folder.output(process);
        let (subject, of_process) = match run.request.subject {
            BenchmarkSubject::Clocked { .. } => {
                let parts = clocked_parts::parts(&output).ok()?;
                let log = open(&self.folder.log(process))?;
                let subject = subject_of_parts(run, &parts, Some(selected), log).ok()??;
                let of_process = tells_process.then(|| run.read_parts(&parts)).transpose().ok()?;
                (subject, of_process)
            }
            _ => (run.read_trace(&output).ok()?, None),
        };
        Some(RunTraces {
            subject,
            process: of_process,
            requested: self.requested_paths(process, run.request.directory)?,
        })
    }

    /// The paths that a run asked for, which goes on where the start ends, and the processes that it began.
    fn requested_paths(&self, run: u32, directory: &Path) -> Option<RequestedPaths> {
        let mut log: Box<dyn BufRead> = Box::new(open(&self.folder.log(self.process))?);
        for process in family(&self.folder, run) {
            log = Box::new(log.chain(open(&self.folder.log(process))?));
        }
        system_calls::requested_paths(log, directory).ok()
    }

    /// The outcome of each run that began, by its process.
    fn runs<T>(
        &self,
        subjects: &[SharedSubject<'_>],
        outcome: impl Fn(&SharedSubject<'_>, u32) -> Option<T>,
    ) -> BegunRuns<T> {
        BegunRuns {
            outcomes: (subjects.iter().zip(&self.processes))
                .map(|(subject, process)| outcome(subject, (*process)?))
                .collect(),
            overdue: self.overdue,
        }
    }
}

fn open(path: &Path) -> Option<BufReader<File>> {
    File::open(path).ok().map(BufReader::new)
}

/// True if a process created another, or its log can't be read.
fn forks(log: &Path) -> bool {
    children(log).is_none_or(|children| !children.is_empty())
}

/// A process and those that it began, and so on, by their logs.
fn family(folder: &SharedFolder, process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut at = 0;
    while let Some(parent) = found.get(at) {
        let children = children(&folder.log(*parent)).unwrap_or_default();
        found.extend(
            children
                .into_iter()
                .filter(|child| !found.contains(child))
                .collect::<Vec<_>>(),
        );
        at += 1;
    }
    found
}

/// The processes that a process created; `None` if its log can't be read.
fn children(log: &Path) -> Option<Vec<u32>> {
    let bytes = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let numbers = text
        .split(FORKED)
        .skip(1)
        .filter_map(|rest| rest.split_whitespace().next());
    Some(numbers.filter_map(|number| number.parse().ok()).collect())
}

/// True if a program is loaded together with libraries that receive its arguments.
fn has_loader(binary: &[u8]) -> bool {
    let Ok(elf) = ElfFile64::<object::Endianness>::parse(binary) else {
        return false;
    };
    let endian = elf.endian();
    (elf.elf_program_headers().iter())
        .filter_map(|header| header.interpreter(endian, binary).ok().flatten())
        .any(|loader| loader.windows(LOADER.len()).any(|window| window == LOADER))
}
