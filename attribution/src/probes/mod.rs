//! The counts of an instrumented program and the table of its probes in, a [`Profile`] out; or its record of
//! time frames in, a [`Timeline`] out; or of calling contexts, a [`CallTree`].
//!
//! Pure: who put the probes in and who ran the program is not known here.
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

/// The profiler that profiles made from probes name.
pub const PROFILER: &str = "probes";

/// The version of what is counted and how it is weighed, for fingerprints: counts of different ones never mix.
pub const VERSION: &str = "probes-1";

/// The version of what timelines show, for what is kept of them: [`VERSION`], and how frames are recorded.
pub const TIMELINE_VERSION: &str = "probes-1-frames-1";
