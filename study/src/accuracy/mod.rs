//! Exhaustive measurements and predictions of the same versions in, accuracy out.
//!
//! The study of Sandoval Alcocer, Bergel, Valente (ICPE 2016), section 4.2: S1 measures every version, S2 predicts every
//! version from samples every k versions, S3 contrasts the two. S1 and S2 are done elsewhere and arrive here as
//! [`Project`]s; everything here is arithmetic on them, and takes seconds.

mod ablation;
mod budget;
mod evaluate;
mod explained;
mod fit;
mod folds;
mod join;
mod kinds;
mod minimise;
mod model;
mod options;
mod ranking;
mod reliability;
mod rows;
mod selector;
mod spending;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod truth;

pub use ablation::AblationResult;
pub use analyzer::score::Calibration;
pub use budget::BudgetPoint;
pub use evaluate::{BudgetCurve, CodeCheck, Evaluation, PredictionPoint, ProjectSummary, RankCurve, evaluate};
pub use explained::{ExplainedVersion, PredictionOutcome};
pub use fit::{FitObservation, THRESHOLDS, fit};
pub use folds::CrossValidationFold;
pub use kinds::ChangeKindRow;
pub use model::*;
pub use options::{
    DetectionCriterion, EvaluationOptions, LearningMode, MovementCriterion, NamedCase, PretrainedCalibration,
    SelectionTuning, StudyStage, TrainingPool,
};
pub use ranking::{RankPoint, RocArea};
pub use reliability::{ReliabilityBin, ReliabilityDiagram};
pub use rows::AccuracyRow;
pub use selector::{ChangeIndicator, SelectionModel};
pub use tally::{EvaluationRate, LARGE};
pub use truth::UnusableVersion;
