//! The benchmarks that were found into a listing.

use anstyle::Style;
use serde::Serialize;

use crate::style::FAINT;
use crate::table::{Column, table};
use crate::text;

/// One benchmark, and how lito runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its name, as `--bench` takes it.
    pub name: String,
    /// What lito found it with.
    pub adapter: String,
    /// The framework that runs it, e.g. `criterion`.
    pub framework: String,
    /// What is executed, one string an argument.
    pub command: Vec<String>,
}

/// The listing for a terminal.
#[must_use]
pub fn human(benchmarks: &[Listed], width: Option<usize>) -> String {
    let columns = [
        Column::Words("benchmark"),
        Column::Words("adapter"),
        Column::Words("framework"),
        Column::Words("command"),
    ];
    let rows = benchmarks.iter().map(|b| {
        vec![
            (Style::new(), text::safe(&b.name).into_owned()),
            (Style::new(), text::safe(&b.adapter).into_owned()),
            (Style::new(), text::safe(&b.framework).into_owned()),
            (FAINT, text::safe(&b.command.join(" ")).into_owned()),
        ]
    });
    table(&columns, rows.collect(), width)
}

/// The listing as a markdown table.
#[must_use]
pub fn markdown(benchmarks: &[Listed]) -> String {
    let mut out =
        String::from("| benchmark | adapter | framework | command |\n|---|---|---|---|\n");
    for b in benchmarks {
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            text::markdown_code(&b.name),
            text::markdown_prose(&b.adapter),
            text::markdown_prose(&b.framework),
            text::markdown_code(&b.command.join(" "))
        ));
    }
    out
}

/// The listing as a JSON array.
#[must_use]
pub fn json(benchmarks: &[Listed]) -> String {
    let mut out = serde_json::to_string_pretty(benchmarks).expect("strings are always encoded");
    out.push('\n');
    out
}
