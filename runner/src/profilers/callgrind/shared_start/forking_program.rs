//! Runs of a program that forks for each by itself → a profile of each, from one start of valgrind.
//!
//! An interpreter has loaded what all runs need when it forks. So the start costs most of what a run of its own does, and is
//! the set-up of each.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use attribution::callgrind::system_calls::{self, RequestedPaths};
use profile::Profile;

use super::report::{RequestedRun, ended_well, requested, started};
use super::{CallgrindRun, LONGEST_RUN, ProfilerError, ProfilerRequest, TraceDetail, forks, io_error, open};
use crate::frameworks::{Benchmark, RUNS_VARIABLE, SharedStartRun};
use crate::profilers::callgrind::interpreted;
use crate::profilers::callgrind::valgrind::{self, SharedFolder, ValgrindTool, WrittenMaps};

/// After this time no other run begins: some tens do before.
const BUDGET: Duration = Duration::from_secs(60);

/// True if both benchmarks can share a start.
pub(in crate::profilers::callgrind) fn fork_from_one_start(one: &Benchmark, other: &Benchmark) -> bool {
    let names_functions = |benchmark: &Benchmark| {
        let interpreter = benchmark.interpreter.as_ref();
        interpreter.is_some_and(|interpreter| interpreter.functions.is_ok())
    };
    let arguments = |benchmark: &Benchmark| benchmark.shared_start.as_ref().map(|run| run.arguments.clone());
    arguments(one).is_some_and(|start| arguments(other) == Some(start))
        && names_functions(one)
        && one.subject == other.subject
        && one.program == other.program
        && one.interpreter == other.interpreter
        && one.directory == other.directory
        && one.environment == other.environment
}

/// A profile of each request and the paths that its run asked for, in the order of the requests; `None` for those that need a
/// start of their own. All requests share a start, as [`fork_from_one_start()`] says.
pub(in crate::profilers::callgrind) fn profile_forks(
    runs: &[(ProfilerRequest<'_>, &SharedStartRun)],
) -> Vec<Option<(Profile, RequestedPaths)>> {
    let mut profiles = Vec::new();
    while let Some(left) = runs.get(profiles.len()..)
        && left.len() > 1
        // Whatever goes wrong, the start of each alone tells the reason.
        && let Ok(begun) = profiles_of_start(left)
        && !begun.is_empty()
    {
        profiles.extend(begun);
    }
    profiles.resize_with(runs.len(), || None);
    profiles
}

/// One start: the profiles of the runs that began, which are the first ones.
fn profiles_of_start(
    runs: &[(ProfilerRequest<'_>, &SharedStartRun)],
) -> Result<Vec<Option<(Profile, RequestedPaths)>>, ProfilerError> {
    let [(first, shared), ..] = runs else {
        return Ok(Vec::new());
    };
    let folder = SharedFolder::new()?;
    let [report, asked] = ["report", "runs"].map(|name| folder.path().join(name));
    let limit = first.time_limit.min(LONGEST_RUN);
    let names: Vec<RequestedRun<'_>> = (runs.iter())
        .map(|(_, run)| RequestedRun {
            limit,
            arguments: std::slice::from_ref(&run.name),
        })
        .collect();
    std::fs::write(&asked, requested(&report, BUDGET, &names)).map_err(io_error("writing", &asked))?;
    let mut environment = first.environment.to_vec();
    environment.push((RUNS_VARIABLE.into(), asked.into_os_string()));
    let start = ProfilerRequest {
        arguments: &shared.arguments,
        environment: &environment,
        time_limit: first.time_limit + BUDGET + LONGEST_RUN,
        ..first.clone()
    };
    let options = run_of(&start).options(None);
    let _maps = WrittenMaps::of(&start, ValgrindTool::Callgrind, folder.path());
    valgrind::run_forking(&start, start.program, options, &folder)?;
    let report = std::fs::read_to_string(&report).map_err(io_error("reading", &report))?;
    let begun = started(&report).min(runs.len());
    let processes = ended_well(&report, begun);
    // Processes that the start began and asked something belong to each run.
    let of_start = (folder.processes()?.into_iter()).filter(|process| !processes.contains(&Some(*process)));
    let of_start: Vec<u32> = of_start.collect();
    let profile_of = |request: &ProfilerRequest<'_>, process: u32| {
        let log = folder.log(process);
        // The files that a run's own forks open stand in other logs.
        if forks(&log) {
            return None;
        }
        let interpreter = request.interpreter?;
        let naming = interpreter.functions.as_ref().ok()?;
        let output = folder.output(process);
        let profile = interpreted::profile_of(&run_of(request), &output, (interpreter, naming), process);
        let mut text: Box<dyn BufRead> = Box::new(io::empty());
        for process in of_start.iter().chain([&process]) {
            text = Box::new(text.chain(open(&folder.log(*process))?));
        }
        let requested = system_calls::requested_paths(text, request.directory).ok()?;
        Some((profile.ok()?.ok()?, requested))
    };
    Ok((runs.iter().zip(&processes))
        .map(|((request, _), process)| profile_of(request, (*process)?))
        .collect())
}

fn run_of<'r>(request: &'r ProfilerRequest<'r>) -> CallgrindRun<'r> {
    CallgrindRun {
        request,
        program: request.program,
        detail: TraceDetail::InterpretedFunctions,
    }
}
