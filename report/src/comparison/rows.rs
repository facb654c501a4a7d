//! Contexts of a comparison → the rows that all its texts list.

use profile::call_tree::{CostMeasure, EvolutionNodeKind, EvolutionSide};

use super::ExecutionComparison;
use crate::number_format;

/// One context in words and figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparisonRow {
    /// Its name, as it was found.
    pub(crate) name: String,
    /// Its caller; the root has none.
    pub(crate) caller: Option<String>,
    /// Calls from the root to it.
    pub(crate) depth: usize,
    /// `▲`, `▼`, `＋`, `−`, or nothing.
    pub(crate) mark: &'static str,
    /// In words: `slower, source changed`.
    pub(crate) what: String,
    /// Inclusive cost before and after; `–` where it is not there.
    pub(crate) costs: [String; 2],
    /// The difference of the inclusive costs.
    pub(crate) difference: String,
    /// Calls before and after.
    pub(crate) calls: String,
}

/// The row of a node.
pub(crate) fn row(comparison: &ExecutionComparison, at: usize) -> ComparisonRow {
    let node = &comparison.evolution.nodes[at];
    let height = node.difference.height(CostMeasure::CostInclusive);
    let noise = node.difference.is_noise(CostMeasure::CostInclusive);
    let (mark, what) = match node.kind() {
        EvolutionNodeKind::New => ("＋", "new here"),
        EvolutionNodeKind::Removed => ("−", "removed here"),
        EvolutionNodeKind::Both if noise => (" ", "unchanged"),
        EvolutionNodeKind::Both if height > 0.0 => ("▲", "more"),
        EvolutionNodeKind::Both => ("▼", "less"),
    };
    let changed = if comparison.is_changed(at) && node.kind() == EvolutionNodeKind::Both {
        ", source changed"
    } else {
        ""
    };
    let moved = match comparison.moved.contains_key(comparison.evolution.name(at)) {
        true => ", moved",
        false => "",
    };
    let cost = |side: Option<EvolutionSide>| side.map_or_else(absent, |side| number_format::count(side.inclusive));
    let calls = |side: Option<EvolutionSide>| {
        let calls = side.and_then(|side| side.calls);
        calls.map_or_else(absent, |calls| {
            let about = if calls.estimated { "~" } else { "" };
            format!("{about}{}", number_format::count(calls.count))
        })
    };
    let [before, after] = [calls(node.before), calls(node.after)];
    ComparisonRow {
        name: comparison.evolution.name(at).to_owned(),
        caller: (node.parent).map(|parent| comparison.evolution.name(parent).to_owned()),
        depth: comparison.path(at).len() - 1,
        mark,
        what: format!("{what}{changed}{moved}"),
        costs: [cost(node.before), cost(node.after)],
        difference: signed(height),
        calls: if before == after {
            before
        } else {
            format!("{before} → {after}")
        },
    }
}

/// The contexts whose own cost changed most, beyond noise, largest first.
pub(crate) fn largest(comparison: &ExecutionComparison, most: usize) -> Vec<usize> {
    let nodes = &comparison.evolution.nodes;
    let size = |at: usize| nodes[at].difference.height(CostMeasure::CostSelf).abs();
    let mut largest: Vec<usize> = (0..nodes.len())
        .filter(|at| !nodes[*at].difference.is_noise(CostMeasure::CostSelf))
        .collect();
    largest.sort_by(|one, two| size(*two).total_cmp(&size(*one)).then(one.cmp(two)));
    largest.truncate(most);
    largest
}

fn absent() -> String {
    "–".to_owned()
}

/// `+12.3 k`, `-400`, `0`.
pub(super) fn signed(difference: f64) -> String {
    let size = number_format::cost(difference.abs());
    match difference {
        d if d > 0.0 => format!("+{size}"),
        d if d < 0.0 => format!("-{size}"),
        _ => "0".to_owned(),
    }
}
