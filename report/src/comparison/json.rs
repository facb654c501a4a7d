//! Comparisons → one `lito.comparison/1` document.

use crate::json_document::json_document;
use profile::call_tree::{CostMeasure, EvolutionNode, EvolutionNodeKind, EvolutionSide};
use schemars::JsonSchema;
use serde::Serialize;

use super::causes::{CauseRow, cause_rows};
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

/// Executions of benchmarks, compared by their call trees.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ComparisonDocument<'a> {
    /// [`SCHEMA`].
    schema: &'static str,
    /// The unit of all costs.
    unit: &'a str,
    /// One for each benchmark.
    comparisons: Vec<ComparisonEntry<'a>>,
}

/// Two executions, and their merged call tree.
#[derive(Serialize, JsonSchema)]
struct ComparisonEntry<'a> {
    /// The first execution.
    before: ComparisonRun<'a>,
    /// The second execution.
    after: ComparisonRun<'a>,
    /// The functions that the difference comes from, largest part first; the parts add up. None where the difference is noise.
    causes: Vec<CauseRow>,
    /// Index of the node where the delta hot path ends.
    hot: usize,
    /// The merged call tree, in preorder.
    nodes: Vec<ComparisonNode<'a>>,
    /// Notes for the reader, a sentence each.
    notes: &'a [String],
}

/// One execution.
#[derive(Serialize, JsonSchema)]
struct ComparisonRun<'a> {
    /// The benchmark.
    benchmark: &'a str,
    /// The name of the execution.
    label: &'a str,
    /// The version; `null` where it is not one, as for folded stacks.
    commit: Option<&'a str>,
    /// Its cost.
    total: u64,
}

/// A function in a context of calls.
#[derive(Serialize, JsonSchema)]
struct ComparisonNode<'a> {
    /// Index of the caller's node; `null` for the root.
    parent: Option<usize>,
    /// The function.
    function: &'a str,
    /// Which executions have this context.
    kind: EvolutionNodeKind,
    /// The function's name in the first execution, where it moved or was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_from: Option<&'a str>,
    /// Whether the function's source changed.
    changed: bool,
    /// Costs in the first execution; `null` where it has no such context.
    before: Option<ComparisonNodeCosts>,
    /// Costs in the second execution; `null` where it has no such context.
    after: Option<ComparisonNodeCosts>,
    /// Whether a cost is an estimate.
    estimated: bool,
    /// The differences of costs.
    h: BlueprintHeights,
    /// The width in the blueprint: ln(|Δ calls| + 1); `null` where calls are not known.
    w: Option<f64>,
    /// The differences that noise explains.
    noise: Vec<CostMeasure>,
}

/// Costs of a node.
#[derive(Serialize, JsonSchema)]
struct ComparisonNodeCosts {
    /// With everything that it calls.
    inclusive: u64,
    /// Without what it calls.
    #[serde(rename = "self")]
    own: u64,
    /// How often it is called; `null` where that is not known.
    calls: Option<u64>,
}

/// Differences between the second execution and the first.
#[derive(Serialize, JsonSchema)]
struct BlueprintHeights {
    /// Of the inclusive cost, as a share of the execution.
    share_inclusive: f64,
    /// Of the self cost, as a share of the execution.
    share_self: f64,
    /// Of the inclusive cost.
    cost_inclusive: f64,
    /// Of the self cost.
    cost_self: f64,
}

fn entry(comparison: &ExecutionComparison) -> ComparisonEntry<'_> {
    let evolution = &comparison.evolution;
    ComparisonEntry {
        before: run(&comparison.before, evolution.total_before),
        after: run(&comparison.after, evolution.total_after),
        causes: cause_rows(comparison),
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
        kind: node.kind(),
        moved_from: comparison.moved.get(comparison.evolution.name(at)).map(String::as_str),
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
        noise: noise.collect(),
    }
}

fn costs(side: EvolutionSide) -> ComparisonNodeCosts {
    ComparisonNodeCosts {
        inclusive: side.inclusive,
        own: side.self_cost,
        calls: side.calls.map(|calls| calls.count),
    }
}
