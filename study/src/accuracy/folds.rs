//! Cross-validation that leaves one project out: the parameters for a project are learned from all others.
//!
//! A project that is in both studies is one project, identified by its name: neither of its histories is used for
//! learning where the other is scored. From a project that is held out nothing is learned at all. The calibration and
//! the selection probability are learned, both on the headline's samples, as shipped.

use rayon::prelude::*;

use super::fit::{FitObservation, fit_from};
use super::measured_predicted::EvaluatedProject;
use super::movements::MovementDirections;
use super::ranking::cutoff;
use super::tally::highest_score;
use super::{
    DetectionCriterion, EvaluationOptions, LearningMode, MovementCriterion, SelectionTuning, StudyKind, TrainingPool,
};
use analyzer::cost::Calibration;

/// Selection probability without any data to learn from: that of `analyzer/config/risk.toml`.
const UNTRAINED: f64 = 0.05;

/// The parameters learned without a project, for use on it.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidationFold {
    /// The project that was left out; `None` if the parameters are learned from all projects that are not held out.
    pub project: Option<String>,
    /// The study whose versions it selects.
    pub study: StudyKind,
    /// Number of projects that it was learned from.
    pub learned_from: usize,
    /// The calibration from cost at risk to probability.
    pub calibration: Calibration,
    /// Probability from which a benchmark is run.
    pub select_at: f64,
    /// The selection probability at other thresholds, if requested: threshold, probability.
    pub by_threshold: Vec<(f64, f64)>,
}

impl CrossValidationFold {
    /// Probability of reaching the threshold from which a benchmark is run.
    pub(super) fn select_at(&self, threshold: f64) -> f64 {
        let known = self.by_threshold.iter().find(|(t, _)| *t == threshold);
        known.map_or(self.select_at, |(_, probability)| *probability)
    }
}

/// A fold for each project, and for each study one that is learned from everything that is not held out, and is not used
/// in the evaluation.
///
/// A search begins at the prior, or at the result of `begun` for the same left-out project. It never begins at a result
/// that was learned from the project, because the last digits of the result depend on the starting point.
pub(super) fn folds(
    joined: &[EvaluatedProject<'_>],
    options: &EvaluationOptions,
    begun: Option<&CrossValidationFolds>,
) -> CrossValidationFolds {
    let (prior, gate) = (&options.prior, options.gate_threshold);
    let mut folds = CrossValidationFolds::default();
    let mut names: Vec<Option<&str>> = joined.iter().map(|j| Some(&*j.project.name)).collect();
    names.push(None);
    names.sort_unstable();
    names.dedup();
    let calibrations: Vec<(Option<&str>, Calibration)> = names
        .into_par_iter()
        .map(|name| {
            let calibration = match &options.learning {
                LearningMode::Given(given) => given.calibration.clone(),
                LearningMode::LeaveOneOut => {
                    let start = begun.and_then(|folds| folds.calibration(name));
                    fit_from(&observations(joined, name), prior, start.unwrap_or(prior))
                }
            };
            (name, calibration)
        })
        .collect();
    let mut studies: Vec<StudyKind> = joined.iter().map(|j| j.project.study).collect();
    studies.sort_unstable();
    studies.dedup();
    for (name, calibration) in calibrations {
        for &study in &studies {
            let others = || training_projects(joined, name);
            let here = name.is_none()
                || joined
                    .iter()
                    .any(|j| j.project.study == study && Some(j.project.name.as_str()) == name);
            if !here {
                continue;
            }
            let learn = |threshold: f64| match &options.learning {
                LearningMode::Given(given) => given.select_at,
                LearningMode::LeaveOneOut => {
                    let pooled = others().filter(|j| options.pool == TrainingPool::All || j.project.study == study);
                    select_at(pooled, &calibration, threshold, options)
                }
            };
            let by_threshold = match options.selection {
                SelectionTuning::Gate => Vec::new(),
                SelectionTuning::EachThreshold => options.thresholds.iter().map(|t| (*t, learn(*t))).collect(),
            };
            let select_at = learn(gate);
            let mut learned: Vec<&str> = others().map(|j| &*j.project.name).collect();
            learned.sort_unstable();
            learned.dedup();
            folds.0.push(CrossValidationFold {
                project: name.map(str::to_owned),
                study,
                learned_from: learned.len(),
                calibration: calibration.clone(),
                select_at,
                by_threshold,
            });
        }
    }
    folds
}

/// The highest probability that finds the wanted share of the versions that moved by the threshold in these projects.
fn select_at<'j, 'a: 'j>(
    projects: impl Iterator<Item = &'j EvaluatedProject<'a>>,
    calibration: &Calibration,
    threshold: f64,
    options: &EvaluationOptions,
) -> f64 {
    let moved_only = options.found_by == DetectionCriterion::MovedBenchmark;
    let scored: Vec<(f64, bool)> = projects
        .flat_map(|joined| &joined.versions)
        .map(|joint| {
            let moved = joint.moved(threshold, MovementCriterion::AnyBenchmark).any();
            let scores: Vec<f64> = joint
                .pairs
                .iter()
                .filter(|pair| !(moved && moved_only) || MovementDirections::of(pair.movement.change, threshold).any())
                .map(|pair| calibration.probability(&pair.predicted.terms, threshold))
                .collect();
            (highest_score(&scores), moved)
        })
        .collect();
    cutoff(&scored, options.wanted_recall).unwrap_or(UNTRAINED)
}

/// The folds by project and study; those learned from everything come first.
#[derive(Debug, Default)]
pub(super) struct CrossValidationFolds(pub(super) Vec<CrossValidationFold>);

impl CrossValidationFolds {
    fn calibration(&self, left_out: Option<&str>) -> Option<&Calibration> {
        let fold = self.0.iter().find(|f| f.project.as_deref() == left_out)?;
        Some(&fold.calibration)
    }

    /// The parameters learned without the project.
    pub(super) fn of(&self, joined: &EvaluatedProject<'_>) -> &CrossValidationFold {
        let project = joined.project;
        self.0
            .iter()
            .find(|fold| fold.project.as_deref() == Some(&*project.name) && fold.study == project.study)
            .expect("there is a fold for every project that is joined")
    }
}

/// The projects available for learning where `left_out` is scored.
pub(super) fn training_projects<'j, 'a>(
    joined: &'j [EvaluatedProject<'a>],
    left_out: Option<&'j str>,
) -> impl Iterator<Item = &'j EvaluatedProject<'a>> {
    (joined.iter()).filter(move |j| !j.project.held_out && Some(j.project.name.as_str()) != left_out)
}

fn observations<'j>(joined: &'j [EvaluatedProject<'_>], left_out: Option<&'j str>) -> Vec<FitObservation<'j>> {
    training_projects(joined, left_out)
        .flat_map(|j| &j.versions)
        .flat_map(|joint| {
            let weight = 1.0 / joint.pairs.len() as f64;
            joint.pairs.iter().map(move |pair| FitObservation {
                terms: &pair.predicted.terms,
                change: pair.movement.change,
                weight,
            })
        })
        .collect()
}
