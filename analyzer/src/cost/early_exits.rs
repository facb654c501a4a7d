//! Blocks that leave the code around them → how often they run, and how often the code behind them is reached.
//!
//! The instructions of `return false` are shared with every other way out, so no line shows how often it ran.

use crate::cost::Estimate;
use crate::cost::executions::{children, own_lines};
use crate::syntax::{BlockId, OperationKind, SyntaxBlock, SyntaxCall, SyntaxFunction, SyntaxNode};

/// How often a call in a block is reached: less often than the block runs if a block before it leaves.
#[must_use]
pub(super) fn call_executions(
    function: &SyntaxFunction,
    counts: &[Estimate],
    block: BlockId,
    call: &SyntaxCall,
) -> Estimate {
    let count = |id: BlockId| counts.get(id.0 as usize).copied().unwrap_or_default();
    let runs = count(block);
    // The call may be on another line on the other side.
    let is_it = |node: &SyntaxNode| {
        matches!(node, SyntaxNode::Call(other)
            if other.callee == call.callee && other.arguments.text == call.arguments.text)
    };
    let nodes = &function.block(block).nodes;
    let place = nodes.iter().position(|node| match node {
        // A condition is evaluated where its block starts.
        SyntaxNode::Block(child) => function.block(*child).head.iter().any(is_it),
        SyntaxNode::Call(_) | SyntaxNode::Operation(_) => is_it(node),
    });
    let before = &nodes[..place.unwrap_or(0)];
    let left: f64 = before
        .iter()
        .filter_map(|node| match node {
            SyntaxNode::Block(child) => Some(*child),
            SyntaxNode::Call(_) | SyntaxNode::Operation(_) => None,
        })
        .filter(|&child| leaves(function.block(child)))
        .map(|child| count(child).expected)
        .sum();
    if left <= 0.0 || runs.expected <= 0.0 {
        return runs;
    }
    let share = (1.0 - left / runs.expected).max(0.0);
    Estimate::between(runs.low * share, runs.expected * share, runs.high)
}

/// True for a conditional block that leaves the block around it at its end.
pub(super) fn leaves(block: &SyntaxBlock) -> bool {
    block.kind.is_conditional()
        && matches!(block.nodes.last(), Some(SyntaxNode::Operation(operation)) if operation.kind == OperationKind::Jump)
}

/// True for a conditional block that does nothing but leave: `{ return false; }`.
pub(super) fn is_early_exit(block: &SyntaxBlock) -> bool {
    block.kind.is_conditional()
        && !block.nodes.is_empty()
        && block
            .nodes
            .iter()
            .all(|node| matches!(node, SyntaxNode::Operation(operation) if operation.kind == OperationKind::Jump))
}

/// The lines behind a block that run as often as control gets past it: lines that are in no block, and the conditions
/// of conditionals. Every way out runs the last line of a function, so that line is left out.
pub(super) fn lines_after(function: &SyntaxFunction, id: BlockId) -> Vec<u32> {
    let block = function.block(id);
    let Some(parent) = block.parent else {
        return Vec::new();
    };
    let last = function.block(parent).lines.last;
    let conditions = children(function, parent)
        .filter(|child| child.kind.is_conditional())
        .map(|child| child.lines.first);
    let mut lines: Vec<u32> = own_lines(function, parent)
        .into_iter()
        .chain(conditions)
        .filter(|line| (block.lines.last + 1..last).contains(line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}
