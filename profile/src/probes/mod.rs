//! The vocabulary of probes: what whoever puts them into sources hands to whoever runs the program.
//!
//! A probe counts the executions of a region of straight-line code. Each region has a fixed number of operations,
//! settled when its probe was made: the unit is [`Unit::Operations`](crate::Unit::Operations).

mod source_roots;
mod table;

pub use source_roots::{ProbeSourceRoot, ProbedSources, SourceInstrumenter, UnprobedLine};
pub use table::{
    ProbeCallKind, ProbeCallSite, ProbeFunction, ProbeFunctionIndex, ProbeMode, ProbeRegion, ProbeRegionIndex,
    ProbeTable,
};
