//! Models and stages compared: baselines, the cascade, the suite's total, the value of each class of evidence.

use crate::accuracy::{AccuracyRow, Evaluation, MovementCriterion, SelectionModel, StudyHalf, StudyStage};

use super::basis::{is_of_store, is_pretrained, without_held_out};
use super::cell_format;
use super::headline::{headline_row, studies};
use super::table_layout::{EvaluationTable, plain, strong};
use super::words;
use report::table::TableColumn;

/// Every model at the headline.
pub(super) fn baselines(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    EvaluationTable {
        title: format!("All models: {study}"),
        about: format!(
            "At {}. The signs of change select {}; “a file that moved it before” is told the whole truth up to the version.",
            cell_format::percent(evaluation.options.gate_threshold),
            if is_pretrained(evaluation) {
                String::from("whatever has one, there being no other project to learn from")
            } else {
                format!(
                    "from the value on that finds {} of what moved in the other projects",
                    cell_format::percent(evaluation.options.wanted_recall)
                )
            }
        ),
        columns: vec![
            TableColumn::Words("model"),
            TableColumn::Figures("selected"),
            TableColumn::Figures("recall"),
            TableColumn::Figures("recall (improved)"),
            TableColumn::Figures("precision"),
            TableColumn::Figures("precision (moved)"),
            TableColumn::Figures("AUC (moved)"),
            TableColumn::Figures("AUC (regressed)"),
            TableColumn::Figures("average precision (moved)"),
            TableColumn::Figures("pairs run"),
            TableColumn::Figures("pairs found (moved)"),
            TableColumn::Figures("cost"),
        ],
        rows: SelectionModel::ALL
            .iter()
            .filter_map(|model| headline_row(evaluation, *model, study, StudyStage::Source))
            .map(|row| {
                let cell = if row.model == SelectionModel::Lito {
                    strong
                } else {
                    plain
                };
                vec![
                    cell(words::model(row.model).to_owned()),
                    cell(cell_format::rate(&row.selected)),
                    cell(cell_format::rate_with_interval(&row.recall)),
                    cell(cell_format::rate(&row.recall_improved)),
                    cell(cell_format::rate_with_interval(&row.precision)),
                    cell(cell_format::rate_with_interval(&row.precision_moved)),
                    cell(cell_format::area(row.area_moved)),
                    cell(cell_format::area_only(row.area)),
                    cell(cell_format::fine(row.average_precision_moved)),
                    cell(cell_format::rate(&row.pairs)),
                    cell(cell_format::rate(&row.pairs_recall_moved)),
                    cell(cell_format::maybe_percent(row.cost_ratio())),
                ]
            })
            .collect(),
        drawn: None,
    }
}

/// The selected versions, the movements found and the cost after each stage.
pub(super) fn cascade(evaluation: &Evaluation) -> EvaluationTable {
    let mut rows = Vec::new();
    for study in studies(evaluation) {
        for model in [SelectionModel::Lito, SelectionModel::Paper] {
            for stage in [StudyStage::Source, StudyStage::Code, StudyStage::Counts] {
                let Some(row) = headline_row(evaluation, model, study, stage) else {
                    continue;
                };
                rows.push(vec![
                    plain(format!("{study}: {}", model.name())),
                    plain(words::stage(stage)),
                    plain(cell_format::hits(&row.selected)),
                    plain(cell_format::rate_with_interval(&row.recall)),
                    plain(cell_format::rate(&row.recall_improved)),
                    plain(cell_format::rate_with_interval(&row.precision_moved)),
                    plain(cell_format::rate(&row.pairs)),
                    plain(cell_format::maybe_percent(row.cost_ratio())),
                ]);
            }
        }
    }
    let checks: Vec<String> = evaluation
        .code
        .iter()
        .filter(|check| check.same + check.same_executed + check.different > 0)
        .map(|check| {
            format!(
                "Machine code over all pairs of {}: {} the same, {} the same where it ran, {} different (of these {} moved), \
                 {} not compared; of those said to be the same, {} moved by more than 0.1%.",
                check.scope,
                check.same,
                check.same_executed,
                check.different,
                check.different_moved,
                check.unknown,
                check.contradicted
            )
        })
        .collect();
    EvaluationTable {
        title: String::from("The cascade: what each stage leaves, finds and costs"),
        about: format!(
            "{} {}",
            if is_of_store(evaluation) {
                "What it cost is not known: builds and runs were not timed one by one."
            } else {
                "Cost: sampling, scoring, building and running, against building and running everything once a version; at \
                 the first stage as if both sides of what is selected were run at once."
            },
            checks.join(" ")
        ),
        columns: vec![
            TableColumn::Words("model"),
            TableColumn::Words("after stage"),
            TableColumn::Figures("selected"),
            TableColumn::Figures("recall"),
            TableColumn::Figures("recall (improved)"),
            TableColumn::Figures("precision (moved)"),
            TableColumn::Figures("pairs left"),
            TableColumn::Figures("cost"),
        ],
        rows,
        drawn: None,
    }
}

/// The headline's rows if the sum over the benchmarks has to move.
pub(super) fn suite_total(evaluation: &Evaluation) -> EvaluationTable {
    let options = &evaluation.options;
    let rows = studies(evaluation)
        .into_iter()
        .flat_map(|study| [(study, SelectionModel::Lito), (study, SelectionModel::Paper)])
        .filter_map(|(study, model)| {
            let row = evaluation.rows.iter().find(|row| {
                row.model == model
                    && row.k == options.headline
                    && row.threshold == options.gate_threshold
                    && row.scope == study
                    && row.stage == StudyStage::Source
                    && row.judged_by == MovementCriterion::SuiteTotal
            })?;
            Some(vec![
                plain(study),
                plain(model.name()),
                plain(row.versions.to_string()),
                plain(cell_format::hits(&row.selected)),
                plain(cell_format::count(row.recall.of)),
                plain(cell_format::rate_with_interval(&row.recall)),
                plain(cell_format::rate(&row.recall_improved)),
                plain(cell_format::rate(&row.precision_moved)),
                plain(cell_format::area(row.area_moved)),
            ])
        })
        .collect();
    EvaluationTable {
        title: String::from("Judged by the suite's total"),
        about: String::from("The same selection; a version counts as moved where the sum over its benchmarks does."),
        columns: vec![
            TableColumn::Words("study"),
            TableColumn::Words("model"),
            TableColumn::Figures("versions"),
            TableColumn::Figures("selected"),
            TableColumn::Figures("regressions"),
            TableColumn::Figures("recall"),
            TableColumn::Figures("recall (improved)"),
            TableColumn::Figures("precision (moved)"),
            TableColumn::Figures("AUC (moved)"),
        ],
        rows,
        drawn: None,
    }
}

/// The value of each class of evidence.
pub(super) fn ablation(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let whole = evaluation
        .ablation
        .first()
        .and_then(|ablated| in_study(&ablated.rows, study));
    EvaluationTable {
        title: format!("Without each class of evidence: {study}"),
        about: format!(
            "Weights and selection are learned again without it, leaving each project out in turn; selection aims at {} of \
             what moves, so what evidence is worth shows in what has to be selected, and in the area.{}",
            cell_format::percent(evaluation.options.wanted_recall),
            without_held_out(evaluation)
        ),
        columns: vec![
            TableColumn::Words("without"),
            TableColumn::Figures("selected"),
            TableColumn::Figures("recall"),
            TableColumn::Figures("recall (moved)"),
            TableColumn::Figures("precision (moved)"),
            TableColumn::Figures("AUC (moved)"),
            TableColumn::Figures("AUC, change"),
            TableColumn::Figures("pairs run"),
        ],
        rows: evaluation
            .ablation
            .iter()
            .filter_map(|ablated| {
                let row = in_study(&ablated.rows, study)?;
                let change = match (row.area_moved, whole.and_then(|row| row.area_moved)) {
                    (Some(area), Some(whole)) => format!("{:+.3}", area.area - whole.area),
                    _ => String::from(cell_format::NONE),
                };
                Some(vec![
                    plain(ablated.without.replace('_', " ")),
                    plain(cell_format::rate(&row.selected)),
                    plain(cell_format::rate(&row.recall)),
                    plain(cell_format::rate(&row.recall_moved)),
                    plain(cell_format::rate(&row.precision_moved)),
                    plain(cell_format::area_only(row.area_moved)),
                    plain(change),
                    plain(cell_format::rate(&row.pairs)),
                ])
            })
            .collect(),
        drawn: None,
    }
}

/// The row of the study, or of the half of it that is learned from.
fn in_study<'r>(rows: &'r [AccuracyRow], study: &str) -> Option<&'r AccuracyRow> {
    let learned = StudyHalf::Learned.scope(study);
    rows.iter().find(|row| row.scope == study || row.scope == learned)
}
