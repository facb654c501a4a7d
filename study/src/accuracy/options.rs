//! The options of an evaluation.

use super::calibration_parameters::prior_calibration;
use analyzer::cost::Calibration;

/// The criterion by which a version counts as moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MovementCriterion {
    /// At least one benchmark moves.
    AnyBenchmark,
    /// The sum over all benchmarks moves.
    SuiteTotal,
}

impl MovementCriterion {
    /// Its name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AnyBenchmark => "any_benchmark",
            Self::SuiteTotal => "suite_total",
        }
    }
}

/// The last completed stage of the cascade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StudyStage {
    /// Sources and a profile, without a build.
    Source,
    /// Both sides are built, and benchmarks with the same executed code are dropped.
    Code,
    /// The remaining benchmarks are run, and those that did not move are dropped: no selection is a false alarm.
    Counts,
}

impl StudyStage {
    /// Its name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Code => "code",
            Self::Counts => "counts",
        }
    }
}

/// The source of the calibration and the selection probability.
#[derive(Debug, Clone, PartialEq)]
pub enum LearningMode {
    /// Learned for each project from all others.
    LeaveOneOut,
    /// Used as given: the shipped values, on projects that they were not learned from.
    Given(PretrainedCalibration),
}

/// Parameters learned elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct PretrainedCalibration {
    /// The calibration from cost at risk to probability.
    pub calibration: Calibration,
    /// Probability from which a benchmark is run.
    pub select_at: f64,
}

/// The versions on which the selection probability is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingPool {
    /// The versions of the same study.
    Study,
    /// The versions of both studies.
    All,
}

/// The movements for which the selection probability is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionTuning {
    /// Movements that reach the gate's threshold; used at all thresholds, like the one shipped value.
    Gate,
    /// At each threshold the movements that reach it.
    EachThreshold,
}

/// When a moved version counts as found during learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectionCriterion {
    /// Some benchmark of it is selected.
    AnyBenchmark,
    /// A moved benchmark of it is selected: stricter, and necessary for a gate that runs single benchmarks.
    MovedBenchmark,
}

/// A version that the tables list by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCase {
    /// The project.
    pub project: String,
    /// The display name of the version.
    pub version: String,
}

/// The options of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationOptions {
    /// The changes from which a version counts as moved, ascending.
    pub thresholds: Vec<f64>,
    /// The gate's threshold: selection is learned for it, and figures are drawn at it.
    pub gate_threshold: f64,
    /// Distances between samples, ascending.
    pub ks: Vec<u32>,
    /// The distance of the headline; histories that are too short use half of it.
    pub headline: u32,
    /// Share of the moved versions that selection must find during learning.
    pub wanted_recall: f64,
    /// The source of the calibration and the selection probability.
    pub learning: LearningMode,
    /// The versions on which selection is learned.
    pub pool: TrainingPool,
    /// The movements for which selection is learned.
    pub selection: SelectionTuning,
    /// The criterion for a found version during learning.
    pub found_by: DetectionCriterion,
    /// The form of the calibration, and the assumption for classes that were never seen.
    pub prior: Calibration,
    /// Whether learning is repeated without each class.
    pub ablate: bool,
    /// Number of false alarms that are explained.
    pub alarms: usize,
    /// Versions that are listed by name.
    pub cases: Vec<NamedCase>,
}

impl Default for EvaluationOptions {
    /// The options of the published tables: thresholds from 5 to 50% in steps of 5, k of 1, 5, 10, 20, 50.
    fn default() -> Self {
        Self {
            thresholds: (1..=10).map(|step| f64::from(step * 5) / 100.0).collect(),
            gate_threshold: 0.05,
            ks: vec![1, 5, 10, 20, 50],
            headline: 20,
            wanted_recall: 0.98,
            learning: LearningMode::LeaveOneOut,
            pool: TrainingPool::Study,
            selection: SelectionTuning::Gate,
            found_by: DetectionCriterion::AnyBenchmark,
            prior: prior_calibration(),
            ablate: true,
            alarms: 10,
            cases: Vec::new(),
        }
    }
}
