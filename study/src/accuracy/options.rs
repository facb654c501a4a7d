//! What an evaluation is asked.

use super::calibration_parameters::prior_calibration;
use analyzer::cost::Calibration;

/// What has to move for a version to count as moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MovementCriterion {
    /// Some benchmark.
    AnyBenchmark,
    /// The sum over all benchmarks.
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

/// How far the cascade has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StudyStage {
    /// Sources and a profile: nothing was built.
    Source,
    /// Both sides were built, and benchmarks whose executed code is the same are out.
    Code,
    /// What is left was run, and what did not move is out: nothing is selected in vain.
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

/// From where calibration and selection come.
#[derive(Debug, Clone, PartialEq)]
pub enum LearningMode {
    /// Learned for each project from all others.
    LeaveOneOut,
    /// Used as given: what is shipped, on projects that it was not learned from.
    Given(PretrainedCalibration),
}

/// What was learned elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct PretrainedCalibration {
    /// From what is touched to a probability.
    pub calibration: Calibration,
    /// Probability from which a benchmark is run.
    pub select_at: f64,
}

/// Whose versions the probability from which a version is selected is chosen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingPool {
    /// Those of the same study.
    Study,
    /// Those of both.
    All,
}

/// For which movements the probability from which a version is selected is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionTuning {
    /// For those that reach the gate's threshold; used at all thresholds, as the one figure that is shipped is.
    Gate,
    /// At each threshold for those that reach it.
    EachThreshold,
}

/// When a version that moved counts as found where selection is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectionCriterion {
    /// Some benchmark of it is selected.
    AnyBenchmark,
    /// A benchmark of it that moved is selected: more careful, and what a gate needs that runs single benchmarks.
    MovedBenchmark,
}

/// A version that the tables must have by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCase {
    /// The project.
    pub project: String,
    /// What people call the version.
    pub version: String,
}

/// What an evaluation is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationOptions {
    /// What counts as moved, ascending.
    pub thresholds: Vec<f64>,
    /// The one that the gate runs at: what selection is learned for, and figures are drawn at.
    pub gate_threshold: f64,
    /// Distances between samples, ascending.
    pub ks: Vec<u32>,
    /// The one of the headline: half of it stands in where a history is too short.
    pub headline: u32,
    /// Share of the moved versions that selection must have found where it was learned.
    pub wanted_recall: f64,
    /// From where calibration and selection come.
    pub learning: LearningMode,
    /// Whose versions selection is learned on.
    pub pool: TrainingPool,
    /// For which movements selection is learned.
    pub selection: SelectionTuning,
    /// What finds a version there.
    pub found_by: DetectionCriterion,
    /// The form of the calibration, and what is assumed of classes that were never seen.
    pub prior: Calibration,
    /// Whether to learn again without each class.
    pub ablate: bool,
    /// False alarms that are explained.
    pub alarms: usize,
    /// Versions that are told of by name.
    pub cases: Vec<NamedCase>,
}

impl Default for EvaluationOptions {
    /// As the study is reported: thresholds from 5 to 50% in steps of 5, k of 1, 5, 10, 20, 50.
    fn default() -> Self {
        Self {
            thresholds: (1..=10).map(|step| f64::from(step * 5) / 100.0).collect(),
            gate_threshold: 0.05,
            ks: vec![1, 5, 10, 20, 50],
            headline: 20,
            wanted_recall: 0.97,
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
