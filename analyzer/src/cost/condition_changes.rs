//! A condition, bound or pattern that changed, and a block that leaves its function → the cost that may be executed
//! more or less often.

use crate::change::{ChangeKind, ExecutionEdit, SourceChange, SourceSide};
use crate::cost::early_exits::leaves;
use crate::cost::ledger::{BoundedEffect, CostEntry};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::operations_in;
use crate::cost::{BlockExecutions, CallFrequency, ChangeClass, CostAccountKey, Estimate, NewBlockPolicy};
use crate::languages::is_interpreted;
use crate::syntax::{BlockId, BlockKind, OperationKind, SyntaxFunction, SyntaxNode};

impl BenchmarkPricer<'_> {
    /// A condition that changed: its block may never run, or run every time it is reached; so may the code after a block that
    /// leaves. One that is negated alone runs its block where it did not, and what stands in its `else` where it did.
    pub(super) fn condition_change_entries(
        &self,
        pair: usize,
        (block, new): (BlockId, BlockId),
        is_negated: bool,
        runs: &BlockExecutions,
    ) -> Vec<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let (Some(before), Some(after)) = (&sides.before, &sides.after) else {
            return Vec::new();
        };
        let function: &SyntaxFunction = &before.function;
        let count = runs.before.get(block.0 as usize).copied().unwrap_or_default();
        let around = function
            .block(block)
            .parent
            .and_then(|parent| runs.before.get(parent.0 as usize).copied())
            .unwrap_or_default();
        let each = self
            .price_of_block(pair, (SourceSide::Before, block))
            .max(self.share_of_block(pair, block, count));
        let assumed = self.scene.assumed(pair, NewBlockPolicy::Bounded, self.profile);
        if let Some(rounds) = assumed.trip_count_ratio((function, &after.function), (block, new)) {
            return vec![CostEntry {
                account: CostAccountKey::Rounds { pair, block },
                class: ChangeClass::Work,
                runs: count * (rounds - 1.0),
                unit: Estimate::exactly(each),
                believed: 1.0,
                // The bounds in the source give the number of rounds.
                firm: each,
                touched: 0.0,
                resolved: None,
            }];
        }
        let may_leave = leaves(before.function.block(block)) || leaves(after.function.block(new));
        let is_plainly_negated = is_negated && !may_leave && function.block(block).kind == BlockKind::Conditional;
        let negation = is_plainly_negated.then(|| self.negation_entry(pair, (block, new), (around, count)));
        let left = may_leave.then(|| {
            let touched = self.inclusive(pair);
            self.bounded(BoundedEffect {
                account: CostAccountKey::EarlyExit { pair },
                class: ChangeClass::EarlyExit,
                runs: Estimate::exactly(around.expected.max(1.0)),
                save: touched,
                add: touched,
            })
        });
        let never = count.expected * each;
        let always = match function.block(block).kind {
            // A loop is assumed to run at most twice as often as before.
            BlockKind::Loop => never.max(around.high * each),
            BlockKind::Body | BlockKind::Conditional | BlockKind::Arm | BlockKind::Closure => {
                (around.high - count.expected).max(0.0) * each
            }
        };
        let condition = self.bounded(BoundedEffect {
            account: CostAccountKey::Condition { pair, block },
            class: ChangeClass::Condition,
            runs: Estimate::exactly(count.expected.max(1.0)),
            save: never,
            add: always,
        });
        negation.into_iter().chain(left).chain([condition]).collect()
    }

    /// A block that runs where it did not, by what it holds after the change, and the `else` that runs in its place.
    fn negation_entry(
        &self,
        pair: usize,
        (block, new): (BlockId, BlockId),
        (around, count): (Estimate, Estimate),
    ) -> CostEntry {
        let after = self.scene.changes.pairs[pair].after.as_ref();
        let other = after.and_then(|after| else_of(&after.function, new));
        let price = |block: BlockId| self.price_of_block(pair, (SourceSide::After, block));
        let each = price(new).max(self.share_of_block(pair, block, count)) - other.map_or(0.0, price);
        CostEntry {
            account: CostAccountKey::Rounds { pair, block },
            class: ChangeClass::Work,
            runs: around - count * 2.0,
            unit: Estimate::exactly(each),
            believed: 1.0,
            firm: each,
            touched: 0.0,
            resolved: None,
        }
    }

    /// The share that running a block of an interpreted function once takes of the function's own measured cost, by the nodes of its blocks
    /// and how often these run: each round of a loop costs as much as a node, whatever is in it. 0 of compiled code.
    fn share_of_block(&self, pair: usize, block: BlockId, count: Estimate) -> f64 {
        let before = self.scene.changes.pairs[pair].before.as_ref();
        let Some(located) = before.filter(|before| is_interpreted(&before.file) && count.expected > 0.0) else {
            return 0.0;
        };
        let Some(runs) = &self.executions[pair] else {
            return 0.0;
        };
        let function = &located.function;
        let (mut all, mut inside) = (0.0, 0.0);
        for (index, (of_block, runs)) in function.blocks.iter().zip(&runs.before).enumerate() {
            let weight = runs.expected * (1 + of_block.nodes.len()) as f64;
            all += weight;
            if is_within(function, BlockId(u32::try_from(index).unwrap_or(u32::MAX)), block) {
                inside += weight;
            }
        }
        self.self_cost_with_inlined(pair) * inside / f64::max(all, 1.0) / count.expected
    }

    /// Expected cost of running a block of one side of the function once.
    fn price_of_block(&self, pair: usize, (side, block): (SourceSide, BlockId)) -> f64 {
        let Some((located, _)) = self.scene.located(pair, side) else {
            return 0.0;
        };
        let function: &SyntaxFunction = &located.function;
        let Some(runs) = &self.executions[pair] else {
            return 0.0;
        };
        let counts = match side {
            SourceSide::Before => &runs.before,
            SourceSide::After => &runs.after,
        };
        let count = |id: BlockId| counts.get(id.0 as usize).map_or(0.0, |count| count.expected);
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
                let reach = CallFrequency {
                    executions: count(id),
                    supposed: false,
                };
                let calls: f64 = inner
                    .nodes
                    .iter()
                    .filter_map(|node| match node {
                        SyntaxNode::Call(call) => self.price(call, (pair, side), reach),
                        SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
                    })
                    .map(|price| price.unit.expected)
                    .sum();
                times * (calls + operations_in(inner.nodes.iter()) * operation)
            })
            .sum()
    }

    /// A new block that leaves the function saves the cost of the code after it; a deleted one no longer saves it. The
    /// share of executions that take it is not known.
    pub(super) fn early_exit(&self, change: &SourceChange, pair: usize) -> Option<CostEntry> {
        let sides = &self.scene.changes.pairs[pair];
        let touched = self.inclusive(pair);
        let (side, counterparts, (save, add)) = match change.kind {
            ChangeKind::ConditionalAddition => (sides.after.as_ref()?, &sides.blocks.before_of, (touched, 0.0)),
            ChangeKind::ConditionalDeletion => (sides.before.as_ref()?, &sides.blocks.after_of, (0.0, touched)),
            ChangeKind::CallAddition
            | ChangeKind::CallDeletion
            | ChangeKind::CallSwap
            | ChangeKind::CompleteChange
            | ChangeKind::LoopAddition
            | ChangeKind::LoopDeletion
            | ChangeKind::FieldValue
            | ChangeKind::ConditionExpression
            | ChangeKind::CallScope
            | ChangeKind::Parameter
            | ChangeKind::Operation
            | ChangeKind::Attribute
            | ChangeKind::Type
            | ChangeKind::Constant
            | ChangeKind::Dependency
            | ChangeKind::BuildSetting
            | ChangeKind::Macro => return None,
        };
        let is_unmatched = |id: BlockId| counterparts.get(id.0 as usize).is_none_or(Option::is_none);
        let has_exit = change
            .edits
            .iter()
            .filter_map(|edit| block_of(edit, change.kind))
            .filter(|&id| is_unmatched(id))
            .any(|id| side.function.block(id).nodes.iter().any(is_jump));
        let runs = self.executions[pair].as_ref()?.before.first().copied()?;
        has_exit.then(|| {
            self.bounded(BoundedEffect {
                account: CostAccountKey::EarlyExit { pair },
                class: ChangeClass::EarlyExit,
                runs,
                save,
                add,
            })
        })
    }
}

/// The block of an edit on the side that a conditional was added to or deleted from.
fn block_of(edit: &ExecutionEdit, kind: ChangeKind) -> Option<BlockId> {
    match (edit, kind) {
        (
            ExecutionEdit::CallAdded { block, .. } | ExecutionEdit::WorkAdded { block, .. },
            ChangeKind::ConditionalAddition,
        ) => Some(*block),
        (ExecutionEdit::CallMoved { block, .. }, ChangeKind::ConditionalAddition) => Some(*block),
        (
            ExecutionEdit::CallRemoved { before, .. }
            | ExecutionEdit::WorkRemoved { before, .. }
            | ExecutionEdit::CallMoved { before, .. },
            ChangeKind::ConditionalDeletion,
        ) => Some(*before),
        _ => None,
    }
}

fn is_jump(node: &SyntaxNode) -> bool {
    matches!(node, SyntaxNode::Operation(operation) if operation.kind == OperationKind::Jump)
}

/// The `else` of an `if`.
fn else_of(function: &SyntaxFunction, block: BlockId) -> Option<BlockId> {
    let around = function.block(function.block(block).parent?);
    let at = around.nodes.iter().position(|node| *node == SyntaxNode::Block(block))?;
    match around.nodes.get(at + 1) {
        Some(SyntaxNode::Block(next)) => {
            let other = function.block(*next);
            (other.kind == BlockKind::Conditional && other.head.is_empty()).then_some(*next)
        }
        _ => None,
    }
}

/// True if a block is the other block, or is nested in it.
fn is_within(function: &SyntaxFunction, inner: BlockId, outer: BlockId) -> bool {
    std::iter::successors(Some(inner), |&id| function.block(id).parent).any(|id| id == outer)
}
