//! A machine-level trace and the debug information of the profiled program in, a [`Profile`] of source
//! functions, call sites and lines out.
//!
//! Self costs and the counts of functions that kept their own body are exact. How often an inlined copy
//! was entered and a line was executed is read off the flow of control between the machine code's blocks:
//! in optimised code an estimate (72% of line executions came within 5% of the truth, where 95% were
//! wanted), in an unoptimised build exact. [`with_counts_of`] joins the two; `docs/src/explanation/profiles.md` has the
//! measurement.

pub mod contexts;
mod counting;
mod cycles;
mod debug_info;
mod flow;
mod ledger;
mod roots;
pub mod trace;

use crate::callgrind::trace::Trace;
use profile::Profile;

pub use counting::with_counts_of;
pub use debug_info::{DebugInfoError, function_symbols};
use flow::{Flow, Machine, Step};
use ledger::Ledger;
pub use roots::{Roots, SourcePath};

/// What a trace is attributed with.
#[derive(Debug)]
pub struct Attribution<'a> {
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// The object of the trace that is the profiled program, as a path; another spelling of the same
    /// file name will do.
    pub program: &'a str,
    /// The bytes of that program.
    pub binary: &'a [u8],
    /// How it was built.
    pub build: Build,
    /// How source paths are named.
    pub roots: &'a Roots,
}

/// How the profiled program was built, which decides how its machine code is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Inlined copies may have been merged, unrolled, vectorised: their counts are estimates.
    Optimised,
    /// Not optimised: one instruction is one place in the source, and all counts are exact.
    Counting,
}

/// Turns a trace into a profile.
///
/// # Errors
/// [`DebugInfoError`] if the program is no executable or has no line tables.
pub fn attribute(trace: &Trace, with: &Attribution<'_>) -> Result<Profile, DebugInfoError> {
    let program = find_program(trace, with.program);
    let steps = steps_of(trace, program);
    let addresses: Vec<u64> = steps.iter().map(|step| step.address).collect();
    let placement = debug_info::place(with.binary, &addresses)?;
    let machine = Machine {
        trace,
        program,
        placement: &placement,
        build: with.build,
    };
    let flow = Flow::new(machine, &steps);
    let mut ledger = Ledger::new(trace, with.roots, &placement);
    ledger.book_steps(trace, program, &steps);
    ledger.book_calls(trace, program, &steps, &flow);
    ledger.book_copies(&steps, &flow);
    ledger.book_lines(&flow, &steps);
    Ok(ledger.close(trace, with))
}

/// What was executed of the profiled program itself.
fn steps_of(trace: &Trace, program: Option<u32>) -> Vec<Step> {
    let own = trace.instructions.iter().filter(|step| Some(step.object) == program);
    own.map(|step| Step {
        address: step.address,
        symbol: step.symbol,
        executed: step.executed,
    })
    .collect()
}

fn find_program(trace: &Trace, path: &str) -> Option<u32> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let at = (trace.objects.iter().position(|object| object == path))
        .or_else(|| trace.objects.iter().position(|object| last(object) == last(path)))?;
    u32::try_from(at).ok()
}
