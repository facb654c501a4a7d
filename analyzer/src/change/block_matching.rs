//! Two functions → which of their blocks are the same. Top-down by digest, then by similarity, then through
//! blocks that were wrapped around or taken away. Matched blocks have matched ancestors, in the same order.

use super::digested_body::DigestedBody;
use super::model::BlockMap;
use super::thresholds::THRESHOLDS;
use crate::syntax::BlockId;

/// The matched blocks, and which of them are equal with all that is in them.
#[derive(Debug, Default)]
pub(super) struct MatchedBlocks {
    pub(super) map: BlockMap,
    /// For each block before, true if it and its match are equal throughout.
    pub(super) equal: Vec<bool>,
}

/// Matches blocks; swapped sides give the swapped map.
pub(super) fn match_blocks(before: &DigestedBody<'_>, after: &DigestedBody<'_>, flip: bool) -> MatchedBlocks {
    let (left, right) = if flip { (after, before) } else { (before, after) };
    let mut matching = BlockMatcher {
        left,
        right,
        right_of: vec![None; left.children.len()],
        left_of: vec![None; right.children.len()],
    };
    matching.join(BlockId::BODY, BlockId::BODY);
    matching.descend(BlockId::BODY, BlockId::BODY);
    let (after_of, before_of) = if flip {
        (matching.left_of, matching.right_of)
    } else {
        (matching.right_of, matching.left_of)
    };
    let equal = after_of
        .iter()
        .enumerate()
        .map(|(index, other)| other.is_some_and(|other| before.subtree[index] == after.subtree[other.0 as usize]))
        .collect();
    MatchedBlocks {
        map: BlockMap { after_of, before_of },
        equal,
    }
}

struct BlockMatcher<'b, 'f> {
    left: &'b DigestedBody<'f>,
    right: &'b DigestedBody<'f>,
    right_of: Vec<Option<BlockId>>,
    left_of: Vec<Option<BlockId>>,
}

impl BlockMatcher<'_, '_> {
    fn join(&mut self, left: BlockId, right: BlockId) {
        self.right_of[left.0 as usize] = Some(right);
        self.left_of[right.0 as usize] = Some(left);
    }

    /// Matches what is in two matched blocks.
    fn descend(&mut self, left: BlockId, right: BlockId) {
        let (one, two) = (left.0 as usize, right.0 as usize);
        if self.left.subtree[one] == self.right.subtree[two] {
            self.copy(left, right);
            return;
        }
        let (ours, theirs) = (self.left.children[one].clone(), self.right.children[two].clone());
        self.forest(&ours, &theirs, THRESHOLDS.blocks.similarity);
    }

    /// Equal subtrees have the same blocks in the same order.
    fn copy(&mut self, left: BlockId, right: BlockId) {
        let pairs: Vec<(BlockId, BlockId)> = self.left.children[left.0 as usize]
            .iter()
            .copied()
            .zip(self.right.children[right.0 as usize].iter().copied())
            .collect();
        for (ours, theirs) in pairs {
            self.join(ours, theirs);
            self.copy(ours, theirs);
        }
    }

    /// Matches two sequences of siblings, and then what is in them.
    fn forest(&mut self, ours: &[BlockId], theirs: &[BlockId], threshold: f64) {
        if ours.is_empty() || theirs.is_empty() {
            return;
        }
        self.siblings(ours, theirs, threshold);
        self.wrapped(ours, theirs);
    }

    /// Matches two sequences, and what is in the matched; the rest stays alone.
    fn siblings(&mut self, ours: &[BlockId], theirs: &[BlockId], threshold: f64) {
        let mut joined = self.in_sequence(ours, theirs, threshold);
        joined.extend(self.reordered(ours, theirs));
        for (left, right) in joined {
            self.descend(left, right);
        }
    }

    /// Monotone matches of the highest total similarity, equal subtrees above all.
    fn in_sequence(&mut self, ours: &[BlockId], theirs: &[BlockId], threshold: f64) -> Vec<(BlockId, BlockId)> {
        let width = theirs.len() + 1;
        let table_fits = (ours.len() + 1) * width <= THRESHOLDS.sequences.largest_table;
        let mut joined = Vec::new();
        if !table_fits {
            // So many siblings are the arms of one table: equal ones in order, the rest by their place.
            for (left, right) in super::sequence_alignment::align_by_hash(
                &ours
                    .iter()
                    .map(|id| self.left.subtree[id.0 as usize])
                    .collect::<Vec<_>>(),
                &theirs
                    .iter()
                    .map(|id| self.right.subtree[id.0 as usize])
                    .collect::<Vec<_>>(),
            ) {
                joined.push((ours[left], theirs[right]));
            }
        } else {
            let mut score = vec![0.0_f64; ours.len() * theirs.len()];
            for (i, left) in ours.iter().enumerate() {
                for (j, right) in theirs.iter().enumerate() {
                    score[i * theirs.len() + j] = self.score(*left, *right, threshold);
                }
            }
            for (i, j) in
                super::sequence_alignment::align_by_weight(ours.len(), theirs.len(), |i, j| score[i * theirs.len() + j])
            {
                joined.push((ours[i], theirs[j]));
            }
        }
        for (left, right) in &joined {
            self.join(*left, *right);
        }
        joined
    }

    fn score(&self, left: BlockId, right: BlockId, threshold: f64) -> f64 {
        let (one, two) = (left.0 as usize, right.0 as usize);
        if self.left.subtree[one] == self.right.subtree[two] {
            return 2.0;
        }
        let similarity = self.left.similarity(left, self.right, right);
        if similarity >= threshold { similarity } else { 0.0 }
    }

    /// Equal subtrees that changed places, e.g. match arms.
    fn reordered(&mut self, ours: &[BlockId], theirs: &[BlockId]) -> Vec<(BlockId, BlockId)> {
        let mut joined = Vec::new();
        let mut open: Vec<BlockId> = theirs
            .iter()
            .copied()
            .filter(|id| self.left_of[id.0 as usize].is_none())
            .collect();
        for &left in ours {
            if self.right_of[left.0 as usize].is_some() {
                continue;
            }
            let digest = self.left.subtree[left.0 as usize];
            if let Some(at) = open.iter().position(|id| self.right.subtree[id.0 as usize] == digest) {
                let right = open.remove(at);
                self.join(left, right);
                joined.push((left, right));
            }
        }
        joined
    }

    /// Blocks inside blocks that are on one side only. Those with the fewest of such blocks around them first:
    /// what is in a wrapped block is matched with it, not instead of it.
    fn wrapped(&mut self, ours: &[BlockId], theirs: &[BlockId]) {
        let limits = &THRESHOLDS.blocks;
        let telling = |body: &DigestedBody<'_>, matches: &[Option<BlockId>], ids: Vec<BlockId>| {
            ids.into_iter()
                .filter(|id| body.size(*id) > limits.smallest_wrapped)
                .filter(|id| !holds_matches(matches, &body.children, *id))
                .collect::<Vec<BlockId>>()
        };
        for wrappers in 1..=limits.wrappers {
            for around_ours in 0..=wrappers {
                let left = below(&self.right_of, &self.left.children, ours, around_ours);
                let left = telling(self.left, &self.right_of, left);
                if left.is_empty() {
                    break;
                }
                let around_theirs = wrappers - around_ours;
                let right = below(&self.left_of, &self.right.children, theirs, around_theirs);
                let right = telling(self.right, &self.left_of, right);
                if !right.is_empty() {
                    self.siblings(&left, &right, limits.wrapped_similarity);
                }
            }
        }
    }
}

/// The descendants that many levels below blocks, all of them without a match.
fn below(matches: &[Option<BlockId>], children: &[Vec<BlockId>], of: &[BlockId], levels: usize) -> Vec<BlockId> {
    let mut ids: Vec<BlockId> = of.to_vec();
    for _ in 0..levels {
        ids = ids
            .into_iter()
            .filter(|id| matches[id.0 as usize].is_none())
            .flat_map(|id| children[id.0 as usize].iter().copied())
            .collect();
    }
    ids
}

fn holds_matches(matches: &[Option<BlockId>], children: &[Vec<BlockId>], id: BlockId) -> bool {
    matches[id.0 as usize].is_some()
        || children[id.0 as usize]
            .iter()
            .any(|child| holds_matches(matches, children, *child))
}
