//! A program that an interpreter runs → the profile of the functions of its source.
//!
//! Callgrind is told to leave out every function with a name, and to add what it costs to the function that it works for.
//! The code by which the interpreter enters a function of the source has no name, and so stays: see
//! [`attribution::callgrind::interpreted`].

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use attribution::callgrind::PathRemapping;
use attribution::callgrind::interpreted::{InterpretedInput, attribute_interpreted, entered_functions};
use attribution::callgrind::system_calls::RequestedPaths;
use profile::Profile;

use super::{BenchmarkSubject, CallgrindRun, ProfilerError, ProfilerRequest, TraceDetail, read_requested_paths};
use crate::benchmark::MARK;
use crate::interpreters::{
    CountedPart, FunctionNaming, Interpreter, ObservedRun, ProcessFunctions, StartedProgram, functions_of_process,
    observed_run,
};

/// A run of an interpreted program.
pub(super) struct InterpretedRun {
    pub(super) profile: Profile,
    /// The names that it asked for as texts, if they are known.
    pub(super) asked_names: Option<BTreeSet<String>>,
    /// The paths that it asked the system for.
    pub(super) requested: RequestedPaths,
}

/// The result of profiling a program as an interpreted one.
pub(super) enum InterpretedOutcome {
    /// Its run.
    Profiled(Box<InterpretedRun>),
    /// It is none: see [`is_interpreted()`].
    NotInterpreted,
    /// Its functions cannot be told apart, for this reason.
    Unnamed(String),
}

/// Functions that callgrind must see: a process begins in the first three, and callgrind follows the loader's way of
/// calling a function for the first time by the name of the fourth.
const KEPT: [KeptName; 3] = [
    KeptName::Whole("main"),
    KeptName::Whole("_start"),
    KeptName::StartsWith("_dl_"),
];

/// A name, or the start of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptName {
    Whole(&'static str),
    StartsWith(&'static str),
}

/// Letters that names of functions begin with.
const FIRST_LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/// Further letters of such names.
const FURTHER_LETTERS: &str = "0123456789.@$";

/// Names that callgrind makes up of addresses in files without symbols: those from 0x40000 on, where interpreters and
/// libraries have their code, up to 16 MB. Lower ones are left, as the loader's first function is among them. Generated code
/// never lies so low.
const ADDRESSES_IN_FILES: [&str; 2] = ["0x0000000000", "0x00000000000"];

/// The digits behind each of these.
const DIGITS_IN_FILES: [&str; 2] = ["123456789abcdef", "456789abcdef"];

/// True for a program that an interpreter runs, unless only one native function of it counts.
pub(super) fn is_interpreted(request: &ProfilerRequest<'_>) -> bool {
    request.interpreter.is_some() && matches!(request.subject, BenchmarkSubject::Process | BenchmarkSubject::Marked)
}

/// Profiles a program of a request as an interpreted one.
///
/// # Errors
/// [`ProfilerError`], as for any program.
pub(super) fn profile(request: &ProfilerRequest<'_>) -> Result<InterpretedOutcome, ProfilerError> {
    let Some(interpreter) = request.interpreter.filter(|_| is_interpreted(request)) else {
        return Ok(InterpretedOutcome::NotInterpreted);
    };
    let naming = match &interpreter.functions {
        Err(reason) => return Ok(InterpretedOutcome::Unnamed(reason.clone())),
        Ok(naming) => naming,
    };
    let run = CallgrindRun {
        request,
        program: request.program,
        detail: TraceDetail::InterpretedFunctions,
    };
    let written = run.collect(None)?;
    let requested = read_requested_paths(&written, request)?;
    let observed = observed(request, naming);
    let of_process = (written.process, requested);
    let run = run_of(&run, &written.path, (interpreter, naming), of_process, observed)?;
    Ok(match run {
        Ok(run) => InterpretedOutcome::Profiled(Box::new(run)),
        Err(reason) => InterpretedOutcome::Unnamed(reason),
    })
}

/// The run of a process from its output, or the reason why its functions cannot be told apart.
pub(super) fn run_of(
    run: &CallgrindRun<'_>,
    output: &Path,
    (interpreter, naming): (&Interpreter, &FunctionNaming),
    (process, requested): (u32, RequestedPaths),
    observed: ObservedRun,
) -> Result<Result<InterpretedRun, String>, ProfilerError> {
    let request = run.request;
    let trace = run.read_trace(output)?;
    let program = match functions_of_process(interpreter, process, &started(request), request.interruption) {
        ProcessFunctions::Named(program) => program,
        ProcessFunctions::Unnamed(reason) => return Ok(Err(reason)),
    };
    let with = InterpretedInput {
        benchmark: request.benchmark,
        program: &program,
        roots: &with_libraries(request.roots, naming),
    };
    let of_project = observed.lines.into_iter().filter_map(|((path, line), executions)| {
        let named = request.roots.to_profile_path(&path);
        (!named.external).then_some((named.path, line, executions))
    });
    let profile = attribute_interpreted(&trace, &with).with_lines(of_project);
    Ok(Ok(InterpretedRun {
        profile: match request.subject {
            // Only the part between the marks is counted. The list tells what else ran.
            BenchmarkSubject::Marked => profile.with_set_up(&entered_functions(&with)),
            _ => profile,
        },
        asked_names: observed.asked_names,
        requested,
    }))
}

/// A run of the same program that its interpreter tells of. It shows nothing if the interpreter does not.
pub(super) fn observed(request: &ProfilerRequest<'_>, naming: &FunctionNaming) -> ObservedRun {
    let part = match request.subject {
        BenchmarkSubject::Marked => CountedPart::Marked,
        _ => CountedPart::Whole,
    };
    let of = (&started(request), part);
    observed_run(naming, of, request.time_limit, request.interruption).unwrap_or_default()
}

pub(super) fn started<'r>(request: &ProfilerRequest<'r>) -> StartedProgram<'r> {
    StartedProgram {
        program: request.program,
        arguments: request.arguments,
        directory: request.directory,
        environment: request.environment,
    }
}

/// The rules that name paths, and those for the interpreter's libraries.
fn with_libraries(roots: &PathRemapping, naming: &FunctionNaming) -> PathRemapping {
    let mut roots = roots.clone();
    roots.external.extend(naming.libraries.iter().cloned());
    roots
}

/// The options by which callgrind leaves out functions with a name.
pub(super) fn options(subject: &BenchmarkSubject) -> impl Iterator<Item = OsString> {
    let mark = (*subject == BenchmarkSubject::Marked).then_some(KeptName::Whole(MARK));
    let kept: Vec<KeptName> = KEPT.into_iter().chain(mark).collect();
    let mut patterns = Vec::new();
    add_patterns("", &kept, &mut patterns);
    for (start, digits) in ADDRESSES_IN_FILES.iter().zip(DIGITS_IN_FILES) {
        patterns.extend(digits.chars().map(|digit| format!("{start}{digit}*")));
    }
    // Levels of recursion are not distinguished.
    let other = std::iter::once("--separate-recs=1".into());
    other.chain(
        patterns
            .into_iter()
            .map(|pattern| format!("--fn-skip={pattern}").into()),
    )
}

/// Adds patterns that match all names with a start, except the kept ones. In a pattern `*` stands for any text.
fn add_patterns(start: &str, kept: &[KeptName], patterns: &mut Vec<String>) {
    let is_kept = |name: &KeptName| matches!(name, KeptName::Whole(name) if *name == start);
    if !start.is_empty() && !kept.iter().any(is_kept) {
        patterns.push(start.to_owned());
    }
    let further = if start.is_empty() { "" } else { FURTHER_LETTERS };
    for letter in FIRST_LETTERS.chars().chain(further.chars()) {
        let next = format!("{start}{letter}");
        let below: Vec<KeptName> = (kept.iter().copied())
            .filter(|name| match name {
                KeptName::Whole(name) | KeptName::StartsWith(name) => name.starts_with(&next),
            })
            .collect();
        let is_kept_start = |name: &KeptName| matches!(name, KeptName::StartsWith(name) if *name == next);
        if below.iter().any(is_kept_start) {
            continue;
        }
        match below.is_empty() {
            true => patterns.push(format!("{next}*")),
            false => add_patterns(&next, &below, patterns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, add_patterns};

    #[test]
    fn every_name_is_left_out_except_the_kept_ones() {
        let mut patterns = Vec::new();
        add_patterns("", &KEPT, &mut patterns);
        let is_left_out = |name: &str| {
            patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start) && name.len() > start.len().saturating_sub(1),
                None => name == pattern,
            })
        };
        for name in [
            "main",
            "_start",
            "_dl_fixup",
            "_dl_runtime_resolve_xsave",
            "(below main)",
            "0x0000000000547b000",
        ] {
            assert!(!is_left_out(name), "{name}");
        }
        for name in [
            "m",
            "mai",
            "mainly",
            "_",
            "_d",
            "_dlopen",
            "_dl",
            "_starts",
            "_PyEval_EvalFrameDefault",
            "malloc",
        ] {
            assert!(is_left_out(name), "{name}");
        }
    }
}
