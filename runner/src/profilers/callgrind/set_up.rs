//! The functions that a process executes around its subject, which may work with what they return.
//!
//! Where the subject lies between readings of the clock, one run under callgrind gives both: its output is written in parts. Of
//! other subjects callgrind records nothing else, and the process runs once more.

use std::path::Path;

use attribution::callgrind::ProfiledBuild;
use attribution::callgrind::system_calls::has_several_threads;
use profile::Profile;

use super::{
    CallgrindRun, ProfilerError, ProfilerRequest, SubjectRun, TraceDetail, attributed, clocked_parts, io_error,
    profile_program, read_program, read_requested_paths, valgrind,
};
use crate::benchmark::BenchmarkSubject;
use crate::profilers::ProfilerFailureKind;
use crate::profilers::callgrind::valgrind::ValgrindTool;

/// One run of a program, with the profile of its whole process if the subject has parts of its own.
///
/// # Errors
/// [`ProfilerError`].
pub(super) fn profile_with_process(
    request: &ProfilerRequest<'_>,
    program: &Path,
    build: ProfiledBuild,
) -> Result<SubjectRun, ProfilerError> {
    let alone = || profile_program(request, program, build, TraceDetail::CostsAndJumps);
    let BenchmarkSubject::Clocked { depth, .. } = request.subject else {
        return alone();
    };
    let run = CallgrindRun {
        request,
        program,
        detail: TraceDetail::CostsAndJumps,
    };
    let binary = read_program(program)?;
    let selected = run.selected(&binary)?;
    let options = run.options_of_parts(selected.as_ref());
    let written = valgrind::run(request, program, ValgrindTool::Callgrind, options)?;
    let parts = clocked_parts::parts(&written.path).map_err(io_error("reading", &written.path))?;
    let process = attributed(&run, &binary, build, &run.read_parts(&parts)?)?;
    // A part holds the costs of all threads, and those beside the subject's are none of it.
    let of_subject = match has_several_threads(written.open_log()?).map_err(io_error("reading", &written.log))? {
        true => None,
        false => clocked_parts::subject_parts_of_process(&parts, *depth).map_err(io_error("reading", &written.path))?,
    };
    let subject = match of_subject {
        None => alone()?,
        Some(parts) => {
            let trace = run.read_parts(&parts)?;
            run.check_executed(selected.as_ref(), trace.total)?;
            SubjectRun {
                profile: attributed(&run, &binary, build, &trace)?,
                requested: read_requested_paths(&written, request)?,
                process: None,
            }
        }
    };
    Ok(SubjectRun {
        process: Some(process),
        ..subject
    })
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
