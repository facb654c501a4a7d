//! The values that one job measured, before anything is judged: the contract `lito.measurements/1`, field by field.
//!
//! A job that ran somebody's code hands these on, and nothing that it concluded from them: whoever judges decides anew, by
//! rules of their own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{BenchmarkOutcome, CascadeStage, CountStanding, EarlierVersion, MeasurementRound, Metric};

/// The version of the contract.
pub const MEASUREMENTS_SCHEMA: &str = "lito.measurements/1";

/// All values that a job measured of two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobMeasurements {
    /// [`MEASUREMENTS_SCHEMA`].
    pub schema: String,
    /// The version compared with.
    pub base: String,
    /// The version that is judged.
    pub head: String,
    /// The values, one entry for each benchmark and metric.
    pub measurements: Vec<BenchmarkMeasurement>,
    /// The stages that measured, with their costs.
    pub stages: Vec<CascadeStage>,
    /// The measurements' environment: name → value.
    pub environment: BTreeMap<String, String>,
    /// Seconds from start to end.
    pub cost_seconds: f64,
}

/// The values of one benchmark in one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkMeasurement {
    /// The benchmark; of a size the program, of a build time `build`.
    pub benchmark: String,
    /// The metric.
    pub metric: Metric,
    /// The measuring tool; empty where nothing was measured.
    pub tool: String,
    /// The values, or why there are none.
    pub values: ReportedValues,
    /// Process starts of each side.
    pub starts: u32,
    /// Starts that failed and were tried again.
    pub retries: u32,
}

/// The values of both versions, run by run, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ReportedValues {
    /// A count, a size or a time of builds.
    Counts {
        /// A value for each run of the base, in the metric's unit.
        base: Vec<f64>,
        /// A value for each run of the head.
        head: Vec<f64>,
        /// The version whose values `base` are, and why, if the base was not built.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        measured_before: Option<(EarlierVersion, CountStanding)>,
    },
    /// Elapsed times, round by round.
    Rounds(Vec<MeasurementRound>),
    /// No pair of values.
    Unmeasured {
        /// The state of the benchmark.
        outcome: BenchmarkOutcome,
        /// The reason, in one sentence.
        reason: String,
    },
}
