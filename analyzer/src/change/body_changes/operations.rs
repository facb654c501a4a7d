//! Operations that came or went → the work, or the field, of the change that they are part of.

use super::calls::calls_of;
use super::{FunctionChange, FunctionChangeCollector, add_work, text_tokens};
use crate::change::compare::{BlockPart, UnmatchedNode, executing_block};
use crate::change::model::{ChangeKind, ExecutionEdit};
use crate::change::text_tokens::{NameTranslation, TextToken};
use crate::syntax::{BlockId, BlockKind, OperationKind, SyntaxCall, SyntaxNode, SyntaxOperation};

impl<'f> FunctionChangeCollector<'_, 'f> {
    /// Operations that came or went; how many.
    pub(super) fn list_operation_changes(&mut self) -> usize {
        let comparison = self.comparison;
        let mut removed: Vec<Option<(&UnmatchedNode<'f>, &'f SyntaxOperation)>> = operations_of(&comparison.removed);
        let mut added: Vec<Option<(&UnmatchedNode<'f>, &'f SyntaxOperation)>> = operations_of(&comparison.added);
        self.settle_operations(&mut removed, &mut added);
        let counts = removed.iter().flatten().count() + added.iter().flatten().count();
        for (stray, operation) in removed.into_iter().flatten() {
            let operations = u32::from(operation.weight);
            let before = executing_block(comparison.before.function, stray.block, stray.part);
            let edit = ExecutionEdit::WorkRemoved { operations, before };
            self.put_work(stray, operation, edit, false);
        }
        for (stray, operation) in added.into_iter().flatten() {
            let operations = u32::from(operation.weight);
            let block = executing_block(comparison.after.function, stray.block, stray.part);
            let edit = ExecutionEdit::WorkAdded { operations, block };
            self.put_work(stray, operation, edit, true);
        }
        counts
    }

    /// Takes out what moved within a block, what moved with a block, and what is now an argument of a call.
    fn settle_operations(
        &mut self,
        removed: &mut [Option<(&UnmatchedNode<'f>, &'f SyntaxOperation)>],
        added: &mut [Option<(&UnmatchedNode<'f>, &'f SyntaxOperation)>],
    ) {
        let comparison = self.comparison;
        let same = |old: (&UnmatchedNode<'f>, &SyntaxOperation), new: (&UnmatchedNode<'f>, &SyntaxOperation)| {
            new.0.exact == old.0.exact
        };
        for (i, j) in self.fitting(removed, added, |old, new| {
            same(old, new) && self.same_executions(old.0, new.0)
        }) {
            removed[i] = None;
            added[j] = None;
        }
        let pairs = self.fitting(removed, added, |old, new| {
            same(old, new) && self.carrier(old.0, new.0).is_some()
        });
        for (i, j) in pairs {
            if let (Some((old, operation)), Some((new, _))) = (removed[i].take(), added[j].take())
                && let Some(carrier) = self.carrier(old, new)
            {
                let operations = u32::from(operation.weight);
                let before = executing_block(comparison.before.function, old.block, old.part);
                let block = executing_block(comparison.after.function, new.block, new.part);
                let edits = &mut self.changes[carrier].edits;
                add_work(edits, ExecutionEdit::WorkRemoved { operations, before });
                add_work(edits, ExecutionEdit::WorkAdded { operations, block });
            }
        }
        let before = comparison.reading_of_before(self.renames);
        let after = NameTranslation::default();
        absorb(removed, before, &calls_of(&comparison.added), after);
        absorb(added, after, &calls_of(&comparison.removed), before);
    }

    fn put_work(
        &mut self,
        stray: &UnmatchedNode<'f>,
        operation: &SyntaxOperation,
        edit: ExecutionEdit,
        is_after: bool,
    ) {
        let comparison = self.comparison;
        if let OperationKind::FieldWrite(field) = &operation.kind
            && let Some(gap) = stray.gap
        {
            self.put_field(field, gap.block, stray.line, edit);
            return;
        }
        let kind = if is_after {
            comparison.after.block(stray.block).kind
        } else {
            comparison.before.block(stray.block).kind
        };
        // The parameters of a closure, or of a loop's closure, decide nothing.
        let is_binding = stray.part == BlockPart::Head
            && operation.kind == OperationKind::Pattern
            && matches!(kind, BlockKind::Loop | BlockKind::Closure);
        match stray.gap {
            Some(gap) if stray.part == BlockPart::Nodes || is_binding || kind == BlockKind::Closure => {
                let at = *self.of_work.entry(gap.block).or_insert_with(|| {
                    self.changes
                        .push(FunctionChange::new(ChangeKind::Operation, stray.line));
                    self.changes.len() - 1
                });
                add_work(&mut self.changes[at].edits, edit);
            }
            _ if is_after => self.put_added(stray, edit, ChangeKind::Operation, None),
            _ => self.put_removed(stray, edit, ChangeKind::Operation, None),
        }
    }

    fn put_field(&mut self, field: &str, block: BlockId, line: u32, edit: ExecutionEdit) {
        let known = self.changes.iter_mut().find(|change| {
            change.kind == ChangeKind::FieldValue
                && matches!(&change.edits[0], ExecutionEdit::FieldChanged { field: other, block: at }
                    if *at == block && (other == field || self.renames.word(field) == other || self.renames.word(other) == field))
        });
        if let Some(change) = known {
            change.line = change.line.max(line);
            add_work(&mut change.edits, edit);
            return;
        }
        let mut change = FunctionChange::new(ChangeKind::FieldValue, line);
        change.edits = vec![
            ExecutionEdit::FieldChanged {
                field: field.to_owned(),
                block,
            },
            edit,
        ];
        self.changes.push(change);
    }
}

fn operations_of<'s, 'f>(strays: &'s [UnmatchedNode<'f>]) -> Vec<Option<(&'s UnmatchedNode<'f>, &'f SyntaxOperation)>> {
    strays
        .iter()
        .filter_map(|stray| match stray.node {
            // A call at the end of a block is its value with or without a `return`.
            SyntaxNode::Operation(operation)
                if text_tokens::is_costless(&operation.text)
                    || stray.is_last && text_tokens::returns_a_call(&operation.text) =>
            {
                None
            }
            SyntaxNode::Operation(operation) => Some(Some((stray, operation))),
            _ => None,
        })
        .collect()
}

/// Drops operations that stand among the arguments of a call on the other side: they are still executed.
fn absorb(
    operations: &mut [Option<(&UnmatchedNode<'_>, &SyntaxOperation)>],
    reading: NameTranslation<'_>,
    calls: &[Option<(&UnmatchedNode<'_>, &SyntaxCall)>],
    other_reading: NameTranslation<'_>,
) {
    for slot in operations.iter_mut() {
        let Some((stray, operation)) = *slot else {
            continue;
        };
        if stray.gap.is_none() {
            continue;
        }
        let wanted: Vec<TextToken<'_>> = text_tokens::tokens(&operation.text)
            .map(|token| reading.token(token))
            .collect();
        let is_argument = calls.iter().flatten().any(|(other, call)| {
            other.gap == stray.gap && {
                let given: Vec<TextToken<'_>> = text_tokens::tokens(&call.arguments.text)
                    .map(|token| other_reading.token(token))
                    .collect();
                !wanted.is_empty() && given.windows(wanted.len()).any(|window| window == wanted)
            }
        });
        if is_argument {
            *slot = None;
        }
    }
}
