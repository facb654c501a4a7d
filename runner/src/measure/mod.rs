//! Two commits → what each of their benchmarks costs, run by run, as values that are judged elsewhere.
//!
//! [`sides`] builds both, [`history_builder`] all versions of a history; [`counts`], [`memory`] and [`wall_time`] each run
//! a benchmark of one side and give its values; [`measurement_log`] keeps them across a kill. Decides nothing: `verdict`
//! does.

pub mod counts;
mod deadline;
pub mod measurement_log;
pub mod memory;
mod retries;
pub mod wall_time;

pub use crate::visit::{history_builder, sides};
pub use deadline::Deadline;
pub use retries::{MOST_RETRIES, MeasurementError, RunLimits, TrialResult};

#[cfg(test)]
pub(crate) mod fixture;
