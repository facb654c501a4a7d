//! The application without a terminal: scores, samples, judges, tracks and compares versions, and answers GitHub's
//! events. [`pipeline`] is the gate on one screen.
//!
//! Decides nothing about performance by itself: the analyzer predicts, the runner measures, `verdict` judges, and the
//! report words it; this package calls them in order. It knows no command line, prints nothing and ends no process.

pub mod benchmark_names;
pub mod bisect;
pub mod call_trees;
pub mod compare;
pub mod coverage;
pub mod demo;
mod error;
pub mod file_sources;
mod function_moves;
pub mod github;
pub mod harness_sources;
pub mod outlines;
pub mod pipeline;
pub mod profiling;
pub mod progress;
mod recorded_inputs;
pub mod sample_drift;
pub mod sample_loader;
pub mod sampling;
pub mod sampling_job;
pub mod sampling_plan;
#[cfg(test)]
mod score_fixture;
pub mod scoring;
pub mod selftest;
pub mod settings;
pub mod shards;
pub mod skipping_audit;
pub mod task_watch;
pub mod track;
mod unchanged_proof;
pub mod verdict_files;
pub mod views;

pub use error::EngineError;
