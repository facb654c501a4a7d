//! The documents of the contract `lito.evaluation/1`, field by field: the types that are written, and that its JSON schema is
//! derived from. [`super::json`] fills them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use analyzer::change::ChangeKind;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use verdict::SkipAudit;

use super::json::SCHEMA;
use crate::accuracy::{CodeAnswer, StudyKind, UnusableVersion};

/// Digits behind the point: 10 to this power. Further digits only add size.
const DECIMALS: f64 = 1e6;

/// The JSON schema of the contract `lito.evaluation/1`.
#[must_use]
pub fn json_schema() -> Schema {
    report::contract::schema_of::<EvaluationDocument<'_>>(SCHEMA)
}

/// A figure that is rounded to six decimals; `null` without a value. Whole numbers are written without a fraction.
#[derive(Debug, Clone, Copy)]
pub(super) struct EvaluationFigure(Option<f64>);

impl From<f64> for EvaluationFigure {
    fn from(figure: f64) -> Self {
        Self(Some(figure))
    }
}

impl From<Option<f64>> for EvaluationFigure {
    fn from(figure: Option<f64>) -> Self {
        Self(figure)
    }
}

impl Serialize for EvaluationFigure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rounded = self.0.map(|figure| (figure * DECIMALS).round() / DECIMALS);
        match rounded.filter(|rounded| rounded.is_finite()) {
            None => serializer.serialize_none(),
            Some(rounded) if rounded.fract() == 0.0 && rounded.abs() < 1e15 => serializer.serialize_i64(rounded as i64),
            Some(rounded) => serializer.serialize_f64(rounded),
        }
    }
}

impl JsonSchema for EvaluationFigure {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("EvaluationFigure")
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<f64>::json_schema(generator)
    }
}

/// How accurate predictions are, against measurements.
#[derive(Serialize, JsonSchema)]
pub(super) struct EvaluationDocument<'a> {
    /// [`SCHEMA`].
    pub(super) schema: &'static str,
    /// The basis of the evaluation, and how it was made.
    pub(super) options: OptionsEntry<'a>,
    /// The accuracy, for each model, distance, threshold, scope, stage and criterion.
    pub(super) rows: Vec<AccuracyEntry<'a>>,
    /// The accuracy without one class of evidence.
    pub(super) ablation: Vec<AblationEntry<'a>>,
    /// The histories.
    pub(super) projects: Vec<ProjectEntry<'a>>,
    /// The parameters that were learned for each project that was left out.
    pub(super) learned: Vec<LearnedEntry<'a>>,
    /// Predicted against observed probability.
    pub(super) reliability: Vec<ReliabilityEntry<'a>>,
    /// The cost of each policy, by scope; empty where builds and runs were not timed.
    pub(super) policies: Vec<PolicyEntry<'a>>,
    /// The results of comparing machine code.
    pub(super) code: Vec<CodeEntry<'a>>,
    /// The kinds of change.
    pub(super) kinds: Vec<KindEntry<'a>>,
    /// Misses and false alarms, one by one.
    pub(super) explained: Vec<ExplainedEntry<'a>>,
    /// Named cases, one by one.
    pub(super) cases: Vec<ExplainedEntry<'a>>,
    /// Points of the budget curves.
    pub(super) budgets: Vec<BudgetEntry<'a>>,
    /// Points of the ROC curves.
    pub(super) curves: Vec<CurveEntry<'a>>,
}

/// The options.
#[derive(Serialize, JsonSchema)]
pub(super) struct OptionsEntry<'a> {
    /// The data behind the evaluation.
    pub(super) rests_on: BasisEntry<'a>,
    /// The change from which a version is worth a benchmark.
    pub(super) gate_threshold: EvaluationFigure,
    /// The distance between samples of the headline.
    pub(super) headline_k: u32,
    /// The recall that selection is tuned for.
    pub(super) wanted_recall: EvaluationFigure,
    /// `leave_one_project_out` or `given`: where the weights are from.
    pub(super) learned: &'static str,
    /// `same_study` or `both_studies`: the projects that selection is learned from.
    pub(super) selection_learned_on: &'static str,
    /// `gate_threshold` or `each_threshold`.
    pub(super) selection_learned_at: &'static str,
    /// `any_benchmark` or `moved_benchmark`: which run benchmark finds a movement.
    pub(super) selection_finds_by: &'static str,
}

/// The data behind an evaluation.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum BasisEntry<'a> {
    /// Every version of some projects, measured whatever its prediction.
    Study {
        /// `left_out` or `shipped`: the weights that judge.
        weights: &'static str,
        /// The projects of the list that shipped weights were fitted on.
        #[serde(skip_serializing_if = "Option::is_none")]
        fitted_on: Option<&'a [String]>,
    },
    /// The content of a repository's store.
    Store {
        /// Versions that the gate measured.
        gated: usize,
        /// Those that it measured because they were flagged.
        flagged: usize,
        /// Those that it measured for an audit.
        audited: usize,
        /// Versions that were sampled, with a sample of the version before.
        sampled: usize,
        /// Versions without a sample at or before their base; no other figure includes them.
        unpredicted: usize,
        /// The audits of skipped versions; `null` without any.
        audit: Option<SkipAudit>,
    },
}

/// The accuracy of one model, distance, threshold, scope, stage and criterion.
#[derive(Serialize, JsonSchema)]
pub(super) struct AccuracyEntry<'a> {
    /// The selecting model.
    pub(super) model: &'static str,
    /// Distance between samples.
    pub(super) k: u32,
    /// How the sample of each prediction is chosen.
    pub(super) k_rule: String,
    /// The change from which a version counts as moved.
    pub(super) threshold: EvaluationFigure,
    /// `commits`, `releases`, a part of them, or one of their projects.
    pub(super) scope: &'a str,
    /// The stage of the cascade after which selection is judged.
    pub(super) stage: &'static str,
    /// The criterion for a movement.
    pub(super) judged_by: &'static str,
    /// Versions that have a difference and a prediction.
    pub(super) versions: usize,
    /// Versions that have a difference but no prediction; no other figure includes them.
    pub(super) unpredicted: usize,
    /// Selected versions.
    pub(super) selected: EvaluationFigure,
    /// Versions with a regression.
    pub(super) regressions: EvaluationFigure,
    /// Those that are found.
    pub(super) found: EvaluationFigure,
    /// Selected versions with a regression.
    pub(super) true_positive: EvaluationFigure,
    /// Selected versions without one.
    pub(super) false_positive: EvaluationFigure,
    /// Versions with a regression that are not selected.
    pub(super) false_negative: EvaluationFigure,
    /// Versions without a regression that are not selected.
    pub(super) true_negative: EvaluationFigure,
    /// Versions with an improvement.
    pub(super) improvements: EvaluationFigure,
    /// Those that are found.
    pub(super) improvements_found: EvaluationFigure,
    /// Versions that moved in either direction.
    pub(super) moved: EvaluationFigure,
    /// Those that are found.
    pub(super) moved_found: EvaluationFigure,
    /// Selected versions among all versions; `null` without any case.
    pub(super) selected_share: EvaluationFigure,
    /// Lower bound of `selected_share`, at 95%.
    pub(super) selected_share_low: EvaluationFigure,
    /// Upper bound of `selected_share`, at 95%.
    pub(super) selected_share_high: EvaluationFigure,
    /// Regressions among the selected versions; `null` without any case.
    pub(super) precision: EvaluationFigure,
    /// Lower bound of `precision`, at 95%.
    pub(super) precision_low: EvaluationFigure,
    /// Upper bound of `precision`, at 95%.
    pub(super) precision_high: EvaluationFigure,
    /// Movements in either direction among the selected versions; `null` without any case.
    pub(super) precision_moved: EvaluationFigure,
    /// Lower bound of `precision_moved`, at 95%.
    pub(super) precision_moved_low: EvaluationFigure,
    /// Upper bound of `precision_moved`, at 95%.
    pub(super) precision_moved_high: EvaluationFigure,
    /// Regressions that are found; `null` without any case.
    pub(super) recall: EvaluationFigure,
    /// Lower bound of `recall`, at 95%.
    pub(super) recall_low: EvaluationFigure,
    /// Upper bound of `recall`, at 95%.
    pub(super) recall_high: EvaluationFigure,
    /// Regressions found by running a benchmark that regressed; `null` without any case.
    pub(super) recall_run: EvaluationFigure,
    /// Lower bound of `recall_run`, at 95%.
    pub(super) recall_run_low: EvaluationFigure,
    /// Upper bound of `recall_run`, at 95%.
    pub(super) recall_run_high: EvaluationFigure,
    /// Improvements that are found; `null` without any case.
    pub(super) recall_improvements: EvaluationFigure,
    /// Lower bound of `recall_improvements`, at 95%.
    pub(super) recall_improvements_low: EvaluationFigure,
    /// Upper bound of `recall_improvements`, at 95%.
    pub(super) recall_improvements_high: EvaluationFigure,
    /// Movements in either direction that are found; `null` without any case.
    pub(super) recall_moved: EvaluationFigure,
    /// Lower bound of `recall_moved`, at 95%.
    pub(super) recall_moved_low: EvaluationFigure,
    /// Upper bound of `recall_moved`, at 95%.
    pub(super) recall_moved_high: EvaluationFigure,
    /// Regressions of 20% or more that are found, whatever the threshold; `null` without any case.
    pub(super) recall_at_20: EvaluationFigure,
    /// Lower bound of `recall_at_20`, at 95%.
    pub(super) recall_at_20_low: EvaluationFigure,
    /// Upper bound of `recall_at_20`, at 95%.
    pub(super) recall_at_20_high: EvaluationFigure,
    /// Regressions of 50% or more that are found, whatever the threshold; `null` without any case.
    pub(super) recall_at_50: EvaluationFigure,
    /// Lower bound of `recall_at_50`, at 95%.
    pub(super) recall_at_50_low: EvaluationFigure,
    /// Upper bound of `recall_at_50`, at 95%.
    pub(super) recall_at_50_high: EvaluationFigure,
    /// Area under the ROC curve, for regressions; `null` without any case.
    pub(super) auc: EvaluationFigure,
    /// Lower bound of `auc`, at 95%.
    pub(super) auc_low: EvaluationFigure,
    /// Upper bound of `auc`, at 95%.
    pub(super) auc_high: EvaluationFigure,
    /// Area under the ROC curve, for movements in either direction; `null` without any case.
    pub(super) auc_moved: EvaluationFigure,
    /// Lower bound of `auc_moved`, at 95%.
    pub(super) auc_moved_low: EvaluationFigure,
    /// Upper bound of `auc_moved`, at 95%.
    pub(super) auc_moved_high: EvaluationFigure,
    /// Average precision, for regressions.
    pub(super) average_precision: EvaluationFigure,
    /// Average precision, for movements in either direction.
    pub(super) average_precision_moved: EvaluationFigure,
    /// Pairs of a benchmark and a version.
    pub(super) pairs: EvaluationFigure,
    /// Selected pairs.
    pub(super) pairs_selected: EvaluationFigure,
    /// Selected pairs among all pairs.
    pub(super) pairs_run: EvaluationFigure,
    /// Regressed pairs that are found.
    pub(super) pairs_recall: EvaluationFigure,
    /// Regressed pairs among the selected pairs.
    pub(super) pairs_precision: EvaluationFigure,
    /// Pairs that moved in either direction that are found.
    pub(super) pairs_recall_moved: EvaluationFigure,
    /// Pairs that moved in either direction among the selected pairs.
    pub(super) pairs_precision_moved: EvaluationFigure,
    /// Area under the ROC curve of the pairs, for movements in either direction.
    pub(super) pairs_auc_moved: EvaluationFigure,
    /// Total cost relative to exhaustive measurement.
    pub(super) cost_ratio: EvaluationFigure,
    /// The same ratio if the version before counts as measured already.
    pub(super) cost_ratio_heads: EvaluationFigure,
    /// Seconds of sampling, scoring, and building and running the selection.
    pub(super) cost_seconds: EvaluationFigure,
    /// Seconds of building and running everything once for each version.
    pub(super) exhaustive_seconds: EvaluationFigure,
    /// Seconds that scoring one version took, on average.
    pub(super) scoring_seconds_per_version: EvaluationFigure,
}

/// The accuracy without a class of evidence.
#[derive(Serialize, JsonSchema)]
pub(super) struct AblationEntry<'a> {
    /// The missing evidence: `nothing`, a class, or several classes that belong together.
    pub(super) without: &'a str,
    /// The accuracy without it.
    pub(super) rows: Vec<AccuracyEntry<'a>>,
}

/// A history.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProjectEntry<'a> {
    /// Its study.
    pub(super) study: StudyKind,
    /// Its name.
    pub(super) name: &'a str,
    /// Why it is not part of the evaluation; `null` if it is.
    pub(super) dropped: Option<&'a str>,
    /// Whether nothing is learned from it.
    pub(super) held_out: bool,
    /// Versions that were measured.
    pub(super) measured: usize,
    /// Versions that have a difference.
    pub(super) usable: usize,
    /// The distance between samples at the headline.
    pub(super) k: Option<u32>,
    /// Versions without a prediction.
    pub(super) unpredicted: usize,
    /// Pairs of a benchmark and a version without a prediction.
    pub(super) pairs_unpredicted: usize,
    /// Versions with other dependencies than the version before.
    pub(super) dependencies_changed: usize,
    /// Versions that can't be used.
    pub(super) unusable: Vec<UnusableEntry<'a>>,
}

/// A version that can't be used.
#[derive(Serialize, JsonSchema)]
pub(super) struct UnusableEntry<'a> {
    /// The version.
    version: &'a str,
    /// Why.
    why: &'a str,
}

impl<'a> From<&'a UnusableVersion> for UnusableEntry<'a> {
    fn from(UnusableVersion { version, why }: &'a UnusableVersion) -> Self {
        Self { version, why }
    }
}

/// Parameters that were learned without a project.
#[derive(Serialize, JsonSchema)]
pub(super) struct LearnedEntry<'a> {
    /// The project that was left out; `null` if it was learned from all that are not held out.
    pub(super) without: Option<&'a str>,
    /// The study whose versions it selects.
    pub(super) study: StudyKind,
    /// Number of projects that it was learned from.
    pub(super) learned_from: usize,
    /// Probability from which a benchmark is run.
    pub(super) select_at: EvaluationFigure,
    /// The same at other thresholds: pairs of threshold and probability.
    pub(super) select_at_by_threshold: Vec<[EvaluationFigure; 2]>,
    /// The shape of the distribution of movements.
    pub(super) shape: EvaluationFigure,
    /// The weight of the expected movement.
    pub(super) expected: EvaluationFigure,
    /// The weight of each class of change.
    pub(super) weights: BTreeMap<String, EvaluationFigure>,
}

/// Predicted against observed probability.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReliabilityEntry<'a> {
    /// `commits` or `releases`.
    pub(super) scope: &'a str,
    /// `versions` or `pairs`.
    pub(super) of: &'static str,
    /// The Brier score: 0 is perfect.
    pub(super) brier: EvaluationFigure,
    /// The Brier score of a constant prediction of the share that moved: the value to beat.
    pub(super) brier_of_share: EvaluationFigure,
    /// Bins with a prediction, lowest first.
    pub(super) bins: Vec<ReliabilityBinEntry>,
}

/// A bin of predictions.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReliabilityBinEntry {
    /// Lowest probability in it.
    pub(super) from: EvaluationFigure,
    /// Its upper edge.
    pub(super) to: EvaluationFigure,
    /// Number of predictions.
    pub(super) count: usize,
    /// Mean of the predicted probabilities.
    pub(super) predicted: EvaluationFigure,
    /// Share that moved.
    pub(super) observed: EvaluationFigure,
    /// Lower bound of that share, at 95%.
    pub(super) low: EvaluationFigure,
    /// Upper bound of that share, at 95%.
    pub(super) high: EvaluationFigure,
}

/// The cost of one policy, from the stored results: when versions are sampled, and what flagged versions build and run.
#[derive(Serialize, JsonSchema)]
pub(super) struct PolicyEntry<'a> {
    /// `commits`, `releases`, or a half of one.
    pub(super) scope: &'a str,
    /// When the base of a flagged version is built: `always`, `beyond` a difference from an older count, or never
    /// (`presumed`).
    pub(super) base: &'static str,
    /// That difference, relative; `null` without one.
    pub(super) base_beyond: EvaluationFigure,
    /// Whether a benchmark is not run if its machine code is that of a version that was measured.
    pub(super) skips_same_code: bool,
    /// Whether what a flagged version built and ran is kept for a sample of it.
    pub(super) keeps_runs: bool,
    /// The drift at which a version is sampled; `null` for the samples that the predictions rest on. With a drift, what is
    /// selected and found is that of the stored predictions all the same.
    pub(super) drift: EvaluationFigure,
    /// The figure that stands for the drift over several versions: the `sum` of the shares that each of them changed, never below it,
    /// or the `largest`, never above it; `null` without a drift.
    pub(super) drift_bound: Option<&'static str>,
    /// The number of versions from one sample to the next; `null` for other schedules. What is selected and found is that of
    /// the stored predictions all the same.
    pub(super) sampled_every: Option<usize>,
    /// Samples.
    pub(super) samples: usize,
    /// Seconds of sampling.
    pub(super) sampling_seconds: EvaluationFigure,
    /// Seconds of scoring every version.
    pub(super) scoring_seconds: EvaluationFigure,
    /// Seconds of building and running flagged versions.
    pub(super) flagged_seconds: EvaluationFigure,
    /// All these seconds.
    pub(super) cost_seconds: EvaluationFigure,
    /// Seconds of building and running everything once for each version.
    pub(super) exhaustive_seconds: EvaluationFigure,
    /// Total cost relative to exhaustive measurement.
    pub(super) cost_ratio: EvaluationFigure,
    /// Builds for flagged versions.
    pub(super) builds: usize,
    /// Versions that have a difference and a prediction.
    pub(super) versions: EvaluationFigure,
    /// Flagged versions.
    pub(super) selected: EvaluationFigure,
    /// Versions with a regression.
    pub(super) regressions: EvaluationFigure,
    /// Those that are found.
    pub(super) found: EvaluationFigure,
    /// Versions that moved in either direction.
    pub(super) moved: EvaluationFigure,
    /// Those that are found.
    pub(super) moved_found: EvaluationFigure,
    /// Flagged versions with a regression that the policy takes for unmoved.
    pub(super) lost_regressions: usize,
    /// The same of movements in either direction.
    pub(super) lost_moved: usize,
    /// Flagged versions with a benchmark that differs from an older count, but not from its base.
    pub(super) skipped_parts: usize,
    /// Those where it is a regression by the gate's threshold.
    pub(super) skipped_parts_regressed: usize,
}

/// The results of comparing machine code, in pairs of a benchmark and a version.
#[derive(Serialize, JsonSchema)]
pub(super) struct CodeEntry<'a> {
    /// `commits` or `releases`.
    pub(super) scope: &'a str,
    /// Pairs whose reachable code is the same.
    pub(super) same: usize,
    /// Pairs whose executed code is the same.
    pub(super) same_executed: usize,
    /// Pairs whose executed code differs.
    pub(super) different: usize,
    /// Pairs without an answer.
    pub(super) unknown: usize,
    /// Pairs with the same code that moved by more than a thousandth.
    pub(super) contradicted: usize,
    /// Pairs with different code that moved by the gate's threshold.
    pub(super) different_moved: usize,
}

/// A kind of change.
#[derive(Serialize, JsonSchema)]
pub(super) struct KindEntry<'a> {
    /// `commits` or `releases`.
    pub(super) scope: &'a str,
    /// The kind.
    pub(super) kind: ChangeKind,
    /// Changes of this kind.
    pub(super) changes: u64,
    /// Changes that some benchmark executes.
    pub(super) executed: u64,
    /// Versions with such an executed change.
    pub(super) versions: usize,
    /// Versions among these that only regressed.
    pub(super) regressed: usize,
    /// Versions that only improved.
    pub(super) improved: usize,
    /// Versions that did both, in different benchmarks.
    pub(super) both: usize,
}

/// A version, with its prediction and what was measured.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExplainedEntry<'a> {
    /// `missed_regression`, `missed_benchmark`, `missed_improvement`, `false_alarm`, `found` or `rightly_skipped`.
    pub(super) outcome: &'static str,
    /// Its study.
    pub(super) study: StudyKind,
    /// Its project.
    pub(super) project: &'a str,
    /// Its display name.
    pub(super) version: &'a str,
    /// The commit.
    pub(super) commit: &'a str,
    /// The benchmark that moved most; for a false alarm the most probable one.
    pub(super) benchmark: &'a str,
    /// The relative change of that benchmark.
    pub(super) change: EvaluationFigure,
    /// The relative change of the suite's total.
    pub(super) total: EvaluationFigure,
    /// The version's probability.
    pub(super) probability: EvaluationFigure,
    /// The benchmark's probability.
    pub(super) own_probability: EvaluationFigure,
    /// The probability from which on it is selected.
    pub(super) select_at: EvaluationFigure,
    /// Number of versions from the sample to it.
    pub(super) distance: u32,
    /// The comparison of its machine code with that of the version before.
    pub(super) code: CodeAnswer,
    /// The lines of the score's explanation.
    pub(super) why: &'a [String],
    /// Dependencies that differ from those of the version before.
    pub(super) dependencies: &'a [String],
    /// Files or parts that could not be analysed.
    pub(super) degraded: u32,
}

/// The movements that are found within a budget.
#[derive(Serialize, JsonSchema)]
pub(super) struct BudgetEntry<'a> {
    /// `commits` or `releases`.
    pub(super) scope: &'a str,
    /// The model.
    pub(super) model: &'static str,
    /// Points: the share of the cost that is spent, of versions that are run, of movements and of regressions that are found.
    pub(super) spent_run_moved_regressed: Vec<[EvaluationFigure; 4]>,
}

/// The accuracy at each place of the ranking.
#[derive(Serialize, JsonSchema)]
pub(super) struct CurveEntry<'a> {
    /// `commits` or `releases`.
    pub(super) scope: &'a str,
    /// The model.
    pub(super) model: &'static str,
    /// Points: the share that is selected, recall, the rate of false alarms, precision.
    pub(super) selected_recall_false_rate_precision: Vec<[EvaluationFigure; 4]>,
}
