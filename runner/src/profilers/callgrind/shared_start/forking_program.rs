//! Runs of a program that forks for each by itself → a profile of each, or its total, from one start of valgrind.
//!
//! An interpreter has loaded what all runs need when it forks. So the start costs most of what a run of its own does, and is
//! the set-up of each.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::time::Duration;

use attribution::callgrind::system_calls::{self, RequestedPaths};

use super::report::{RequestedRun, ended_well, requested, started};
use super::{CallgrindRun, ProfilerError, ProfilerRequest, TraceDetail, forks, io_error, open, run_of};
use crate::benchmark::BenchmarkSubject;
use crate::frameworks::{Benchmark, RUNS_VARIABLE, SharedStartRun};
use crate::interpreters::{CountedPart, ObservedRun, observed_forks};
use crate::profilers::callgrind::ExecutionSummary;
use crate::profilers::callgrind::interpreted::{self, InterpretedRun};
use crate::profilers::callgrind::set_up::RunTraces;
use crate::profilers::callgrind::valgrind::{self, SharedFolder, ValgrindTool, WrittenMaps};

/// After this time no other run begins: some tens do before.
const BUDGET: Duration = Duration::from_secs(60);

/// The longest that a run may take beside others: about what two starts do.
const LONGEST_FORK: Duration = Duration::from_secs(30);

/// True if both benchmarks can share a start.
pub(in crate::profilers::callgrind) fn fork_from_one_start(one: &Benchmark, other: &Benchmark) -> bool {
    let names_functions = |benchmark: &Benchmark| {
        let interpreter = benchmark.interpreter.as_ref();
        interpreter.is_some_and(|interpreter| interpreter.functions.is_ok())
    };
    let same_start =
        (one.shared_start.iter().zip(&other.shared_start)).any(|(one, other)| one.arguments == other.arguments);
    same_start
        && names_functions(one)
        // Another subject is not what the forks mark.
        && [one, other].iter().all(|benchmark| benchmark.subject == BenchmarkSubject::Marked)
        && one.program == other.program
        && one.interpreter == other.interpreter
        && one.directory == other.directory
        && one.environment == other.environment
}

/// The run of each request: see [`fork_each()`].
pub(in crate::profilers::callgrind) fn profile_forks(
    runs: &[(ProfilerRequest<'_>, &SharedStartRun)],
) -> Vec<Option<InterpretedRun>> {
    let mut observed: BTreeMap<&str, ObservedRun> = (runs.iter())
        .zip(observed(runs).unwrap_or_default())
        .filter_map(|((request, _), observed)| Some((request.benchmark, observed?)))
        .collect();
    fork_each(runs, TraceDetail::InterpretedFunctions, |fork| {
        let request = fork.run.request;
        let interpreter = request.interpreter?;
        let naming = interpreter.functions.as_ref().ok()?;
        let of_process = (fork.process, fork.requested);
        let known = observed.remove(request.benchmark);
        let observed = known.unwrap_or_else(|| interpreted::observed(request, naming));
        let run = interpreted::run_of(&fork.run, &fork.output, (interpreter, naming), of_process, observed);
        run.ok()?.ok()
    })
}

/// The interpreter's word on runs that share one start more; `None` for those that it did not reach.
fn observed(runs: &[(ProfilerRequest<'_>, &SharedStartRun)]) -> Option<Vec<Option<ObservedRun>>> {
    let [(first, shared), _, ..] = runs else {
        return None;
    };
    let naming = first.interpreter?.functions.as_ref().ok()?;
    let asked = AskedForks::of(runs).ok()?;
    let environment = asked.environment(first);
    let start = ProfilerRequest {
        arguments: &shared.arguments,
        environment: &environment,
        ..first.clone()
    };
    let of = (&interpreted::started(&start), CountedPart::Marked);
    observed_forks(naming, of, start.time_limit, start.interruption, || {
        asked.ended(runs.len()).ok()
    })
}

/// The file of the runs that a program is asked for, and its report of them.
struct AskedForks {
    folder: SharedFolder,
}

impl AskedForks {
    fn of(runs: &[(ProfilerRequest<'_>, &SharedStartRun)]) -> Result<Self, ProfilerError> {
        let asked = Self {
            folder: SharedFolder::new()?,
        };
        let names: Vec<RequestedRun<'_>> = (runs.iter())
            .map(|(request, run)| RequestedRun {
                limit: request.time_limit.min(LONGEST_FORK),
                arguments: std::slice::from_ref(&run.name),
            })
            .collect();
        let path = asked.runs();
        std::fs::write(&path, requested(&asked.report(), BUDGET, &names)).map_err(io_error("writing", &path))?;
        Ok(asked)
    }

    fn runs(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    fn report(&self) -> PathBuf {
        self.folder.path().join("report")
    }

    /// The variables of a request, and the one by which the program finds the file.
    fn environment(&self, request: &ProfilerRequest<'_>) -> Vec<(OsString, OsString)> {
        let mut environment = request.environment.to_vec();
        environment.push((RUNS_VARIABLE.into(), self.runs().into_os_string()));
        environment
    }

    /// The processes of the runs that began, the first ones of so many; `None` for one that did not end well.
    fn ended(&self, most: usize) -> Result<Vec<Option<u32>>, ProfilerError> {
        let path = self.report();
        let report = std::fs::read_to_string(&path).map_err(io_error("reading", &path))?;
        Ok(ended_well(&report, started(&report).len().min(most)))
    }
}

/// How much each request executes: see [`fork_each()`].
pub(in crate::profilers::callgrind) fn summarize_forks(
    runs: &[(ProfilerRequest<'_>, &SharedStartRun)],
) -> Vec<Option<ExecutionSummary>> {
    fork_each(runs, TraceDetail::Costs, |fork| {
        let traces = RunTraces {
            subject: fork.run.read_trace(&fork.output).ok()?,
            process: None,
            requested: fork.requested,
        };
        Some(ExecutionSummary::of(traces, fork.run.program))
    })
}

/// A run that ended well.
struct EndedFork<'r> {
    run: CallgrindRun<'r>,
    output: PathBuf,
    process: u32,
    requested: RequestedPaths,
}

/// The outcome of each run, in the order of the requests; `None` for those that need a start of their own. All of them share a
/// start, as [`fork_from_one_start()`] says.
fn fork_each<T>(
    runs: &[(ProfilerRequest<'_>, &SharedStartRun)],
    detail: TraceDetail,
    mut outcome: impl FnMut(EndedFork<'_>) -> Option<T>,
) -> Vec<Option<T>> {
    let mut outcomes = Vec::new();
    while let Some(left) = runs.get(outcomes.len()..)
        && left.len() > 1
        // Whatever goes wrong, the start of each alone tells the reason.
        && let Ok(begun) = fork_from_start(left, detail, &mut outcome)
        && !begun.is_empty()
    {
        outcomes.extend(begun);
    }
    outcomes.resize_with(runs.len(), || None);
    outcomes
}

/// One start: the outcomes of the runs that began, which are the first ones.
fn fork_from_start<T>(
    runs: &[(ProfilerRequest<'_>, &SharedStartRun)],
    detail: TraceDetail,
    outcome: &mut impl FnMut(EndedFork<'_>) -> Option<T>,
) -> Result<Vec<Option<T>>, ProfilerError> {
    let [(first, shared), ..] = runs else {
        return Ok(Vec::new());
    };
    let asked = AskedForks::of(runs)?;
    let folder = &asked.folder;
    let environment = asked.environment(first);
    let start = ProfilerRequest {
        arguments: &shared.arguments,
        environment: &environment,
        ..first.clone()
    };
    let options = run_of(&start, start.program, detail).options(None);
    let _maps = WrittenMaps::of(&start, ValgrindTool::Callgrind, folder.path());
    valgrind::run_forking(&start, start.program, ValgrindTool::Callgrind, options, folder)?;
    let processes = asked.ended(runs.len())?;
    // Processes that the start began and asked something belong to each run.
    let of_start = (folder.processes()?.into_iter()).filter(|process| !processes.contains(&Some(*process)));
    let of_start: Vec<u32> = of_start.collect();
    let mut ended = |request, process: u32| {
        // The files that a run's own forks open stand in other logs.
        if forks(&folder.log(process)) {
            return None;
        }
        let mut log: Box<dyn BufRead> = Box::new(io::empty());
        for process in of_start.iter().chain([&process]) {
            log = Box::new(log.chain(open(&folder.log(*process))?));
        }
        let run = run_of(request, request.program, detail);
        outcome(EndedFork {
            requested: system_calls::requested_paths(log, run.request.directory).ok()?,
            run,
            output: folder.output(process),
            process,
        })
    };
    Ok((runs.iter().zip(&processes))
        .map(|((request, _), process)| ended(request, (*process)?))
        .collect())
}
