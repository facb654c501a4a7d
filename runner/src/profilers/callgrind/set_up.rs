//! The functions that a process executes around its subject, which may work with what they return.
//!
//! Where the subject lies between readings of the clock, one run under callgrind gives both: its output is written in parts. Of
//! other subjects callgrind records nothing else, and the process runs once more.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use attribution::callgrind::ProfiledBuild;
use attribution::callgrind::system_calls::{RequestedPaths, has_several_threads};
use attribution::callgrind::trace::CallgrindTrace;
use profile::Profile;

use super::{
    CallgrindRun, ProfilerError, ProfilerRequest, SubjectRun, SymbolsByAddress, TraceDetail, attributed, clocked_parts,
    io_error, profile_program, read_program, read_requested_paths, trace, valgrind,
};
use crate::benchmark::BenchmarkSubject;
use crate::profilers::ProfilerFailureKind;
use crate::profilers::callgrind::valgrind::ValgrindTool;

/// The traces of one run of a program.
pub(super) struct RunTraces {
    /// Of the subject.
    pub(super) subject: CallgrindTrace,
    /// Of the whole process, if the subject has parts of its own.
    pub(super) process: Option<CallgrindTrace>,
    /// The paths that the whole process asked the system for.
    pub(super) requested: RequestedPaths,
}

/// Runs a program once.
///
/// # Errors
/// [`ProfilerError`].
pub(super) fn traces(run: &CallgrindRun<'_>, binary: &[u8]) -> Result<RunTraces, ProfilerError> {
    let alone = || {
        let (subject, requested) = trace(run, binary)?;
        Ok(RunTraces {
            subject,
            process: None,
            requested,
        })
    };
    let (request, program) = (run.request, run.program);
    if !matches!(request.subject, BenchmarkSubject::Clocked { .. }) {
        return alone();
    }
    let selected = run.selected(binary)?;
    let Some(options) = run.options_of_parts(selected.as_ref()) else {
        return alone();
    };
    let written = valgrind::run(request, program, ValgrindTool::Callgrind, options)?;
    let parts = clocked_parts::parts(&written.path).map_err(io_error("reading", &written.path))?;
    let process = Some(run.read_parts(&parts)?);
    match subject_of_parts(run, &parts, selected.as_ref(), written.open_log()?)? {
        None => Ok(RunTraces { process, ..alone()? }),
        Some(subject) => {
            run.check_executed(selected.as_ref(), subject.total)?;
            Ok(RunTraces {
                subject,
                process,
                requested: read_requested_paths(&written, request)?,
            })
        }
    }
}

/// One run of a program, with the profile of its whole process if the subject has parts of its own.
///
/// # Errors
/// [`ProfilerError`].
pub(super) fn profile_with_process(
    request: &ProfilerRequest<'_>,
    program: &Path,
    build: ProfiledBuild,
) -> Result<SubjectRun, ProfilerError> {
    let run = CallgrindRun {
        request,
        program,
        detail: TraceDetail::CostsAndJumps,
    };
    let binary = read_program(program)?;
    profiles(&run, &binary, build, traces(&run, &binary)?)
}

/// The profiles of a run's traces.
///
/// # Errors
/// [`ProfilerError`].
pub(super) fn profiles(
    run: &CallgrindRun<'_>,
    binary: &[u8],
    build: ProfiledBuild,
    traces: RunTraces,
) -> Result<SubjectRun, ProfilerError> {
    let profile = |trace: &CallgrindTrace| attributed(run, binary, build, trace);
    Ok(SubjectRun {
        profile: profile(&traces.subject)?,
        requested: traces.requested,
        process: traces.process.as_ref().map(profile).transpose()?,
    })
}

/// The part of a process that its subject executed, by the parts of the whole; `None` if they can't tell it. A part holds the costs
/// of all threads, and those beside the subject's are none of it.
pub(super) fn subject_of_parts(
    run: &CallgrindRun<'_>,
    parts: &[PathBuf],
    selected: Option<&SymbolsByAddress>,
    log: impl BufRead,
) -> Result<Option<CallgrindTrace>, ProfilerError> {
    let (BenchmarkSubject::Clocked { depth, .. }, Some(selected)) = (run.request.subject, selected) else {
        return Ok(None);
    };
    let functions = selected.values().flatten().map(String::as_str).collect();
    let of_subject = has_several_threads(log).and_then(|has_several| match has_several {
        true => Ok(None),
        false => clocked_parts::subject_parts_of_process(parts, &functions, *depth),
    });
    match of_subject.map_err(io_error("reading the output of", run.program))? {
        Some(parts) => run.read_parts(&parts).map(Some),
        None => Ok(None),
    }
}

/// The profile of the whole process: that of the counting program, if there is one, since an optimiser may leave nothing of a
/// function that only returns a number. Whatever no run has told yet takes one more.
///
/// # Errors
/// [`ProfilerError`] of the optimised program.
pub(super) fn process_profile(
    request: &ProfilerRequest<'_>,
    of_costs: Option<Profile>,
    of_counts: Option<Profile>,
) -> Result<Profile, ProfilerError> {
    let of_process = |program, build| {
        let whole = ProfilerRequest {
            subject: &BenchmarkSubject::Process,
            ..request.clone()
        };
        profile_program(&whole, program, build, TraceDetail::Costs).map(|run| run.profile)
    };
    if let Some(process) = of_counts {
        return Ok(process);
    }
    let counting = request
        .counting
        .map(|program| of_process(program, ProfiledBuild::Counting));
    match (counting, of_costs) {
        (Some(Ok(process)), _) => Ok(process),
        (Some(Err(error)), _) if error.kind() == ProfilerFailureKind::Interrupted => Err(error),
        // It may be too slow for the limit of time.
        (None | Some(Err(_)), Some(process)) => Ok(process),
        (None | Some(Err(_)), None) => of_process(request.program, ProfiledBuild::Optimised),
    }
}
