//! Output of an instrumented program and the table of its probes → a [`Profile`] from counts, a [`Timeline`] from time
//! frames, a [`CallTree`] from calling contexts.
//!
//! Pure: knows neither who inserted the probes nor who ran the program.
//!
//! [`Profile`]: profile::Profile
//! [`CallTree`]: profile::call_tree::CallTree
//! [`Timeline`]: profile::timeline::Timeline

mod attribution;
mod contexts;
mod counts;
mod line_format;
#[cfg(test)]
mod tests;
mod timeline;

pub use attribution::attribute_counts;
pub use contexts::{ProbedCallTree, call_tree};
pub use counts::{ProbeCounts, ProbeEdge, ProbeEntries};
pub use line_format::ProbeTextError;
pub use timeline::{timeline, timeline_rows};

/// Name of the profiler in profiles made from probes.
pub const PROFILER: &str = "probes";

/// Version of the counting and its weights, for fingerprints: counts of different versions never mix.
pub const VERSION: &str = "probes-1";

/// Version of recorded timelines, for their cache: [`VERSION`], and the way frames are recorded.
pub const TIMELINE_VERSION: &str = "probes-1-frames-1";
