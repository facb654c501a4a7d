//! A condition, bound or pattern that changed, and a block that leaves its function → how much may run more or less often.

use crate::change::{Change, ChangeKind, Edit};
use crate::cost::ledger::{Entry, Touch};
use crate::cost::lito::{Benchmark, operations_in};
use crate::cost::{Class, Estimate, Executions, NewBlocks, Reach, Side};
use crate::syntax::{BlockId, BlockKind, Function, Node, OperationKind};

impl Benchmark<'_> {
    /// A condition that changed: its block may never run, or run whenever it is reached.
    pub(super) fn reconditioned(&self, pair: usize, (block, new): (BlockId, BlockId), runs: &Executions) -> Vec<Entry> {
        let sides = &self.scene.changes.pairs[pair];
        let (Some(before), Some(after)) = (&sides.before, &sides.after) else {
            return Vec::new();
        };
        let function: &Function = &before.function;
        let count = runs.before.get(block.0 as usize).copied().unwrap_or_default();
        let around = function
            .block(block)
            .parent
            .and_then(|parent| runs.before.get(parent.0 as usize).copied())
            .unwrap_or_default();
        let each = self.price_of_block(pair, block);
        let assumed = self.scene.assumed(pair, NewBlocks::Bounded);
        if let Some(rounds) = assumed.rounds((function, &after.function), (block, new)) {
            return vec![Entry {
                subject: format!("rounds of block {} of {pair}", block.0),
                class: Class::Work,
                runs: count * (rounds - 1.0),
                unit: Estimate::exactly(each),
                // The source says how often.
                firm: each,
                touched: 0.0,
                resolved: None,
            }];
        }
        let never = count.expected * each;
        let always = match function.block(block).kind {
            // Twice as often is as far as a loop is taken to go.
            BlockKind::Loop => never.max(around.high * each),
            _ => (around.high - count.expected).max(0.0) * each,
        };
        vec![self.bounded(Touch {
            subject: format!("condition of block {} of {pair}", block.0),
            class: Class::Condition,
            runs: Estimate::exactly(count.expected.max(1.0)),
            save: never,
            add: always,
        })]
    }

    /// Expected cost of running a block of the function before the change once.
    fn price_of_block(&self, pair: usize, block: BlockId) -> f64 {
        let Some(function) = self.scene.changes.pairs[pair]
            .before
            .as_ref()
            .map(|located| &located.function)
        else {
            return 0.0;
        };
        let Some(runs) = &self.executions[pair] else {
            return 0.0;
        };
        let count = |id: BlockId| runs.before.get(id.0 as usize).map_or(0.0, |count| count.expected);
        let own = count(block);
        let operation = self.operation(pair).expected;
        let inner = function
            .blocks
            .iter()
            .enumerate()
            .map(|(index, inner)| (BlockId(u32::try_from(index).unwrap_or(u32::MAX)), inner))
            .filter(|(id, _)| is_within(function, *id, block));
        inner
            .map(|(id, inner)| {
                let times = if own > 0.0 { count(id) / own } else { 1.0 };
                let reach = Reach {
                    executions: count(id),
                    supposed: false,
                };
                let calls: f64 = inner
                    .nodes
                    .iter()
                    .filter_map(|node| match node {
                        Node::Call(call) => self.price(call, (pair, Side::Before), reach),
                        Node::Operation(_) | Node::Block(_) => None,
                    })
                    .map(|price| price.unit.expected)
                    .sum();
                times * (calls + operations_in(inner.nodes.iter()) * operation)
            })
            .sum()
    }

    /// A new block that leaves the function saves what would have come after it; one that is gone saves it
    /// no more. How often it is taken is not known.
    pub(super) fn early_exit(&self, change: &Change, pair: usize) -> Option<Entry> {
        let sides = &self.scene.changes.pairs[pair];
        let (side, counterparts) = match change.kind {
            ChangeKind::ConditionalAddition => (sides.after.as_ref()?, &sides.blocks.before_of),
            ChangeKind::ConditionalDeletion => (sides.before.as_ref()?, &sides.blocks.after_of),
            _ => return None,
        };
        let is_unmatched = |id: BlockId| counterparts.get(id.0 as usize).is_none_or(Option::is_none);
        let leaves = change
            .edits
            .iter()
            .filter_map(|edit| block_of(edit, change.kind))
            .filter(|&id| is_unmatched(id))
            .any(|id| side.function.block(id).nodes.iter().any(is_jump));
        let touched = self.inclusive(pair);
        let (save, add) = match change.kind {
            ChangeKind::ConditionalAddition => (touched, 0.0),
            _ => (0.0, touched),
        };
        let runs = self.executions[pair].as_ref()?.before.first().copied()?;
        leaves.then(|| {
            self.bounded(Touch {
                subject: format!("early exit of {pair}"),
                class: Class::EarlyExit,
                runs,
                save,
                add,
            })
        })
    }
}

/// The block of an edit on the side that a conditional was added to or deleted from.
fn block_of(edit: &Edit, kind: ChangeKind) -> Option<BlockId> {
    match (edit, kind) {
        (Edit::CallAdded { block, .. } | Edit::WorkAdded { block, .. }, ChangeKind::ConditionalAddition) => {
            Some(*block)
        }
        (Edit::CallMoved { block, .. }, ChangeKind::ConditionalAddition) => Some(*block),
        (
            Edit::CallRemoved { before, .. } | Edit::WorkRemoved { before, .. } | Edit::CallMoved { before, .. },
            ChangeKind::ConditionalDeletion,
        ) => Some(*before),
        _ => None,
    }
}

fn is_jump(node: &Node) -> bool {
    matches!(node, Node::Operation(operation) if operation.kind == OperationKind::Jump)
}

/// True if a block is another, or stands somewhere inside it.
fn is_within(function: &Function, inner: BlockId, outer: BlockId) -> bool {
    std::iter::successors(Some(inner), |&id| function.block(id).parent).any(|id| id == outer)
}
