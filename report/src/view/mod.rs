//! Tracked costs and comparisons → one HTML file that opens from disk: the evolution chart, the evolution matrix,
//! the evolution blueprint and the differential flame graphs.
//!
//! Pure: matching, merging and judging happen before. The file loads nothing: it contains its scripts (`report/views/`)
//! and its values, and a content security policy enforces that. Without scripts it shows tables.

mod comparison_trees;
mod function_names;
mod functions;
mod matrix;
mod number_codes;
mod page;
mod payload;
mod plain_tables;
mod safe_json;
mod sources;
mod string_table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod typescript;

use std::collections::{BTreeMap, BTreeSet};

use analyzer::outline::SourceOutline;

use crate::comparison::ExecutionComparison;
use crate::track::CostTrack;

pub use matrix::{EvolutionMatrix, MatrixColumn};
pub use page::html;

/// The content of one report. Empty parts are left out of the page.
#[derive(Debug)]
pub struct HtmlReport<'a> {
    /// The project's name.
    pub project: String,
    /// One line: what is tracked or compared.
    pub title: String,
    /// Unit of costs.
    pub unit: &'a str,
    /// Which direction is good.
    pub better: BetterDirection,
    /// The command that made the report.
    pub made_by: String,
    /// The command that compares two versions, with `{before}`, `{after}` and `{benchmark}` where these go.
    pub compare_by: String,
    /// The command that compares two benchmarks on one version, with `{version}`, `{before}` and `{after}` where these go.
    pub compare_benchmarks_by: String,
    /// The versions, oldest first; every index of a version is one into these.
    pub versions: Vec<ViewVersion>,
    /// The strip on top.
    pub headline: ReportHeadline,
    /// Costs over the versions.
    pub track: Option<&'a CostTrack>,
    /// Components over the versions.
    pub matrices: Vec<EvolutionMatrix<'a>>,
    /// Pairs of executions, the most important first: those that exceed [`LARGEST`] are left out.
    pub comparisons: &'a [ExecutionComparison],
    /// The sources of some versions, by index, oldest first.
    pub outlines: Vec<(usize, SourceOutline)>,
    /// The older names of functions that moved or were renamed.
    pub earlier_names: EarlierNames,
}

/// Functions by the name that the report calls them → the names that older versions have for them.
pub type EarlierNames = BTreeMap<String, BTreeSet<String>>;

/// Bytes of the trees of all comparisons of a report, each deflated by itself so that it is read only when it is looked at.
/// Deflated once more with the rest, they take half of that: the file is to stay below 3 MB for a typical library.
pub const LARGEST: usize = 4_000_000;

/// Direction of a change that is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum BetterDirection {
    /// Less: costs.
    #[default]
    Less,
    /// More: throughput.
    More,
}

/// A version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewVersion {
    /// Its commit.
    pub commit: String,
    /// A tag, or the short commit.
    pub label: String,
    /// First line of the commit's message.
    pub summary: String,
    /// When it was committed, seconds since 1970.
    pub time: i64,
}

/// Direction in which costs changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum CostTrend {
    /// Costs went up.
    Slower,
    /// Costs went down.
    Faster,
    /// Some up, some down.
    Mixed,
    /// Nothing beyond noise.
    Same,
    /// Nothing is known.
    Unknown,
}

impl CostTrend {
    /// The trend of several benchmarks together, of which so many got slower, and so many faster.
    #[must_use]
    pub fn of_counts(slower: usize, faster: usize) -> Self {
        match (slower, faster) {
            (0, 0) => Self::Same,
            (_, 0) => Self::Slower,
            (0, _) => Self::Faster,
            _ => Self::Mixed,
        }
    }
}

/// The result, shown first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportHeadline {
    /// Of all together.
    pub tone: CostTrend,
    /// One sentence.
    pub text: String,
    /// Details, each leading to a comparison where it has one.
    pub lines: Vec<ReportHeadlineLine>,
}

/// A detail of the headline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportHeadlineLine {
    /// Of this one.
    pub tone: CostTrend,
    /// One sentence.
    pub text: String,
    /// Where it comes from, as the end of a sentence; empty if that is not known.
    pub cause: String,
    /// The first line of the message of the version that it is about; empty for a line about none.
    pub summary: String,
    /// The benchmark that it is about.
    pub benchmark: String,
    /// Index into [`HtmlReport::comparisons`].
    pub comparison: Option<usize>,
}

impl ReportHeadlineLine {
    /// The whole line.
    fn in_words(&self) -> String {
        let cause = match (self.cause.as_str(), self.summary.as_str()) {
            ("", "") => String::new(),
            (cause, "") => format!(" {cause}"),
            ("", summary) => format!(": {summary}"),
            (cause, summary) => format!(" {cause}: {summary}"),
        };
        format!("{}{cause}", self.text)
    }
}

/// Rounds to six decimals, which is finer than a pixel.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
