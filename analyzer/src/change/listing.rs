//! What differs between two versions of a function → classified changes with their edits.
//!
//! Every call that came or went is in exactly one edit of exactly one change, so that costs add up once.

use std::collections::BTreeMap;

use super::body::is_listed;
use super::compare::{
    Comparison, Part, Stray, Version, compare, executed_with, is_too_deep, only_bodies,
};
use super::model::{BlockMap, ChangeKind, Edit};
use super::names::{Caller, Renames, same_callee};
use super::sequence;
use super::text::{self, Reading, Token};
use super::thresholds::THRESHOLDS;
use crate::syntax::{
    BlockId, BlockKind, Call, CallForm, Callee, Node, Operation, OperationKind, Receiver,
};

/// A change of a function, before it is given its subject and file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    pub(super) kind: ChangeKind,
    pub(super) line: u32,
    pub(super) callee: Option<Callee>,
    pub(super) edits: Vec<Edit>,
}

impl Listed {
    fn new(kind: ChangeKind, line: u32) -> Self {
        Self {
            kind,
            line,
            callee: None,
            edits: Vec::new(),
        }
    }
}

/// What changed in the body of a function, and its matched blocks.
pub(super) fn list(
    before: Version<'_>,
    after: Version<'_>,
    renames: &Renames,
) -> (Vec<Listed>, BlockMap) {
    if is_too_deep(before.function) || is_too_deep(after.function) {
        let mut complete = Listed::new(ChangeKind::CompleteChange, after.function.lines.first);
        complete.edits.push(Edit::Recompiled);
        return (vec![complete], only_bodies(before.function, after.function));
    }
    let comparison = compare(before, after, renames);
    let callers = (before.caller, after.caller);
    let mut listing = Listing::new(&comparison, callers, renames);
    listing.blocks();
    let (removed, added) = listing.calls();
    listing.arguments();
    let operations = listing.operations();
    let is_complete = is_complete(&comparison, removed + added, removed + added + operations);
    let mut listed = listing.finish();
    if is_complete {
        let line = after.function.lines.first;
        let mut complete = Listed::new(ChangeKind::CompleteChange, line);
        complete.edits = listed.into_iter().flat_map(|change| change.edits).collect();
        listed = vec![complete];
    }
    (listed, comparison.blocks.map)
}

/// True if so little is left that single changes say nothing.
fn is_complete(comparison: &Comparison<'_>, calls: usize, nodes: usize) -> bool {
    let limits = &THRESHOLDS.complete_change;
    let kept = 2.0 * comparison.kept as f64 / comparison.size().max(1) as f64;
    kept < limits.kept && nodes >= limits.changed && calls >= limits.changed_calls
}

struct Listing<'c, 'f> {
    comparison: &'c Comparison<'f>,
    callers: (Caller<'c>, Caller<'c>),
    renames: &'c Renames,
    changes: Vec<Listed>,
    /// The change that carries what is in a block that was not there, by its id after.
    of_added: Vec<Option<usize>>,
    /// The same for blocks that are gone, by their id before.
    of_deleted: Vec<Option<usize>>,
    /// The change of a matched block's head, by its id after.
    of_head: BTreeMap<BlockId, usize>,
    /// The operations that changed in a matched block, by its id after.
    of_work: BTreeMap<BlockId, usize>,
}

impl<'c, 'f> Listing<'c, 'f> {
    fn new(
        comparison: &'c Comparison<'f>,
        callers: (Caller<'c>, Caller<'c>),
        renames: &'c Renames,
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

    fn finish(self) -> Vec<Listed> {
        // A head that differs only by calls that are listed elsewhere has nothing to say.
        self.changes
            .into_iter()
            .filter(|change| !change.edits.is_empty() || is_block(change.kind))
            .collect()
    }

    /// Loops and conditionals that came or went.
    fn blocks(&mut self) {
        let comparison = self.comparison;
        let added: Vec<bool> = comparison
            .blocks
            .map
            .before_of
            .iter()
            .map(Option::is_none)
            .collect();
        self.of_added = self.side(&added, true);
        let deleted: Vec<bool> = comparison
            .blocks
            .map
            .after_of
            .iter()
            .map(Option::is_none)
            .collect();
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
                    .push(Listed::new(block_kind(block.kind, is_after), line));
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

    /// Calls that came, went, moved or took another's place; how many were removed and added for good.
    fn calls(&mut self) -> (usize, usize) {
        let comparison = self.comparison;
        let mut removed: Vec<Option<(&Stray<'f>, &'f Call)>> = calls_of(&comparison.removed);
        let mut added: Vec<Option<(&Stray<'f>, &'f Call)>> = calls_of(&comparison.added);
        self.moved_calls(&mut removed, &mut added);
        let counts = (
            removed.iter().flatten().count(),
            added.iter().flatten().count(),
        );
        self.swapped_calls(&mut removed, &mut added);
        for (stray, call) in removed.into_iter().flatten() {
            let edit = Edit::CallRemoved {
                call: call.clone(),
                before: executed_with(comparison.before.function, stray.block, stray.part),
            };
            self.put_removed(stray, edit, ChangeKind::CallDeletion, Some(&call.callee));
        }
        for (stray, call) in added.into_iter().flatten() {
            let edit = Edit::CallAdded {
                call: call.clone(),
                block: executed_with(comparison.after.function, stray.block, stray.part),
            };
            self.put_added(stray, edit, ChangeKind::CallAddition, Some(&call.callee));
        }
        self.moved_blocks();
        counts
    }

    fn moved_calls(
        &mut self,
        removed: &mut [Option<(&Stray<'f>, &'f Call)>],
        added: &mut [Option<(&Stray<'f>, &'f Call)>],
    ) {
        if removed.len().saturating_mul(added.len()) > THRESHOLDS.sequences.most_moves {
            return;
        }
        // Best evidence first: the same arguments, and then the same block.
        for attempt in [Evidence::Equal, Evidence::SameBlock, Evidence::SameCallee] {
            let pairs = self.fitting(removed, added, |old, new| self.is_move(old, new, attempt));
            for (i, j) in pairs {
                if let (Some(old), Some(new)) = (removed[i].take(), added[j].take()) {
                    self.move_call(old, new);
                }
            }
        }
    }

    /// Pairs what is still free on both sides.
    fn fitting<T: Copy>(
        &self,
        removed: &[Option<T>],
        added: &[Option<T>],
        suits: impl Fn(T, T) -> bool,
    ) -> Vec<(usize, usize)> {
        sequence::first_fitting(
            removed.len(),
            added.len(),
            self.comparison.flip,
            |i, j| matches!((removed[i], added[j]), (Some(old), Some(new)) if suits(old, new)),
        )
    }

    fn is_move(
        &self,
        old: (&Stray<'f>, &Call),
        new: (&Stray<'f>, &Call),
        attempt: Evidence,
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
            .any(|call| call.callee.form == CallForm::Method);
        let is_known = !is_method
            || same_receiver
            || (same_arguments && old.1.arguments.arity > 0 && new.1.arguments.arity > 0);
        is_known
            && match attempt {
                Evidence::Equal => same_arguments && same_receiver,
                Evidence::SameBlock => self.same_executions(old.0, new.0),
                Evidence::SameCallee => true,
            }
    }

    fn same_receiver(&self, old: &Call, new: &Call) -> bool {
        match (&old.callee.receiver, &new.callee.receiver) {
            (Some(Receiver::Local(old)), Some(Receiver::Local(new))) => {
                self.comparison.locals.0.get(old).unwrap_or(old) == new
            }
            (Some(Receiver::SelfField(old)), Some(Receiver::SelfField(new))) => {
                self.renames.word(old) == new
            }
            (Some(Receiver::Other(_)), Some(Receiver::Other(_))) => false,
            (old, new) => old == new,
        }
    }

    fn same_executions(&self, old: &Stray<'f>, new: &Stray<'f>) -> bool {
        let comparison = self.comparison;
        let before = executed_with(comparison.before.function, old.block, old.part);
        let after = executed_with(comparison.after.function, new.block, new.part);
        comparison.blocks.map.after_of[before.0 as usize] == Some(after)
    }

    fn move_call(&mut self, old: (&Stray<'f>, &'f Call), new: (&Stray<'f>, &'f Call)) {
        let comparison = self.comparison;
        let block = executed_with(comparison.after.function, new.0.block, new.0.part);
        let before = executed_with(comparison.before.function, old.0.block, old.0.part);
        let call = new.1.clone();
        let callee = Some(&new.1.callee);
        // In the head of a matched block: its id after.
        let head_of = |stray: &Stray<'f>| {
            stray
                .gap
                .filter(|gap| gap.part == Part::Head)
                .map(|gap| gap.block)
        };
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
            let holes = |call: &Call| text::holes(&call.arguments.text);
            if old.0.arguments == new.0.arguments || holes(old.1) != holes(&call) {
                return;
            }
            (
                ChangeKind::Parameter,
                Edit::ArgumentsChanged { call, block },
            )
        } else {
            (
                ChangeKind::CallScope,
                Edit::CallMoved {
                    call,
                    before,
                    block,
                },
            )
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
            let Some(carrier) =
                carrier.filter(|_| map.after_of[old_parent.0 as usize] != Some(new_parent))
            else {
                continue;
            };
            let mut edits = Vec::new();
            self.collect_moved(
                BlockId(u32::try_from(index).unwrap_or(u32::MAX)),
                other,
                &mut edits,
            );
            self.changes[carrier].edits.append(&mut edits);
        }
    }

    fn collect_moved(&self, before: BlockId, after: BlockId, edits: &mut Vec<Edit>) {
        let comparison = self.comparison;
        let new = comparison.after.block(after);
        let strays: Vec<&Node> = comparison
            .added
            .iter()
            .filter(|stray| stray.block == after)
            .map(|stray| stray.node)
            .collect();
        for (part, nodes) in [(Part::Head, &new.head), (Part::Nodes, &new.nodes)] {
            for node in nodes {
                match node {
                    Node::Call(call) if !strays.iter().any(|stray| std::ptr::eq(*stray, node)) => {
                        edits.push(Edit::CallMoved {
                            call: call.clone(),
                            before: executed_with(comparison.before.function, before, part),
                            block: executed_with(comparison.after.function, after, part),
                        });
                    }
                    Node::Block(child) => {
                        let inside = comparison.blocks.map.before_of[child.0 as usize];
                        if let Some(old) = inside
                            .filter(|old| comparison.before.block(*old).parent == Some(before))
                        {
                            self.collect_moved(old, *child, edits);
                        }
                    }
                    Node::Call(_) | Node::Operation(_) => {}
                }
            }
        }
    }

    fn swapped_calls(
        &mut self,
        removed: &mut [Option<(&Stray<'f>, &'f Call)>],
        added: &mut [Option<(&Stray<'f>, &'f Call)>],
    ) {
        let comparison = self.comparison;
        let pairs = self.fitting(removed, added, |(old, _), (new, _)| {
            old.gap == new.gap && old.gap.is_some_and(|gap| gap.part == Part::Nodes)
        });
        for (i, j) in pairs {
            if let (Some((old, old_call)), Some((new, new_call))) =
                (removed[i].take(), added[j].take())
            {
                let line = new_call.line;
                let mut change = Listed::new(ChangeKind::CallSwap, line);
                change.callee = Some(new_call.callee.clone());
                change.edits = vec![
                    Edit::CallRemoved {
                        call: old_call.clone(),
                        before: executed_with(comparison.before.function, old.block, old.part),
                    },
                    Edit::CallAdded {
                        call: new_call.clone(),
                        block: executed_with(comparison.after.function, new.block, new.part),
                    },
                ];
                self.changes.push(change);
            }
        }
    }

    fn arguments(&mut self) {
        let comparison = self.comparison;
        for regiven in &comparison.regiven {
            let edit = Edit::ArgumentsChanged {
                call: regiven.call.clone(),
                block: executed_with(comparison.after.function, regiven.block, regiven.part),
            };
            if regiven.part == Part::Head
                && comparison.after.block(regiven.block).kind != BlockKind::Closure
            {
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

    /// Operations that came or went; how many.
    fn operations(&mut self) -> usize {
        let comparison = self.comparison;
        let mut removed: Vec<Option<(&Stray<'f>, &'f Operation)>> =
            operations_of(&comparison.removed);
        let mut added: Vec<Option<(&Stray<'f>, &'f Operation)>> = operations_of(&comparison.added);
        self.settle_operations(&mut removed, &mut added);
        let counts = removed.iter().flatten().count() + added.iter().flatten().count();
        for (stray, operation) in removed.into_iter().flatten() {
            let operations = u32::from(operation.weight);
            let before = executed_with(comparison.before.function, stray.block, stray.part);
            let edit = Edit::WorkRemoved { operations, before };
            self.put_work(stray, operation, edit, false);
        }
        for (stray, operation) in added.into_iter().flatten() {
            let operations = u32::from(operation.weight);
            let block = executed_with(comparison.after.function, stray.block, stray.part);
            let edit = Edit::WorkAdded { operations, block };
            self.put_work(stray, operation, edit, true);
        }
        counts
    }

    /// Takes out what moved within a block, what moved with a block, and what is now an argument of a call.
    fn settle_operations(
        &mut self,
        removed: &mut [Option<(&Stray<'f>, &'f Operation)>],
        added: &mut [Option<(&Stray<'f>, &'f Operation)>],
    ) {
        let comparison = self.comparison;
        let same = |old: (&Stray<'f>, &Operation), new: (&Stray<'f>, &Operation)| {
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
                let before = executed_with(comparison.before.function, old.block, old.part);
                let block = executed_with(comparison.after.function, new.block, new.part);
                let edits = &mut self.changes[carrier].edits;
                add_work(edits, Edit::WorkRemoved { operations, before });
                add_work(edits, Edit::WorkAdded { operations, block });
            }
        }
        let before = Reading {
            renames: Some(self.renames),
            locals: Some(&comparison.locals),
        };
        let after = Reading::default();
        absorb(removed, before, &calls_of(&comparison.added), after);
        absorb(added, after, &calls_of(&comparison.removed), before);
    }

    /// The new or vanished block between whose inside and outside something moved.
    fn carrier(&self, old: &Stray<'f>, new: &Stray<'f>) -> Option<usize> {
        self.carrier_of(old.block, new.block)
    }

    /// Of two blocks that could carry a move, the same one is asked first whichever side is before.
    fn carrier_of(&self, old: BlockId, new: BlockId) -> Option<usize> {
        let (added, deleted) = (
            self.of_added[new.0 as usize],
            self.of_deleted[old.0 as usize],
        );
        if self.comparison.flip {
            deleted.or(added)
        } else {
            added.or(deleted)
        }
    }

    fn put_work(&mut self, stray: &Stray<'f>, operation: &Operation, edit: Edit, is_after: bool) {
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
        let is_binding = stray.part == Part::Head
            && operation.kind == OperationKind::Pattern
            && matches!(kind, BlockKind::Loop | BlockKind::Closure);
        match stray.gap {
            Some(gap) if stray.part == Part::Nodes || is_binding || kind == BlockKind::Closure => {
                let at = *self.of_work.entry(gap.block).or_insert_with(|| {
                    self.changes
                        .push(Listed::new(ChangeKind::Operation, stray.line));
                    self.changes.len() - 1
                });
                add_work(&mut self.changes[at].edits, edit);
            }
            _ if is_after => self.put_added(stray, edit, ChangeKind::Operation, None),
            _ => self.put_removed(stray, edit, ChangeKind::Operation, None),
        }
    }

    fn put_field(&mut self, field: &str, block: BlockId, line: u32, edit: Edit) {
        let known = self.changes.iter_mut().find(|change| {
            change.kind == ChangeKind::FieldValue
                && matches!(&change.edits[0], Edit::FieldChanged { field: other, block: at }
                    if *at == block && (other == field || self.renames.word(field) == other || self.renames.word(other) == field))
        });
        if let Some(change) = known {
            change.line = change.line.max(line);
            add_work(&mut change.edits, edit);
            return;
        }
        let mut change = Listed::new(ChangeKind::FieldValue, line);
        change.edits = vec![
            Edit::FieldChanged {
                field: field.to_owned(),
                block,
            },
            edit,
        ];
        self.changes.push(change);
    }

    /// Gives an edit of something new to the change that carries its block or head, or lists it alone.
    fn put_added(
        &mut self,
        stray: &Stray<'f>,
        edit: Edit,
        kind: ChangeKind,
        callee: Option<&Callee>,
    ) {
        if let Some(carrier) = self.of_added[stray.block.0 as usize] {
            add_work(&mut self.changes[carrier].edits, edit);
        } else if stray.part == Part::Head
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
        stray: &Stray<'f>,
        edit: Edit,
        kind: ChangeKind,
        callee: Option<&Callee>,
    ) {
        if let Some(carrier) = self.of_deleted[stray.block.0 as usize] {
            add_work(&mut self.changes[carrier].edits, edit);
        } else if stray.part == Part::Head
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
            let mut change = Listed::new(ChangeKind::ConditionExpression, line);
            let before = comparison.blocks.map.before_of[block.0 as usize].unwrap_or(BlockId::BODY);
            change.edits.push(Edit::Reconditioned { before, block });
            self.changes.push(change);
            self.changes.len() - 1
        })
    }

    fn push(&mut self, kind: ChangeKind, line: u32, callee: Option<&Callee>, edit: Edit) {
        let mut change = Listed::new(kind, line);
        change.callee = callee.cloned();
        change.edits.push(edit);
        self.changes.push(change);
    }
}

#[derive(Clone, Copy)]
enum Evidence {
    Equal,
    SameBlock,
    SameCallee,
}

/// The sibling that a block goes on with: the `if` of an `else`, the arm before an arm.
fn continued(
    body: &super::body::Body<'_>,
    parent: BlockId,
    index: usize,
    alone: &[bool],
) -> Option<usize> {
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

fn stands_in_head(body: &super::body::Body<'_>, parent: BlockId, index: usize) -> bool {
    let head = &body.heads[parent.0 as usize];
    head.iter()
        .any(|unit| matches!(unit.node, Node::Block(id) if id.0 as usize == index))
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

fn calls_of<'s, 'f>(strays: &'s [Stray<'f>]) -> Vec<Option<(&'s Stray<'f>, &'f Call)>> {
    strays
        .iter()
        .filter_map(|stray| match stray.node {
            Node::Call(call) => Some(Some((stray, call))),
            _ => None,
        })
        .collect()
}

fn operations_of<'s, 'f>(strays: &'s [Stray<'f>]) -> Vec<Option<(&'s Stray<'f>, &'f Operation)>> {
    strays
        .iter()
        .filter_map(|stray| match stray.node {
            // A call at the end of a block is its value with or without a `return`.
            Node::Operation(operation)
                if text::is_free(&operation.text)
                    || stray.is_last && text::returns_a_call(&operation.text) =>
            {
                None
            }
            Node::Operation(operation) => Some(Some((stray, operation))),
            _ => None,
        })
        .collect()
}

/// Adds work to the edit of the same block, if there is one.
fn add_work(edits: &mut Vec<Edit>, edit: Edit) {
    for known in edits.iter_mut() {
        match (known, &edit) {
            (
                Edit::WorkAdded { operations, block },
                Edit::WorkAdded {
                    operations: more,
                    block: at,
                },
            ) if block == at => {
                *operations += more;
                return;
            }
            (
                Edit::WorkRemoved { operations, before },
                Edit::WorkRemoved {
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

/// Drops operations that stand among the arguments of a call on the other side: they are still executed.
fn absorb(
    operations: &mut [Option<(&Stray<'_>, &Operation)>],
    reading: Reading<'_>,
    calls: &[Option<(&Stray<'_>, &Call)>],
    other_reading: Reading<'_>,
) {
    for slot in operations.iter_mut() {
        let Some((stray, operation)) = *slot else {
            continue;
        };
        if stray.gap.is_none() {
            continue;
        }
        let wanted: Vec<Token<'_>> = text::tokens(&operation.text)
            .map(|token| reading.token(token))
            .collect();
        let is_argument = calls.iter().flatten().any(|(other, call)| {
            other.gap == stray.gap && {
                let given: Vec<Token<'_>> = text::tokens(&call.arguments.text)
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
