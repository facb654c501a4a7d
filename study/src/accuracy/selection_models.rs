//! The ways to select versions for benchmarking: a score for each benchmark at each version.
//!
//! A benchmark is selected if its score is above 0 and reaches the model's cutoff. A version is selected if one of its
//! benchmarks is, and ranks by the highest of their scores.

use std::collections::BTreeMap;

use super::measured_predicted::{EvaluatedBenchmark, EvaluatedProject, EvaluatedVersion};
use super::movements::compare_versions;
use super::{BaselineIndicators, MovementCriterion, ProjectResults};
use analyzer::cost::Calibration;

/// A way to select benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SelectionModel {
    /// Lito's model: the calibrated probability.
    Lito,
    /// The published model: ΔC reaches the threshold.
    Paper,
    /// Selects every benchmark at every version.
    Always,
    /// Some source file, manifest or lock file differs.
    Path,
    /// A random selection of as many versions as lito's: expected values.
    Random,
    /// A changed function is executed by the benchmark.
    Reachability,
    /// A file is touched that an earlier moved version also touched; knows all measurements up to the version.
    History,
    /// A single indicator of change, in the manner of Perphecy (Oliveira et al., ICST 2017).
    Sign(ChangeIndicator),
}

/// The indicators of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeIndicator {
    /// Number of new functions.
    New,
    /// Number of deleted functions.
    Deleted,
    /// Number of deleted functions that the benchmark executed.
    DeletedReached,
    /// Self cost of the changed functions.
    ChangedCost,
    /// Inclusive cost of the most expensive changed function.
    ChangedInclusive,
    /// Calls of the most called changed function.
    ChangedCalls,
    /// Largest relative change of a function's length.
    Length,
    /// Largest relative change of length of any changed function that the benchmark executed.
    LengthReached,
    /// Self cost of the changed functions times their changed share.
    ChangedWork,
}

impl SelectionModel {
    /// All models, in the order of the tables.
    pub const ALL: [Self; 16] = [
        Self::Lito,
        Self::Paper,
        Self::Always,
        Self::Path,
        Self::Random,
        Self::Reachability,
        Self::History,
        Self::Sign(ChangeIndicator::New),
        Self::Sign(ChangeIndicator::Deleted),
        Self::Sign(ChangeIndicator::DeletedReached),
        Self::Sign(ChangeIndicator::ChangedCost),
        Self::Sign(ChangeIndicator::ChangedInclusive),
        Self::Sign(ChangeIndicator::ChangedCalls),
        Self::Sign(ChangeIndicator::Length),
        Self::Sign(ChangeIndicator::LengthReached),
        Self::Sign(ChangeIndicator::ChangedWork),
    ];

    /// Its name in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lito => "lito",
            Self::Paper => "paper",
            Self::Always => "always",
            Self::Path => "path",
            Self::Random => "random",
            Self::Reachability => "reachability",
            Self::History => "history",
            Self::Sign(ChangeIndicator::New) => "new_functions",
            Self::Sign(ChangeIndicator::Deleted) => "deleted_functions",
            Self::Sign(ChangeIndicator::DeletedReached) => "deleted_reached",
            Self::Sign(ChangeIndicator::ChangedCost) => "changed_cost",
            Self::Sign(ChangeIndicator::ChangedInclusive) => "changed_inclusive",
            Self::Sign(ChangeIndicator::ChangedCalls) => "changed_calls",
            Self::Sign(ChangeIndicator::Length) => "length",
            Self::Sign(ChangeIndicator::LengthReached) => "length_reached",
            Self::Sign(ChangeIndicator::ChangedWork) => "changed_work",
        }
    }

    /// True if it reads samples, and therefore has their cost.
    #[must_use]
    pub fn needs_samples(self) -> bool {
        match self {
            Self::Always | Self::Path | Self::Random | Self::History => false,
            Self::Lito | Self::Paper | Self::Reachability => true,
            Self::Sign(sign) => !matches!(
                sign,
                ChangeIndicator::New | ChangeIndicator::Deleted | ChangeIndicator::Length
            ),
        }
    }

    /// True if it reads sources, and therefore has the cost of scoring.
    #[must_use]
    pub fn needs_scoring(self) -> bool {
        self.needs_samples() || matches!(self, Self::Sign(_))
    }
}

impl ChangeIndicator {
    fn of(self, indicators: &BaselineIndicators) -> f64 {
        match self {
            Self::New => f64::from(indicators.new),
            Self::Deleted => f64::from(indicators.deleted),
            Self::DeletedReached => f64::from(indicators.deleted_reached),
            Self::ChangedCost => indicators.changed_share,
            Self::ChangedInclusive => indicators.changed_inclusive,
            Self::ChangedCalls => indicators.changed_calls,
            Self::Length => indicators.length,
            Self::LengthReached => indicators.length_reached,
            Self::ChangedWork => indicators.changed_work,
        }
    }
}

/// Scores a project's versions at a threshold.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProjectScorer<'a> {
    pub(super) model: SelectionModel,
    pub(super) threshold: f64,
    /// The calibration, fitted without this project.
    pub(super) calibration: &'a Calibration,
    /// The history scores by position; only [`SelectionModel::History`] reads them.
    pub(super) history: &'a BTreeMap<usize, f64>,
}

impl ProjectScorer<'_> {
    /// The score of each benchmark of each version. A random selection has no ranking.
    pub(super) fn scores(&self, joined: &EvaluatedProject<'_>) -> Vec<Vec<f64>> {
        joined
            .versions
            .iter()
            .map(|joint| joint.pairs.iter().map(|pair| self.score(joint, pair)).collect())
            .collect()
    }

    fn score(&self, joint: &EvaluatedVersion<'_>, pair: &EvaluatedBenchmark<'_>) -> f64 {
        let indicators = &pair.predicted.indicators;
        match self.model {
            SelectionModel::Lito => self.calibration.probability(&pair.predicted.terms, self.threshold),
            SelectionModel::Paper => pair.predicted.paper,
            SelectionModel::Always | SelectionModel::Random => 1.0,
            SelectionModel::Path => f64::from(u8::from(!joint.files.is_empty())),
            SelectionModel::Reachability => f64::from(indicators.changed_reached),
            SelectionModel::History => self.history.get(&joint.position()).copied().unwrap_or(0.0),
            SelectionModel::Sign(sign) => sign.of(indicators),
        }
    }
}

/// For each version, by position: the share that moved by the threshold among the earlier versions that touched one of
/// its files, as the maximum over its files. 0 for a version that only touches files not seen before.
pub(super) fn history_scores(project: &ProjectResults, threshold: f64) -> BTreeMap<usize, f64> {
    let (contrasts, _) = compare_versions(project);
    let moved: BTreeMap<usize, bool> = contrasts
        .iter()
        .map(|c| (c.position, c.moved(threshold, MovementCriterion::AnyBenchmark).any()))
        .collect();
    // File → number of earlier versions with a difference that touched it, and number of them that moved.
    let mut known: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut scores = BTreeMap::new();
    for (position, version) in project.measured.iter().enumerate() {
        let Some(predicted) = project.predicted.get(&version.commit) else {
            continue;
        };
        let share = predicted
            .files
            .iter()
            .filter_map(|file| known.get(file.as_str()))
            .map(|(touched, moved)| moved / touched)
            .fold(0.0, f64::max);
        scores.insert(position, share);
        if let Some(&moved) = moved.get(&position) {
            for file in &predicted.files {
                let (touched, hits) = known.entry(file).or_default();
                *touched += 1.0;
                *hits += f64::from(u8::from(moved));
            }
        }
    }
    scores
}
