//! Bytes → profiles, inputs, call trees and timelines, the vocabulary of lito, and back: their models, the canonical
//! names of functions, their codecs, and the comparison of two call trees.
//!
//! Pure: values in, values out. Knows nothing of processes, files, git, sources or profilers.

pub mod call_tree;
mod counted_lines;
pub mod format;
pub mod function_name;
pub mod inputs;
mod minus;
mod model;
pub mod probes;
mod set_up;
pub mod timeline;

pub use model::{
    COUNT_NOISE_FLOOR, CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId,
    ProfileLine,
};
