//! The outcome of `lito selftest` → text: planted changes, detected changes, and false alarms.

mod model;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use model::{
    BinomialProportion, DetectionPower, IdenticalVersionsResult, MissingSite, SCHEMA, SelftestCell, SelftestReport,
    SelftestTrial, TrialComparison, TrialMeasurement, TrialMetricChange, cells, missing_sites, power,
};
pub use text::{human, json, markdown, trial_line};
pub use words::refusal;
