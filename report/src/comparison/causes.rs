//! The causes of a comparison's difference → the rows that all its texts and the page list.

use profile::call_tree::{CauseOrigin, CostMeasure, DifferenceCause, causes};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ExecutionComparison, SourceDifference};
use crate::number_format;
use crate::text;

/// Parts below this share of the largest part are listed as one.
const SMALLEST: f64 = 0.01;

/// Most functions that are listed.
const MOST: usize = 8;

/// A part of the difference between two executions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CauseRow {
    /// The function; `null` for parts that no changed function has.
    pub function: Option<String>,
    /// The kind of its origin.
    pub kind: CauseKind,
    /// The commits between the two versions that changed it, oldest first; empty where there is nothing between them, or none is
    /// known.
    pub commits: Vec<String>,
    /// The number of contexts of calls in which it has a part.
    pub contexts: usize,
    /// Its part of the difference, in the unit of the costs; all rows add up to the difference.
    pub difference: f64,
    /// Its part of the difference, as a share; `null` where the difference is 0.
    pub share: Option<f64>,
}

/// Most commits that a row names.
const COMMITS: usize = 2;

impl CauseRow {
    /// In words, for the column beside the function: its kind, and the commits that made it so.
    #[must_use]
    pub fn words(&self) -> String {
        let kind = self.kind.words();
        // What is new came with the first, what is gone went with the last.
        let telling = match (self.kind, self.commits.as_slice()) {
            (CauseKind::New, [first, ..]) => std::slice::from_ref(first),
            (CauseKind::Gone, [.., last]) => std::slice::from_ref(last),
            (_, all) => all,
        };
        let named = telling.iter().rev().take(COMMITS).map(|commit| text::short_id(commit));
        match (
            named.collect::<Vec<_>>().join(", "),
            telling.len().saturating_sub(COMMITS),
        ) {
            (none, _) if none.is_empty() => kind.to_owned(),
            (named, 0) => format!("{kind} in {named}"),
            (named, more) => format!("{kind} in {named} and {more} more"),
        }
    }
}

/// The origin of a part of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// A function whose source changed.
    Changed,
    /// A function that is new.
    New,
    /// A function that is gone.
    Gone,
    /// More such functions, each with a small part.
    Others,
    /// Code of the project that is as it was, and so is what calls it.
    UnchangedCode,
    /// The same of libraries.
    UnchangedLibraries,
}

impl CauseKind {
    /// In words, for the column beside the function.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Changed => "source changed",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Others => "other changed functions",
            Self::UnchangedCode => "source unchanged: compiled, called or fed otherwise",
            Self::UnchangedLibraries => "libraries, called by unchanged code",
        }
    }
}

/// Shares of the difference from which on the functions listed explain it.
const MOSTLY: f64 = 0.8;

/// Most functions that a sentence names.
const NAMED: usize = 2;

/// Where most of the difference comes from, as the end of a sentence: "from `parse::next` (source changed, 97%)". None where
/// it is noise, or nothing is known of the sources.
#[must_use]
pub fn main_causes(comparison: &ExecutionComparison) -> Option<String> {
    let rows = cause_rows(comparison);
    let mut explained = 0.0;
    let mut named = Vec::new();
    for row in &rows {
        let (Some(function), Some(share)) = (&row.function, row.share) else {
            continue;
        };
        if share <= 0.0 || explained >= MOSTLY || named.len() == NAMED {
            break;
        }
        explained += share;
        let share = number_format::share(share);
        named.push(format!("`{function}` ({}, {share})", row.kind.words()));
    }
    match named.as_slice() {
        [] => (!rows.is_empty()).then(|| "from unchanged source that is compiled, called or fed otherwise".to_owned()),
        named => Some(format!("from {}", named.join(" and "))),
    }
}

/// The parts of the difference, largest first, those without a function last. None where the difference is noise, between two
/// benchmarks, and where stacks were read from a file, whose sources nobody knows.
#[must_use]
pub fn cause_rows(comparison: &ExecutionComparison) -> Vec<CauseRow> {
    let evolution = &comparison.evolution;
    let is_noise = evolution.nodes[0].difference.is_noise(CostMeasure::CostInclusive);
    let is_of_two_benchmarks = comparison.before.benchmark != comparison.after.benchmark;
    if is_noise || is_of_two_benchmarks || comparison.after.commit.is_none() {
        return Vec::new();
    }
    let name = |id: profile::call_tree::CallTreeFunctionId| &evolution.functions.table[id.0 as usize].function.name;
    let all = causes(evolution, |id| comparison.changed.contains_key(name(id)));
    #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
    let total = evolution.total_after as f64 - evolution.total_before as f64;
    let commits = |function: &String| comparison.changing_commits.get(function).cloned();
    let row = |kind, function: Option<String>, contexts, difference: f64| CauseRow {
        commits: function.as_ref().and_then(commits).unwrap_or_default(),
        function,
        kind,
        contexts,
        difference,
        share: (total != 0.0).then(|| difference / total),
    };
    let largest = all.first().map_or(0.0, |cause| cause.difference.abs());
    let (mut functions, mut rest, mut small) = (Vec::new(), Vec::new(), (0, 0.0));
    for DifferenceCause {
        origin,
        contexts,
        difference,
    } in all
    {
        let id = match origin {
            CauseOrigin::Changed(id) | CauseOrigin::New(id) | CauseOrigin::Gone(id) => id,
            CauseOrigin::UnchangedCode => {
                rest.push(row(CauseKind::UnchangedCode, None, contexts, difference));
                continue;
            }
            CauseOrigin::UnchangedLibraries => {
                rest.push(row(CauseKind::UnchangedLibraries, None, contexts, difference));
                continue;
            }
        };
        let kind = match comparison.changed[name(id)] {
            SourceDifference::Changed => CauseKind::Changed,
            SourceDifference::New => CauseKind::New,
            SourceDifference::Gone => CauseKind::Gone,
        };
        if functions.len() < MOST && difference.abs() >= SMALLEST * largest {
            functions.push(row(kind, Some(name(id).clone()), contexts, difference));
        } else {
            small = (small.0 + contexts, small.1 + difference);
        }
    }
    if small.0 > 0 {
        functions.push(row(CauseKind::Others, None, small.0, small.1));
    }
    functions.extend(rest);
    functions
}
