//! A comparison → its trees as columns: the merged calling context tree and the stacks of its flame graphs.

use profile::call_tree::{
    CallTreeFunctionId, CostMeasure, EvolutionNode, EvolutionNodeKind, EvolutionSide, FlameGraphFrame,
};
use serde::Serialize;

use super::functions::ViewFunctionTable;
use super::number_codes::{Flag, NodeKind};
use super::rounded;
use super::string_table::NONE;
use crate::comparison::ExecutionComparison;

/// The trees of one comparison.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ComparisonTrees"))]
pub(super) struct ComparisonTreesPayload {
    blueprint: BlueprintPayload,
    flames: FlamesPayload,
    /// Functions whose source differs between the sides.
    changed: Vec<u32>,
}

/// The merged calling context tree (B1 to B12), in preorder; node 0 is the root. A number is -1 if its side lacks the
/// node.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Blueprint"))]
struct BlueprintPayload {
    parent: Vec<i64>,
    function: Vec<u32>,
    kind: Vec<NodeKind>,
    /// 1 if the function's source differs.
    changed: Vec<Flag>,
    /// Inclusive cost.
    before: Vec<i64>,
    /// Inclusive cost.
    after: Vec<i64>,
    self_before: Vec<i64>,
    self_after: Vec<i64>,
    /// -1 if not known.
    calls_before: Vec<i64>,
    /// -1 if not known.
    calls_after: Vec<i64>,
    /// 1 if one of these counts is an estimate.
    estimated: Vec<Flag>,
    /// H of B3, B5 and B6, signed, [Measure][node]: a share as a fraction of the total, a cost in the unit.
    h: [Vec<f64>; 4],
    /// W of B4, B5 and B6 (natural logarithm, before scaling to pixels), -1 if calls are not known.
    w: Vec<f64>,
    /// Bit `1 << Measure`: the difference is noise, and drawn neutral unless the node is new or removed.
    noise: Vec<u8>,
    /// The leaf of the delta hot path (B9).
    hot: usize,
    /// The leaf of the hot path that starts at each node.
    hot_below: Vec<usize>,
    /// Frame of the same context in `Flames`.
    frame_before: Vec<i64>,
    /// Frame of the same context in `Flames`.
    frame_after: Vec<i64>,
}

/// The stacks of both sides joined by full path (D1 to D8), in preorder, siblings sorted by name; frame 0 is the root.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Flames"))]
struct FlamesPayload {
    parent: Vec<i64>,
    function: Vec<u32>,
    /// Value of the stacks that end here; an inclusive value is the sum over the subtree.
    self_before: Vec<u64>,
    /// Value of the stacks that end here; an inclusive value is the sum over the subtree.
    self_after: Vec<u64>,
    /// As in `Blueprint`.
    noise: Vec<u8>,
    /// Node of the blueprint.
    node: Vec<usize>,
}

/// Lays a comparison out.
pub(super) fn trees_payload(
    comparison: &ExecutionComparison,
    functions: &ViewFunctionTable<'_>,
) -> ComparisonTreesPayload {
    let table = &comparison.evolution.functions.table;
    let numbers: Vec<u32> = (table.iter())
        .map(|shared| functions.number(&shared.function.name).unwrap_or_default())
        .collect();
    let number = |id: CallTreeFunctionId| numbers[id.0 as usize];
    ComparisonTreesPayload {
        blueprint: blueprint(comparison, &number),
        flames: stacks(&comparison.flames.frames, &number),
        changed: (comparison.changed.keys())
            .filter_map(|name| functions.number(name))
            .collect(),
    }
}

fn blueprint(comparison: &ExecutionComparison, number: &impl Fn(CallTreeFunctionId) -> u32) -> BlueprintPayload {
    let nodes = &comparison.evolution.nodes;
    let sides = |side: fn(&EvolutionNode) -> Option<EvolutionSide>, of: fn(EvolutionSide) -> Option<u64>| {
        let values = nodes.iter().map(|node| side(node).and_then(of));
        values.map(|value| value.map_or(NONE, whole)).collect()
    };
    let (before, after) = (|node: &EvolutionNode| node.before, |node: &EvolutionNode| node.after);
    let calls = |side: EvolutionSide| side.calls.map(|calls| calls.count);
    let heights = |measure: CostMeasure| {
        let heights = nodes.iter().map(|node| node.difference.height(measure));
        heights.map(rounded).collect()
    };
    BlueprintPayload {
        parent: nodes.iter().map(|node| place(node.parent)).collect(),
        function: nodes.iter().map(|node| number(node.function)).collect(),
        kind: nodes.iter().map(|node| kind(node.kind())).collect(),
        changed: (0..nodes.len()).map(|at| Flag(comparison.is_changed(at))).collect(),
        before: sides(before, |side| Some(side.inclusive)),
        after: sides(after, |side| Some(side.inclusive)),
        self_before: sides(before, |side| Some(side.self_cost)),
        self_after: sides(after, |side| Some(side.self_cost)),
        calls_before: sides(before, calls),
        calls_after: sides(after, calls),
        estimated: (nodes.iter()).map(|node| Flag(node.is_estimated())).collect(),
        h: CostMeasure::ALL.map(heights),
        w: (nodes.iter()).map(|node| node.width.map_or(-1.0, rounded)).collect(),
        noise: nodes.iter().map(|node| node.difference.noise).collect(),
        hot: comparison.hot(),
        hot_below: comparison.hot_leaves.clone(),
        frame_before: (comparison.flames.of_before.iter()).map(|at| place(*at)).collect(),
        frame_after: (comparison.flames.of_after.iter()).map(|at| place(*at)).collect(),
    }
}

fn stacks(frames: &[FlameGraphFrame], number: &impl Fn(CallTreeFunctionId) -> u32) -> FlamesPayload {
    FlamesPayload {
        parent: frames.iter().map(|frame| place(frame.parent)).collect(),
        function: frames.iter().map(|frame| number(frame.function)).collect(),
        self_before: frames.iter().map(|frame| frame.self_before).collect(),
        self_after: frames.iter().map(|frame| frame.self_after).collect(),
        noise: frames.iter().map(|frame| frame.difference.noise).collect(),
        node: frames.iter().map(|frame| frame.node).collect(),
    }
}

fn kind(kind: EvolutionNodeKind) -> NodeKind {
    match kind {
        EvolutionNodeKind::Both => NodeKind::Both,
        EvolutionNodeKind::New => NodeKind::New,
        EvolutionNodeKind::Removed => NodeKind::Removed,
    }
}

fn place(at: Option<usize>) -> i64 {
    at.and_then(|at| i64::try_from(at).ok()).unwrap_or(NONE)
}

fn whole(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
