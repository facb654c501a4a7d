//! Measurements of two versions in, statistics and a verdict out. Reasons are data ([`FindingReason`],
//! [`VerdictReason`]); `report` words them.
//!
//! Runs nothing: the same measurements give the same verdict.

mod acknowledgement;
pub mod bisection;
pub mod byproducts;
pub mod claims;
pub mod counts;
pub mod drift;
mod finding;
mod forecast;
mod job_measurements;
mod measurement;
mod model;
mod overall_verdict;
mod program_identity;
mod reason;
mod spent_time;
pub mod statistics;
pub mod wall_time;

pub use acknowledgement::{ACKNOWLEDGEMENT_SCHEMA, Acknowledgement};
pub use finding::MetricFinding;
pub use forecast::GateForecast;
pub use job_measurements::{BenchmarkMeasurement, JobMeasurements, MEASUREMENTS_SCHEMA, ReportedValues};
pub use measurement::{MeasurementRound, Metric, ProcessStart};
pub use overall_verdict::{overall_verdict, sort_for_report};
pub use program_identity::{ComparedPrograms, ExecutedCode, ProgramIdentity};
pub use reason::{
    ComparedVersion, CountReason, CountStanding, CountedThreshold, EarlierVersion, FindingReason, MissingMeasurements,
    MovedBenchmarks, ReachabilityEvidence, ThresholdSource, TimedChange, TimingReason, TimingThreshold,
    UnchangedBenchmarks, UncountedRegressions, UndecidedBenchmarks, UnmeasuredReason, VerdictCause, VerdictReason,
};

pub use model::{
    BenchmarkOutcome, BenchmarkVerdict, CascadeStage, CascadeStageName, SCHEMA, SkipAudit, Verdict, VerdictReport,
};
pub use spent_time::{CountingCost, MinutePrice, SpentTime, SpentTotal};
