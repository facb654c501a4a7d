//! The contract `lito.evaluation/1`.
//!
//! A rate is a single figure, with `_low` and `_high` beside it if it has an interval. A missing value (a recall
//! without regressions) is null. Figures are rounded to six decimals: further digits only add size.

use crate::accuracy::{
    AblationResult, AccuracyRow, BudgetCurve, ChangeKindRow, CodeCheck, CrossValidationFold, DetectionCriterion,
    Evaluation, EvaluationRate, ExplainedVersion, LARGE, LearningMode, ProjectSummary, RankCurve, ReliabilityDiagram,
    RocArea, SelectionTuning, TrainingPool, UnusableVersion,
};
use serde_json::{Map, Value, json as value};
use verdict::statistics::ConfidenceInterval;

use super::basis::EvaluationBasis;
use super::words;

/// Name and version of the contract.
pub const SCHEMA: &str = "lito.evaluation/1";

/// The rule for a repository's own store, where users choose the sampled versions.
const NEWEST_SAMPLE: &str = "newest sample at or before the base";

const DECIMALS: f64 = 1e6;

/// One document with a row on each line and a newline at its end.
#[must_use]
pub fn json(evaluation: &Evaluation, basis: &EvaluationBasis) -> String {
    let options = &evaluation.options;
    let mut out = String::from("{\n");
    let mut entry = |name: &str, values: Vec<Value>, last: bool| {
        let lines: Vec<String> = values.iter().map(Value::to_string).collect();
        out.push_str(&format!(
            "\"{name}\": [\n{}\n]{}\n",
            lines.join(",\n"),
            if last { "" } else { "," }
        ));
    };
    let mut rows: Vec<Value> = evaluation.rows.iter().map(row).collect();
    if let EvaluationBasis::Store(_) = basis {
        for row in &mut rows {
            row["k_rule"] = NEWEST_SAMPLE.into();
        }
    }
    entry("rows", rows, false);
    entry("ablation", evaluation.ablation.iter().map(ablated).collect(), false);
    entry("projects", evaluation.projects.iter().map(project).collect(), false);
    entry("learned", evaluation.folds.iter().map(fold).collect(), false);
    entry(
        "reliability",
        evaluation.reliability.iter().map(reliability).collect(),
        false,
    );
    entry("code", evaluation.code.iter().map(code).collect(), false);
    entry("kinds", evaluation.kinds.iter().map(kind).collect(), false);
    entry("explained", evaluation.explained.iter().map(explained).collect(), false);
    entry("cases", evaluation.cases.iter().map(explained).collect(), false);
    entry("budgets", evaluation.budgets.iter().map(budget).collect(), false);
    entry("curves", evaluation.curves.iter().map(curve).collect(), true);
    let head = value!({
        "rests_on": basis.json(),
        "gate_threshold": number(options.gate_threshold),
        "headline_k": options.headline,
        "wanted_recall": number(options.wanted_recall),
        "learned": match options.learning {
            LearningMode::LeaveOneOut => "leave_one_project_out",
            LearningMode::Given(_) => "given",
        },
        "selection_learned_on": match options.pool {
            TrainingPool::Study => "same_study",
            TrainingPool::All => "both_studies",
        },
        "selection_learned_at": match options.selection {
            SelectionTuning::Gate => "gate_threshold",
            SelectionTuning::EachThreshold => "each_threshold",
        },
        "selection_finds_by": match options.found_by {
            DetectionCriterion::AnyBenchmark => "any_benchmark",
            DetectionCriterion::MovedBenchmark => "moved_benchmark",
        },
    });
    // The schema comes first, so that a reader or a streaming parser can identify the document at once.
    format!(
        "{{\n\"schema\": \"{SCHEMA}\",\n\"options\": {head},\n{}}}\n",
        out.trim_start_matches("{\n")
    )
}

fn row(row: &AccuracyRow) -> Value {
    let mut o = Map::new();
    let mut put = |name: &str, value: Value| {
        o.insert(name.to_owned(), value);
    };
    let r = row;
    put("model", r.model.name().into());
    put("k", r.k.into());
    put("k_rule", r.k_rule.clone().into());
    put("threshold", number(r.threshold));
    put("scope", r.scope.clone().into());
    put("stage", r.stage.name().into());
    put("judged_by", r.judged_by.name().into());
    put("versions", r.versions.into());
    put("unpredicted", r.unpredicted.into());
    put("selected", number(r.selected.hits));
    put("regressions", number(r.recall.of));
    put("found", number(r.recall.hits));
    put("true_positive", number(r.recall.hits));
    put("false_positive", number(r.selected.hits - r.recall.hits));
    put("false_negative", number(r.recall.of - r.recall.hits));
    put("true_negative", number(r.true_negative));
    put("improvements", number(r.recall_improved.of));
    put("improvements_found", number(r.recall_improved.hits));
    put("moved", number(r.recall_moved.of));
    put("moved_found", number(r.recall_moved.hits));
    let large = LARGE.map(|at| format!("recall_at_{:.0}", at * 100.0));
    let mut rates: Vec<(&str, &EvaluationRate)> = vec![
        ("selected_share", &r.selected),
        ("precision", &r.precision),
        ("precision_moved", &r.precision_moved),
        ("recall", &r.recall),
        ("recall_run", &r.recall_run),
        ("recall_improvements", &r.recall_improved),
        ("recall_moved", &r.recall_moved),
    ];
    rates.extend(large.iter().map(String::as_str).zip(&r.recall_large));
    for (name, rate) in rates {
        put(name, maybe(rate.value()));
        let interval = rate.interval;
        put(&format!("{name}_low"), maybe(interval.map(|i| i.low)));
        put(&format!("{name}_high"), maybe(interval.map(|i| i.high)));
    }
    for (name, area) in [("auc", r.area), ("auc_moved", r.area_moved)] {
        put(name, maybe(area.map(|a: RocArea| a.area)));
        put(&format!("{name}_low"), maybe(area.map(|a| a.low)));
        put(&format!("{name}_high"), maybe(area.map(|a| a.high)));
    }
    put("average_precision", maybe(r.average_precision));
    put("average_precision_moved", maybe(r.average_precision_moved));
    put("pairs", number(r.pairs.of));
    put("pairs_selected", number(r.pairs.hits));
    put("pairs_run", maybe(r.pairs.value()));
    put("pairs_recall", maybe(r.pairs_recall.value()));
    put("pairs_precision", maybe(r.pairs_precision.value()));
    put("pairs_recall_moved", maybe(r.pairs_recall_moved.value()));
    put("pairs_precision_moved", maybe(r.pairs_precision_moved.value()));
    put("pairs_auc_moved", maybe(r.pairs_area.map(|a| a.area)));
    put("cost_ratio", maybe(r.cost_ratio()));
    put("cost_ratio_heads", maybe(r.cost_ratio_heads()));
    put("cost_seconds", number(r.cost));
    put("exhaustive_seconds", number(r.exhaustive));
    put("scoring_seconds_per_version", number(r.scoring));
    Value::Object(o)
}

fn ablated(ablated: &AblationResult) -> Value {
    value!({
        "without": ablated.without,
        "rows": ablated.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn project(project: &ProjectSummary) -> Value {
    value!({
        "study": project.study,
        "name": project.name,
        "dropped": project.dropped,
        "held_out": project.held_out,
        "measured": project.measured,
        "usable": project.usable,
        "k": project.k,
        "unpredicted": project.unpredicted,
        "pairs_unpredicted": project.pairs_unpredicted,
        "dependencies_changed": project.dependencies_changed,
        "unusable": project.unusable.iter()
            .map(|UnusableVersion { version, why }| value!({ "version": version, "why": why }))
            .collect::<Vec<_>>(),
    })
}

fn fold(fold: &CrossValidationFold) -> Value {
    let weights: Map<String, Value> = fold
        .calibration
        .weights
        .iter()
        .map(|(class, weight)| (words::class(*class), number(*weight)))
        .collect();
    value!({
        "without": fold.project,
        "study": fold.study,
        "learned_from": fold.learned_from,
        "select_at": number(fold.select_at),
        "select_at_by_threshold": fold.by_threshold.iter()
            .map(|(threshold, at)| [number(*threshold), number(*at)])
            .collect::<Vec<_>>(),
        "shape": number(fold.calibration.shape),
        "expected": number(fold.calibration.expected),
        "weights": weights,
    })
}

fn reliability(reliability: &ReliabilityDiagram) -> Value {
    value!({
        "scope": reliability.scope,
        "of": reliability.of,
        "brier": number(reliability.brier),
        "brier_of_share": number(reliability.brier_of_share),
        "bins": reliability.bins.iter().map(|bin| {
            let ConfidenceInterval { low, high } = bin.interval;
            value!({
                "from": number(bin.from), "to": number(bin.to), "count": bin.count,
                "predicted": number(bin.predicted), "observed": number(bin.observed),
                "low": number(low), "high": number(high),
            })
        }).collect::<Vec<_>>(),
    })
}

fn code(check: &CodeCheck) -> Value {
    value!({
        "scope": check.scope,
        "same": check.same,
        "same_executed": check.same_executed,
        "different": check.different,
        "unknown": check.unknown,
        "contradicted": check.contradicted,
        "different_moved": check.different_moved,
    })
}

fn kind(row: &ChangeKindRow) -> Value {
    value!({
        "scope": row.scope,
        "kind": row.kind,
        "changes": row.changes,
        "executed": row.executed,
        "versions": row.versions,
        "regressed": row.regressed,
        "improved": row.improved,
        "both": row.both,
    })
}

fn explained(explained: &ExplainedVersion) -> Value {
    value!({
        "outcome": words::outcome_id(explained.outcome),
        "study": explained.study,
        "project": explained.project,
        "version": explained.version,
        "commit": explained.commit,
        "benchmark": explained.benchmark,
        "change": number(explained.change),
        "total": number(explained.total),
        "probability": number(explained.probability),
        "own_probability": number(explained.own_probability),
        "select_at": number(explained.select_at),
        "distance": explained.distance,
        "code": explained.code,
        "why": explained.why,
        "dependencies": explained.dependencies,
        "degraded": explained.degraded,
    })
}

fn budget(curve: &BudgetCurve) -> Value {
    value!({
        "scope": curve.scope,
        "model": curve.model.name(),
        "spent_run_moved_regressed": curve.points.iter()
            .map(|p| [p.spent, p.run, p.moved, p.regressed].map(number))
            .collect::<Vec<_>>(),
    })
}

fn curve(curve: &RankCurve) -> Value {
    value!({
        "scope": curve.scope,
        "model": curve.model.name(),
        "selected_recall_false_rate_precision": curve.points.iter()
            .map(|p| [p.selected, p.recall, p.false_rate, p.precision].map(number))
            .collect::<Vec<_>>(),
    })
}

fn maybe(figure: Option<f64>) -> Value {
    figure.map_or(Value::Null, number)
}

/// Whole numbers without a decimal point, others rounded, and null for a value that is not a number.
fn number(figure: f64) -> Value {
    let rounded = (figure * DECIMALS).round() / DECIMALS;
    if !rounded.is_finite() {
        Value::Null
    } else if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        Value::from(rounded as i64)
    } else {
        Value::from(rounded)
    }
}
