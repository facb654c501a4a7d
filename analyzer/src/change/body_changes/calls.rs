//! Calls that came or went → those that moved, took another's place, or got other arguments, and the rest.

use super::{FunctionChange, FunctionChangeCollector, text_tokens};
use crate::change::compare::{BlockPart, UnmatchedNode, executing_block};
use crate::change::model::{ChangeKind, ExecutionEdit};
use crate::change::renames::same_callee;
use crate::change::thresholds::THRESHOLDS;
use crate::syntax::{BlockId, BlockKind, CallReceiver, SyntaxCall, SyntaxCallForm, SyntaxNode};

impl<'f> FunctionChangeCollector<'_, 'f> {
    /// Calls that came, went, moved or took another's place; how many were removed and added for good.
    pub(super) fn list_call_changes(&mut self) -> (usize, usize) {
        let comparison = self.comparison;
        let mut removed: Vec<Option<(&UnmatchedNode<'f>, &'f SyntaxCall)>> = calls_of(&comparison.removed);
        let mut added: Vec<Option<(&UnmatchedNode<'f>, &'f SyntaxCall)>> = calls_of(&comparison.added);
        self.moved_calls(&mut removed, &mut added);
        let counts = (removed.iter().flatten().count(), added.iter().flatten().count());
        self.swapped_calls(&mut removed, &mut added);
        for (stray, call) in removed.into_iter().flatten() {
            let edit = ExecutionEdit::CallRemoved {
                call: call.clone(),
                before: executing_block(comparison.before.function, stray.block, stray.part),
            };
            self.put_removed(stray, edit, ChangeKind::CallDeletion, Some(&call.callee));
        }
        for (stray, call) in added.into_iter().flatten() {
            let edit = ExecutionEdit::CallAdded {
                call: call.clone(),
                block: executing_block(comparison.after.function, stray.block, stray.part),
            };
            self.put_added(stray, edit, ChangeKind::CallAddition, Some(&call.callee));
        }
        self.moved_blocks();
        counts
    }

    fn moved_calls(
        &mut self,
        removed: &mut [Option<(&UnmatchedNode<'f>, &'f SyntaxCall)>],
        added: &mut [Option<(&UnmatchedNode<'f>, &'f SyntaxCall)>],
    ) {
        if removed.len().saturating_mul(added.len()) > THRESHOLDS.sequences.most_moves {
            return;
        }
        // Best evidence first: the same arguments, and then the same block.
        for attempt in [MoveEvidence::Equal, MoveEvidence::SameBlock, MoveEvidence::SameCallee] {
            let pairs = self.fitting(removed, added, |old, new| self.is_move(old, new, attempt));
            for (i, j) in pairs {
                if let (Some(old), Some(new)) = (removed[i].take(), added[j].take()) {
                    self.move_call(old, new);
                }
            }
        }
    }

    fn swapped_calls(
        &mut self,
        removed: &mut [Option<(&UnmatchedNode<'f>, &'f SyntaxCall)>],
        added: &mut [Option<(&UnmatchedNode<'f>, &'f SyntaxCall)>],
    ) {
        let comparison = self.comparison;
        let pairs = self.fitting(removed, added, |(old, _), (new, _)| {
            old.gap == new.gap && old.gap.is_some_and(|gap| gap.part == BlockPart::Nodes)
        });
        for (i, j) in pairs {
            if let (Some((old, old_call)), Some((new, new_call))) = (removed[i].take(), added[j].take()) {
                let line = new_call.line;
                let mut change = FunctionChange::new(ChangeKind::CallSwap, line);
                change.callee = Some(new_call.callee.clone());
                change.edits = vec![
                    ExecutionEdit::CallRemoved {
                        call: old_call.clone(),
                        before: executing_block(comparison.before.function, old.block, old.part),
                    },
                    ExecutionEdit::CallAdded {
                        call: new_call.clone(),
                        block: executing_block(comparison.after.function, new.block, new.part),
                    },
                ];
                self.changes.push(change);
            }
        }
    }

    pub(super) fn list_argument_changes(&mut self) {
        let comparison = self.comparison;
        for regiven in &comparison.regiven {
            let edit = ExecutionEdit::ArgumentsChanged {
                call: regiven.call.clone(),
                was: regiven.was.arguments.clone(),
                block: executing_block(comparison.after.function, regiven.block, regiven.part),
            };
            if regiven.part == BlockPart::Head && comparison.after.block(regiven.block).kind != BlockKind::Closure {
                let head = self.head(regiven.block);
                self.changes[head].edits.push(edit);
            } else {
                self.push(
                    ChangeKind::Parameter,
                    regiven.call.line,
                    Some(&regiven.call.callee),
                    edit,
                );
            }
        }
    }

    fn is_move(
        &self,
        old: (&UnmatchedNode<'f>, &SyntaxCall),
        new: (&UnmatchedNode<'f>, &SyntaxCall),
        attempt: MoveEvidence,
    ) -> bool {
        if !same_callee(
            (&old.1.callee, self.callers.0),
            (&new.1.callee, self.callers.1),
            self.renames,
        ) {
            return false;
        }
        let same_arguments = old.0.arguments == new.0.arguments;
        let same_receiver = self.same_receiver(old.1, new.1);
        // `push` and its like are many functions: without the same object or arguments it is another one.
        let is_method = [old.1, new.1]
            .iter()
            .any(|call| call.callee.form == SyntaxCallForm::Method);
        let is_known =
            !is_method || same_receiver || (same_arguments && text_tokens::is_distinctive(&old.1.arguments.text));
        is_known
            && match attempt {
                MoveEvidence::Equal => same_arguments && same_receiver,
                MoveEvidence::SameBlock => self.same_executions(old.0, new.0),
                MoveEvidence::SameCallee => true,
            }
    }

    fn same_receiver(&self, old: &SyntaxCall, new: &SyntaxCall) -> bool {
        match (&old.callee.receiver, &new.callee.receiver) {
            (Some(CallReceiver::Local(old)), Some(CallReceiver::Local(new))) => {
                self.comparison.locals.0.get(old).unwrap_or(old) == new
            }
            (Some(CallReceiver::SelfField(old)), Some(CallReceiver::SelfField(new))) => self.renames.word(old) == new,
            (Some(CallReceiver::Other(_)), Some(CallReceiver::Other(_))) => false,
            (old, new) => old == new,
        }
    }

    fn move_call(&mut self, old: (&UnmatchedNode<'f>, &'f SyntaxCall), new: (&UnmatchedNode<'f>, &'f SyntaxCall)) {
        let comparison = self.comparison;
        let block = executing_block(comparison.after.function, new.0.block, new.0.part);
        let before = executing_block(comparison.before.function, old.0.block, old.0.part);
        let call = new.1.clone();
        let callee = Some(&new.1.callee);
        // In the head of a matched block: its id after.
        let head_of =
            |stray: &UnmatchedNode<'f>| stray.gap.filter(|gap| gap.part == BlockPart::Head).map(|gap| gap.block);
        let (old_head, new_head) = (head_of(old.0), head_of(new.0));
        let within_one_head = old_head.is_some() && old_head == new_head;
        let is_same = self.same_executions(old.0, new.0);
        // A condition that gave or took a call is another condition.
        if !within_one_head && (!is_same || (old_head.is_some() && new_head.is_some())) {
            for head in [old_head, new_head].into_iter().flatten() {
                if comparison.after.block(head).kind != BlockKind::Closure {
                    self.head(head);
                }
            }
        }
        let (kind, edit) = if is_same {
            if old.0.arguments == new.0.arguments {
                return;
            }
            (
                ChangeKind::Parameter,
                ExecutionEdit::ArgumentsChanged {
                    call,
                    was: old.1.arguments.clone(),
                    block,
                },
            )
        } else {
            (ChangeKind::CallScope, ExecutionEdit::CallMoved { call, before, block })
        };
        match self.carrier(old.0, new.0) {
            Some(carrier) => self.changes[carrier].edits.push(edit),
            None if within_one_head => self.put_added(new.0, edit, kind, callee),
            None => self.push(kind, new.0.line, callee, edit),
        }
    }

    /// Calls in blocks that were matched although what is around them was not: wrapped, or unwrapped.
    fn moved_blocks(&mut self) {
        let comparison = self.comparison;
        let map = &comparison.blocks.map;
        for (index, other) in map.after_of.iter().enumerate() {
            let Some(other) = *other else { continue };
            let old = &comparison.before.function.blocks[index];
            let new = comparison.after.block(other);
            let (Some(old_parent), Some(new_parent)) = (old.parent, new.parent) else {
                continue;
            };
            let carrier = self.carrier_of(old_parent, new_parent);
            let Some(carrier) = carrier.filter(|_| map.after_of[old_parent.0 as usize] != Some(new_parent)) else {
                continue;
            };
            let mut edits = Vec::new();
            self.collect_moved(BlockId(u32::try_from(index).unwrap_or(u32::MAX)), other, &mut edits);
            self.changes[carrier].edits.append(&mut edits);
        }
    }

    fn collect_moved(&self, before: BlockId, after: BlockId, edits: &mut Vec<ExecutionEdit>) {
        let comparison = self.comparison;
        let new = comparison.after.block(after);
        let strays: Vec<&SyntaxNode> = comparison
            .added
            .iter()
            .filter(|stray| stray.block == after)
            .map(|stray| stray.node)
            .collect();
        for (part, nodes) in [(BlockPart::Head, &new.head), (BlockPart::Nodes, &new.nodes)] {
            for node in nodes {
                match node {
                    SyntaxNode::Call(call) if !strays.iter().any(|stray| std::ptr::eq(*stray, node)) => {
                        edits.push(ExecutionEdit::CallMoved {
                            call: call.clone(),
                            before: executing_block(comparison.before.function, before, part),
                            block: executing_block(comparison.after.function, after, part),
                        });
                    }
                    SyntaxNode::Block(child) => {
                        let inside = comparison.blocks.map.before_of[child.0 as usize];
                        if let Some(old) = inside.filter(|old| comparison.before.block(*old).parent == Some(before)) {
                            self.collect_moved(old, *child, edits);
                        }
                    }
                    SyntaxNode::Call(_) | SyntaxNode::Operation(_) => {}
                }
            }
        }
    }
}

/// Why two calls are taken for one that moved, best first.
#[derive(Clone, Copy)]
enum MoveEvidence {
    Equal,
    SameBlock,
    SameCallee,
}

pub(super) fn calls_of<'s, 'f>(
    strays: &'s [UnmatchedNode<'f>],
) -> Vec<Option<(&'s UnmatchedNode<'f>, &'f SyntaxCall)>> {
    strays
        .iter()
        .filter_map(|stray| match stray.node {
            SyntaxNode::Call(call) => Some(Some((stray, call))),
            _ => None,
        })
        .collect()
}
