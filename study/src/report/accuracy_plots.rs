//! The content of the figures: the points of each, from the evaluation.

use crate::accuracy::{AccuracyRow, ChangeIndicator, Evaluation, EvaluationRate, RankPoint, SelectionModel};

use super::cell_format;
use super::project_tables::study_row;
use super::svg::{AxisScale, Plot, PlotAxis, PlotPoint, PlotSeries, SeriesShape, share_axis};
use super::table_layout::{EvaluationTable, plain};
use super::words;
use report::table::TableColumn;

/// Colours of the style sheet.
const OURS: u8 = 0;
const THEIRS: u8 = 1;
const THIRD: u8 = 2;
const OTHER: u8 = 3;

/// Regressions found and versions selected, by threshold.
pub(super) fn against_threshold(evaluation: &Evaluation, study: &str) -> Plot {
    let options = &evaluation.options;
    let row = |model, threshold| study_row(evaluation, model, study, options.headline, threshold);
    let last = options.thresholds.last().copied().unwrap_or(0.5);
    let first = options.thresholds.first().copied().unwrap_or(0.0);
    Plot {
        title: format!("Found and selected against the threshold: {study}"),
        about: String::from(
            "Share of the regressions found, and of the versions selected, by lito and by the published model, at each threshold; \
             found as far as something regressed by as much.",
        ),
        x: PlotAxis {
            label: String::from("threshold"),
            from: first,
            to: last,
            scale: AxisScale::Linear,
            ticks: options
                .thresholds
                .iter()
                .map(|t| (*t, cell_format::percent(*t)))
                .collect(),
        },
        y: share_axis("share"),
        guides: Vec::new(),
        series: found_and_selected(&options.thresholds, |t| *t, |model, t| row(model, *t)),
    }
}

/// Regressions found and versions selected, by distance between samples.
pub(super) fn against_k(evaluation: &Evaluation, study: &str) -> Plot {
    let options = &evaluation.options;
    let row = |model, k| study_row(evaluation, model, study, k, options.gate_threshold);
    // The distances that were sampled.
    let mut ks = options.ks.clone();
    ks.retain(|k| row(SelectionModel::Lito, *k).is_some());
    let to = ks.last().map_or(1.0, |k| f64::from(*k));
    Plot {
        title: format!("Found and selected against the distance between samples: {study}"),
        about: format!(
            "Share of the regressions of {} found, and of the versions selected, by lito and by the published model.",
            cell_format::percent(options.gate_threshold)
        ),
        x: PlotAxis {
            label: String::from("k: versions from sample to sample"),
            from: ks.first().map_or(1.0, |k| f64::from(*k)),
            to,
            scale: AxisScale::Log,
            ticks: ks.iter().map(|k| (f64::from(*k), k.to_string())).collect(),
        },
        y: share_axis("share"),
        guides: Vec::new(),
        series: found_and_selected(&ks, |k| f64::from(*k), |model, k| row(model, *k)),
    }
}

fn found_and_selected<'e, T>(
    steps: &[T],
    x: impl Fn(&T) -> f64,
    row: impl Fn(SelectionModel, &T) -> Option<&'e AccuracyRow>,
) -> Vec<PlotSeries> {
    let mut series = Vec::new();
    // Lito's model is drawn last, on top.
    for (model, color) in [(SelectionModel::Paper, THEIRS), (SelectionModel::Lito, OURS)] {
        for (what, shape, of) in [
            (
                "found",
                SeriesShape::Line,
                (|row| &row.recall) as fn(&AccuracyRow) -> &EvaluationRate,
            ),
            ("selected", SeriesShape::Dashed, |row| &row.selected),
        ] {
            series.push(PlotSeries {
                name: format!("{}: {what}", model.name()),
                color,
                shape,
                points: steps
                    .iter()
                    .filter_map(|step| {
                        Some(PlotPoint {
                            x: x(step),
                            y: of(row(model, step)?).value()?,
                            ..PlotPoint::default()
                        })
                    })
                    .collect(),
            });
        }
    }
    series
}

/// Precision against recall, all models.
pub(super) fn precision_recall(evaluation: &Evaluation, study: &str) -> Plot {
    Plot {
        title: format!("Precision against recall: {study}"),
        about: about_ranking(evaluation),
        x: share_axis("recall: moved versions found"),
        y: share_axis("precision: of the selected, moved"),
        guides: Vec::new(),
        series: ranked(evaluation, study, |p| (p.recall, p.precision), None),
    }
}

/// True positives against false positives, all models.
pub(super) fn roc(evaluation: &Evaluation, study: &str) -> Plot {
    Plot {
        title: format!("Receiver operating characteristic: {study}"),
        about: about_ranking(evaluation),
        x: share_axis("of what did not move, selected"),
        y: share_axis("of what moved, selected"),
        guides: vec![[(0.0, 0.0), (1.0, 1.0)]],
        series: ranked(evaluation, study, |p| (p.false_rate, p.recall), Some((0.0, 0.0))),
    }
}

fn about_ranking(evaluation: &Evaluation) -> String {
    format!(
        "Versions in the order of their scores; moved by {} either way. Thin lines: the other baselines.",
        cell_format::percent(evaluation.options.gate_threshold)
    )
}

fn ranked(
    evaluation: &Evaluation,
    study: &str,
    place: impl Fn(&RankPoint) -> (f64, f64),
    start: Option<(f64, f64)>,
) -> Vec<PlotSeries> {
    let mut series: Vec<PlotSeries> = evaluation
        .curves
        .iter()
        .filter(|curve| curve.scope == study)
        .map(|curve| {
            let (color, shape) = match curve.model {
                SelectionModel::Lito => (OURS, SeriesShape::Line),
                SelectionModel::Paper => (THEIRS, SeriesShape::Dashed),
                SelectionModel::Sign(ChangeIndicator::ChangedCost) => (THIRD, SeriesShape::Line),
                _ => (OTHER, SeriesShape::Background),
            };
            let places = start
                .into_iter()
                .chain(curve.points.iter().map(&place))
                .map(|(x, y)| PlotPoint {
                    x,
                    y,
                    ..PlotPoint::default()
                });
            PlotSeries {
                name: words::model(curve.model).to_owned(),
                color,
                shape,
                points: places.collect(),
            }
        })
        .collect();
    // The important series are drawn last, on top.
    series.sort_by_key(|series| std::cmp::Reverse(series.color));
    series
}

/// The movements that each model's ranking finds for a given number of selected versions.
pub(super) fn ranking_table(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    const SELECTED: [f64; 6] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75];
    EvaluationTable {
        title: format!("Found where so many versions are selected: {study}"),
        about: format!(
            "Share of the versions that moved by {} found when the versions with the highest scores are selected, up to this \
             share of all; among equal scores, by lot.",
            cell_format::percent(evaluation.options.gate_threshold)
        ),
        columns: vec![
            TableColumn::Words("model"),
            TableColumn::Figures("5%"),
            TableColumn::Figures("10%"),
            TableColumn::Figures("20%"),
            TableColumn::Figures("35%"),
            TableColumn::Figures("50%"),
            TableColumn::Figures("75%"),
        ],
        rows: evaluation
            .curves
            .iter()
            .filter(|curve| curve.scope == study)
            .map(|curve| {
                let mut row = vec![plain(words::model(curve.model))];
                row.extend(
                    SELECTED
                        .iter()
                        .map(|share| plain(cell_format::percent(recall_at(&curve.points, *share)))),
                );
                row
            })
            .collect(),
        drawn: None,
    }
}

/// Equal scores lie between two points of a curve: a random selection among them finds hits in proportion.
fn recall_at(points: &[RankPoint], share: f64) -> f64 {
    let (mut selected, mut recall) = (0.0, 0.0);
    for point in points {
        if point.selected >= share {
            let part = (share - selected) / (point.selected - selected);
            return recall + (point.recall - recall) * part;
        }
        (selected, recall) = (point.selected, point.recall);
    }
    recall
}

/// Movements found by seconds spent.
pub(super) fn budget(evaluation: &Evaluation, study: &str) -> Plot {
    let mut plot = Plot {
        title: format!("Found against seconds spent: {study}"),
        about: String::from(
            "Benchmarks of all versions in the order of their scores: share of the pairs that moved found, against the seconds of \
             building and running as a share of building and running everything. Straight: by lot.",
        ),
        x: share_axis("seconds spent"),
        y: share_axis("moved pairs found"),
        guides: vec![[(0.0, 0.0), (1.0, 1.0)]],
        series: evaluation
            .budgets
            .iter()
            .filter(|curve| curve.scope == study)
            .map(|curve| {
                let (color, shape) = match curve.model {
                    SelectionModel::Lito => (OURS, SeriesShape::Line),
                    SelectionModel::Paper => (THEIRS, SeriesShape::Dashed),
                    SelectionModel::Sign(ChangeIndicator::ChangedCost) => (THIRD, SeriesShape::Line),
                    _ => (OTHER, SeriesShape::Dashed),
                };
                PlotSeries {
                    name: words::model(curve.model).to_owned(),
                    color,
                    shape,
                    points: curve
                        .points
                        .iter()
                        .map(|p| PlotPoint {
                            x: p.spent,
                            y: p.moved,
                            ..PlotPoint::default()
                        })
                        .collect(),
                }
            })
            .collect(),
    };
    plot.series.sort_by_key(|series| std::cmp::Reverse(series.color));
    plot
}
