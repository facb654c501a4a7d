//! A built benchmark → its calling context tree: runs the program under callgrind, which distinguishes each function by
//! its whole chain of callers.
//!
//! Recursion through several functions multiplies chains by depth and by path. If callgrind or the reader can't hold
//! them, the program is run again with shorter chains ([`ProfiledCallTree::cut`]).

use std::path::Path;

use attribution::callgrind::contexts::{self, AttributedCallTree, OutermostFrame};
use attribution::callgrind::trace::{self, CallgrindError, ContextTrace};
use attribution::callgrind::{AttributionInput, ProfiledBuild};

use super::{
    BenchmarkSubject, CallgrindRun, ProfiledCallTree, ProfilerError, ProfilerRequest, TraceDetail, clocked_parts,
    interpreted::is_interpreted, io_error, read_program, two_runs,
};

/// Callers that callgrind distinguishes: at first more than programs without recursion have (some 60 in unoptimised
/// builds, benchmark framework included), then fewer, each time there are too many contexts.
const CALLERS: [u32; 3] = [200, 32, 8];

/// Most contexts of one run that are read. Libraries' benchmarks have some hundred, a recursive-descent parser on deep
/// input 300,000. A larger tree is too large to read, and takes gigabytes of callgrind's output.
const MOST_CONTEXTS: usize = 1 << 20;

/// Most bytes of callgrind's output that are read: 300,000 contexts of 60 callers have 800 MB.
const LARGEST_OUTPUT: u64 = 4 << 30;

/// Runs the program, twice if there is a counting build of it, and returns its calling contexts.
///
/// If the counting run fails or takes too long, calls are those of the optimised program, and estimates for inlined
/// functions ([`ProfiledCallTree::counted`] is then 0).
///
/// # Errors
/// As [`super::profile()`].
pub fn call_tree(request: &ProfilerRequest<'_>) -> Result<ProfiledCallTree, ProfilerError> {
    match two_runs::runs(request) {
        Some(runs) => two_runs::difference(&runs, tree_of_run),
        None => tree_of_run(request),
    }
}

fn tree_of_run(request: &ProfilerRequest<'_>) -> Result<ProfiledCallTree, ProfilerError> {
    if is_interpreted(request) {
        // Starting it takes callgrind minutes, so many contexts have the functions of an interpreter.
        return Err(ProfilerError::NoContextsOfInterpreted {
            program: request.program.to_owned(),
        });
    }
    let (costs, total, cut) = tree_of(request, request.program, ProfiledBuild::Optimised)?;
    let counts = request
        .counting
        .map(|program| tree_of(request, program, ProfiledBuild::Counting));
    let (tree, counted) = match counts {
        Some(Err(interrupted @ ProfilerError::Interrupted { .. })) => return Err(interrupted),
        Some(Ok((counts, _, _))) => {
            let joined = contexts::join_call_counts(&costs.tree, &counts.tree);
            (joined.tree, joined.counted)
        }
        Some(Err(_)) | None => (costs.tree, 0),
    };
    Ok(ProfiledCallTree {
        tree,
        total,
        counted,
        divided: costs.divided,
        cut,
        complete: costs.complete,
    })
}

/// The tree of one program, its total, and the number of callers that its chains were cut to.
fn tree_of(
    request: &ProfilerRequest<'_>,
    program: &Path,
    build: ProfiledBuild,
) -> Result<(AttributedCallTree, u64, Option<u32>), ProfilerError> {
    let binary = read_program(program)?;
    let (trace, cut) = trace(request, program, &binary)?;
    let with = AttributionInput {
        benchmark: request.benchmark,
        program: &program.to_string_lossy(),
        binary: &binary,
        build,
        roots: request.roots,
    };
    let outermost = match request.subject {
        BenchmarkSubject::Process
        | BenchmarkSubject::FurtherIterations { .. }
        | BenchmarkSubject::Marked
        | BenchmarkSubject::Function(_) => OutermostFrame::Shown,
        // Patterns name a framework's frame around the benchmark.
        BenchmarkSubject::Pattern(_) | BenchmarkSubject::Clocked { .. } | BenchmarkSubject::FirstClocked { .. } => {
            OutermostFrame::Root
        }
    };
    let tree = contexts::call_tree(&trace, &with, outermost).map_err(|source| ProfilerError::DebugInfo {
        program: program.to_owned(),
        source,
    })?;
    Ok((tree, trace.trace.total, cut))
}

/// Everything that the subject of a program executes, with as many callers as the limits allow.
fn trace(
    request: &ProfilerRequest<'_>,
    program: &Path,
    binary: &[u8],
) -> Result<(ContextTrace, Option<u32>), ProfilerError> {
    let mut run = CallgrindRun {
        request,
        program,
        detail: TraceDetail::Costs,
    };
    let selected = run.selected(binary)?;
    let mut last = None;
    for callers in CALLERS {
        run.detail = TraceDetail::Contexts { callers };
        let taken = run
            .collect(selected.as_ref())
            .and_then(|written| read(&run, &written.path));
        match taken {
            Ok(trace) => {
                run.check_executed(selected.as_ref(), trace.trace.total)?;
                let is_cut = trace.contexts.iter().any(|context| context.callers >= callers);
                return Ok((trace, is_cut.then_some(callers)));
            }
            Err(error) if is_too_much(&error) => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(last.expect("there is a number of callers"))
}

/// True if fewer callers may help: each context also costs callgrind time.
fn is_too_much(error: &ProfilerError) -> bool {
    matches!(
        error,
        ProfilerError::TimedOut { .. }
            | ProfilerError::Output {
                source: CallgrindError::TooManyContexts { .. } | CallgrindError::TooLarge { .. },
                ..
            }
    )
}

fn read(run: &CallgrindRun<'_>, output: &Path) -> Result<ContextTrace, ProfilerError> {
    let failed = |source| ProfilerError::Output {
        program: run.program.to_owned(),
        source,
    };
    let parts = clocked_parts::parts(output).map_err(io_error("reading", output))?;
    let bytes = parts.iter().filter_map(|part| part.metadata().ok());
    if bytes.fold(0u64, |sum, part| sum.saturating_add(part.len())) > LARGEST_OUTPUT {
        return Err(failed(CallgrindError::TooManyContexts {
            line: 0,
            limit: MOST_CONTEXTS,
        }));
    }
    trace::read_contexts(run.open(output)?, MOST_CONTEXTS).map_err(failed)
}
