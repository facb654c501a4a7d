//! Two versions of a function → what is not on both sides: its blocks matched, the nodes of matched blocks
//! aligned. Does not say what the differences mean.

use super::block_matching::{self, MatchedBlocks};
use super::digested_body::{DigestedBody, DigestedNode};
use super::local_renames;
use super::model::BlockMap;
use super::renames::{CallerScope, RenameMap, same_callee};
use super::sequence_alignment;
use super::text_tokens::{self, LocalRenames, NameTranslation};
use super::thresholds::THRESHOLDS;
use crate::syntax::{
    BlockId, BlockKind, CallReceiver, OperationKind, SyntaxBlock, SyntaxCall, SyntaxCallee, SyntaxFunction, SyntaxNode,
    SyntaxOperation,
};

/// Where in a block a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum BlockPart {
    Head,
    Nodes,
}

/// Between which aligned nodes of which matched block (by its id after) something came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct AlignmentGap {
    pub(super) block: BlockId,
    pub(super) part: BlockPart,
    pub(super) after_pair: usize,
}

/// A call or operation on one side only.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnmatchedNode<'f> {
    pub(super) node: &'f SyntaxNode,
    pub(super) exact: u64,
    pub(super) arguments: u64,
    /// The block it stands in, on its own side.
    pub(super) block: BlockId,
    pub(super) part: BlockPart,
    /// True if nothing follows in its block.
    pub(super) is_last: bool,
    /// `None` inside blocks without a match.
    pub(super) gap: Option<AlignmentGap>,
    /// The line to show it at: its own, or for what is gone that of what stands before it now.
    pub(super) line: u32,
}

/// A call on both sides, with other arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArgumentChange<'f> {
    pub(super) call: &'f SyntaxCall,
    pub(super) was: &'f SyntaxCall,
    pub(super) block: BlockId,
    pub(super) part: BlockPart,
}

/// The differences between two versions of a function.
#[derive(Debug)]
pub(super) struct FunctionComparison<'f> {
    pub(super) before: DigestedBody<'f>,
    pub(super) after: DigestedBody<'f>,
    pub(super) blocks: MatchedBlocks,
    pub(super) removed: Vec<UnmatchedNode<'f>>,
    pub(super) added: Vec<UnmatchedNode<'f>>,
    pub(super) regiven: Vec<ArgumentChange<'f>>,
    /// Calls, operations and blocks that are on both sides, counted once.
    pub(super) kept: usize,
    pub(super) locals: LocalRenames,
    /// True if the after side is asked first, so that swapped sides give swapped answers.
    pub(super) flip: bool,
}

/// A function with the names around it.
#[derive(Clone, Copy)]
pub(super) struct FunctionVersion<'f> {
    pub(super) function: &'f SyntaxFunction,
    pub(super) caller: CallerScope<'f>,
}

/// Which blocks of two versions of a function are the same; nothing else is compared. Of functions that are
/// nested too deeply only the bodies.
#[must_use]
pub fn match_blocks(before: &SyntaxFunction, after: &SyntaxFunction) -> BlockMap {
    if is_beyond_matching(before) || is_beyond_matching(after) {
        return match_bodies_only(before, after);
    }
    let renames = RenameMap::default();
    let flip = before.digest > after.digest;
    let locals = local_renames::infer(before, after, &renames, flip);
    let reading = NameTranslation {
        renames: Some(&renames),
        locals: Some(&locals),
    };
    let (old, new) = (
        DigestedBody::new(before, reading),
        DigestedBody::new(after, NameTranslation::default()),
    );
    block_matching::match_blocks(&old, &new, flip).map
}

/// True for a function with more calls, operations and blocks, or with more deeply nested ones, than are matched.
pub(super) fn is_beyond_matching(function: &SyntaxFunction) -> bool {
    let nodes: usize = (function.blocks.iter())
        .map(|block| block.head.len() + block.nodes.len())
        .sum();
    if nodes > THRESHOLDS.blocks.largest {
        return true;
    }
    let mut depths: Vec<usize> = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let above = block.parent.and_then(|parent| depths.get(parent.0 as usize));
        depths.push(above.map_or(0, |depth| depth + 1));
    }
    depths.into_iter().any(|depth| depth > THRESHOLDS.blocks.deepest)
}

/// The map of functions of which nothing but the bodies is matched.
pub(super) fn match_bodies_only(before: &SyntaxFunction, after: &SyntaxFunction) -> BlockMap {
    let mut map = BlockMap {
        after_of: vec![None; before.blocks.len()],
        before_of: vec![None; after.blocks.len()],
    };
    map.after_of[0] = Some(BlockId::BODY);
    map.before_of[0] = Some(BlockId::BODY);
    map
}

/// Compares two versions of a function; swapped sides give swapped answers.
pub(super) fn compare<'f>(
    before: FunctionVersion<'f>,
    after: FunctionVersion<'f>,
    renames: &RenameMap,
) -> FunctionComparison<'f> {
    // Ties are broken by what comes first: always asked in the same order, whichever side is before.
    let flip = before.function.digest > after.function.digest;
    let locals = local_renames::infer(before.function, after.function, renames, flip);
    let reading = NameTranslation {
        renames: Some(renames),
        locals: Some(&locals),
    };
    let old = DigestedBody::new(before.function, reading);
    let new = DigestedBody::new(after.function, NameTranslation::default());
    let blocks = block_matching::match_blocks(&old, &new, flip);
    let aligner = NodeAligner {
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
        let parts = [
            (BlockPart::Head, &old.heads[index]),
            (BlockPart::Nodes, &old.nodes[index]),
        ];
        let Some(other) = blocks.map.after_of[index] else {
            // Code that is gone with its block is shown where the enclosing block is now.
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
                Some(AlignmentGap {
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
                    kept += usize::from(!matches!(two.node, SyntaxNode::Block(_)));
                    if let (SyntaxNode::Call(old_call), SyntaxNode::Call(call)) = (one.node, two.node)
                        && aligner.is_given_other_arguments((old_call, one), (call, two))
                    {
                        regiven.push(ArgumentChange {
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
            for (part, units) in [
                (BlockPart::Head, &new.heads[index]),
                (BlockPart::Nodes, &new.nodes[index]),
            ] {
                added.extend(strays(units, 0..units.len(), (id(index), part, None, 0)));
            }
        }
    }
    // Both in the order of their own side, whichever blocks were matched.
    removed.sort_by_key(|stray| (stray.block, stray.part));
    added.sort_by_key(|stray| (stray.block, stray.part));
    FunctionComparison {
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

impl FunctionComparison<'_> {
    /// How the before side is read: in the names of the after side.
    pub(super) fn reading_of_before<'a>(&'a self, renames: &'a RenameMap) -> NameTranslation<'a> {
        NameTranslation {
            renames: Some(renames),
            locals: Some(&self.locals),
        }
    }

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
fn nearest_match(old: &DigestedBody<'_>, blocks: &MatchedBlocks, mut at: BlockId) -> BlockId {
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

type NodePosition = (BlockId, BlockPart, Option<AlignmentGap>, u32);

/// Calls and operations of a range; line 0 shows each at its own.
fn strays<'f>(
    units: &[DigestedNode<'f>],
    range: std::ops::Range<usize>,
    place: NodePosition,
) -> impl Iterator<Item = UnmatchedNode<'f>> {
    let (block, part, gap, line) = place;
    range.filter_map(move |at| {
        let unit = &units[at];
        let own_line = line_of(unit.node)?;
        Some(UnmatchedNode {
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
fn line_of(node: &SyntaxNode) -> Option<u32> {
    match node {
        SyntaxNode::Call(call) => Some(call.line),
        SyntaxNode::Operation(operation) => Some(operation.line),
        SyntaxNode::Block(_) => None,
    }
}

struct NodeAligner<'a, 'f> {
    before: FunctionVersion<'f>,
    after: FunctionVersion<'f>,
    reading: NameTranslation<'a>,
    renames: &'a RenameMap,
    blocks: &'a MatchedBlocks,
    flip: bool,
}

impl NodeAligner<'_, '_> {
    fn align(&self, ours: &[DigestedNode<'_>], theirs: &[DigestedNode<'_>]) -> Vec<(usize, usize)> {
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

    fn align_middle(&self, ours: &[DigestedNode<'_>], theirs: &[DigestedNode<'_>]) -> Vec<(usize, usize)> {
        if (ours.len() + 1) * (theirs.len() + 1) > THRESHOLDS.sequences.largest_table {
            let (left, right): (Vec<u64>, Vec<u64>) = (
                ours.iter().map(|unit| unit.exact).collect(),
                theirs.iter().map(|unit| unit.exact).collect(),
            );
            let mut pairs = if self.flip {
                sequence_alignment::align_by_hash(&right, &left)
                    .into_iter()
                    .map(|(i, j)| (j, i))
                    .collect()
            } else {
                sequence_alignment::align_by_hash(&left, &right)
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
            let pairs = sequence_alignment::align_by_weight(theirs.len(), ours.len(), |j, i| weight(i, j));
            pairs.into_iter().map(|(j, i)| (i, j)).collect()
        } else {
            sequence_alignment::align_by_weight(ours.len(), theirs.len(), weight)
        }
    }

    /// Equal blocks pair only if they were matched.
    fn may_pair(&self, one: &DigestedNode<'_>, two: &DigestedNode<'_>) -> bool {
        match (one.node, two.node) {
            (SyntaxNode::Block(left), SyntaxNode::Block(right)) => {
                self.blocks.map.after_of[left.0 as usize] == Some(*right)
            }
            (SyntaxNode::Block(_), _) | (_, SyntaxNode::Block(_)) => false,
            _ => true,
        }
    }

    /// How much speaks for two nodes being the same. Matched blocks hold the alignment, then calls.
    fn weight(&self, one: &DigestedNode<'_>, two: &DigestedNode<'_>) -> f64 {
        match (one.node, two.node) {
            (SyntaxNode::Block(_), SyntaxNode::Block(_)) if self.may_pair(one, two) => 8.0,
            (SyntaxNode::Call(left), SyntaxNode::Call(right)) if self.same_callee(&left.callee, &right.callee) => {
                let arguments = if one.arguments == two.arguments { 2.0 } else { 0.0 };
                let all = if one.exact == two.exact { 2.0 } else { 0.0 };
                4.0 + arguments + all
            }
            (SyntaxNode::Operation(left), SyntaxNode::Operation(right)) => {
                self.operation_weight((left, one), (right, two))
            }
            _ => 0.0,
        }
    }

    fn operation_weight(
        &self,
        one: (&SyntaxOperation, &DigestedNode<'_>),
        two: (&SyntaxOperation, &DigestedNode<'_>),
    ) -> f64 {
        if one.1.exact == two.1.exact {
            return 2.0;
        }
        let same_kind = std::mem::discriminant(&one.0.kind) == std::mem::discriminant(&two.0.kind);
        let is_pattern = one.0.kind == OperationKind::Pattern;
        if text_tokens::differ_in_return_only(&one.0.text, self.reading, &two.0.text) {
            return 1.5;
        }
        let limit = THRESHOLDS.sequences.largest_table;
        if same_kind && !is_pattern && text_tokens::differ_in_calls_only(&one.0.text, self.reading, &two.0.text, limit)
        {
            return 1.0;
        }
        0.0
    }

    fn same_callee(&self, old: &SyntaxCallee, new: &SyntaxCallee) -> bool {
        same_callee((old, self.before.caller), (new, self.after.caller), self.renames)
    }

    /// True if the difference is more than a call that came or went among the arguments.
    fn is_given_other_arguments(
        &self,
        old: (&SyntaxCall, &DigestedNode<'_>),
        new: (&SyntaxCall, &DigestedNode<'_>),
    ) -> bool {
        if old.1.exact == new.1.exact {
            return false;
        }
        let limit = THRESHOLDS.sequences.largest_table;
        let arguments = old.1.arguments != new.1.arguments
            && !text_tokens::differ_in_calls_only(&old.0.arguments.text, self.reading, &new.0.arguments.text, limit);
        arguments || self.is_called_on_another(old.0.callee.receiver.as_ref(), new.0.callee.receiver.as_ref())
    }

    /// Receivers that are results of calls change with these calls, which are listed themselves.
    fn is_called_on_another(&self, old: Option<&CallReceiver>, new: Option<&CallReceiver>) -> bool {
        match (old, new) {
            (Some(CallReceiver::Local(old)), Some(CallReceiver::Local(new))) => self.reading.local(old) != new,
            (Some(CallReceiver::SelfField(old)), Some(CallReceiver::SelfField(new))) => self.reading.word(old) != new,
            (
                Some(CallReceiver::SelfValue | CallReceiver::SelfField(_) | CallReceiver::Local(_)),
                Some(CallReceiver::SelfValue | CallReceiver::SelfField(_) | CallReceiver::Local(_)),
            ) => old != new,
            _ => false,
        }
    }
}

/// The block whose executions a node of this block shares: a condition, and what a `for` iterates over, are
/// evaluated as often as the block around it runs; the condition of a `while` about as often as the loop.
pub(super) fn executing_block(function: &SyntaxFunction, block: BlockId, part: BlockPart) -> BlockId {
    let at = function.block(block);
    match (part, at.kind) {
        (BlockPart::Head, BlockKind::Conditional | BlockKind::Arm) => at.parent.unwrap_or(BlockId::BODY),
        (BlockPart::Head, BlockKind::Loop) if is_iteration(at) => at.parent.unwrap_or(BlockId::BODY),
        _ => block,
    }
}

fn is_iteration(block: &SyntaxBlock) -> bool {
    block
        .head
        .iter()
        .any(|node| matches!(node, SyntaxNode::Operation(operation) if text_tokens::is_iteration(&operation.text)))
}
