//! Counts and areas → the rows of the tables.

use super::benchmarking_cost::random_selection_seconds;
use super::ranking::RocArea;
use super::selection_models::SelectionModel;
use super::tally::{EvaluationCriteria, EvaluationRate, EvaluationTally, LARGE, RateIntervalCache, ScoredProject};
use super::{MovementCriterion, StudyStage};

/// The accuracy of one model on the versions of one scope.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyRow {
    /// The selecting model.
    pub model: SelectionModel,
    /// Distance between samples. At the headline's k, histories that are too short use half of it: see
    /// [`AccuracyRow::k_rule`].
    pub k: u32,
    /// Which k each project was predicted at: `20, or 10 where a history has fewer than 60 versions`, else `fixed`.
    pub k_rule: String,
    /// The change from which a version counts as moved, and the threshold given to the model.
    pub threshold: f64,
    /// `commits`, `releases`, or one of their projects: `releases/NAME`.
    pub scope: String,
    /// The criterion for a movement.
    pub judged_by: MovementCriterion,
    /// The stage of the cascade after which selection is judged.
    pub stage: StudyStage,
    /// Versions that have a difference and a prediction.
    pub versions: usize,
    /// Versions that have a difference but no prediction; no other figure includes them.
    pub unpredicted: usize,
    /// Selected versions among all versions.
    pub selected: EvaluationRate,
    /// Regressions found.
    pub recall: EvaluationRate,
    /// Regressions found by running a benchmark that regressed. A selection that only runs other benchmarks does not
    /// count.
    pub recall_run: EvaluationRate,
    /// Regressions among the selected versions.
    pub precision: EvaluationRate,
    /// Improvements found.
    pub recall_improved: EvaluationRate,
    /// Movements in either direction found.
    pub recall_moved: EvaluationRate,
    /// Movements in either direction among the selected versions.
    pub precision_moved: EvaluationRate,
    /// Regressions of at least [`LARGE`] found, whatever the row's threshold.
    pub recall_large: [EvaluationRate; LARGE.len()],
    /// True negatives: neither selected nor regressed.
    pub true_negative: f64,
    /// Area under the ROC curve, for regressions.
    pub area: Option<RocArea>,
    /// Area under the ROC curve, for movements in either direction.
    pub area_moved: Option<RocArea>,
    /// Average precision, for regressions.
    pub average_precision: Option<f64>,
    /// Average precision, for movements in either direction.
    pub average_precision_moved: Option<f64>,
    /// Selected (benchmark × version) pairs among all pairs.
    pub pairs: EvaluationRate,
    /// Regressed pairs found.
    pub pairs_recall: EvaluationRate,
    /// Regressed pairs among the selected pairs.
    pub pairs_precision: EvaluationRate,
    /// Pairs that moved in either direction found.
    pub pairs_recall_moved: EvaluationRate,
    /// Pairs that moved in either direction among the selected pairs.
    pub pairs_precision_moved: EvaluationRate,
    /// Area under the ROC curve of the pairs, for movements in either direction.
    pub pairs_area: Option<RocArea>,
    /// Seconds of sampling, scoring, and building and running the selection.
    pub cost: f64,
    /// The same seconds if the version before counts as measured already, as in the published study.
    pub cost_heads: f64,
    /// Seconds of building and running everything once for each version.
    pub exhaustive: f64,
    /// Seconds that scoring one version took, on average.
    pub scoring: f64,
}

impl AccuracyRow {
    /// Total cost relative to exhaustive measurement.
    #[must_use]
    pub fn cost_ratio(&self) -> Option<f64> {
        (self.exhaustive > 0.0).then(|| self.cost / self.exhaustive)
    }

    /// The same ratio, counted as in the published study.
    #[must_use]
    pub fn cost_ratio_heads(&self) -> Option<f64> {
        (self.exhaustive > 0.0).then(|| self.cost_heads / self.exhaustive)
    }
}

/// The identifying columns of a row.
#[derive(Debug, Clone)]
pub(super) struct AccuracyRowKey<'h> {
    pub(super) model: SelectionModel,
    pub(super) k: u32,
    pub(super) k_rule: &'h str,
    pub(super) scope: &'h str,
    pub(super) question: EvaluationCriteria,
}

pub(super) fn row(heading: &AccuracyRowKey<'_>, tally: &EvaluationTally, rates: &RateIntervalCache) -> AccuracyRow {
    let rate = |[of, hits]: [usize; 2]| rates.rate(hits, of);
    let pair_rate = |[of, hits]: [usize; 2]| EvaluationRate::plain(hits as f64, of as f64);
    let skipped = tally.versions - tally.selected;
    let overhead = if heading.model.needs_samples() {
        tally.sampling
    } else {
        0.0
    } + if heading.model.needs_scoring() {
        tally.scoring
    } else {
        0.0
    };
    AccuracyRow {
        model: heading.model,
        k: heading.k,
        k_rule: heading.k_rule.to_owned(),
        threshold: heading.question.threshold,
        scope: heading.scope.to_owned(),
        judged_by: heading.question.judged_by,
        stage: heading.question.stage,
        versions: tally.versions,
        unpredicted: tally.unpredicted,
        selected: rates.rate(tally.selected, tally.versions),
        recall: rate(tally.regressed),
        recall_run: rates.rate(tally.regressed_run, tally.regressed[0]),
        precision: rates.rate(tally.regressed[1], tally.selected),
        recall_improved: rate(tally.improved),
        recall_moved: rate(tally.moved),
        precision_moved: rates.rate(tally.moved[1], tally.selected),
        recall_large: tally.large.map(rate),
        true_negative: (skipped - (tally.regressed[0] - tally.regressed[1])) as f64,
        area: tally.area_of_regressed(),
        area_moved: tally.area_of_moved(),
        average_precision: tally.average_precision_of_regressed(),
        average_precision_moved: tally.average_precision_of_moved(),
        pairs: EvaluationRate::plain(tally.pairs_selected as f64, tally.pairs as f64),
        pairs_recall: pair_rate(tally.pairs_regressed),
        pairs_precision: EvaluationRate::plain(tally.pairs_regressed[1] as f64, tally.pairs_selected as f64),
        pairs_recall_moved: pair_rate(tally.pairs_moved),
        pairs_precision_moved: EvaluationRate::plain(tally.pairs_moved[1] as f64, tally.pairs_selected as f64),
        pairs_area: tally.area_of_pairs(),
        cost: overhead + tally.benchmarking,
        cost_heads: overhead + tally.heads,
        exhaustive: tally.exhaustive,
        scoring: if tally.versions == 0 {
            0.0
        } else {
            tally.scoring / tally.versions as f64
        },
    }
}

/// The expected row of a random selection of as many versions as `like` selects, with all their benchmarks.
/// `everything` is a tally of the same versions with any selection.
pub(super) fn random_row(
    heading: &AccuracyRowKey<'_>,
    everything: &EvaluationTally,
    projects: &[&ScoredProject<'_, '_>],
    like: &AccuracyRow,
    rates: &RateIntervalCache,
) -> AccuracyRow {
    let share = like.selected.value().unwrap_or(0.0);
    let drawn = |of: usize| EvaluationRate::plain(of as f64 * share, of as f64);
    let among = |hits: usize, of: usize| EvaluationRate::plain(hits as f64 * share, of as f64 * share);
    let t = everything;
    AccuracyRow {
        selected: drawn(t.versions),
        recall: drawn(t.regressed[0]),
        recall_run: drawn(t.regressed[0]),
        precision: among(t.regressed[0], t.versions),
        recall_improved: drawn(t.improved[0]),
        recall_moved: drawn(t.moved[0]),
        precision_moved: among(t.moved[0], t.versions),
        recall_large: t.large.map(|[of, _]| drawn(of)),
        true_negative: (t.versions - t.regressed[0]) as f64 * (1.0 - share),
        pairs: drawn(t.pairs),
        pairs_recall: drawn(t.pairs_regressed[0]),
        pairs_precision: among(t.pairs_regressed[0], t.pairs),
        pairs_recall_moved: drawn(t.pairs_moved[0]),
        pairs_precision_moved: among(t.pairs_moved[0], t.pairs),
        cost: projects
            .iter()
            .map(|project| random_selection_seconds(project.joined, share))
            .sum(),
        cost_heads: t.heads * share,
        // All scores are equal: areas are one half, average precision is the share of hits.
        ..row(heading, everything, rates)
    }
}
