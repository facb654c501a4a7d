//! A machine-level trace and the debug information of the profiled program in, a [`Profile`] of source
//! functions, call sites and lines out.
//!
//! Self costs and the counts of functions that kept their own body are exact. How often an inlined copy
//! was entered and a line was executed is read off the flow of control between the machine code's blocks:
//! in optimised code an estimate (72% of line executions came within 5% of the truth, where 95% were
//! wanted), in an unoptimised build exact. [`with_counts_of`] joins the two; `docs/profiles.md` has the
//! measurement.

pub mod contexts;
mod control_flow;
mod ledger;
mod placement;
pub mod trace;

use crate::callgrind::trace::CallgrindTrace;
use profile::Profile;

use control_flow::{ControlFlowGraph, ControlFlowInput, ExecutedInstruction};
use ledger::TraceLedger;
pub use ledger::merge_exact_counts;
use placement::symbolize_addresses;
pub use placement::{DebugInfoError, PathRemapping, ProfilePath, function_symbols};

/// What a trace is attributed with.
#[derive(Debug)]
pub struct AttributionInput<'a> {
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// The object of the trace that is the profiled program, as a path; another spelling of the same
    /// file name will do.
    pub program: &'a str,
    /// The bytes of that program.
    pub binary: &'a [u8],
    /// How it was built.
    pub build: ProfiledBuild,
    /// How source paths are named.
    pub roots: &'a PathRemapping,
}

/// How the profiled program was built, which decides how its machine code is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfiledBuild {
    /// Inlined copies may have been merged, unrolled, vectorised: their counts are estimates.
    Optimised,
    /// Not optimised: one instruction is one place in the source, and all counts are exact.
    Counting,
}

/// Turns a trace into a profile.
///
/// # Errors
/// [`DebugInfoError`] if the program is no executable or has no line tables.
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

/// What was executed of the profiled program itself.
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
