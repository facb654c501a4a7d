//! Measurements and predictions of one project at one distance between samples → one list of versions.
//!
//! A version before the first sample, or a benchmark that the sample does not have, has no prediction. It is left out
//! of both sides, and counted.

use super::benchmarking_cost::StudyFixedCosts;
use super::movements::{BenchmarkMovement, MovementDirections, VersionContrast, compare_versions};
use super::{MovementCriterion, PredictedBenchmark, ProjectResults, SamplePrediction};

/// One project at one k.
#[derive(Debug)]
pub(super) struct EvaluatedProject<'a> {
    pub(super) project: &'a ProjectResults,
    /// The k of the predictions.
    pub(super) k: u32,
    /// The versions, oldest first.
    pub(super) versions: Vec<EvaluatedVersion<'a>>,
    /// Versions with a difference but without a prediction.
    pub(super) unpredicted: usize,
    /// Benchmarks of the versions above with a difference but without a prediction.
    pub(super) pairs_unpredicted: usize,
    pub(super) outlay: StudyFixedCosts,
}

/// One version, measured and predicted.
#[derive(Debug)]
pub(super) struct EvaluatedVersion<'a> {
    contrast: VersionContrast<'a>,
    /// Files that it touches.
    pub(super) files: &'a [String],
    pub(super) on: &'a SamplePrediction,
    /// Seconds of scoring: the maximum over all k, because sources read for one k are not read again for the next.
    pub(super) scoring: f64,
    /// The benchmarks; at least one.
    pub(super) pairs: Vec<EvaluatedBenchmark<'a>>,
}

/// One benchmark at one version, measured and predicted.
#[derive(Debug)]
pub(super) struct EvaluatedBenchmark<'a> {
    pub(super) movement: BenchmarkMovement<'a>,
    pub(super) predicted: &'a PredictedBenchmark,
}

impl<'a> EvaluatedVersion<'a> {
    pub(super) fn position(&self) -> usize {
        self.contrast.position
    }

    /// Indices of its base and of its own version.
    pub(super) fn sides(&self) -> [usize; 2] {
        [self.contrast.base, self.contrast.position]
    }

    pub(super) fn version(&self) -> &'a super::MeasuredVersion {
        self.contrast.version
    }

    pub(super) fn moved(&self, threshold: f64, judged_by: MovementCriterion) -> MovementDirections {
        self.contrast.moved(threshold, judged_by)
    }

    /// The largest |D| of its benchmarks.
    pub(super) fn largest(&self) -> f64 {
        self.pairs
            .iter()
            .map(|pair| pair.movement.change.abs())
            .fold(0.0, f64::max)
    }

    /// D of the sum over its benchmarks.
    pub(super) fn total(&self) -> f64 {
        self.contrast.total
    }
}

/// The project's versions at this k; `None` without any prediction at it.
pub(super) fn join_predictions(project: &ProjectResults, k: u32) -> Option<EvaluatedProject<'_>> {
    project
        .predicted
        .values()
        .any(|version| version.on.contains_key(&k))
        .then_some(())?;
    let (contrasts, _) = compare_versions(project);
    let mut joined = EvaluatedProject {
        project,
        k,
        versions: Vec::new(),
        unpredicted: 0,
        pairs_unpredicted: 0,
        outlay: StudyFixedCosts::default(),
    };
    for mut contrast in contrasts {
        let prediction = project
            .predicted
            .get(&contrast.version.commit)
            .and_then(|predicted| Some((predicted, predicted.on.get(&k)?)));
        let Some((predicted, on)) = prediction else {
            joined.unpredicted += 1;
            continue;
        };
        let all = contrast.movements.len();
        contrast
            .movements
            .retain(|movement| on.benchmarks.contains_key(movement.benchmark));
        if contrast.movements.is_empty() {
            joined.unpredicted += 1;
            continue;
        }
        joined.pairs_unpredicted += all - contrast.movements.len();
        let pairs = contrast
            .movements
            .iter()
            .filter_map(|movement| {
                Some(EvaluatedBenchmark {
                    movement: *movement,
                    predicted: on.benchmarks.get(movement.benchmark)?,
                })
            })
            .collect();
        joined.versions.push(EvaluatedVersion {
            contrast,
            files: &predicted.files,
            on,
            scoring: (predicted.on.values()).map(|on| on.seconds).fold(0.0, f64::max),
            pairs,
        });
    }
    joined.outlay = StudyFixedCosts::of(&joined);
    Some(joined)
}
