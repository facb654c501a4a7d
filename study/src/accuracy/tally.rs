//! One model's selection of the versions of some projects → its accuracy.

use std::cell::RefCell;
use std::collections::BTreeMap;

use verdict::statistics::{ConfidenceInterval, proportion_interval};

use super::cost_policies::{BaseMeasurement, CostPolicy, PolicyLedger};
use super::measured_predicted::{EvaluatedBenchmark, EvaluatedProject};
use super::movements::MovementDirections;
use super::ranking::{RocArea, area, average_precision};
use super::{CodeAnswer, MovementCriterion, StudyStage};

/// Confidence of every interval.
const CONFIDENCE: f64 = 0.95;

/// Large movements that a gate must find at any threshold.
pub const LARGE: [f64; 2] = [0.2, 0.5];

/// Hits among trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluationRate {
    /// Hits; expected values of a random selection need not be whole.
    pub hits: f64,
    /// Trials.
    pub of: f64,
    /// The interval of Clopper and Pearson at 95%. `None` for expected values, and for benchmarks of the same version,
    /// which are not independent trials.
    pub interval: Option<ConfidenceInterval>,
}

impl EvaluationRate {
    /// A rate without an interval.
    pub(super) fn plain(hits: f64, of: f64) -> Self {
        Self {
            hits,
            of,
            interval: None,
        }
    }

    /// Hits per trial; `None` without trials.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        (self.of > 0.0).then(|| self.hits / self.of)
    }
}

/// Rates with intervals, each computed once: thousands of rows share a few counts.
#[derive(Debug, Default)]
pub(super) struct RateIntervalCache(RefCell<BTreeMap<(u32, u32), ConfidenceInterval>>);

impl RateIntervalCache {
    pub(super) fn rate(&self, hits: usize, of: usize) -> EvaluationRate {
        let (h, n) = (
            u32::try_from(hits).unwrap_or(u32::MAX),
            u32::try_from(of).unwrap_or(u32::MAX),
        );
        let interval = *self
            .0
            .borrow_mut()
            .entry((h, n))
            .or_insert_with(|| proportion_interval(h, n, CONFIDENCE));
        EvaluationRate {
            interval: Some(interval),
            ..EvaluationRate::plain(hits as f64, of as f64)
        }
    }
}

/// The scores of one project's benchmarks, and the cutoff from which they are selected.
#[derive(Debug)]
pub(super) struct ScoredProject<'j, 'a> {
    pub(super) joined: &'j EvaluatedProject<'a>,
    /// The scores by version and benchmark.
    pub(super) scores: Vec<Vec<f64>>,
    pub(super) cutoff: f64,
}

/// The criteria for judging a selection.
#[derive(Debug, Clone, Copy)]
pub(super) struct EvaluationCriteria {
    pub(super) threshold: f64,
    pub(super) judged_by: MovementCriterion,
    pub(super) stage: StudyStage,
}

/// The counts over some projects.
#[derive(Debug, Default)]
pub(super) struct EvaluationTally {
    pub(super) versions: usize,
    pub(super) unpredicted: usize,
    pub(super) selected: usize,
    /// Regressed versions, and the selected ones among them.
    pub(super) regressed: [usize; 2],
    /// Regressed versions with a regressed benchmark that is run.
    pub(super) regressed_run: usize,
    pub(super) improved: [usize; 2],
    pub(super) moved: [usize; 2],
    /// Movements of each size in [`LARGE`], and the selected ones among them.
    pub(super) large: [[usize; 2]; LARGE.len()],
    pub(super) pairs: usize,
    pub(super) pairs_selected: usize,
    pub(super) pairs_regressed: [usize; 2],
    pub(super) pairs_moved: [usize; 2],
    pub(super) benchmarking: f64,
    /// Seconds of building and running if the versions before count as measured already.
    pub(super) heads: f64,
    pub(super) exhaustive: f64,
    pub(super) sampling: f64,
    pub(super) scoring: f64,
    by_regressed: Vec<(f64, bool)>,
    by_moved: Vec<(f64, bool)>,
    pairs_by_moved: Vec<(f64, bool)>,
}

impl ScoredProject<'_, '_> {
    pub(super) fn is_selected(&self, score: f64) -> bool {
        is_selected(score, self.cutoff)
    }
}

pub(super) fn is_selected(score: f64, cutoff: f64) -> bool {
    score > 0.0 && score >= cutoff
}

/// The score of a version: the highest of its benchmarks' scores.
pub(super) fn highest_score(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// True if a benchmark remains after the stage.
fn passes(stage: StudyStage, pair: &EvaluatedBenchmark<'_>, threshold: f64) -> bool {
    let differs = !matches!(pair.movement.head.code, CodeAnswer::Same | CodeAnswer::SameExecuted);
    match stage {
        StudyStage::Source => true,
        StudyStage::Code => differs,
        StudyStage::Counts => differs && MovementDirections::of(pair.movement.change, threshold).any(),
    }
}

impl EvaluationTally {
    pub(super) fn add(&mut self, scored: &ScoredProject<'_, '_>, question: EvaluationCriteria) {
        let EvaluationCriteria {
            threshold,
            judged_by,
            stage,
        } = question;
        let joined = scored.joined;
        self.versions += joined.versions.len();
        self.unpredicted += joined.unpredicted;
        for (joint, scores) in joined.versions.iter().zip(&scored.scores) {
            let mut score = f64::NEG_INFINITY;
            let mut selected = false;
            let mut regressed_run = false;
            for (pair, &own) in joint.pairs.iter().zip(scores) {
                let passes = passes(stage, pair, threshold);
                let own = if passes { own } else { own.min(0.0) };
                let run = scored.is_selected(own);
                let moved = MovementDirections::of(pair.movement.change, threshold);
                self.pairs += 1;
                self.pairs_selected += usize::from(run);
                count(&mut self.pairs_regressed, moved.regressed, run);
                count(&mut self.pairs_moved, moved.any(), run);
                self.pairs_by_moved.push((own, moved.any()));
                score = score.max(own);
                selected |= run;
                regressed_run |= run && moved.regressed;
            }
            let moved = joint.moved(threshold, judged_by);
            if stage == StudyStage::Counts && !moved.any() {
                // The suite's total did not move although a benchmark did.
                selected = false;
                score = score.min(0.0);
            }
            self.selected += usize::from(selected);
            count(&mut self.regressed, moved.regressed, selected);
            self.regressed_run += usize::from(moved.regressed && selected && regressed_run);
            count(&mut self.improved, moved.improved, selected);
            count(&mut self.moved, moved.any(), selected);
            for (large, at) in self.large.iter_mut().zip(LARGE) {
                count(large, joint.moved(at, judged_by).regressed, selected);
            }
            self.by_regressed.push((score, moved.regressed));
            self.by_moved.push((score, moved.any()));
        }
        self.exhaustive += joined.outlay.exhaustive;
        self.sampling += joined.outlay.sampling;
        self.scoring += joined.outlay.scoring;
        let seconds = |policy: CostPolicy| {
            let is_selected = |version: usize, index: usize| scored.is_selected(scored.scores[version][index]);
            // Samples are counted above, whatever is selected.
            PolicyLedger::of(joined, policy, &[], is_selected).benchmarking
        };
        self.heads += seconds(CostPolicy {
            base: BaseMeasurement::Presumed,
            ..CostPolicy::AS_IT_WAS
        });
        self.benchmarking += seconds(CostPolicy {
            skips_same_code: stage != StudyStage::Source,
            ..CostPolicy::AS_IT_WAS
        });
    }

    pub(super) fn area_of_regressed(&self) -> Option<RocArea> {
        area(&self.by_regressed)
    }

    pub(super) fn area_of_moved(&self) -> Option<RocArea> {
        area(&self.by_moved)
    }

    pub(super) fn area_of_pairs(&self) -> Option<RocArea> {
        area(&self.pairs_by_moved)
    }

    pub(super) fn average_precision_of_regressed(&self) -> Option<f64> {
        average_precision(&self.by_regressed)
    }

    pub(super) fn average_precision_of_moved(&self) -> Option<f64> {
        average_precision(&self.by_moved)
    }

    /// The scores of the versions, and whether they moved.
    pub(super) fn ranked(&self) -> &[(f64, bool)] {
        &self.by_moved
    }
}

fn count(counts: &mut [usize; 2], is: bool, selected: bool) {
    counts[0] += usize::from(is);
    counts[1] += usize::from(is && selected);
}
