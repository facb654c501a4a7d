//! Predictions compared with measurements: every pair as a dot, and probabilities against frequencies.

use crate::accuracy::{Evaluation, PredictionPoint};

use super::cell_format;
use super::svg::{AxisScale, Plot, PlotAxis, PlotPoint, PlotSeries, SeriesShape};
use super::table_layout::{EvaluationTable, plain};
use report::number_format;
use report::table::TableColumn;

/// Smaller predictions and movements are drawn at this value: a hundredth of a per cent.
const FLOOR: f64 = 1e-4;
/// Larger movements are drawn at this value.
const CEILING: f64 = 20.0;
/// Rarest probability and frequency on the reliability curve.
const RARE: f64 = 1e-3;
/// Colours of the style sheet.
const VERSIONS: u8 = 0;
const PAIRS: u8 = 1;
const MOVED: u8 = 1;
const STILL: u8 = 3;

/// The predicted median against the measured movement, one dot for each pair.
pub(super) fn predicted_measured(evaluation: &Evaluation, study: &str) -> Plot {
    let gate = evaluation.options.gate_threshold;
    let (mut moved, mut still) = (Vec::new(), Vec::new());
    for dot in dots(evaluation, study) {
        let (x, y) = (dot.predicted, dot.change.abs().min(CEILING));
        if dot.change.abs() >= gate {
            moved.push(PlotPoint {
                x,
                y,
                name: Some(format!(
                    "{} {}, {}: {}, predicted median {}, probability {}",
                    dot.project,
                    dot.version,
                    dot.benchmark,
                    number_format::change(dot.change),
                    number_format::share(dot.predicted),
                    number_format::probability(dot.probability)
                )),
                ..PlotPoint::default()
            });
        } else if x > FLOOR || y > FLOOR {
            // The corner stands for the thousands of pairs that have no cost at risk and do not move.
            still.push(PlotPoint {
                x,
                y,
                ..PlotPoint::default()
            });
        }
    }
    let log = |label: &str| PlotAxis {
        label: label.to_owned(),
        from: FLOOR,
        to: CEILING,
        scale: AxisScale::Log,
        ticks: [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0]
            .iter()
            .map(|t| (*t, format!("{}%", t * 100.0)))
            .collect(),
    };
    Plot {
        title: format!("Predicted against measured: {study}"),
        about: format!(
            "A dot for each benchmark at each version, by the predicted median of its movement and the measured movement either \
             way; what is below {} is drawn at the edge, and left out where both are.",
            cell_format::fine_percent(FLOOR)
        ),
        x: log("predicted median of |D|"),
        y: log("measured |D|"),
        guides: vec![[(FLOOR, FLOOR), (CEILING, CEILING)], [(FLOOR, gate), (CEILING, gate)]],
        series: vec![
            PlotSeries {
                name: format!("moved less than {}", cell_format::percent(gate)),
                color: STILL,
                shape: SeriesShape::Dots,
                points: still,
            },
            PlotSeries {
                name: format!("moved by {} or more", cell_format::percent(gate)),
                color: MOVED,
                shape: SeriesShape::Rings,
                points: moved,
            },
        ],
    }
}

fn dots<'e>(evaluation: &'e Evaluation, study: &'e str) -> impl Iterator<Item = &'e PredictionPoint> {
    evaluation.dots.iter().filter(move |dot| dot.study.name() == study)
}

/// The data of the plot as a table: measured movements by predicted ones.
pub(super) fn predicted_measured_table(evaluation: &Evaluation, study: &str) -> EvaluationTable {
    const EDGES: [f64; 9] = [0.0, 1e-12, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, f64::INFINITY];
    let gate = evaluation.options.gate_threshold;
    let rows = EDGES
        .windows(2)
        .filter_map(|edge| {
            let mut inside: Vec<f64> = dots(evaluation, study)
                .filter(|dot| (edge[0]..edge[1]).contains(&dot.predicted))
                .map(|dot| dot.change.abs())
                .collect();
            inside.sort_by(f64::total_cmp);
            let quantile = |q: f64| -> Option<f64> {
                let index = ((inside.len() as f64 - 1.0) * q).round();
                inside.get(index.max(0.0) as usize).copied()
            };
            let (half, most, all) = (quantile(0.5)?, quantile(0.9)?, quantile(1.0)?);
            let reached = inside.iter().filter(|d| **d >= gate).count() as f64;
            let label = match edge {
                [_, high] if *high <= 1e-12 => String::from("nothing touched"),
                [low, high] if high.is_infinite() => format!("{} and more", number_format::share(*low)),
                [low, high] if *low <= 1e-12 => format!("up to {}", cell_format::fine_percent(*high)),
                [low, high] => format!(
                    "{} to {}",
                    cell_format::fine_percent(*low),
                    cell_format::fine_percent(*high)
                ),
                _ => String::new(),
            };
            Some(vec![
                plain(label),
                plain(inside.len().to_string()),
                plain(cell_format::fine_percent(half)),
                plain(cell_format::fine_percent(most)),
                plain(cell_format::fine_percent(all)),
                plain(cell_format::percent(reached / inside.len() as f64)),
            ])
        })
        .collect();
    EvaluationTable {
        title: format!("Measured movements by predicted ones: {study}"),
        about: format!(
            "(benchmark × version) pairs by the predicted median of |D|, and quantiles of what was measured; last, the share \
             that moved by {}.",
            cell_format::percent(gate)
        ),
        columns: vec![
            TableColumn::Words("predicted median"),
            TableColumn::Figures("pairs"),
            TableColumn::Figures("median"),
            TableColumn::Figures("90% below"),
            TableColumn::Figures("most"),
            TableColumn::Figures("moved"),
        ],
        rows,
        drawn: None,
    }
}

/// Predicted against observed frequency.
pub(super) fn reliability(evaluation: &Evaluation, study: &str) -> Plot {
    let log = |label: &str| PlotAxis {
        label: label.to_owned(),
        from: RARE,
        to: 1.0,
        scale: AxisScale::Log,
        ticks: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
            .iter()
            .map(|t| (*t, cell_format::percent(*t)))
            .collect(),
    };
    Plot {
        title: format!("Reliability: {study}"),
        about: format!(
            "Mean predicted probability of moving by {} and the share that did, by bins of the prediction, with 95% intervals; on \
             the diagonal, probabilities are what they say. What is below {} is drawn at the edge.",
            cell_format::percent(evaluation.options.gate_threshold),
            cell_format::percent(RARE)
        ),
        x: log("predicted probability"),
        y: log("share that moved"),
        guides: vec![[(RARE, RARE), (1.0, 1.0)]],
        series: evaluation
            .reliability
            .iter()
            .filter(|curve| curve.scope == study)
            .zip([VERSIONS, PAIRS])
            .map(|(curve, color)| PlotSeries {
                name: curve.of.to_owned(),
                color,
                shape: SeriesShape::Rings,
                points: curve
                    .bins
                    .iter()
                    .map(|bin| PlotPoint {
                        x: bin.predicted,
                        y: bin.observed,
                        between: Some((bin.interval.low, bin.interval.high)),
                        name: Some(format!(
                            "{}: predicted {}, moved {} of {}",
                            curve.of,
                            cell_format::percent(bin.predicted),
                            cell_format::percent(bin.observed),
                            bin.count
                        )),
                    })
                    .collect(),
            })
            .collect(),
    }
}
