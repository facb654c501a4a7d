//! The profile of a subject → the same, with the functions that the process executes around the subject.
//!
//! The subject may work with the result of these. Callgrind records nothing of them beside a subject, so that the process
//! runs once more.

use attribution::callgrind::ProfiledBuild;
use profile::Profile;

use super::{ProfilerError, ProfilerRequest, TraceDetail, profile_program};
use crate::benchmark::BenchmarkSubject;
use crate::profilers::ProfilerFailureKind;

/// Adds the functions of the set-up to a profile. They are those of the counting program, if there is one: an optimiser may
/// leave nothing of a function that only returns a number.
///
/// # Errors
/// [`ProfilerError`] of the optimised program.
pub(super) fn with_set_up(request: &ProfilerRequest<'_>, subject: Profile) -> Result<Profile, ProfilerError> {
    let of_process = |program, build| {
        let whole = ProfilerRequest {
            subject: &BenchmarkSubject::Process,
            ..request.clone()
        };
        profile_program(&whole, program, build, TraceDetail::Costs).map(|(profile, _)| profile)
    };
    let counting = request
        .counting
        .map(|program| of_process(program, ProfiledBuild::Counting));
    let process = match counting {
        Some(Err(error)) if error.kind() == ProfilerFailureKind::Interrupted => return Err(error),
        // It may be too slow for the limit of time.
        None | Some(Err(_)) => of_process(request.program, ProfiledBuild::Optimised)?,
        Some(Ok(process)) => process,
    };
    Ok(subject.with_set_up(&process))
}
