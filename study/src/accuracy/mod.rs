//! Exhaustive measurements and predictions of the same versions → accuracy.
//!
//! The study of Sandoval Alcocer, Bergel, Valente (ICPE 2016), section 4.2: S1 measures every version, S2 predicts
//! every version from samples every k versions, S3 compares the two. S1 and S2 are done elsewhere and arrive here as
//! [`ProjectResults`]. This module only computes on them, and takes seconds.

mod ablation;
mod accuracy_row;
mod accuracy_table;
mod baseline_indicators;
mod benchmark_evolution;
mod benchmarking_cost;
mod bfgs;
mod budget;
mod calibration_parameters;
mod change_kinds;
mod cost_policies;
#[cfg(test)]
mod cost_policy_tests;
mod evaluate;
mod fit;
mod folds;
mod measured_predicted;
mod model;
mod movements;
mod options;
mod policy_costs;
mod prediction_outcomes;
mod ranking;
mod reliability;
mod sampling_schedule;
mod selection_models;
mod tally;
#[cfg(test)]
mod tests;

pub use ablation::AblationResult;
pub use accuracy_row::AccuracyRow;
pub use analyzer::cost::Calibration;
pub use baseline_indicators::{BaselineIndicators, baseline_indicators};
pub use benchmark_evolution::{BenchmarkEvolution, EvolutionRegression};
pub use budget::BudgetPoint;
pub use calibration_parameters::prior_calibration;
pub use change_kinds::ChangeKindRow;
pub use cost_policies::{BaseMeasurement, CostPolicy, DRIFTS};
pub use evaluate::{BudgetCurve, CodeCheck, Evaluation, PredictionPoint, ProjectSummary, RankCurve, evaluate};
pub use fit::{FitObservation, THRESHOLDS, fit};
pub use folds::CrossValidationFold;
pub use model::*;
pub use movements::UnusableVersion;
pub use options::{
    DetectionCriterion, EvaluationOptions, LearningMode, MovementCriterion, NamedCase, PretrainedCalibration,
    SelectionTuning, StudyStage, TrainingPool,
};
pub use policy_costs::{LostMovements, PolicyRow, SkippedParts};
pub use prediction_outcomes::{ExplainedVersion, PredictionOutcome};
pub use ranking::{RankPoint, RocArea};
pub use reliability::{ReliabilityBin, ReliabilityDiagram};
pub use sampling_schedule::{DriftBound, SamplingSchedule};
pub use selection_models::{ChangeIndicator, SelectionModel};
pub use tally::{EvaluationRate, LARGE};
