//! Models and stages beside each other: baselines, the cascade, the suite's total, what each class of evidence is worth.

use crate::accuracy::{Evaluation, JudgedBy, Model, Row, Stage};

use super::basis::is_given;
use super::figure;
use super::headline::{row_of, studies};
use super::listing::{Listing, plain, strong};
use super::words;
use report::table::Column;

/// Every model at the headline.
pub(super) fn baselines(evaluation: &Evaluation, study: &str) -> Listing {
    Listing {
        title: format!("All models: {study}"),
        about: format!(
            "At {}. The signs of change select {}; “a file that moved it before” is told the whole truth up to the version.",
            figure::percent(evaluation.options.gate_threshold),
            if is_given(evaluation) {
                String::from("whatever has one, there being no other project to learn from")
            } else {
                format!(
                    "from the value on that finds {} of what moved in the other projects",
                    figure::percent(evaluation.options.wanted_recall)
                )
            }
        ),
        columns: vec![
            Column::Words("model"),
            Column::Figures("selected"),
            Column::Figures("recall"),
            Column::Figures("recall (improved)"),
            Column::Figures("precision"),
            Column::Figures("precision (moved)"),
            Column::Figures("AUC (moved)"),
            Column::Figures("AUC (regressed)"),
            Column::Figures("average precision (moved)"),
            Column::Figures("pairs run"),
            Column::Figures("pairs found (moved)"),
            Column::Figures("cost"),
        ],
        rows: Model::ALL
            .iter()
            .filter_map(|model| row_of(evaluation, *model, study, Stage::Source))
            .map(|row| {
                let cell = if row.model == Model::Lito { strong } else { plain };
                vec![
                    cell(words::model(row.model).to_owned()),
                    cell(figure::rate(&row.selected)),
                    cell(figure::rate_between(&row.recall)),
                    cell(figure::rate(&row.recall_improved)),
                    cell(figure::rate_between(&row.precision)),
                    cell(figure::rate_between(&row.precision_moved)),
                    cell(figure::area(row.area_moved)),
                    cell(figure::area_only(row.area)),
                    cell(figure::fine(row.average_precision_moved)),
                    cell(figure::rate(&row.pairs)),
                    cell(figure::rate(&row.pairs_recall_moved)),
                    cell(figure::maybe_percent(row.cost_ratio())),
                ]
            })
            .collect(),
    }
}

/// What each stage leaves, finds and costs.
pub(super) fn cascade(evaluation: &Evaluation) -> Listing {
    let mut rows = Vec::new();
    for study in studies(evaluation) {
        for model in [Model::Lito, Model::Paper] {
            for stage in [Stage::Source, Stage::Code, Stage::Counts] {
                let Some(row) = row_of(evaluation, model, study, stage) else {
                    continue;
                };
                rows.push(vec![
                    plain(format!("{study}: {}", model.name())),
                    plain(words::stage(stage)),
                    plain(figure::hits(&row.selected)),
                    plain(figure::rate_between(&row.recall)),
                    plain(figure::rate(&row.recall_improved)),
                    plain(figure::rate_between(&row.precision_moved)),
                    plain(figure::rate(&row.pairs)),
                    plain(figure::maybe_percent(row.cost_ratio())),
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
    Listing {
        title: String::from("The cascade: what each stage leaves, finds and costs"),
        about: format!(
            "{} {}",
            if is_given(evaluation) {
                "What it cost is not known: builds and runs were not timed one by one."
            } else {
                "Cost: sampling, scoring, building and running, against building and running everything once a version; at \
                 the first stage as if both sides of what is selected were run at once."
            },
            checks.join(" ")
        ),
        columns: vec![
            Column::Words("model"),
            Column::Words("after stage"),
            Column::Figures("selected"),
            Column::Figures("recall"),
            Column::Figures("recall (improved)"),
            Column::Figures("precision (moved)"),
            Column::Figures("pairs left"),
            Column::Figures("cost"),
        ],
        rows,
    }
}

/// The same headline where the sum over the benchmarks has to move.
pub(super) fn suite_total(evaluation: &Evaluation) -> Listing {
    let options = &evaluation.options;
    let rows = studies(evaluation)
        .into_iter()
        .flat_map(|study| [(study, Model::Lito), (study, Model::Paper)])
        .filter_map(|(study, model)| {
            let row = evaluation.rows.iter().find(|row| {
                row.model == model
                    && row.k == options.headline
                    && row.threshold == options.gate_threshold
                    && row.scope == study
                    && row.stage == Stage::Source
                    && row.judged_by == JudgedBy::SuiteTotal
            })?;
            Some(vec![
                plain(study),
                plain(model.name()),
                plain(row.versions.to_string()),
                plain(figure::hits(&row.selected)),
                plain(figure::count(row.recall.of)),
                plain(figure::rate_between(&row.recall)),
                plain(figure::rate(&row.recall_improved)),
                plain(figure::rate(&row.precision_moved)),
                plain(figure::area(row.area_moved)),
            ])
        })
        .collect();
    Listing {
        title: String::from("Judged by the suite's total"),
        about: String::from("The same selection; a version counts as moved where the sum over its benchmarks does."),
        columns: vec![
            Column::Words("study"),
            Column::Words("model"),
            Column::Figures("versions"),
            Column::Figures("selected"),
            Column::Figures("regressions"),
            Column::Figures("recall"),
            Column::Figures("recall (improved)"),
            Column::Figures("precision (moved)"),
            Column::Figures("AUC (moved)"),
        ],
        rows,
    }
}

/// What each class of evidence is worth.
pub(super) fn ablation(evaluation: &Evaluation, study: &str) -> Listing {
    let whole = evaluation
        .ablation
        .first()
        .and_then(|ablated| in_study(&ablated.rows, study));
    Listing {
        title: format!("Without each class of evidence: {study}"),
        about: format!(
            "Weights and selection are learned again without it, leaving each project out in turn; selection aims at {} of \
             what moves, so what evidence is worth shows in what has to be selected, and in the area.",
            figure::percent(evaluation.options.wanted_recall)
        ),
        columns: vec![
            Column::Words("without"),
            Column::Figures("selected"),
            Column::Figures("recall"),
            Column::Figures("recall (moved)"),
            Column::Figures("precision (moved)"),
            Column::Figures("AUC (moved)"),
            Column::Figures("AUC, change"),
            Column::Figures("pairs run"),
        ],
        rows: evaluation
            .ablation
            .iter()
            .filter_map(|ablated| {
                let row = in_study(&ablated.rows, study)?;
                let change = match (row.area_moved, whole.and_then(|row| row.area_moved)) {
                    (Some(area), Some(whole)) => format!("{:+.3}", area.area - whole.area),
                    _ => String::from(figure::NONE),
                };
                Some(vec![
                    plain(ablated.without.replace('_', " ")),
                    plain(figure::rate(&row.selected)),
                    plain(figure::rate(&row.recall)),
                    plain(figure::rate(&row.recall_moved)),
                    plain(figure::rate(&row.precision_moved)),
                    plain(figure::area_only(row.area_moved)),
                    plain(change),
                    plain(figure::rate(&row.pairs)),
                ])
            })
            .collect(),
    }
}

fn in_study<'r>(rows: &'r [Row], study: &str) -> Option<&'r Row> {
    rows.iter().find(|row| row.scope == study)
}
