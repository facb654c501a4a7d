//! Two functions → which of their blocks are the same. Top-down by digest, then by similarity, then through
//! blocks that were wrapped around or taken away. Matched blocks have matched ancestors, in the same order.

use super::body::Body;
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
pub(super) fn match_blocks(before: &Body<'_>, after: &Body<'_>, flip: bool) -> MatchedBlocks {
    let (left, right) = if flip {
        (after, before)
    } else {
        (before, after)
    };
    let mut matching = Matching {
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
        .map(|(index, other)| {
            other.is_some_and(|other| before.subtree[index] == after.subtree[other.0 as usize])
        })
        .collect();
    MatchedBlocks {
        map: BlockMap {
            after_of,
            before_of,
        },
        equal,
    }
}

struct Matching<'b, 'f> {
    left: &'b Body<'f>,
    right: &'b Body<'f>,
    right_of: Vec<Option<BlockId>>,
    left_of: Vec<Option<BlockId>>,
}

impl Matching<'_, '_> {
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
        let (ours, theirs) = (
            self.left.children[one].clone(),
            self.right.children[two].clone(),
        );
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
        let mut joined = self.in_sequence(ours, theirs, threshold);
        joined.extend(self.reordered(ours, theirs));
        for (left, right) in joined {
            self.descend(left, right);
        }
        self.wrapped(ours, theirs);
    }

    /// Monotone matches of the highest total similarity, equal subtrees above all.
    fn in_sequence(
        &mut self,
        ours: &[BlockId],
        theirs: &[BlockId],
        threshold: f64,
    ) -> Vec<(BlockId, BlockId)> {
        let width = theirs.len() + 1;
        let table_fits = (ours.len() + 1) * width <= THRESHOLDS.sequences.largest_table;
        let mut joined = Vec::new();
        if !table_fits {
            // So many siblings are the arms of one table: equal ones in order, the rest by their place.
            for (left, right) in super::sequence::by_hash(
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
            for (i, j) in super::sequence::heaviest(ours.len(), theirs.len(), |i, j| {
                score[i * theirs.len() + j]
            }) {
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
        if self.right_of[one].is_some() || self.left_of[two].is_some() {
            return 0.0;
        }
        if self.left.subtree[one] == self.right.subtree[two] {
            return 2.0;
        }
        let similarity = self.left.similarity(left, self.right, right);
        if similarity >= threshold {
            similarity
        } else {
            0.0
        }
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
            if let Some(at) = open
                .iter()
                .position(|id| self.right.subtree[id.0 as usize] == digest)
            {
                let right = open.remove(at);
                self.join(left, right);
                joined.push((left, right));
            }
        }
        joined
    }

    /// Blocks on one side that are inside new blocks on the other.
    fn wrapped(&mut self, ours: &[BlockId], theirs: &[BlockId]) {
        let ours: Vec<BlockId> = ours
            .iter()
            .copied()
            .filter(|id| self.right_of[id.0 as usize].is_none())
            .collect();
        let theirs: Vec<BlockId> = theirs
            .iter()
            .copied()
            .filter(|id| self.left_of[id.0 as usize].is_none())
            .collect();
        let limits = &THRESHOLDS.blocks;
        let telling_left: Vec<BlockId> = ours
            .iter()
            .copied()
            .filter(|id| self.left.size(*id) > limits.smallest_wrapped)
            .collect();
        let inside_right: Vec<BlockId> = theirs
            .iter()
            .flat_map(|id| self.right.children[id.0 as usize].iter().copied())
            .collect();
        if !inside_right.is_empty() && !telling_left.is_empty() {
            self.forest(&telling_left, &inside_right, limits.wrapped_similarity);
        }
        // What is still alone on the left may have lost the block around it.
        let telling_right: Vec<BlockId> = theirs
            .iter()
            .copied()
            .filter(|id| {
                self.right.size(*id) > limits.smallest_wrapped && !self.right_holds_matches(*id)
            })
            .collect();
        let inside_left: Vec<BlockId> = ours
            .iter()
            .filter(|id| self.right_of[id.0 as usize].is_none())
            .flat_map(|id| self.left.children[id.0 as usize].iter().copied())
            .filter(|id| !self.left_holds_matches(*id))
            .collect();
        if !inside_left.is_empty() && !telling_right.is_empty() {
            self.forest(&inside_left, &telling_right, limits.wrapped_similarity);
        }
    }

    fn right_holds_matches(&self, id: BlockId) -> bool {
        holds_matches(&self.left_of, &self.right.children, id)
    }

    fn left_holds_matches(&self, id: BlockId) -> bool {
        holds_matches(&self.right_of, &self.left.children, id)
    }
}

fn holds_matches(matches: &[Option<BlockId>], children: &[Vec<BlockId>], id: BlockId) -> bool {
    matches[id.0 as usize].is_some()
        || children[id.0 as usize]
            .iter()
            .any(|child| holds_matches(matches, children, *child))
}
