//! A report → tables, for readers without scripts: the same figures, the most important first.

use super::{BetterDirection, EvolutionMatrix, HtmlReport};
use crate::comparison::{ExecutionComparison, largest, row};
use crate::number_format;
use crate::track::{ChangeDetectionMethod, CostTrack, TrackChange, TrackPoint, TrackedBenchmark, TrackedVersionState};

/// Rows of a table of functions, contexts or changes at most: what follows is hardly ever looked for in a table.
const MOST_ROWS: usize = 40;

/// Benchmarks whose cost at each version is written. Of more of them, the first and the last are.
const MOST_BENCHMARKS: usize = 12;

/// A table of texts; the page escapes them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainTable {
    pub(super) caption: String,
    /// The first names what rows are named by.
    pub(super) columns: Vec<PlainTableColumn>,
    pub(super) rows: Vec<PlainTableRow>,
}

/// The head of a column.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainTableColumn {
    pub(super) name: String,
    /// Of figures, which stand at the right.
    pub(super) is_figure: bool,
}

/// A row of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainTableRow {
    pub(super) name: String,
    pub(super) cells: Vec<PlainTableCell>,
}

/// A cell of a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainTableCell {
    pub(super) text: String,
    pub(super) is_figure: bool,
    /// `worse`, `better`, or empty.
    pub(super) tone: &'static str,
}

/// Comparisons that have tables: whoever looks for another one compares these two versions.
const MOST_COMPARISONS: usize = 12;

/// All tables of a view.
pub(super) fn tables(view: &HtmlReport<'_>) -> Vec<PlainTable> {
    let mut tables = Vec::new();
    if let Some(track) = view.track {
        tables.push(changes(view, track));
        tables.push(match track.benchmarks.len() {
            0..=MOST_BENCHMARKS => costs(view, track),
            _ => first_and_last(view, track),
        });
    }
    let compared = view.comparisons.iter().take(MOST_COMPARISONS);
    tables.extend(compared.flat_map(|one| [path(view, one), most_changed(view, one)]));
    tables.extend(view.matrices.iter().map(|matrix| shares(view, matrix)));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// Cost of each benchmark at each version.
fn costs(view: &HtmlReport<'_>, track: &CostTrack) -> PlainTable {
    let names = track.benchmarks.iter().map(|one| one.name.clone());
    let rows = (view.versions.iter().zip(&track.versions).enumerate()).map(|(at, (version, of))| {
        let cell = |point: &TrackPoint| match point {
            TrackPoint::Measured(cost) => number_format::count(*cost),
            TrackPoint::Carried(cost) => format!("{} (carried over)", number_format::count(*cost)),
            TrackPoint::Gap(reason) => {
                format!("none: {}", track.reasons.get(*reason).map_or("", String::as_str))
            }
        };
        let state = if of.state == TrackedVersionState::Gap {
            " (gap)"
        } else {
            ""
        };
        PlainTableRow {
            name: format!("{}{state}", version.label),
            cells: (track.benchmarks.iter())
                .map(|one| figure(cell(&one.points[at])))
                .collect(),
        }
    });
    PlainTable {
        caption: format!("Cost of each benchmark, in {}", track.unit),
        columns: std::iter::once(words("version")).chain(names.map(figures)).collect(),
        rows: rows.collect(),
    }
}

/// First and last cost of each benchmark.
fn first_and_last(view: &HtmlReport<'_>, track: &CostTrack) -> PlainTable {
    let rows = (track.benchmarks.iter()).map(|benchmark| {
        let cost = |of: Option<u64>| figure(of.map_or_else(|| "none".to_owned(), number_format::count));
        let ends = benchmark.ends();
        let difference = benchmark.whole_change().map(|relative| change(view, relative));
        PlainTableRow {
            name: benchmark.name.clone(),
            cells: vec![
                cost(ends.map(|(first, _)| first)),
                cost(ends.map(|(_, last)| last)),
                difference.unwrap_or_else(|| figure(String::new())),
            ],
        }
    });
    PlainTable {
        caption: format!("First and last cost of each benchmark, in {}", track.unit),
        columns: vec![words("benchmark"), figures("first"), figures("last"), figures("change")],
        rows: rows.collect(),
    }
}

/// Where the series change; of many changes the largest, those first.
fn changes(view: &HtmlReport<'_>, track: &CostTrack) -> PlainTable {
    let mut all: Vec<(&TrackedBenchmark, &TrackChange)> = (track.benchmarks.iter())
        .flat_map(|one| one.changes.iter().map(move |change| (one, change)))
        .collect();
    let caption = match all.len() {
        0..=MOST_ROWS => "Where costs change".to_owned(),
        count => format!("Where costs change most: {MOST_ROWS} of {count} changes"),
    };
    if all.len() > MOST_ROWS {
        all.sort_by(|one, two| two.1.relative().abs().total_cmp(&one.1.relative().abs()));
        all.truncate(MOST_ROWS);
    }
    let rows = all.into_iter().map(|(benchmark, step)| PlainTableRow {
        name: benchmark.name.clone(),
        cells: vec![
            text(place(view, step)),
            figure(number_format::cost(step.before)),
            figure(number_format::cost(step.after)),
            change(view, step.relative()),
            text(match step.method {
                ChangeDetectionMethod::EDivisive => "yes (E-divisive)",
                ChangeDetectionMethod::Jump => "not known to",
            }),
        ],
    });
    PlainTable {
        caption,
        columns: vec![
            words("benchmark"),
            words("version"),
            figures("before"),
            figures("after"),
            figures("change"),
            words("stays"),
        ],
        rows: rows.collect(),
    }
}

/// The version of a change, or those that it lies between.
fn place(view: &HtmlReport<'_>, change: &TrackChange) -> String {
    let label = |at: usize| view.versions.get(at).map_or("", |version| version.label.as_str());
    match change.is_across_a_gap() {
        true => format!("between {} and {}", label(change.since), label(change.at)),
        false => label(change.at).to_owned(),
    }
}

/// The delta hot path, root first.
fn path(view: &HtmlReport<'_>, comparison: &ExecutionComparison) -> PlainTable {
    contexts(
        view,
        format!("{}: the path to what changed most", comparison.title()),
        comparison,
        &comparison.path(comparison.hot()),
    )
}

/// The contexts whose own cost changed most.
fn most_changed(view: &HtmlReport<'_>, comparison: &ExecutionComparison) -> PlainTable {
    contexts(
        view,
        format!("{}: where the cost itself changed most", comparison.title()),
        comparison,
        &largest(comparison, MOST_ROWS),
    )
}

fn contexts(view: &HtmlReport<'_>, caption: String, comparison: &ExecutionComparison, nodes: &[usize]) -> PlainTable {
    let rows = nodes.iter().map(|&at| {
        let row = row(comparison, at);
        let [before, after] = row.costs;
        let tone = match row.mark {
            "▲" => tone(view, 1.0),
            "▼" => tone(view, -1.0),
            _ => "",
        };
        PlainTableRow {
            name: row.name,
            cells: vec![
                text(row.what),
                figure(before),
                figure(after),
                PlainTableCell {
                    tone,
                    ..figure(row.difference)
                },
                figure(row.calls),
            ],
        }
    });
    PlainTable {
        caption,
        columns: vec![
            words("function"),
            words("what"),
            figures("before"),
            figures("after"),
            figures("difference"),
            figures("calls"),
        ],
        rows: rows.collect(),
    }
}

/// The share of each function in each version, the largest first.
fn shares(view: &HtmlReport<'_>, matrix: &EvolutionMatrix<'_>) -> PlainTable {
    let mut rows: Vec<(f64, PlainTableRow)> = Vec::new();
    let mut names: Vec<&str> = (matrix.columns.iter())
        .flat_map(|column| column.profile.functions.iter().map(|function| function.name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let shares: Vec<Option<f64>> = (matrix.columns.iter())
            .map(|column| {
                let named = column.profile.functions.iter().filter(|one| one.name == name);
                let cost = named.map(|one| one.inclusive).max()?;
                #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
                let share = cost as f64 / column.profile.total.max(1) as f64;
                Some(share)
            })
            .collect();
        let largest = shares.iter().flatten().copied().fold(0.0, f64::max);
        let cell = |share: &Option<f64>| figure(share.map_or_else(|| "–".to_owned(), number_format::share));
        let row = PlainTableRow {
            name: name.to_owned(),
            cells: shares.iter().map(cell).collect(),
        };
        rows.push((largest, row));
    }
    rows.sort_by(|one, two| two.0.total_cmp(&one.0));
    rows.truncate(MOST_ROWS);
    let labels = (matrix.columns.iter()).map(|column| {
        view.versions
            .get(column.version)
            .map_or("", |version| &version.label)
            .to_owned()
    });
    PlainTable {
        caption: format!("{}: share of the total, callees included", matrix.benchmark),
        columns: std::iter::once(words("function")).chain(labels.map(figures)).collect(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}

fn words(name: impl Into<String>) -> PlainTableColumn {
    PlainTableColumn {
        name: name.into(),
        is_figure: false,
    }
}

fn figures(name: impl Into<String>) -> PlainTableColumn {
    PlainTableColumn {
        name: name.into(),
        is_figure: true,
    }
}

fn text(text: impl Into<String>) -> PlainTableCell {
    PlainTableCell {
        text: text.into(),
        is_figure: false,
        tone: "",
    }
}

fn figure(text: String) -> PlainTableCell {
    PlainTableCell {
        text,
        is_figure: true,
        tone: "",
    }
}

/// A relative change, as good or bad for the unit.
fn change(view: &HtmlReport<'_>, relative: f64) -> PlainTableCell {
    PlainTableCell {
        tone: tone(view, relative),
        ..figure(number_format::change(relative))
    }
}

/// Of a signed change, as good or bad for the unit.
fn tone(view: &HtmlReport<'_>, change: f64) -> &'static str {
    let is_worse = match view.better {
        BetterDirection::Less => change > 0.0,
        BetterDirection::More => change < 0.0,
    };
    match (change == 0.0, is_worse) {
        (true, _) => "",
        (false, true) => "worse",
        (false, false) => "better",
    }
}
