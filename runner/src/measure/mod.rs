//! Two commits → the cost of each of their benchmarks, run by run; `verdict` judges the values.
//!
//! [`sides`] builds both versions, [`history_builder`] all versions of a history; [`counts`], [`memory`] and
//! [`wall_time`] each run a benchmark of one side and return its values; [`measurement_log`] keeps them across a kill.
//! Decides nothing: `verdict` does.

pub mod counts;
mod deadline;
pub mod measurement_log;
pub mod memory;
mod retries;
pub mod shared_starts;
pub mod wall_time;

pub use crate::visit::{history_builder, sides};
pub use deadline::Deadline;
pub use retries::{MOST_RETRIES, MeasurementError, RunConditions, TrialResult};

#[cfg(test)]
pub(crate) mod fixture;
