//! Two versions of a function → what is not on both sides: its blocks matched, the nodes of matched blocks
//! aligned. Does not say what the differences mean.

use super::blocks::{self, MatchedBlocks};
use super::body::{Body, Unit};
use super::locals;
use super::model::BlockMap;
use super::names::{Caller, Renames, same_callee};
use super::sequence;
use super::text::{self, Locals, Reading};
use super::thresholds::THRESHOLDS;
use crate::syntax::{Block, BlockId, BlockKind, Call, Callee, Function, Node, Operation, OperationKind, Receiver};

/// Where in a block a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    Head,
    Nodes,
}

/// Between which aligned nodes of which matched block (by its id after) something came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) block: BlockId,
    pub(super) part: Part,
    pub(super) after_pair: usize,
}

/// A call or operation on one side only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stray<'f> {
    pub(super) node: &'f Node,
    pub(super) exact: u64,
    pub(super) arguments: u64,
    /// The block it stands in, on its own side.
    pub(super) block: BlockId,
    pub(super) part: Part,
    /// True if nothing follows in its block.
    pub(super) is_last: bool,
    /// `None` inside blocks without a match.
    pub(super) gap: Option<Gap>,
    /// The line to show it at: its own, or for what is gone that of what stands before it now.
    pub(super) line: u32,
}

/// A call on both sides, with other arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Regiven<'f> {
    pub(super) call: &'f Call,
    pub(super) was: &'f Call,
    pub(super) block: BlockId,
    pub(super) part: Part,
}

/// What differs.
#[derive(Debug)]
pub(super) struct Comparison<'f> {
    pub(super) before: Body<'f>,
    pub(super) after: Body<'f>,
    pub(super) blocks: MatchedBlocks,
    pub(super) removed: Vec<Stray<'f>>,
    pub(super) added: Vec<Stray<'f>>,
    pub(super) regiven: Vec<Regiven<'f>>,
    /// Calls, operations and blocks that are on both sides, counted once.
    pub(super) kept: usize,
    pub(super) locals: Locals,
    /// True if the after side is asked first, so that swapped sides give swapped answers.
    pub(super) flip: bool,
}

/// A function with the names around it.
#[derive(Clone, Copy)]
pub(super) struct Version<'f> {
    pub(super) function: &'f Function,
    pub(super) caller: Caller<'f>,
}

/// Which blocks of two versions of a function are the same; nothing else is compared. Of functions that are
/// nested too deeply only the bodies.
#[must_use]
pub fn match_blocks(before: &Function, after: &Function) -> BlockMap {
    if is_too_deep(before) || is_too_deep(after) {
        return only_bodies(before, after);
    }
    let renames = Renames::default();
    let flip = before.digest > after.digest;
    let locals = locals::infer(before, after, &renames, flip);
    let reading = Reading {
        renames: Some(&renames),
        locals: Some(&locals),
    };
    let (old, new) = (Body::new(before, reading), Body::new(after, Reading::default()));
    blocks::match_blocks(&old, &new, flip).map
}

/// True if blocks are nested more deeply than is matched.
pub(super) fn is_too_deep(function: &Function) -> bool {
    let mut depths: Vec<usize> = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let above = block.parent.and_then(|parent| depths.get(parent.0 as usize));
        depths.push(above.map_or(0, |depth| depth + 1));
    }
    depths.into_iter().any(|depth| depth > THRESHOLDS.blocks.deepest)
}

/// The map of functions of which nothing but the bodies is matched.
pub(super) fn only_bodies(before: &Function, after: &Function) -> BlockMap {
    let mut map = BlockMap {
        after_of: vec![None; before.blocks.len()],
        before_of: vec![None; after.blocks.len()],
    };
    map.after_of[0] = Some(BlockId::BODY);
    map.before_of[0] = Some(BlockId::BODY);
    map
}

/// Compares two versions of a function; swapped sides give swapped answers.
pub(super) fn compare<'f>(before: Version<'f>, after: Version<'f>, renames: &Renames) -> Comparison<'f> {
    // Ties are broken by what comes first: always asked in the same order, whichever side is before.
    let flip = before.function.digest > after.function.digest;
    let locals = locals::infer(before.function, after.function, renames, flip);
    let reading = Reading {
        renames: Some(renames),
        locals: Some(&locals),
    };
    let old = Body::new(before.function, reading);
    let new = Body::new(after.function, Reading::default());
    let blocks = blocks::match_blocks(&old, &new, flip);
    let aligner = Aligner {
        before,
        after,
        reading,
        renames,
        blocks: &blocks,
        flip,
    };
    let (mut removed, mut added, mut regiven, mut kept) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for index in 0..old.nodes.len() {
        let id = id(index);
        let parts = [(Part::Head, &old.heads[index]), (Part::Nodes, &old.nodes[index])];
        let Some(other) = blocks.map.after_of[index] else {
            // What is gone with its block is shown where the block around it is now.
            let line = after.function.block(nearest_match(&old, &blocks, id)).lines.first;
            for (part, units) in parts {
                removed.extend(strays(units, 0..units.len(), (id, part, None, line)));
            }
            continue;
        };
        kept += 1;
        if blocks.equal[index] {
            kept += old.heads[index].len() + old.nodes[index].len() - old.children[index].len();
            continue;
        }
        let theirs = [&new.heads[other.0 as usize], &new.nodes[other.0 as usize]];
        for ((part, ours), theirs) in parts.into_iter().zip(theirs) {
            let pairs = aligner.align(ours, theirs);
            let first_line = after.function.block(other).lines.first;
            let gap = |after_pair| {
                Some(Gap {
                    block: other,
                    part,
                    after_pair,
                })
            };
            let (mut i, mut j, mut line) = (0, 0, first_line);
            for (count, (to_i, to_j)) in pairs.iter().copied().chain([(ours.len(), theirs.len())]).enumerate() {
                removed.extend(strays(ours, i..to_i, (id, part, gap(count), line)));
                added.extend(strays(theirs, j..to_j, (other, part, gap(count), 0)));
                if let (Some(one), Some(two)) = (ours.get(to_i), theirs.get(to_j)) {
                    line = line_of(two.node).unwrap_or(line);
                    kept += usize::from(!matches!(two.node, Node::Block(_)));
                    if let (Node::Call(old_call), Node::Call(call)) = (one.node, two.node)
                        && aligner.is_given_other_arguments((old_call, one), (call, two))
                    {
                        regiven.push(Regiven {
                            call,
                            was: old_call,
                            block: other,
                            part,
                        });
                    }
                }
                (i, j) = (to_i + 1, to_j + 1);
            }
        }
    }
    for (index, other) in blocks.map.before_of.iter().enumerate() {
        if other.is_none() {
            for (part, units) in [(Part::Head, &new.heads[index]), (Part::Nodes, &new.nodes[index])] {
                added.extend(strays(units, 0..units.len(), (id(index), part, None, 0)));
            }
        }
    }
    // Both in the order of their own side, whichever blocks were matched.
    removed.sort_by_key(|stray| (stray.block, stray.part));
    added.sort_by_key(|stray| (stray.block, stray.part));
    Comparison {
        before: old,
        after: new,
        blocks,
        removed,
        added,
        regiven,
        kept,
        locals,
        flip,
    }
}

impl Comparison<'_> {
    /// Calls and operations of both sides, and blocks, counted once for each side.
    pub(super) fn size(&self) -> usize {
        [&self.before, &self.after]
            .iter()
            .map(|body| body.size(BlockId::BODY))
            .sum()
    }
}

fn id(index: usize) -> BlockId {
    BlockId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// The block after that matches the innermost matched block around a block before.
fn nearest_match(old: &Body<'_>, blocks: &MatchedBlocks, mut at: BlockId) -> BlockId {
    loop {
        if let Some(other) = blocks.map.after_of[at.0 as usize] {
            return other;
        }
        match old.block(at).parent {
            Some(parent) if parent < at => at = parent,
            _ => return BlockId::BODY,
        }
    }
}

type Place = (BlockId, Part, Option<Gap>, u32);

/// Calls and operations of a range; line 0 shows each at its own.
fn strays<'f>(units: &[Unit<'f>], range: std::ops::Range<usize>, place: Place) -> impl Iterator<Item = Stray<'f>> {
    let (block, part, gap, line) = place;
    range.filter_map(move |at| {
        let unit = &units[at];
        let own_line = line_of(unit.node)?;
        Some(Stray {
            node: unit.node,
            exact: unit.exact,
            arguments: unit.arguments,
            block,
            part,
            is_last: at + 1 == units.len(),
            gap,
            line: if line == 0 { own_line } else { line },
        })
    })
}

/// The line of a call or operation.
fn line_of(node: &Node) -> Option<u32> {
    match node {
        Node::Call(call) => Some(call.line),
        Node::Operation(operation) => Some(operation.line),
        Node::Block(_) => None,
    }
}

struct Aligner<'a, 'f> {
    before: Version<'f>,
    after: Version<'f>,
    reading: Reading<'a>,
    renames: &'a Renames,
    blocks: &'a MatchedBlocks,
    flip: bool,
}

impl Aligner<'_, '_> {
    fn align(&self, ours: &[Unit<'_>], theirs: &[Unit<'_>]) -> Vec<(usize, usize)> {
        let equal = |i: usize, j: usize| ours[i].exact == theirs[j].exact && self.may_pair(&ours[i], &theirs[j]);
        let shortest = ours.len().min(theirs.len());
        let prefix = (0..shortest).take_while(|&at| equal(at, at)).count();
        let suffix = (0..shortest - prefix)
            .take_while(|&back| equal(ours.len() - 1 - back, theirs.len() - 1 - back))
            .count();
        let mut pairs: Vec<(usize, usize)> = (0..prefix).map(|at| (at, at)).collect();
        let (our_end, their_end) = (ours.len() - suffix, theirs.len() - suffix);
        let (middle, other) = (&ours[prefix..our_end], &theirs[prefix..their_end]);
        if !middle.is_empty() && !other.is_empty() {
            let found = self.align_middle(middle, other);
            pairs.extend(found.into_iter().map(|(i, j)| (i + prefix, j + prefix)));
        }
        pairs.extend((0..suffix).map(|at| (our_end + at, their_end + at)));
        pairs
    }

    fn align_middle(&self, ours: &[Unit<'_>], theirs: &[Unit<'_>]) -> Vec<(usize, usize)> {
        if (ours.len() + 1) * (theirs.len() + 1) > THRESHOLDS.sequences.largest_table {
            let (left, right): (Vec<u64>, Vec<u64>) = (
                ours.iter().map(|unit| unit.exact).collect(),
                theirs.iter().map(|unit| unit.exact).collect(),
            );
            let mut pairs = if self.flip {
                sequence::by_hash(&right, &left)
                    .into_iter()
                    .map(|(i, j)| (j, i))
                    .collect()
            } else {
                sequence::by_hash(&left, &right)
            };
            pairs.retain(|(i, j)| self.may_pair(&ours[*i], &theirs[*j]));
            return pairs;
        }
        let weights: Vec<f64> = ours
            .iter()
            .flat_map(|one| theirs.iter().map(|two| self.weight(one, two)))
            .collect();
        let weight = |i: usize, j: usize| weights[i * theirs.len() + j];
        if self.flip {
            let pairs = sequence::heaviest(theirs.len(), ours.len(), |j, i| weight(i, j));
            pairs.into_iter().map(|(j, i)| (i, j)).collect()
        } else {
            sequence::heaviest(ours.len(), theirs.len(), weight)
        }
    }

    /// Equal blocks pair only if they were matched.
    fn may_pair(&self, one: &Unit<'_>, two: &Unit<'_>) -> bool {
        match (one.node, two.node) {
            (Node::Block(left), Node::Block(right)) => self.blocks.map.after_of[left.0 as usize] == Some(*right),
            (Node::Block(_), _) | (_, Node::Block(_)) => false,
            _ => true,
        }
    }

    /// How much speaks for two nodes being the same. Matched blocks hold the alignment, then calls.
    fn weight(&self, one: &Unit<'_>, two: &Unit<'_>) -> f64 {
        match (one.node, two.node) {
            (Node::Block(_), Node::Block(_)) if self.may_pair(one, two) => 8.0,
            (Node::Call(left), Node::Call(right)) if self.same_callee(&left.callee, &right.callee) => {
                let arguments = if one.arguments == two.arguments { 2.0 } else { 0.0 };
                let all = if one.exact == two.exact { 2.0 } else { 0.0 };
                4.0 + arguments + all
            }
            (Node::Operation(left), Node::Operation(right)) => self.operation_weight((left, one), (right, two)),
            _ => 0.0,
        }
    }

    fn operation_weight(&self, one: (&Operation, &Unit<'_>), two: (&Operation, &Unit<'_>)) -> f64 {
        if one.1.exact == two.1.exact {
            return 2.0;
        }
        let same_kind = std::mem::discriminant(&one.0.kind) == std::mem::discriminant(&two.0.kind);
        let is_pattern = one.0.kind == OperationKind::Pattern;
        if text::differ_in_return_only(&one.0.text, self.reading, &two.0.text) {
            return 1.5;
        }
        let limit = THRESHOLDS.sequences.largest_table;
        if same_kind && !is_pattern && text::differ_in_calls_only(&one.0.text, self.reading, &two.0.text, limit) {
            return 1.0;
        }
        0.0
    }

    fn same_callee(&self, old: &Callee, new: &Callee) -> bool {
        same_callee((old, self.before.caller), (new, self.after.caller), self.renames)
    }

    /// True if the difference is more than a call that came or went among the arguments.
    fn is_given_other_arguments(&self, old: (&Call, &Unit<'_>), new: (&Call, &Unit<'_>)) -> bool {
        if old.1.exact == new.1.exact {
            return false;
        }
        let limit = THRESHOLDS.sequences.largest_table;
        let arguments = old.1.arguments != new.1.arguments
            && !text::differ_in_calls_only(&old.0.arguments.text, self.reading, &new.0.arguments.text, limit);
        arguments || self.is_called_on_another(old.0.callee.receiver.as_ref(), new.0.callee.receiver.as_ref())
    }

    /// Receivers that are results of calls change with these calls, which are listed themselves.
    fn is_called_on_another(&self, old: Option<&Receiver>, new: Option<&Receiver>) -> bool {
        match (old, new) {
            (Some(Receiver::Local(old)), Some(Receiver::Local(new))) => self.reading.local(old) != new,
            (Some(Receiver::SelfField(old)), Some(Receiver::SelfField(new))) => self.reading.word(old) != new,
            (
                Some(Receiver::SelfValue | Receiver::SelfField(_) | Receiver::Local(_)),
                Some(Receiver::SelfValue | Receiver::SelfField(_) | Receiver::Local(_)),
            ) => old != new,
            _ => false,
        }
    }
}

/// The block whose executions a node of this block shares: a condition, and what a `for` iterates over, are
/// evaluated as often as the block around it runs; the condition of a `while` about as often as the loop.
pub(super) fn executed_with(function: &Function, block: BlockId, part: Part) -> BlockId {
    let at = function.block(block);
    match (part, at.kind) {
        (Part::Head, BlockKind::Conditional | BlockKind::Arm) => at.parent.unwrap_or(BlockId::BODY),
        (Part::Head, BlockKind::Loop) if is_iteration(at) => at.parent.unwrap_or(BlockId::BODY),
        _ => block,
    }
}

fn is_iteration(block: &Block) -> bool {
    block
        .head
        .iter()
        .any(|node| matches!(node, Node::Operation(operation) if text::is_iteration(&operation.text)))
}
