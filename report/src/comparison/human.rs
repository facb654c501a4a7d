//! Comparisons → tables: the path to the largest change, and other contexts whose own cost changed.

use anstyle::Style;
use profile::call_tree::{CostMeasure, EvolutionNodeKind};

use super::ExecutionComparison;
use super::causes::{CauseRow, cause_rows};
use super::rows::{ComparisonRow, largest, row, signed};
use crate::markdown::name;
use crate::number_format;
use crate::style::{BAD, FAINT, GOOD, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// Contexts besides the path that are listed.
const OTHERS: usize = 5;

/// Deeper contexts are not indented further.
const DEEPEST: usize = 12;

/// The comparisons for a terminal.
#[must_use]
pub fn human(comparisons: &[ExecutionComparison], unit: &str, width: Option<usize>) -> String {
    let parts = comparisons.iter().map(|comparison| {
        let mut out = format!("{}\n", headline(comparison, unit));
        let others = others(comparison);
        let is_same = comparison.evolution.nodes[0]
            .difference
            .is_noise(CostMeasure::CostInclusive);
        if is_same && others.is_empty() {
            return out;
        }
        let causes = cause_rows(comparison);
        if !causes.is_empty() {
            out.push_str(&listed_causes(&causes, width));
            out.push_str("\nThe path to the largest change:\n");
        }
        out.push_str(&listed(comparison, &comparison.path(comparison.hot()), width, true));
        if !others.is_empty() {
            out.push_str("\nWhat else costs more or less by itself:\n");
            out.push_str(&listed(comparison, &others, width, false));
        }
        for note in &comparison.notes {
            out.push_str(&format!("{}\n", paint(FAINT, &text::safe(note))));
        }
        out
    });
    parts.collect::<Vec<String>>().join("\n")
}

/// The comparisons for comments and summaries.
#[must_use]
pub fn markdown(comparisons: &[ExecutionComparison], unit: &str) -> String {
    let mut out = String::new();
    for comparison in comparisons {
        let evolution = &comparison.evolution;
        out.push_str(&format!(
            "### {}\n\n{} → {} {} ({})\n\n",
            text::markdown_prose(&comparison.title()),
            number_format::count(evolution.total_before),
            number_format::count(evolution.total_after),
            text::markdown_prose(unit),
            number_format::change(comparison.change()),
        ));
        let causes = cause_rows(comparison);
        if !causes.is_empty() {
            out.push_str(
                "| the difference comes from | which is | contexts | difference | share |\n|---|---|---:|---:|---:|\n",
            );
        }
        for cause in &causes {
            out.push_str(&format!(
                "| {} | {} | {} | {} | {} |\n",
                cause.function.as_deref().map_or_else(|| "–".to_owned(), name),
                cause.words(),
                cause.contexts,
                signed(cause.difference),
                share(cause),
            ));
        }
        if !causes.is_empty() {
            out.push('\n');
        }
        out.push_str("| context | what | before | after | difference | calls |\n|---|---|---:|---:|---:|---|\n");
        let path = comparison.path(comparison.hot());
        for at in path.into_iter().chain(others(comparison)) {
            let row = row(comparison, at);
            out.push_str(&format!(
                "| {} | {} {} | {} | {} | {} | {} |\n",
                name(&row.name),
                row.mark,
                row.what,
                row.costs[0],
                row.costs[1],
                row.difference,
                row.calls
            ));
        }
        out.push('\n');
    }
    out
}

/// Where the difference comes from; the parts add up to it.
fn listed_causes(causes: &[CauseRow], width: Option<usize>) -> String {
    let columns = [
        TableColumn::Words("the difference comes from"),
        TableColumn::Words("which is"),
        TableColumn::Figures("contexts"),
        TableColumn::Figures("difference"),
        TableColumn::Figures("share"),
    ];
    let rows = causes.iter().map(|cause| {
        let style = match cause.difference {
            difference if difference > 0.0 => BAD,
            _ => GOOD,
        };
        vec![
            (
                Style::new(),
                cause
                    .function
                    .as_deref()
                    .map_or_else(|| "–".to_owned(), |name| text::safe(name).into_owned()),
            ),
            (FAINT, cause.words()),
            (Style::new(), cause.contexts.to_string()),
            (style, signed(cause.difference)),
            (style, share(cause)),
        ]
    });
    table(&columns, rows.collect(), width)
}

fn share(cause: &CauseRow) -> String {
    cause.share.map_or_else(String::new, number_format::share)
}

fn headline(comparison: &ExecutionComparison, unit: &str) -> String {
    let evolution = &comparison.evolution;
    let change = comparison.change();
    let style = match evolution.nodes[0].difference {
        root if root.is_noise(CostMeasure::CostInclusive) => Style::new(),
        _ if change > 0.0 => BAD,
        _ => GOOD,
    };
    format!(
        "{}: {} → {} {} ({})",
        paint(STRONG, &text::safe(&comparison.title())),
        number_format::count(evolution.total_before),
        number_format::count(evolution.total_after),
        text::safe(unit),
        paint(style, &number_format::change(change)),
    )
}

/// Contexts off the path whose own cost changed.
fn others(comparison: &ExecutionComparison) -> Vec<usize> {
    let path = comparison.path(comparison.hot());
    let mut others = largest(comparison, OTHERS + path.len());
    others.retain(|at| !path.contains(at));
    others.truncate(OTHERS);
    others
}

fn listed(comparison: &ExecutionComparison, nodes: &[usize], width: Option<usize>, indented: bool) -> String {
    let columns = [
        TableColumn::Words("context"),
        TableColumn::Words("what"),
        TableColumn::Figures("before"),
        TableColumn::Figures("after"),
        TableColumn::Figures("difference"),
        TableColumn::Words("calls"),
    ];
    let rows = nodes.iter().map(|&at| {
        let ComparisonRow {
            name,
            caller,
            depth,
            mark,
            what,
            costs: [before, after],
            difference,
            calls,
        } = row(comparison, at);
        let context = match caller {
            _ if indented => format!("{}{}", " ".repeat(depth.min(DEEPEST)), text::safe(&name)),
            Some(caller) => format!("{} ← {}", text::safe(&name), text::safe(&caller)),
            None => text::safe(&name).into_owned(),
        };
        let style = style(comparison, at);
        vec![
            (Style::new(), context),
            (style, format!("{mark} {what}")),
            (Style::new(), before),
            (Style::new(), after),
            (style, difference),
            (FAINT, calls),
        ]
    });
    table(&columns, rows.collect(), width)
}

fn style(comparison: &ExecutionComparison, at: usize) -> Style {
    let node = &comparison.evolution.nodes[at];
    let difference = &node.difference;
    match node.kind() {
        EvolutionNodeKind::New => UNSURE,
        EvolutionNodeKind::Removed => FAINT,
        EvolutionNodeKind::Both if difference.is_noise(CostMeasure::CostInclusive) => Style::new(),
        EvolutionNodeKind::Both if difference.height(CostMeasure::CostInclusive) > 0.0 => BAD,
        EvolutionNodeKind::Both => GOOD,
    }
}
