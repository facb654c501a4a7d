//! Discovered benchmarks → a listing.

use std::path::Path;

use anstyle::Style;
use serde::Serialize;

use crate::json_document::json_document;
use crate::style::FAINT;
use crate::table::{TableColumn, table};
use crate::text;

/// One benchmark, and how lito runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchmarkListEntry {
    /// Its name.
    pub name: String,
    /// Framework that runs it, e.g. `criterion`.
    pub framework: String,
    /// The executed command, one string for each argument.
    pub command: Vec<String>,
}

/// The listing for a terminal. A command is cut at its start, where the folders are.
#[must_use]
pub fn human(benchmarks: &[BenchmarkListEntry], width: Option<usize>) -> String {
    let widest = |of: fn(&BenchmarkListEntry) -> &str| benchmarks.iter().map(|b| text::width(of(b))).max().unwrap_or(0);
    let before = widest(|b| &b.name).max("benchmark".len()) + widest(|b| &b.framework).max("adapter".len()) + 4;
    let command_columns = width.map_or(usize::MAX, |width| width.saturating_sub(before).max(20));
    let columns = [
        TableColumn::Words("benchmark"),
        TableColumn::Words("adapter"),
        TableColumn::Words("command"),
    ];
    let rows = benchmarks.iter().map(|b| {
        let command = shown(&b.command);
        vec![
            (Style::new(), text::safe(&b.name).into_owned()),
            (Style::new(), text::safe(&b.framework).into_owned()),
            (
                FAINT,
                text::cut_start(&text::safe(&command), command_columns).into_owned(),
            ),
        ]
    });
    table(&columns, rows.collect(), width)
}

/// A command on a line, without the text of a program among its words.
fn shown(command: &[String]) -> String {
    let words = command.iter().map(|word| if word.contains('\n') { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// That a bench target has no benchmark, and what may be the reason.
#[must_use]
pub fn empty_target(target: &str) -> String {
    format!(
        "`{}` has no benchmark as it is built; if a feature turns its code on, name it in `features` of a [[benchmarks]] in \
         lito.toml",
        text::safe(target)
    )
}

/// That the bench targets of a package beside the workspace are not measured, and how to have them measured too.
#[must_use]
pub fn not_measured(folder: &Path, targets: &[String]) -> String {
    let names: Vec<String> = targets.iter().map(|target| format!("`{target}`")).collect();
    let folder = folder.display().to_string();
    let line = format!(
        "bench targets of `{folder}`, beside the workspace, are not measured: {}; to measure them too, write into \
         lito.toml a [[benchmarks]] with adapter = \"cargo-bench\", and another that has directory = \"{folder}\" besides",
        names.join(", ")
    );
    text::safe(&line).into_owned()
}

/// The listing as a markdown table.
#[must_use]
pub fn markdown(benchmarks: &[BenchmarkListEntry]) -> String {
    let mut out = String::from("| benchmark | adapter | command |\n|---|---|---|\n");
    for b in benchmarks {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            text::markdown_code(&b.name),
            text::markdown_prose(&b.framework),
            text::markdown_code(&shown(&b.command))
        ));
    }
    out
}

/// The listing as a JSON array.
#[must_use]
pub fn json(benchmarks: &[BenchmarkListEntry]) -> String {
    json_document(benchmarks)
}
