//! The tables of the paper's section 4.2, for each project and in total: its Tables 7 and 8, and the data of its
//! Figures 4 and 5.

use crate::accuracy::{AccuracyRow, Evaluation, MovementCriterion, SelectionModel, StudyHalf, StudyStage};

use super::basis::sample_rule;
use super::cell_format::{self, NONE};
use super::evolution_column::evolution_column;
use super::headline::{PublishedResults, headline_row};
use super::table_layout::{EvaluationTable, StyledCell, plain, strong};
use super::words;
use report::table::TableColumn;

/// Both cost models, always together.
const COSTED: [SelectionModel; 2] = [SelectionModel::Lito, SelectionModel::Paper];

/// The paper's Table 7: the selected versions and the regressions found, for both cost models.
pub(super) fn table_7(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let (scopes, mut rows): (Vec<String>, Vec<Vec<StyledCell>>) = scopes(evaluation, study)
        .into_iter()
        .filter_map(|scope| {
            let [ours, theirs] = COSTED.map(|model| headline_row(evaluation, model, &scope, StudyStage::Source));
            let cell = if is_project(&scope) { plain } else { strong };
            let mut row = vec![cell(name(&scope).to_owned())];
            let first = ours?;
            row.push(cell(first.versions.to_string()));
            row.push(cell(cell_format::count(first.recall.of)));
            for model in [first, theirs?] {
                row.push(cell(cell_format::hits(&model.selected)));
                row.push(cell(cell_format::hits(&model.recall)));
                row.push(cell(cell_format::count(model.recall.of - model.recall.hits)));
            }
            Some((scope, row))
        })
        .unzip();
    let (versions, selected) = (PublishedResults::VERSIONS, PublishedResults::SELECTED);
    let (regressions, found) = (PublishedResults::REGRESSIONS, PublishedResults::FOUND);
    let share = |hits: u32, of: u32| format!("{hits} ({})", cell_format::percent(f64::from(hits) / f64::from(of)));
    rows.push(vec![
        plain("published (17 Pharo projects)"),
        plain(versions.to_string()),
        plain(regressions.to_string()),
        plain(NONE),
        plain(NONE),
        plain(NONE),
        plain(share(selected, versions)),
        plain(share(found, regressions)),
        plain((regressions - found).to_string()),
    ]);
    EvaluationTable {
        title: format!("Regressions found, by project: {study} (as the paper's Table 7)"),
        about: about(evaluation),
        columns: vec![
            TableColumn::Words("project"),
            TableColumn::Figures("versions"),
            TableColumn::Figures("regressions"),
            TableColumn::Figures("lito: selected"),
            TableColumn::Figures("lito: found"),
            TableColumn::Figures("lito: missed"),
            TableColumn::Figures("paper: selected"),
            TableColumn::Figures("paper: found"),
            TableColumn::Figures("paper: missed"),
        ],
        rows,
        drawn: evolution_column(evaluation, &scopes),
    }
}

/// Table 7 with fewer columns, for a narrow page.
pub(super) fn table_7_in_short(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let found = |found: f64, of: f64| format!("{} of {}", cell_format::count(found), cell_format::count(of));
    let mut rows: Vec<Vec<StyledCell>> = scopes(evaluation, study)
        .into_iter()
        .filter_map(|scope| {
            let cell = if is_project(&scope) { plain } else { strong };
            let [ours, theirs] = COSTED.map(|model| headline_row(evaluation, model, &scope, StudyStage::Source));
            let mut row = vec![cell(name(&scope).to_owned()), cell(ours?.versions.to_string())];
            for model in [ours?, theirs?] {
                row.push(cell(cell_format::hits(&model.selected)));
                row.push(cell(found(model.recall.hits, model.recall.of)));
            }
            Some(row)
        })
        .collect();
    let share = f64::from(PublishedResults::SELECTED) / f64::from(PublishedResults::VERSIONS);
    rows.push(vec![
        plain("published"),
        plain(PublishedResults::VERSIONS.to_string()),
        plain(NONE),
        plain(NONE),
        plain(format!(
            "{} ({})",
            PublishedResults::SELECTED,
            cell_format::percent(share)
        )),
        plain(found(
            f64::from(PublishedResults::FOUND),
            f64::from(PublishedResults::REGRESSIONS),
        )),
    ]);
    EvaluationTable {
        columns: vec![
            TableColumn::Words("project"),
            TableColumn::Figures("versions"),
            TableColumn::Figures("lito: selected"),
            TableColumn::Figures("lito: found"),
            TableColumn::Figures("paper: selected"),
            TableColumn::Figures("paper: found"),
        ],
        rows,
        ..table_7(evaluation, study)
    }
}

/// The paper's Table 8: precision and recall of one cost model.
pub(super) fn table_8(evaluation: &Evaluation, study: &str, model: SelectionModel) -> EvaluationTable {
    let mut rows: Vec<Vec<StyledCell>> = scopes(evaluation, study)
        .into_iter()
        .filter_map(|scope| {
            let row = headline_row(evaluation, model, &scope, StudyStage::Source)?;
            let cell = if is_project(&scope) { plain } else { strong };
            Some(vec![
                cell(name(&scope).to_owned()),
                cell(cell_format::count(row.recall.hits)),
                cell(cell_format::count(row.selected.hits - row.recall.hits)),
                cell(cell_format::count(row.recall.of - row.recall.hits)),
                cell(cell_format::count(row.true_negative)),
                cell(cell_format::rate(&row.precision)),
                cell(cell_format::rate_with_interval(&row.recall)),
                cell(cell_format::rate(&row.precision_moved)),
                cell(cell_format::rate(&row.recall_improved)),
            ])
        })
        .collect();
    if model == SelectionModel::Paper {
        let missed = PublishedResults::REGRESSIONS - PublishedResults::FOUND;
        rows.push(vec![
            plain("published (17 Pharo projects)"),
            plain(PublishedResults::FOUND.to_string()),
            plain(PublishedResults::FALSE_POSITIVES.to_string()),
            plain(missed.to_string()),
            plain(PublishedResults::TRUE_NEGATIVES.to_string()),
            plain(PublishedResults::PRECISION),
            plain("83.3%"),
            plain(NONE),
            plain(NONE),
        ]);
    }
    EvaluationTable {
        title: format!(
            "Precision and recall of {}: {study} (as the paper's Table 8)",
            words::model(model)
        ),
        about: about(evaluation),
        columns: vec![
            TableColumn::Words("project"),
            TableColumn::Figures("TP"),
            TableColumn::Figures("FP"),
            TableColumn::Figures("FN"),
            TableColumn::Figures("TN"),
            TableColumn::Figures("precision"),
            TableColumn::Figures("recall"),
            TableColumn::Figures("precision (moved)"),
            TableColumn::Figures("recall (improved)"),
        ],
        rows,
        drawn: None,
    }
}

/// The data of the paper's Figure 4: both models by threshold.
pub(super) fn by_threshold(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let options = &evaluation.options;
    EvaluationTable {
        title: format!("Against the threshold: {study} (as the paper's Figure 4)"),
        about: String::from("Found and selected where everything is asked at the threshold."),
        columns: against("threshold"),
        rows: options
            .thresholds
            .iter()
            .filter_map(|threshold| {
                compared(
                    evaluation,
                    study,
                    options.headline,
                    *threshold,
                    cell_format::percent(*threshold),
                )
            })
            .collect(),
        drawn: None,
    }
}

/// The data of the paper's Figure 5: both models by distance between samples.
pub(super) fn by_k(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    let options = &evaluation.options;
    EvaluationTable {
        title: format!("Against the distance between samples: {study} (as the paper's Figure 5)"),
        about: format!(
            "At {}. k = {} stands for half of it where a history is short; at the others, histories without such a sample are \
             left out: the versions differ.",
            cell_format::percent(options.gate_threshold),
            options.headline
        ),
        columns: against("k"),
        rows: options
            .ks
            .iter()
            .filter_map(|k| compared(evaluation, study, *k, options.gate_threshold, k.to_string()))
            .collect(),
        drawn: None,
    }
}

fn against(what: &'static str) -> Vec<TableColumn> {
    vec![
        TableColumn::Figures(what),
        TableColumn::Figures("versions"),
        TableColumn::Figures("regressions"),
        TableColumn::Figures("lito: selected"),
        TableColumn::Figures("lito: recall"),
        TableColumn::Figures("lito: precision (moved)"),
        TableColumn::Figures("paper: selected"),
        TableColumn::Figures("paper: recall"),
        TableColumn::Figures("paper: precision (moved)"),
    ]
}

fn compared(evaluation: &Evaluation, study: &str, k: u32, threshold: f64, label: String) -> Option<Vec<StyledCell>> {
    let [ours, theirs] = COSTED.map(|model| study_row(evaluation, model, study, k, threshold));
    let first = ours?;
    let mut row = vec![
        plain(label),
        plain(first.versions.to_string()),
        plain(cell_format::count(first.recall.of)),
    ];
    for model in [first, theirs?] {
        row.push(plain(cell_format::rate(&model.selected)));
        row.push(plain(cell_format::rate_with_interval(&model.recall)));
        row.push(plain(cell_format::rate(&model.precision_moved)));
    }
    Some(row)
}

/// A model's row of a whole study at the source stage, judged by any benchmark.
pub(super) fn study_row<'e>(
    evaluation: &'e Evaluation,
    model: SelectionModel,
    scope: &str,
    k: u32,
    threshold: f64,
) -> Option<&'e AccuracyRow> {
    evaluation.rows.iter().find(|row| {
        row.model == model
            && row.k == k
            && row.threshold == threshold
            && row.scope == scope
            && row.stage == StudyStage::Source
            && row.judged_by == MovementCriterion::AnyBenchmark
    })
}

/// The study's projects by name, its halves where projects are held out, and the study itself last.
fn scopes(evaluation: &Evaluation, study: &str) -> Vec<String> {
    let is_here = |scope: &str| evaluation.rows.iter().any(|row| row.scope == scope);
    let mut scopes: Vec<String> = evaluation
        .rows
        .iter()
        .map(|row| &row.scope)
        .filter(|scope| scope.strip_prefix(study).is_some_and(is_project))
        .cloned()
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    let halves = StudyHalf::ALL.map(|half| half.scope(study));
    scopes.extend(halves.into_iter().filter(|scope| is_here(scope)));
    scopes.push(study.to_owned());
    scopes
}

/// True for the scope of a single project, with or without its study before the slash.
fn is_project(scope: &str) -> bool {
    scope.contains('/')
}

/// A project's name, or the label for a half of them or for all.
fn name(scope: &str) -> &str {
    let is_half = |half: &StudyHalf| scope.split(':').next().is_some_and(|study| half.scope(study) == scope);
    match (scope.split_once('/'), StudyHalf::ALL.into_iter().find(is_half)) {
        (Some((_, name)), _) => name,
        (None, Some(half)) => words::half(half),
        (None, None) => "total",
    }
}

fn about(evaluation: &Evaluation) -> String {
    format!(
        "Threshold {}, any benchmark, {}, before anything is built.",
        cell_format::percent(evaluation.options.gate_threshold),
        sample_rule(evaluation)
    )
}
