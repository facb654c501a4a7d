//! The outcome of `lito selftest` into text: what was planted, what of it was seen, and how often nothing was taken
//! for something.

mod model;
#[cfg(test)]
mod tests;
mod text;

pub use model::{
    BinomialProportion, DetectionPower, IdenticalVersionsResult, SCHEMA, SelftestCell, SelftestReport, SelftestTrial,
    TrialComparison, TrialMeasurement, TrialMetricChange, cells, power,
};
pub use text::{human, json, markdown, trial_line};
