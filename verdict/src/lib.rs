//! Measurements of two versions in, statistics and a verdict out.
//!
//! Runs nothing: the same measurements give the same verdict.

mod acknowledgement;
pub mod counted;
mod finding;
mod measurement;
mod model;
mod overall;
pub mod statistics;
pub mod wall_time;

pub use acknowledgement::{ACKNOWLEDGEMENT_SCHEMA, Acknowledgement};
pub use finding::Finding;
pub use measurement::{Metric, Round, Start};
pub use overall::{overall, sort};

pub use model::{Audit, BenchmarkVerdict, Outcome, Report, SCHEMA, Stage, StageName, Verdict};
