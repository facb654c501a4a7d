//! An evaluation → the contract `lito.evaluation/1`.
//!
//! A rate is a single figure, with `_low` and `_high` beside it if it has an interval. A missing value (a recall
//! without regressions) is null. Figures are rounded to six decimals: further digits only add size.

use serde_json::{Map, Value};
use verdict::statistics::ConfidenceInterval;

use super::basis::EvaluationBasis;
use super::evaluation_document::{
    AblationEntry, AccuracyEntry, BudgetEntry, CodeEntry, CurveEntry, EvaluationDocument, ExplainedEntry, KindEntry,
    LearnedEntry, OptionsEntry, PolicyEntry, ProjectEntry, ReliabilityBinEntry, ReliabilityEntry, UnusableEntry,
};
use super::words;
use crate::accuracy::{
    AblationResult, AccuracyRow, BaseMeasurement, BudgetCurve, ChangeKindRow, CodeCheck, CrossValidationFold,
    DetectionCriterion, DriftBound, Evaluation, EvaluationOptions, EvaluationRate, ExplainedVersion, LARGE,
    LearningMode, PolicyRow, ProjectSummary, RankCurve, ReliabilityDiagram, SamplingSchedule, SelectionTuning,
    TrainingPool,
};

/// Name and version of the contract.
pub const SCHEMA: &str = "lito.evaluation/1";

/// The rule for a repository's own store, where users choose the sampled versions.
const NEWEST_SAMPLE: &str = "newest sample at or before the base";

// The contract has these sizes in the names of its fields.
const _: () = assert!(LARGE[0] == 0.2 && LARGE[1] == 0.5);

/// The lists of the document, in the order in which they are written.
const LISTS: [&str; 12] = [
    "rows",
    "ablation",
    "projects",
    "learned",
    "reliability",
    "policies",
    "code",
    "kinds",
    "explained",
    "cases",
    "budgets",
    "curves",
];

/// One document with a row on each line and a newline at its end.
#[must_use]
pub fn json(evaluation: &Evaluation, basis: &EvaluationBasis) -> String {
    let written = serde_json::to_value(document(evaluation, basis)).expect("strings and numbers are always encoded");
    let mut fields: Map<String, Value> = match written {
        Value::Object(fields) => fields,
        other => unreachable!("a document is an object, not {other}"),
    };
    let mut field = |name: &str| fields.remove(name).expect("the document has the field");
    // The schema comes first, so that a reader or a streaming parser can identify the document at once.
    let mut out = format!(
        "{{\n\"schema\": {},\n\"options\": {}",
        field("schema"),
        field("options")
    );
    for name in LISTS {
        let list = field(name);
        let lines: Vec<String> = list.as_array().into_iter().flatten().map(Value::to_string).collect();
        out.push_str(&format!(",\n\"{name}\": [\n{}\n]", lines.join(",\n")));
    }
    debug_assert!(fields.is_empty(), "every field is written: {fields:?}");
    out.push_str("\n}\n");
    out
}

fn document<'a>(evaluation: &'a Evaluation, basis: &'a EvaluationBasis) -> EvaluationDocument<'a> {
    let k_rule = match basis {
        EvaluationBasis::Store(_) => Some(NEWEST_SAMPLE),
        EvaluationBasis::Study(_) => None,
    };
    EvaluationDocument {
        schema: SCHEMA,
        options: options(&evaluation.options, basis),
        rows: evaluation.rows.iter().map(|one| row(one, k_rule)).collect(),
        ablation: evaluation.ablation.iter().map(ablated).collect(),
        projects: evaluation.projects.iter().map(project).collect(),
        learned: evaluation.folds.iter().map(fold).collect(),
        reliability: evaluation.reliability.iter().map(reliability).collect(),
        policies: evaluation.policies.iter().map(policy).collect(),
        code: evaluation.code.iter().map(code).collect(),
        kinds: evaluation.kinds.iter().map(kind).collect(),
        explained: evaluation.explained.iter().map(explained).collect(),
        cases: evaluation.cases.iter().map(explained).collect(),
        budgets: evaluation.budgets.iter().map(budget).collect(),
        curves: evaluation.curves.iter().map(curve).collect(),
    }
}

fn options<'a>(options: &EvaluationOptions, basis: &'a EvaluationBasis) -> OptionsEntry<'a> {
    OptionsEntry {
        rests_on: basis.entry(),
        gate_threshold: options.gate_threshold.into(),
        headline_k: options.headline,
        wanted_recall: options.wanted_recall.into(),
        learned: match options.learning {
            LearningMode::LeaveOneOut => "leave_one_project_out",
            LearningMode::Given(_) => "given",
        },
        selection_learned_on: match options.pool {
            TrainingPool::Study => "same_study",
            TrainingPool::All => "both_studies",
        },
        selection_learned_at: match options.selection {
            SelectionTuning::Gate => "gate_threshold",
            SelectionTuning::EachThreshold => "each_threshold",
        },
        selection_finds_by: match options.found_by {
            DetectionCriterion::AnyBenchmark => "any_benchmark",
            DetectionCriterion::MovedBenchmark => "moved_benchmark",
        },
    }
}

fn row<'a>(r: &'a AccuracyRow, k_rule: Option<&str>) -> AccuracyEntry<'a> {
    let [large_20, large_50] = &r.recall_large;
    let low = |rate: &EvaluationRate| rate.interval.map(|interval| interval.low).into();
    let high = |rate: &EvaluationRate| rate.interval.map(|interval| interval.high).into();
    AccuracyEntry {
        model: r.model.name(),
        k: r.k,
        k_rule: k_rule.unwrap_or(&r.k_rule).to_owned(),
        threshold: r.threshold.into(),
        scope: &r.scope,
        stage: r.stage.name(),
        judged_by: r.judged_by.name(),
        versions: r.versions,
        unpredicted: r.unpredicted,
        selected: r.selected.hits.into(),
        regressions: r.recall.of.into(),
        found: r.recall.hits.into(),
        true_positive: r.recall.hits.into(),
        false_positive: (r.selected.hits - r.recall.hits).into(),
        false_negative: (r.recall.of - r.recall.hits).into(),
        true_negative: r.true_negative.into(),
        improvements: r.recall_improved.of.into(),
        improvements_found: r.recall_improved.hits.into(),
        moved: r.recall_moved.of.into(),
        moved_found: r.recall_moved.hits.into(),
        selected_share: r.selected.value().into(),
        selected_share_low: low(&r.selected),
        selected_share_high: high(&r.selected),
        precision: r.precision.value().into(),
        precision_low: low(&r.precision),
        precision_high: high(&r.precision),
        precision_moved: r.precision_moved.value().into(),
        precision_moved_low: low(&r.precision_moved),
        precision_moved_high: high(&r.precision_moved),
        recall: r.recall.value().into(),
        recall_low: low(&r.recall),
        recall_high: high(&r.recall),
        recall_run: r.recall_run.value().into(),
        recall_run_low: low(&r.recall_run),
        recall_run_high: high(&r.recall_run),
        recall_improvements: r.recall_improved.value().into(),
        recall_improvements_low: low(&r.recall_improved),
        recall_improvements_high: high(&r.recall_improved),
        recall_moved: r.recall_moved.value().into(),
        recall_moved_low: low(&r.recall_moved),
        recall_moved_high: high(&r.recall_moved),
        recall_at_20: large_20.value().into(),
        recall_at_20_low: low(large_20),
        recall_at_20_high: high(large_20),
        recall_at_50: large_50.value().into(),
        recall_at_50_low: low(large_50),
        recall_at_50_high: high(large_50),
        auc: r.area.map(|area| area.area).into(),
        auc_low: r.area.map(|area| area.low).into(),
        auc_high: r.area.map(|area| area.high).into(),
        auc_moved: r.area_moved.map(|area| area.area).into(),
        auc_moved_low: r.area_moved.map(|area| area.low).into(),
        auc_moved_high: r.area_moved.map(|area| area.high).into(),
        average_precision: r.average_precision.into(),
        average_precision_moved: r.average_precision_moved.into(),
        pairs: r.pairs.of.into(),
        pairs_selected: r.pairs.hits.into(),
        pairs_run: r.pairs.value().into(),
        pairs_recall: r.pairs_recall.value().into(),
        pairs_precision: r.pairs_precision.value().into(),
        pairs_recall_moved: r.pairs_recall_moved.value().into(),
        pairs_precision_moved: r.pairs_precision_moved.value().into(),
        pairs_auc_moved: r.pairs_area.map(|area| area.area).into(),
        cost_ratio: r.cost_ratio().into(),
        cost_ratio_heads: r.cost_ratio_heads().into(),
        cost_seconds: r.cost.into(),
        exhaustive_seconds: r.exhaustive.into(),
        scoring_seconds_per_version: r.scoring.into(),
    }
}

fn ablated(ablated: &AblationResult) -> AblationEntry<'_> {
    AblationEntry {
        without: &ablated.without,
        rows: ablated.rows.iter().map(|one| row(one, None)).collect(),
    }
}

fn project(project: &ProjectSummary) -> ProjectEntry<'_> {
    ProjectEntry {
        study: project.study,
        name: &project.name,
        dropped: project.dropped.as_deref(),
        held_out: project.held_out,
        measured: project.measured,
        usable: project.usable,
        k: project.k,
        unpredicted: project.unpredicted,
        pairs_unpredicted: project.pairs_unpredicted,
        dependencies_changed: project.dependencies_changed,
        unusable: project.unusable.iter().map(UnusableEntry::from).collect(),
    }
}

fn fold(fold: &CrossValidationFold) -> LearnedEntry<'_> {
    LearnedEntry {
        without: fold.project.as_deref(),
        study: fold.study,
        learned_from: fold.learned_from,
        select_at: fold.select_at.into(),
        select_at_by_threshold: (fold.by_threshold.iter())
            .map(|(threshold, at)| [(*threshold).into(), (*at).into()])
            .collect(),
        shape: fold.calibration.shape.into(),
        expected: fold.calibration.expected.into(),
        weights: (fold.calibration.weights.iter())
            .map(|(class, weight)| (words::class(*class), (*weight).into()))
            .collect(),
    }
}

fn reliability(reliability: &ReliabilityDiagram) -> ReliabilityEntry<'_> {
    let bins = reliability.bins.iter().map(|bin| {
        let ConfidenceInterval { low, high } = bin.interval;
        ReliabilityBinEntry {
            from: bin.from.into(),
            to: bin.to.into(),
            count: bin.count,
            predicted: bin.predicted.into(),
            observed: bin.observed.into(),
            low: low.into(),
            high: high.into(),
        }
    });
    ReliabilityEntry {
        scope: &reliability.scope,
        of: reliability.of,
        brier: reliability.brier.into(),
        brier_of_share: reliability.brier_of_share.into(),
        bins: bins.collect(),
    }
}

fn policy(row: &PolicyRow) -> PolicyEntry<'_> {
    let policy = row.policy;
    PolicyEntry {
        scope: &row.scope,
        base: match policy.base {
            BaseMeasurement::Always => "always",
            BaseMeasurement::Beyond(_) => "beyond",
            BaseMeasurement::Presumed => "presumed",
        },
        base_beyond: match policy.base {
            BaseMeasurement::Beyond(bound) => Some(bound).into(),
            BaseMeasurement::Always | BaseMeasurement::Presumed => None.into(),
        },
        skips_same_code: policy.skips_same_code,
        keeps_runs: policy.keeps_runs,
        drift: match policy.sampling {
            SamplingSchedule::AsPredicted | SamplingSchedule::Every(_) => None.into(),
            SamplingSchedule::ByDrift { limit, .. } => Some(limit).into(),
        },
        drift_bound: match policy.sampling {
            SamplingSchedule::AsPredicted | SamplingSchedule::Every(_) => None,
            SamplingSchedule::ByDrift { bound, .. } => Some(match bound {
                DriftBound::Sum => "sum",
                DriftBound::Largest => "largest",
            }),
        },
        sampled_every: match policy.sampling {
            SamplingSchedule::Every(versions) => Some(versions),
            SamplingSchedule::AsPredicted | SamplingSchedule::ByDrift { .. } => None,
        },
        samples: row.samples,
        sampling_seconds: row.sampling.into(),
        scoring_seconds: row.scoring.into(),
        flagged_seconds: row.benchmarking.into(),
        cost_seconds: row.whole().into(),
        exhaustive_seconds: row.exhaustive.into(),
        cost_ratio: row.share(row.whole()).into(),
        builds: row.builds,
        versions: row.selected.of.into(),
        selected: row.selected.hits.into(),
        regressions: row.recall.of.into(),
        found: row.recall.hits.into(),
        moved: row.recall_moved.of.into(),
        moved_found: row.recall_moved.hits.into(),
        lost_regressions: row.lost.regressed,
        lost_moved: row.lost.moved,
        skipped_parts: row.skipped_parts.versions,
        skipped_parts_regressed: row.skipped_parts.regressed,
    }
}

fn code(check: &CodeCheck) -> CodeEntry<'_> {
    CodeEntry {
        scope: &check.scope,
        same: check.same,
        same_executed: check.same_executed,
        different: check.different,
        unknown: check.unknown,
        contradicted: check.contradicted,
        different_moved: check.different_moved,
    }
}

fn kind(row: &ChangeKindRow) -> KindEntry<'_> {
    KindEntry {
        scope: &row.scope,
        kind: row.kind,
        changes: row.changes,
        executed: row.executed,
        versions: row.versions,
        regressed: row.regressed,
        improved: row.improved,
        both: row.both,
    }
}

fn explained(explained: &ExplainedVersion) -> ExplainedEntry<'_> {
    ExplainedEntry {
        outcome: words::outcome_id(explained.outcome),
        study: explained.study,
        project: &explained.project,
        version: &explained.version,
        commit: &explained.commit,
        benchmark: &explained.benchmark,
        change: explained.change.into(),
        total: explained.total.into(),
        probability: explained.probability.into(),
        own_probability: explained.own_probability.into(),
        select_at: explained.select_at.into(),
        distance: explained.distance,
        code: explained.code,
        why: &explained.why,
        dependencies: &explained.dependencies,
        degraded: explained.degraded,
    }
}

fn budget(curve: &BudgetCurve) -> BudgetEntry<'_> {
    BudgetEntry {
        scope: &curve.scope,
        model: curve.model.name(),
        spent_run_moved_regressed: (curve.points.iter())
            .map(|point| [point.spent, point.run, point.moved, point.regressed].map(Into::into))
            .collect(),
    }
}

fn curve(curve: &RankCurve) -> CurveEntry<'_> {
    CurveEntry {
        scope: &curve.scope,
        model: curve.model.name(),
        selected_recall_false_rate_precision: (curve.points.iter())
            .map(|point| [point.selected, point.recall, point.false_rate, point.precision].map(Into::into))
            .collect(),
    }
}
