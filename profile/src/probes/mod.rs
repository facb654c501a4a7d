//! The counts of an instrumented program and the table of its probes in, a [`Profile`] out; or its record of
//! time frames in, a [`Timeline`] out; or of calling contexts, a [`CallTree`].
//!
//! Pure: who put the probes in and who ran the program is not known here. The unit is [`Unit::Operations`]: each
//! region of straight-line code has a fixed number of operations, settled when its probe was made.
//!
//! [`Profile`]: crate::Profile
//! [`CallTree`]: crate::tree::CallTree
//! [`Timeline`]: crate::timeline::Timeline
//! [`Unit::Operations`]: crate::Unit::Operations

mod attribution;
mod contexts;
mod counts;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod timeline;

pub use attribution::profile;
pub use contexts::{ProbedTree, call_tree};
pub use counts::{Counts, Edge, Entries};
pub use sources::{Instrument, Place, Probed, SourceRoot};
pub use table::{Function, FunctionIndex, How, Region, RegionIndex, Site, SiteKind, Table};
pub use text::CountsError;
pub use timeline::{rows, timeline};

/// What profiles made from probes call their profiler.
pub const PROFILER: &str = "probes";

/// The version of what is counted and how it is weighed, for fingerprints: counts of different ones never mix.
pub const VERSION: &str = "probes-1";

/// The version of what timelines show, for what is kept of them: [`VERSION`], and how frames are recorded.
pub const TIMELINE_VERSION: &str = "probes-1-frames-1";
