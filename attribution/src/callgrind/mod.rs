//! Callgrind's output and the debug information of the profiled program → a [`Profile`] of source functions, call sites
//! and lines, or a call tree ([`contexts`]).
//!
//! The pipeline: [`trace`] reads the file, `placement` finds the place of each address in the source, `control_flow`
//! derives counts of source events, `ledger` adds them up into a profile. Does not run the profiler or the program.
//!
//! Self costs and call counts of functions with their own body are exact. Entries of inlined copies and executions of
//! lines are derived from the control flow between basic blocks: exact in an unoptimised build, an estimate in
//! optimised code (72% of line executions came within 5% of the truth; the goal was 95%). [`merge_exact_counts`] joins
//! the profiles of both builds; `docs/src/explanation/profiles.md` has the measurement.

pub mod contexts;
mod control_flow;
pub mod interpreted;
mod ledger;
mod placement;
pub mod system_calls;
pub mod trace;

use crate::callgrind::trace::CallgrindTrace;
use profile::Profile;

use control_flow::{ControlFlowGraph, ControlFlowInput, ExecutedInstruction};
use ledger::TraceLedger;
pub use ledger::merge_exact_counts;
use placement::symbolize_addresses;
pub use placement::{DebugInfoError, PathRemapping, ProfilePath, function_symbols};

/// Everything that attribution needs besides the trace.
#[derive(Debug)]
pub struct AttributionInput<'a> {
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// Path of the profiled program among the trace's objects; a different path with the same file name will do.
    pub program: &'a str,
    /// The bytes of that program.
    pub binary: &'a [u8],
    /// How the program was built.
    pub build: ProfiledBuild,
    /// Rules that name source paths.
    pub roots: &'a PathRemapping,
}

/// Build of the profiled program, which decides how its machine code is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfiledBuild {
    /// Inlined copies may have been merged, unrolled or vectorised: their counts are estimates.
    Optimised,
    /// Not optimised: each instruction belongs to one place in the source, and all counts are exact.
    Counting,
}

/// Turns a trace into a profile.
///
/// # Errors
/// [`DebugInfoError`] if the program is not an executable or has no line tables.
pub fn attribute(trace: &CallgrindTrace, with: &AttributionInput<'_>) -> Result<Profile, DebugInfoError> {
    let program = find_program(trace, with.program);
    let steps = steps_of(trace, program);
    let addresses: Vec<u64> = steps.iter().map(|step| step.address).collect();
    let placement = symbolize_addresses(with.binary, &addresses)?;
    let machine = ControlFlowInput {
        trace,
        program,
        placement: &placement,
        build: with.build,
    };
    let flow = ControlFlowGraph::new(machine, &steps);
    let mut ledger = TraceLedger::new(trace, with.roots, &placement);
    ledger.book_steps(trace, program, &steps);
    ledger.book_calls(trace, program, &steps, &flow);
    ledger.book_copies(&steps, &flow);
    ledger.book_lines(&flow, &steps);
    Ok(ledger.into_profile(trace, with))
}

/// Executed instructions of the profiled program itself.
fn steps_of(trace: &CallgrindTrace, program: Option<u32>) -> Vec<ExecutedInstruction> {
    let own = trace.instructions.iter().filter(|step| Some(step.object) == program);
    own.map(|step| ExecutedInstruction {
        address: step.address,
        symbol: step.symbol,
        executed: step.executed,
    })
    .collect()
}

fn find_program(trace: &CallgrindTrace, path: &str) -> Option<u32> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let at = (trace.objects.iter().position(|object| object == path))
        .or_else(|| trace.objects.iter().position(|object| last(object) == last(path)))?;
    u32::try_from(at).ok()
}
