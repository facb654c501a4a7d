//! A comparison into the contract's `ComparisonTrees`: the merged tree and the stacks, column by column.

use profile::call_tree::{
    CallTreeFunctionId, CostMeasure, EvolutionNode, EvolutionNodeKind, EvolutionSide, FlameGraphFrame,
};
use serde::Serialize;

use super::functions::ViewFunctionTable;
use super::rounded;
use super::string_table::NONE;
use crate::comparison::ExecutionComparison;

/// The contract's `ComparisonTrees`.
#[derive(Serialize)]
pub(super) struct ComparisonTreesPayload {
    blueprint: BlueprintPayload,
    flames: FlamesPayload,
    changed: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlueprintPayload {
    parent: Vec<i64>,
    function: Vec<u32>,
    kind: Vec<u8>,
    changed: Vec<u8>,
    before: Vec<i64>,
    after: Vec<i64>,
    self_before: Vec<i64>,
    self_after: Vec<i64>,
    calls_before: Vec<i64>,
    calls_after: Vec<i64>,
    estimated: Vec<u8>,
    h: [Vec<f64>; 4],
    w: Vec<f64>,
    noise: Vec<u8>,
    hot: usize,
    hot_below: Vec<usize>,
    frame_before: Vec<i64>,
    frame_after: Vec<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlamesPayload {
    parent: Vec<i64>,
    function: Vec<u32>,
    self_before: Vec<u64>,
    self_after: Vec<u64>,
    noise: Vec<u8>,
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
        changed: (comparison.changed.iter())
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
        changed: (0..nodes.len()).map(|at| u8::from(comparison.is_changed(at))).collect(),
        before: sides(before, |side| Some(side.inclusive)),
        after: sides(after, |side| Some(side.inclusive)),
        self_before: sides(before, |side| Some(side.self_cost)),
        self_after: sides(after, |side| Some(side.self_cost)),
        calls_before: sides(before, calls),
        calls_after: sides(after, calls),
        estimated: (nodes.iter()).map(|node| u8::from(node.is_estimated())).collect(),
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

fn kind(kind: EvolutionNodeKind) -> u8 {
    match kind {
        EvolutionNodeKind::Both => 0,
        EvolutionNodeKind::New => 1,
        EvolutionNodeKind::Removed => 2,
    }
}

fn place(at: Option<usize>) -> i64 {
    at.and_then(|at| i64::try_from(at).ok()).unwrap_or(NONE)
}

fn whole(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
