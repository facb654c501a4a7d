//! Functions of two versions → which are the same: by path, by digest, by similarity of what they do.
//!
//! Does not look into functions whose digests are equal.

use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::text_tokens::{NameTranslation, TokenHasher};
use super::thresholds::THRESHOLDS;
use crate::syntax::{SyntaxFunction, SyntaxNode};

/// A function of a changed file.
#[derive(Debug, Clone)]
pub(super) struct FileFunction {
    /// Index of the file, the same on both sides.
    pub(super) file: usize,
    pub(super) function: Arc<SyntaxFunction>,
}

impl FileFunction {
    /// The modules inside its file that it stands in.
    pub(super) fn modules(&self) -> &[String] {
        let path = &self.function.path;
        let own = 1 + usize::from(self.function.owner.is_some());
        &path[..path.len().saturating_sub(own)]
    }
}

/// Indices of the same function before and after; one side only where it was added or deleted. Functions of
/// a file come in the order of their lines.
pub(super) type FunctionMatch = (Option<usize>, Option<usize>);

/// Pairs the functions of all changed files, swapped sides giving swapped pairs. `renamed` are types and
/// modules that are known by another name after, old to new.
pub(super) fn match_functions(
    before: &[FileFunction],
    after: &[FileFunction],
    renamed: &HashMap<String, String>,
) -> Vec<FunctionMatch> {
    let flip = fingerprint(before) > fingerprint(after);
    let (left, right) = if flip { (after, before) } else { (before, after) };
    let mut matching = FunctionMatcher {
        left,
        right,
        right_of: vec![None; left.len()],
        left_of: vec![None; right.len()],
    };
    matching.by_path();
    matching.by_digest();
    if !renamed.is_empty() {
        let read = |path: &[String], is_before: bool| -> Vec<String> {
            let word = |word: &String| {
                if is_before {
                    renamed.get(word).unwrap_or(word).clone()
                } else {
                    word.clone()
                }
            };
            path.iter().map(word).collect()
        };
        matching.by_renamed_path(|path| read(path, !flip), |path| read(path, flip));
    }
    matching.by_similarity();
    let mut pairs: Vec<FunctionMatch> = Vec::with_capacity(left.len());
    for (index, other) in matching.right_of.iter().enumerate() {
        pairs.push((Some(index), *other));
    }
    for (index, other) in matching.left_of.iter().enumerate() {
        if other.is_none() {
            pairs.push((None, Some(index)));
        }
    }
    if flip {
        for pair in &mut pairs {
            *pair = (pair.1, pair.0);
        }
    }
    pairs.sort_by_key(|(old, new)| {
        let shown = new.map(|index| &after[index]).or(old.map(|index| &before[index]));
        shown.map(|placed| (placed.file, placed.function.lines.first, new.is_none(), *old, *new))
    });
    pairs
}

struct FunctionMatcher<'a> {
    left: &'a [FileFunction],
    right: &'a [FileFunction],
    right_of: Vec<Option<usize>>,
    left_of: Vec<Option<usize>>,
}

impl<'a> FunctionMatcher<'a> {
    fn by_path(&mut self) {
        type PathGroup = (Vec<usize>, Vec<usize>);
        let mut groups: BTreeMap<(usize, &'a [String]), PathGroup> = BTreeMap::new();
        for (index, placed) in self.left.iter().enumerate() {
            let group = groups.entry((placed.file, &placed.function.path)).or_default();
            group.0.push(index);
        }
        for (index, placed) in self.right.iter().enumerate() {
            let group = groups.entry((placed.file, &placed.function.path)).or_default();
            group.1.push(index);
        }
        for (left, right) in groups.into_values() {
            if let ([left], [right]) = (left.as_slice(), right.as_slice()) {
                self.join(*left, *right);
                continue;
            }
            // Several functions of one path: `cfg` variants, implementations for other parameters.
            self.in_order(&left, &right, |f| Some((f.of_trait.as_deref(), f.digest)));
            self.in_order(&left, &right, |f| {
                Some((f.of_trait.as_deref(), f.signature, f.attributes.as_slice()))
            });
            self.in_order(&left, &right, |f| Some((f.of_trait.as_deref(), f.signature)));
            self.in_order(&left, &right, |f| Some(f.of_trait.as_deref()));
        }
    }

    fn by_digest(&mut self) {
        let (left, right) = self.open();
        // Equal bodies with nothing but the digest in common do the same, but not to the same type.
        self.in_order(&left, &right, |f| Some((f.digest, f.owner.as_deref(), f.name())));
        self.in_order(&left, &right, |f| Some((f.digest, f.name())));
        self.in_order(&left, &right, |f| Some((f.digest, f.owner.as_deref())));
    }

    /// Functions of types and modules that were renamed.
    fn by_renamed_path(
        &mut self,
        read_left: impl Fn(&[String]) -> Vec<String>,
        read_right: impl Fn(&[String]) -> Vec<String>,
    ) {
        let (left, right) = self.open();
        let mut waiting: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
        for &index in right.iter().rev() {
            waiting
                .entry(read_right(&self.right[index].function.path))
                .or_default()
                .push(index);
        }
        for &index in &left {
            let path = read_left(&self.left[index].function.path);
            if let Some(other) = waiting.get_mut(&path).and_then(Vec::pop) {
                self.join(index, other);
            }
        }
    }

    /// Joins functions with equal keys, first with first.
    fn in_order<K: std::hash::Hash + Eq>(
        &mut self,
        left: &[usize],
        right: &[usize],
        key: impl Fn(&'a SyntaxFunction) -> Option<K>,
    ) {
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
        for &index in right.iter().rev() {
            if self.left_of[index].is_none()
                && let Some(key) = key(&self.right[index].function)
            {
                waiting.entry(key).or_default().push(index);
            }
        }
        for &index in left {
            if self.right_of[index].is_none()
                && let Some(key) = key(&self.left[index].function)
                && let Some(other) = waiting.get_mut(&key).and_then(Vec::pop)
            {
                self.join(index, other);
            }
        }
    }

    fn by_similarity(&mut self) {
        let limits = &THRESHOLDS.functions;
        let (left, right) = self.open();
        if left.is_empty() || right.is_empty() {
            return;
        }
        let left: Vec<(usize, Vec<u64>)> = self.described(&left, self.left);
        let right: Vec<(usize, Vec<u64>)> = self.described(&right, self.right);
        let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
        for (position, (_, features)) in right.iter().enumerate() {
            let mut last = None;
            for feature in features {
                if last != Some(feature) {
                    holders.entry(*feature).or_default().push(position);
                }
                last = Some(feature);
            }
        }
        let mut found: Vec<(f64, usize, usize)> = Vec::new();
        for (index, features) in &left {
            let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
            for feature in features {
                if let Some(positions) = holders.get(feature)
                    && positions.len() <= limits.commonest
                {
                    for position in positions {
                        *shared.entry(*position).or_default() += 1;
                    }
                }
            }
            let mut ranked: Vec<(usize, usize)> = shared.into_iter().map(|(at, count)| (count, at)).collect();
            ranked.sort_by_key(|(count, at)| (std::cmp::Reverse(*count), *at));
            for (_, position) in ranked.into_iter().take(limits.candidates) {
                let (other, other_features) = &right[position];
                let (one, two) = (&self.left[*index], &self.right[*other]);
                if one.function.test_only != two.function.test_only
                    || features.len().min(other_features.len()) < limits.smallest_body
                {
                    continue;
                }
                let mut similarity = dice(features, other_features);
                if one.function.name() == two.function.name() && one.function.owner == two.function.owner {
                    similarity += limits.same_name;
                }
                if similarity >= limits.renamed_similarity {
                    found.push((similarity, *index, *other));
                }
            }
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2)));
        for (_, index, other) in found {
            if self.right_of[index].is_none() && self.left_of[other].is_none() {
                self.join(index, other);
            }
        }
    }

    fn described(&self, open: &[usize], side: &[FileFunction]) -> Vec<(usize, Vec<u64>)> {
        open.iter()
            .map(|&index| (index, features(&side[index].function)))
            .collect()
    }

    fn open(&self) -> (Vec<usize>, Vec<usize>) {
        let free = |taken: &[Option<usize>]| {
            let free = taken.iter().enumerate().filter(|(_, other)| other.is_none());
            free.map(|(index, _)| index).collect()
        };
        (free(&self.right_of), free(&self.left_of))
    }

    fn join(&mut self, left: usize, right: usize) {
        self.right_of[left] = Some(right);
        self.left_of[right] = Some(left);
    }
}

/// The Dice coefficient of two sorted bags: twice what they share over what they hold.
pub(super) fn dice(left: &[u64], right: &[u64]) -> f64 {
    let total = left.len() + right.len();
    if total == 0 {
        return 1.0;
    }
    2.0 * shared(left, right) as f64 / total as f64
}

/// How many numbers two sorted lists share.
pub(super) fn shared(left: &[u64], right: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        match left[i].cmp(&right[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// The features of a function as a sorted bag: its calls by name, its operations by shape, its blocks by kind.
pub(super) fn features(function: &SyntaxFunction) -> Vec<u64> {
    let plain = NameTranslation::default();
    let mut bag = Vec::new();
    for block in &function.blocks {
        bag.push(TokenHasher::new().number(block.kind as u64).finish());
        for node in block.head.iter().chain(&block.nodes) {
            match node {
                SyntaxNode::Call(call) => {
                    bag.push(TokenHasher::new().number(7).word(&call.callee.name).finish());
                }
                SyntaxNode::Operation(operation) => bag.push(plain.shape(&operation.text)),
                SyntaxNode::Block(_) => {}
            }
        }
    }
    bag.sort_unstable();
    bag
}

fn fingerprint(side: &[FileFunction]) -> u64 {
    let mut hash = TokenHasher::new();
    for placed in side {
        hash = hash.number(placed.file as u64).number(placed.function.digest.0);
        hash = hash.word(placed.function.name());
    }
    hash.finish()
}
