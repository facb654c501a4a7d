//! A call in place of another, and the calls of the chain behind it → the cost of those: `text.split(' ')` costs next to nothing, and
//! decides what `collect` executes behind it.

use crate::change::{ChangeKind, ExecutionEdit, SourceChange, SourceSide};
use crate::cost::CallFrequency;
use crate::cost::lito::BenchmarkPricer;
use crate::syntax::{BlockId, CallReceiver, SyntaxBlock, SyntaxCall, SyntaxNode};

impl BenchmarkPricer<'_> {
    /// The cost of the calls that go on with what a swapped call gives.
    pub(super) fn cost_behind_swapped_call(&self, change: &SourceChange, pair: usize) -> f64 {
        let after = self.scene.located(pair, SourceSide::After);
        let (Some(runs), Some((after, _)), ChangeKind::CallSwap) = (&self.executions[pair], after, change.kind) else {
            return 0.0;
        };
        let spent = |call: &SyntaxCall, block: BlockId| {
            let runs = runs.after.get(block.0 as usize).copied().unwrap_or_default();
            let chain = calls_behind(after.function.block(block), call);
            let costs = chain.into_iter().filter_map(|behind| {
                let price = self.price(behind, (pair, SourceSide::After), CallFrequency::counted(runs))?;
                Some(self.spent(pair, &price, runs))
            });
            costs.sum::<f64>()
        };
        let added = change.edits.iter().filter_map(ExecutionEdit::added_call);
        let costs = added.map(|(call, block)| spent(call, block));
        costs.fold(0.0, f64::max).min(self.profile.total())
    }
}

/// The calls of a block that are called on what a call gives, and on what these give.
fn calls_behind<'f>(block: &'f SyntaxBlock, call: &SyntaxCall) -> Vec<&'f SyntaxCall> {
    let mut behind = Vec::new();
    for nodes in [&block.head, &block.nodes] {
        let calls = nodes.iter().filter_map(|node| match node {
            SyntaxNode::Call(call) => Some(call),
            SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
        });
        let mut last: Option<&SyntaxCall> = None;
        for next in calls {
            let goes_on = last.is_some_and(|last| {
                matches!(&next.callee.receiver, Some(CallReceiver::Result { callee, .. }) if *callee == last.callee.name)
            });
            if goes_on {
                behind.push(next);
                last = Some(next);
            } else if next == call {
                last = Some(next);
            }
        }
    }
    behind
}
