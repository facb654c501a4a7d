//! Repositories, programs and GitHub → values for the rest of lito: everything that touches files, git, processes or the
//! network. Knows no source language and scores nothing.

mod backoff;
pub mod benchmark;
pub mod build;
mod cache_files;
pub mod environment;
pub mod executors;
mod folder_entries;
pub mod frameworks;
pub mod git;
pub mod github;
pub mod http_connection;
pub mod interpreters;
pub mod measure;
mod opened_files;
pub mod owned;
pub mod process;
pub mod profilers;
pub mod release_history;
pub mod store;
pub mod suggestions;
pub mod suite;
pub mod toolchain;
pub mod visit;
pub mod whole_file;
pub mod worktree;

pub use visit::{call_trees, sample, timelines};

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod needs;
#[cfg(test)]
mod waiting;
