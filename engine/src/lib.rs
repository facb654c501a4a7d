//! The application without a terminal: scores, samples, judges, tracks and compares versions, and answers GitHub's
//! events. [`pipeline`] is the gate on one screen.
//!
//! Decides nothing about performance by itself: the analyzer predicts, the runner measures, `verdict` judges, and the
//! report words it; this package calls them in order. It knows no command line, prints nothing and ends no process.

pub mod audit;
pub mod compare;
mod error;
pub mod github;
pub mod outlines;
pub mod pipeline;
pub mod profiling;
pub mod progress;
pub mod samples;
pub mod sampling;
pub mod scoring;
pub mod settings;
pub mod shards;
pub mod track;
pub mod trees;
pub mod views;

pub use error::EngineError;
