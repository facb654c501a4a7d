//! Comparisons → one `lito.comparison/1` document.

use crate::json_document::json_document;
use profile::call_tree::{CostMeasure, EvolutionNode, EvolutionNodeKind, EvolutionSide};
use serde::Serialize;

use super::{ComparedExecution, ExecutionComparison};

/// The version of the contract.
pub const SCHEMA: &str = "lito.comparison/1";

/// The document. `nodes` are in preorder, a `parent` and `hot` are indices into them.
#[must_use]
pub fn json(comparisons: &[ExecutionComparison], unit: &str) -> String {
    let document = ComparisonDocument {
        schema: SCHEMA,
        unit,
        comparisons: comparisons.iter().map(entry).collect(),
    };
    json_document(&document)
}

#[derive(Serialize)]
struct ComparisonDocument<'a> {
    schema: &'static str,
    unit: &'a str,
    comparisons: Vec<ComparisonEntry<'a>>,
}

#[derive(Serialize)]
struct ComparisonEntry<'a> {
    before: ComparisonRun<'a>,
    after: ComparisonRun<'a>,
    hot: usize,
    nodes: Vec<ComparisonNode<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ComparisonRun<'a> {
    benchmark: &'a str,
    label: &'a str,
    commit: Option<&'a str>,
    total: u64,
}

#[derive(Serialize)]
struct ComparisonNode<'a> {
    parent: Option<usize>,
    function: &'a str,
    kind: &'static str,
    changed: bool,
    before: Option<ComparisonNodeCosts>,
    after: Option<ComparisonNodeCosts>,
    estimated: bool,
    h: BlueprintHeights,
    w: Option<f64>,
    noise: Vec<&'static str>,
}

#[derive(Serialize)]
struct ComparisonNodeCosts {
    inclusive: u64,
    #[serde(rename = "self")]
    own: u64,
    calls: Option<u64>,
}

#[derive(Serialize)]
struct BlueprintHeights {
    share_inclusive: f64,
    share_self: f64,
    cost_inclusive: f64,
    cost_self: f64,
}

fn entry(comparison: &ExecutionComparison) -> ComparisonEntry<'_> {
    let evolution = &comparison.evolution;
    ComparisonEntry {
        before: run(&comparison.before, evolution.total_before),
        after: run(&comparison.after, evolution.total_after),
        hot: comparison.hot(),
        nodes: (evolution.nodes.iter().enumerate())
            .map(|(at, one)| node(comparison, at, one))
            .collect(),
        notes: &comparison.notes,
    }
}

fn run(execution: &ComparedExecution, total: u64) -> ComparisonRun<'_> {
    ComparisonRun {
        benchmark: &execution.benchmark,
        label: &execution.label,
        commit: execution.commit.as_deref(),
        total,
    }
}

fn node<'a>(comparison: &'a ExecutionComparison, at: usize, node: &EvolutionNode) -> ComparisonNode<'a> {
    let difference = &node.difference;
    let noise = CostMeasure::ALL
        .into_iter()
        .filter(|measure| difference.is_noise(*measure));
    ComparisonNode {
        parent: node.parent,
        function: comparison.evolution.name(at),
        kind: match node.kind() {
            EvolutionNodeKind::Both => "both",
            EvolutionNodeKind::New => "new",
            EvolutionNodeKind::Removed => "removed",
        },
        changed: comparison.is_changed(at),
        before: node.before.map(costs),
        after: node.after.map(costs),
        estimated: node.is_estimated(),
        h: BlueprintHeights {
            share_inclusive: difference.height(CostMeasure::ShareInclusive),
            share_self: difference.height(CostMeasure::ShareSelf),
            cost_inclusive: difference.height(CostMeasure::CostInclusive),
            cost_self: difference.height(CostMeasure::CostSelf),
        },
        w: node.width,
        noise: noise.map(name).collect(),
    }
}

fn costs(side: EvolutionSide) -> ComparisonNodeCosts {
    ComparisonNodeCosts {
        inclusive: side.inclusive,
        own: side.self_cost,
        calls: side.calls.map(|calls| calls.count),
    }
}

fn name(measure: CostMeasure) -> &'static str {
    match measure {
        CostMeasure::ShareInclusive => "share_inclusive",
        CostMeasure::ShareSelf => "share_self",
        CostMeasure::CostInclusive => "cost_inclusive",
        CostMeasure::CostSelf => "cost_self",
    }
}
