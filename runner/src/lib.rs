//! Everything of lito that touches the world.

pub mod adapter;
pub mod benchmark;
pub mod build;
pub mod crate_history;
pub mod environment;
pub mod git;
pub mod github;
mod kept;
pub mod measure;
pub mod process;
pub mod profiler;
pub mod sample;
pub mod store;
pub mod suite;
pub mod timelines;
pub mod toolchain;
pub mod trees;
pub mod visit;
pub mod worktree;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod needs;
#[cfg(test)]
mod waiting;
