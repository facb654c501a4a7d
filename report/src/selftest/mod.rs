//! The outcome of `lito selftest` → text: planted changes, detected changes, and false alarms.

mod model;
#[cfg(test)]
mod tests;
mod text;

pub use model::{
    BinomialProportion, DetectionPower, IdenticalVersionsResult, SCHEMA, SelftestCell, SelftestReport, SelftestTrial,
    TrialComparison, TrialMeasurement, TrialMetricChange, cells, power,
};
pub use text::{human, json, markdown, trial_line};
