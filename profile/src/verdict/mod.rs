//! Measurements of two versions → what can be said of them.
//!
//! Runs nothing; the same measurements give the same verdict.

mod acknowledgement;
pub mod counted;
mod finding;
mod model;
mod overall;
pub mod wall_time;

pub use acknowledgement::{ACKNOWLEDGEMENT_SCHEMA, Acknowledgement};
pub use finding::Finding;
pub use overall::{overall, sort};

pub use model::{Audit, BenchmarkVerdict, Outcome, Report, SCHEMA, Stage, StageName, Verdict};
