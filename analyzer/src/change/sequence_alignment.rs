//! Two sequences → which elements are the same, in order. Small ones by an exact table of weights, large ones
//! by hashes.

use imara_diff::{Algorithm, Diff, InternedInput};

/// The monotone matching of two sequences with the highest total weight; pairs of weight 0 never match.
pub(super) fn align_by_weight(left: usize, right: usize, weight: impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    let width = right + 1;
    let mut best = vec![0.0_f64; (left + 1) * width];
    for i in (0..left).rev() {
        for j in (0..right).rev() {
            let here = weight(i, j);
            let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let take = if here > 0.0 {
                here + best[(i + 1) * width + j + 1]
            } else {
                0.0
            };
            best[i * width + j] = skip.max(take);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < left && j < right {
        let here = weight(i, j);
        let value = best[i * width + j];
        if here > 0.0 && value == here + best[(i + 1) * width + j + 1] {
            pairs.push((i, j));
            i += 1;
            j += 1;
        } else if value == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Equal elements of two sequences, in order; near-linear.
pub(super) fn align_by_hash(left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
    let mut input: InternedInput<u64> = InternedInput::default();
    input.update_before(left.iter().copied());
    input.update_after(right.iter().copied());
    let diff = Diff::compute(Algorithm::Myers, &input);
    let (mut i, mut j) = (0_usize, 0_usize);
    let mut pairs = Vec::new();
    for hunk in diff.hunks() {
        while i < hunk.before.start as usize && j < hunk.after.start as usize {
            pairs.push((i, j));
            i += 1;
            j += 1;
        }
        i = hunk.before.end as usize;
        j = hunk.after.end as usize;
    }
    while i < left.len() && j < right.len() {
        pairs.push((i, j));
        i += 1;
        j += 1;
    }
    pairs
}

/// Pairs each element with the first free one that suits it, whatever their order; `flip` asks from the right.
pub(super) fn pair_first_fit(
    left: usize,
    right: usize,
    flip: bool,
    suits: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let (outer, inner) = if flip { (right, left) } else { (left, right) };
    let mut free: Vec<usize> = (0..inner).collect();
    let mut pairs = Vec::new();
    for one in 0..outer {
        let found = free
            .iter()
            .position(|&two| if flip { suits(two, one) } else { suits(one, two) });
        if let Some(at) = found {
            let two = free.remove(at);
            pairs.push(if flip { (two, one) } else { (one, two) });
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_pair_equal_elements_in_order(
            left in prop::collection::vec(0_u64..4, 0..30),
            right in prop::collection::vec(0_u64..4, 0..30),
        ) {
            let exact = align_by_weight(left.len(), right.len(), |i, j| f64::from(u8::from(left[i] == right[j])));
            let hashed = align_by_hash(&left, &right);
            for pairs in [&exact, &hashed] {
                for (i, j) in pairs {
                    prop_assert_eq!(left[*i], right[*j]);
                }
                for window in pairs.windows(2) {
                    prop_assert!(window[0].0 < window[1].0 && window[0].1 < window[1].1);
                }
            }
            prop_assert!(exact.len() >= hashed.len());
        }
    }
}
