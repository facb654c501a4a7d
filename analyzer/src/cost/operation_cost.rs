//! The cost of an operation of a changed function: its measured self cost, divided by what it executed.

use crate::change::SourceSide;
use crate::cost::ledger::CostEntry;
use crate::cost::lito::BenchmarkPricer;
use crate::cost::{BlockExecutions, CallFrequency, ChangeClass, CostAccountKey, Estimate};
use crate::languages::is_interpreted;
use crate::resolve::CalleeEvidence;
use crate::syntax::{BlockId, SyntaxCall, SyntaxFunction, SyntaxNode};

impl BenchmarkPricer<'_> {
    /// Operations of a changed function, at the cost of its other operations.
    pub(super) fn work(&self, pair: usize, operations: Estimate) -> CostEntry {
        CostEntry {
            account: CostAccountKey::Operations { pair },
            class: ChangeClass::Work,
            runs: operations,
            unit: self.operation(pair),
            believed: 1.0,
            firm: 0.0,
            touched: 0.0,
            resolved: None,
        }
    }

    /// Cost of an operation: the changed function's self cost divided by its executed operations, within the bounds of
    /// the general one.
    pub(super) fn operation(&self, pair: usize) -> Estimate {
        *self.operations[pair].get_or_init(|| self.measured_operation(pair))
    }

    fn measured_operation(&self, pair: usize) -> Estimate {
        let general = self.scene.costs.operation;
        let (Some(runs), Some(before)) = (&self.executions[pair], &self.scene.changes.pairs[pair].before) else {
            return general;
        };
        let blocks = before.function.blocks.iter().zip(&runs.before);
        let mut executed: f64 = blocks
            .map(|(block, count)| count.expected * operations_in(block.head.iter().chain(&block.nodes)))
            .sum();
        if is_interpreted(&before.file) {
            executed += self.library_calls(pair, &before.function, runs) / general.expected;
        }
        // A function that was not sampled has no measured cost to divide.
        if executed <= 0.0 || self.is_unsampled(pair) {
            return general;
        }
        let measured = (self.self_cost(pair) / executed).clamp(general.low, general.high);
        Estimate::between(general.low, measured, general.high)
    }

    /// The cost of the library calls of a function before the change, by their prices: an interpreter's profile has it in
    /// the self cost of the caller.
    fn library_calls(&self, pair: usize, function: &SyntaxFunction, runs: &BlockExecutions) -> f64 {
        let price = |id: BlockId, call: &SyntaxCall| {
            let times = self.reached(pair, SourceSide::Before, id, call);
            let price = self.price(call, (pair, SourceSide::Before), CallFrequency::counted(times))?;
            (price.evidence == CalleeEvidence::Prior).then_some(price.unit.expected * times.expected)
        };
        let executed = function.blocks.iter().zip(&runs.before).zip(0..);
        executed
            .filter(|((_, count), _)| count.expected > 0.0)
            .flat_map(|((block, _), id)| calls_in(block.head.iter().chain(&block.nodes)).map(move |call| (id, call)))
            .filter_map(|(id, call)| price(BlockId(id), call))
            .sum()
    }
}

/// Primitive operations among some nodes, those of calls' arguments included.
pub(crate) fn operations_in<'n>(nodes: impl Iterator<Item = &'n SyntaxNode>) -> f64 {
    nodes
        .map(|node| match node {
            SyntaxNode::Operation(operation) => f64::from(operation.weight),
            SyntaxNode::Call(call) => f64::from(call.arguments.weight),
            SyntaxNode::Block(_) => 0.0,
        })
        .sum()
}

fn calls_in<'n>(nodes: impl Iterator<Item = &'n SyntaxNode>) -> impl Iterator<Item = &'n SyntaxCall> {
    nodes.filter_map(|node| match node {
        SyntaxNode::Call(call) => Some(call),
        SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
    })
}
