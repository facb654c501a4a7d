//! Seeds and a number → inputs that are nearly valid, given to what reads the words of others. A target fails by a panic.
//!
//! The same number gives the same inputs on every machine. Finds no inputs by coverage, and times nothing: that an input
//! costs no more than its size allows is the reader's own budget.

mod codecs;
mod comments;
mod debug_info;
mod git_objects;
mod json_edits;
mod meanings;
mod mutation;
mod prediction;
mod programs;
mod random;
mod skips;
mod source_edits;
mod sources;
mod stored;
mod targets;

pub use random::Numbers;
pub use targets::{TARGETS, Target, target};
