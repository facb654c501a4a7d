//! The differences between two versions of a function → classified changes with their edits.
//!
//! Every call that came or went is in exactly one edit of exactly one change, so that costs add up once.

mod calls;
mod negations;
mod operations;

use std::collections::{BTreeMap, BTreeSet};

use super::bound_changes::find_bound_changes;
use super::compare::{
    BlockPart, FunctionComparison, FunctionVersion, UnmatchedNode, compare, executing_block, is_beyond_matching,
    match_bodies_only,
};
use super::digested_body::{DigestedBody, is_listed};
use super::model::{BlockMap, BoundChange, ChangeKind, ExecutionEdit};
use super::renames::{CallerScope, RenameMap};
use super::sequence_alignment;
use super::text_tokens;
use super::thresholds::THRESHOLDS;
use crate::syntax::{BlockId, BlockKind, SyntaxCallee, SyntaxNode};

/// A change of a function, before it is given its subject and file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FunctionChange {
    pub(super) kind: ChangeKind,
    pub(super) line: u32,
    pub(super) callee: Option<SyntaxCallee>,
    pub(super) edits: Vec<ExecutionEdit>,
}

impl FunctionChange {
    fn new(kind: ChangeKind, line: u32) -> Self {
        Self {
            kind,
            line,
            callee: None,
            edits: Vec::new(),
        }
    }
}

/// The differences between the bodies of two versions of a function.
#[derive(Debug)]
pub(super) struct BodyChanges {
    pub(super) changes: Vec<FunctionChange>,
    pub(super) blocks: BlockMap,
    pub(super) bounds: Vec<BoundChange>,
}

/// Lists the changes in the body of a function, and matches its blocks.
pub(super) fn list_body_changes(
    before: FunctionVersion<'_>,
    after: FunctionVersion<'_>,
    renames: &RenameMap,
) -> BodyChanges {
    if is_beyond_matching(before.function) || is_beyond_matching(after.function) {
        let mut complete = FunctionChange::new(ChangeKind::CompleteChange, after.function.lines.first);
        complete.edits.push(ExecutionEdit::Recompiled);
        return BodyChanges {
            changes: vec![complete],
            blocks: match_bodies_only(before.function, after.function),
            bounds: Vec::new(),
        };
    }
    let comparison = compare(before, after, renames);
    let callers = (before.caller, after.caller);
    let mut listing = FunctionChangeCollector::new(&comparison, callers, renames);
    listing.blocks();
    let (removed, added) = listing.list_call_changes();
    listing.list_argument_changes();
    let operations = listing.list_operation_changes();
    listing.list_parts_of_conditions();
    listing.tell_negations();
    let is_complete = is_complete(&comparison, removed + added, removed + added + operations);
    let mut listed = listing.finish();
    if is_complete {
        let line = after.function.lines.first;
        let mut complete = FunctionChange::new(ChangeKind::CompleteChange, line);
        complete.edits = listed.into_iter().flat_map(|change| change.edits).collect();
        listed = vec![complete];
    }
    let bounds = find_bound_changes(&comparison, renames);
    BodyChanges {
        changes: listed,
        blocks: comparison.blocks.map,
        bounds,
    }
}

/// True if so little is left that single changes say nothing.
fn is_complete(comparison: &FunctionComparison<'_>, calls: usize, nodes: usize) -> bool {
    let limits = &THRESHOLDS.complete_change;
    let kept = 2.0 * comparison.kept as f64 / comparison.size().max(1) as f64;
    kept < limits.kept && nodes >= limits.changed && calls >= limits.changed_calls
}

struct FunctionChangeCollector<'c, 'f> {
    comparison: &'c FunctionComparison<'f>,
    callers: (CallerScope<'c>, CallerScope<'c>),
    renames: &'c RenameMap,
    changes: Vec<FunctionChange>,
    /// The change that carries what is in a block that was not there, by its id after.
    of_added: Vec<Option<usize>>,
    /// The same for blocks that are gone, by their id before.
    of_deleted: Vec<Option<usize>>,
    /// The change of a matched block's head, by its id after.
    of_head: BTreeMap<BlockId, usize>,
    /// The operations that changed in a matched block, by its id after.
    of_work: BTreeMap<BlockId, usize>,
}

impl<'c, 'f> FunctionChangeCollector<'c, 'f> {
    fn new(
        comparison: &'c FunctionComparison<'f>,
        callers: (CallerScope<'c>, CallerScope<'c>),
        renames: &'c RenameMap,
    ) -> Self {
        Self {
            comparison,
            callers,
            renames,
            changes: Vec::new(),
            of_added: Vec::new(),
            of_deleted: Vec::new(),
            of_head: BTreeMap::new(),
            of_work: BTreeMap::new(),
        }
    }

    fn finish(self) -> Vec<FunctionChange> {
        // A head that differs only by calls that are listed elsewhere has nothing to say.
        self.changes
            .into_iter()
            .filter(|change| !change.edits.is_empty() || is_block(change.kind))
            .collect()
    }

    /// Loops and conditionals that came or went.
    fn blocks(&mut self) {
        let comparison = self.comparison;
        let added: Vec<bool> = comparison.blocks.map.before_of.iter().map(Option::is_none).collect();
        self.of_added = self.side(&added, true);
        let deleted: Vec<bool> = comparison.blocks.map.after_of.iter().map(Option::is_none).collect();
        self.of_deleted = self.side(&deleted, false);
    }

    fn side(&mut self, alone: &[bool], is_after: bool) -> Vec<Option<usize>> {
        let comparison = self.comparison;
        let body = if is_after {
            &comparison.after
        } else {
            &comparison.before
        };
        let mut carriers: Vec<Option<usize>> = vec![None; alone.len()];
        for index in 0..alone.len() {
            let block = &body.function.blocks[index];
            let Some(parent) = block.parent.filter(|_| alone[index]) else {
                continue;
            };
            let around = carriers[parent.0 as usize];
            let is_new_loop = block.kind == BlockKind::Loop;
            carriers[index] = if around.is_some() && !is_new_loop {
                around
            } else if let Some(sibling) = continued(body, parent, index, alone) {
                carriers[sibling]
            } else if stands_in_head(body, parent, index)
                && let Some(of) = self.matched(parent, is_after)
            {
                // The right side of `&&` in a condition is part of the condition.
                Some(self.head(of))
            } else if is_listed(block.kind) {
                let line = if is_after {
                    block.lines.first
                } else {
                    self.line_after(parent)
                };
                self.changes
                    .push(FunctionChange::new(block_kind(block.kind, is_after), line));
                Some(self.changes.len() - 1)
            } else {
                None
            };
        }
        carriers
    }

    /// The id after of a block, if it is on both sides.
    fn matched(&self, block: BlockId, is_after: bool) -> Option<BlockId> {
        let map = &self.comparison.blocks.map;
        if is_after {
            map.before_of[block.0 as usize].map(|_| block)
        } else {
            map.after_of[block.0 as usize]
        }
    }

    /// Where a block before, or the nearest one around it that is still there, is now.
    fn line_after(&self, mut at: BlockId) -> u32 {
        let comparison = self.comparison;
        loop {
            if let Some(other) = comparison.blocks.map.after_of[at.0 as usize] {
                return comparison.after.block(other).lines.first;
            }
            match comparison.before.block(at).parent {
                Some(parent) if parent < at => at = parent,
                _ => return comparison.after.function.lines.first,
            }
        }
    }

    /// Conditions of which a part changed that is a block of its own: the right side of `&&`, a closure.
    fn list_parts_of_conditions(&mut self) {
        let after_of = &self.comparison.blocks.map.after_of;
        let edits = self.changes.iter().flat_map(|change| &change.edits);
        let changed = edits.filter_map(|edit| match edit {
            ExecutionEdit::CallAdded { block, .. }
            | ExecutionEdit::ArgumentsChanged { block, .. }
            | ExecutionEdit::WorkAdded { block, .. } => Some(*block),
            ExecutionEdit::CallRemoved { before, .. } | ExecutionEdit::WorkRemoved { before, .. } => {
                after_of[before.0 as usize]
            }
            // Moved calls have told so already.
            _ => None,
        });
        let decided: BTreeSet<BlockId> = changed.filter_map(|block| self.decided_in(block)).collect();
        decided.into_iter().for_each(|block| {
            self.head(block);
        });
    }

    /// The block, on both sides, in whose head a block after stands: what is done there decides whether that one runs. In the
    /// head of a loop, what a closure or another loop gives are mostly elements.
    fn decided_in(&self, block: BlockId) -> Option<BlockId> {
        let body = &self.comparison.after;
        let mut gives_elements = false;
        let mut at = block;
        while let Some(around) = body.block(at).parent {
            gives_elements |= matches!(body.block(at).kind, BlockKind::Closure | BlockKind::Loop);
            if stands_in_head(body, around, at.0 as usize) {
                let may_decide = match body.block(around).kind {
                    BlockKind::Loop => !gives_elements,
                    BlockKind::Conditional | BlockKind::Arm => true,
                    BlockKind::Body | BlockKind::Closure => false,
                };
                return self.matched(around, true).filter(|_| may_decide);
            }
            at = around;
        }
        None
    }

    /// Pairs what is still free on both sides.
    fn fitting<T: Copy>(
        &self,
        removed: &[Option<T>],
        added: &[Option<T>],
        suits: impl Fn(T, T) -> bool,
    ) -> Vec<(usize, usize)> {
        sequence_alignment::pair_first_fit(
            removed.len(),
            added.len(),
            self.comparison.flip,
            |i, j| matches!((removed[i], added[j]), (Some(old), Some(new)) if suits(old, new)),
        )
    }

    fn same_executions(&self, old: &UnmatchedNode<'f>, new: &UnmatchedNode<'f>) -> bool {
        let comparison = self.comparison;
        let before = executing_block(comparison.before.function, old.block, old.part);
        let after = executing_block(comparison.after.function, new.block, new.part);
        comparison.blocks.map.after_of[before.0 as usize] == Some(after)
    }

    /// The new or vanished block between whose inside and outside something moved.
    fn carrier(&self, old: &UnmatchedNode<'f>, new: &UnmatchedNode<'f>) -> Option<usize> {
        self.carrier_of(old.block, new.block)
    }

    /// Of two blocks that could carry a move, the same one is asked first whichever side is before.
    fn carrier_of(&self, old: BlockId, new: BlockId) -> Option<usize> {
        let (added, deleted) = (self.of_added[new.0 as usize], self.of_deleted[old.0 as usize]);
        if self.comparison.flip {
            deleted.or(added)
        } else {
            added.or(deleted)
        }
    }

    /// Gives an edit of something new to the change that carries its block or head, or lists it alone.
    fn put_added(
        &mut self,
        stray: &UnmatchedNode<'f>,
        edit: ExecutionEdit,
        kind: ChangeKind,
        callee: Option<&SyntaxCallee>,
    ) {
        if let Some(carrier) = self.of_added[stray.block.0 as usize] {
            add_work(&mut self.changes[carrier].edits, edit);
        } else if stray.part == BlockPart::Head
            && stray.gap.is_some()
            && self.comparison.after.block(stray.block).kind != BlockKind::Closure
        {
            let head = self.head(stray.block);
            add_work(&mut self.changes[head].edits, edit);
        } else {
            self.push(kind, stray.line, callee, edit);
        }
    }

    fn put_removed(
        &mut self,
        stray: &UnmatchedNode<'f>,
        edit: ExecutionEdit,
        kind: ChangeKind,
        callee: Option<&SyntaxCallee>,
    ) {
        if let Some(carrier) = self.of_deleted[stray.block.0 as usize] {
            add_work(&mut self.changes[carrier].edits, edit);
        } else if stray.part == BlockPart::Head
            && let Some(gap) = stray.gap
            && self.comparison.after.block(gap.block).kind != BlockKind::Closure
        {
            let head = self.head(gap.block);
            add_work(&mut self.changes[head].edits, edit);
        } else {
            self.push(kind, stray.line, callee, edit);
        }
    }

    /// The change of a head, by the block's id after.
    fn head(&mut self, block: BlockId) -> usize {
        let comparison = self.comparison;
        *self.of_head.entry(block).or_insert_with(|| {
            let line = comparison.after.block(block).lines.first;
            let mut change = FunctionChange::new(ChangeKind::ConditionExpression, line);
            let before = comparison.blocks.map.before_of[block.0 as usize].unwrap_or(BlockId::BODY);
            change.edits.push(ExecutionEdit::Reconditioned {
                before,
                block,
                is_negated: false,
            });
            self.changes.push(change);
            self.changes.len() - 1
        })
    }

    fn push(&mut self, kind: ChangeKind, line: u32, callee: Option<&SyntaxCallee>, edit: ExecutionEdit) {
        let mut change = FunctionChange::new(kind, line);
        change.callee = callee.cloned();
        change.edits.push(edit);
        self.changes.push(change);
    }
}

/// The sibling that a block goes on with: the `if` of an `else`, the arm before an arm.
fn continued(body: &DigestedBody<'_>, parent: BlockId, index: usize, alone: &[bool]) -> Option<usize> {
    let siblings = &body.children[parent.0 as usize];
    let at = siblings.iter().position(|id| id.0 as usize == index)?;
    let earlier = siblings[at.checked_sub(1)?];
    let (one, two) = (body.block(earlier), &body.function.blocks[index]);
    let goes_on = match (one.kind, two.kind) {
        (BlockKind::Arm, BlockKind::Arm) => true,
        (BlockKind::Conditional, BlockKind::Conditional) => two.head.is_empty(),
        _ => false,
    };
    (goes_on && alone[earlier.0 as usize]).then_some(earlier.0 as usize)
}

fn stands_in_head(body: &DigestedBody<'_>, parent: BlockId, index: usize) -> bool {
    let head = &body.heads[parent.0 as usize];
    head.iter()
        .any(|unit| matches!(unit.node, SyntaxNode::Block(id) if id.0 as usize == index))
}

const fn block_kind(kind: BlockKind, is_after: bool) -> ChangeKind {
    match (kind, is_after) {
        (BlockKind::Loop, true) => ChangeKind::LoopAddition,
        (BlockKind::Loop, false) => ChangeKind::LoopDeletion,
        (_, true) => ChangeKind::ConditionalAddition,
        (_, false) => ChangeKind::ConditionalDeletion,
    }
}

const fn is_block(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::LoopAddition
            | ChangeKind::LoopDeletion
            | ChangeKind::ConditionalAddition
            | ChangeKind::ConditionalDeletion
    )
}

/// Adds work to the edit of the same block, if there is one.
fn add_work(edits: &mut Vec<ExecutionEdit>, edit: ExecutionEdit) {
    for known in edits.iter_mut() {
        match (known, &edit) {
            (
                ExecutionEdit::WorkAdded { operations, block },
                ExecutionEdit::WorkAdded {
                    operations: more,
                    block: at,
                },
            ) if block == at => {
                *operations += more;
                return;
            }
            (
                ExecutionEdit::WorkRemoved { operations, before },
                ExecutionEdit::WorkRemoved {
                    operations: more,
                    before: at,
                },
            ) if before == at => {
                *operations += more;
                return;
            }
            _ => {}
        }
    }
    edits.push(edit);
}
