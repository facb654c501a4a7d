//! The vocabulary of lito: what a profile is, how functions are named, and the formats both come in.
//!
//! Pure: bytes and values in, values out. Knows nothing of processes, files, git or sources.

pub mod attribution;
pub mod format;
mod model;
pub mod name;

pub use model::{CallSite, FileId, Function, FunctionId, Line, Profile, Unit};
