//! Sources and their probes, as passed between the code that inserts probes into sources and the code that runs the
//! program. Reads no sources and runs nothing.
//!
//! A probe counts the executions of a region of straight-line code. Each region has a fixed number of operations, set
//! when its probe is inserted: the unit is [`CostUnit::Operations`](crate::CostUnit::Operations).

mod source_roots;
mod table;

pub use source_roots::{ProbeSourceRoot, ProbedSources, SourceInstrumenter, UnprobedLine};
pub use table::{
    ProbeCallKind, ProbeCallSite, ProbeFunction, ProbeFunctionIndex, ProbeMode, ProbeRegion, ProbeRegionIndex,
    ProbeTable,
};
