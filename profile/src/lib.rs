//! The vocabulary of lito: profiles, call trees and timelines, how functions are named, and the formats that all
//! of them are kept in.
//!
//! Pure: bytes and values in, values out. Knows nothing of processes, files, git or sources, and nothing of how a
//! profile was taken.

pub mod call_tree;
pub mod format;
pub mod function_name;
mod model;
pub mod probes;
pub mod timeline;

pub use model::{
    COUNT_NOISE_FLOOR, CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId,
    ProfileLine,
};
