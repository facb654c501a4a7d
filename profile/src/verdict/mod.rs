//! Measurements of two versions → what can be said of them.
//!
//! Runs nothing; the same measurements give the same verdict.

mod model;

pub use model::{Audit, BenchmarkVerdict, Outcome, Report, SCHEMA, Stage, StageName, Verdict};
