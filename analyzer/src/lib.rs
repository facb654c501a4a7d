//! Sources in, changes and scores out.
//!
//! Pure: no process, no network, no clock, no file. Knows nothing of git, builds or benchmarks.

mod build_scripts;
pub mod change;
pub mod cost;
pub mod coverage;
pub mod instrument;
pub mod languages;
pub mod layout;
pub mod outline;
pub mod resolve;
pub mod sample;
pub mod score;
pub mod sources;
pub mod syntax;
mod text_search;
