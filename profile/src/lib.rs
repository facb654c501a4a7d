//! The vocabulary of lito: what a profile, a measurement and a verdict are, how functions are named,
//! and the formats they come in.
//!
//! Pure: bytes and values in, values out. Knows nothing of processes, files, git or sources.

pub mod attribution;
pub mod code;
pub mod format;
mod measurement;
mod model;
pub mod name;
pub mod probes;
pub mod statistics;
pub mod timeline;
pub mod tree;
pub mod verdict;

pub use measurement::{Metric, Round, Start};
pub use model::{CallSite, FileId, Function, FunctionId, Line, Profile, Unit};
