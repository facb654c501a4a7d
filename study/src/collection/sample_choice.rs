//! The versions of a history and the distances between samples → the samples that some prediction uses.

use std::collections::BTreeSet;

/// The positions to sample: for each pair of a version and the one that it is compared with, and each distance, the newest
/// multiple of the distance at or before the latter that is not among the `failed`. `counted` says of each version of the
/// history whether it has counts: others are neither predicted nor compared with.
pub(super) fn used_samples(counted: &[bool], every: &[u32], failed: &BTreeSet<usize>) -> BTreeSet<usize> {
    let positions: Vec<usize> = (0..counted.len()).filter(|&at| counted[at]).collect();
    let bases = positions.split_last().map_or(&[][..], |(_, bases)| bases);
    let mut used = BTreeSet::new();
    for &base in bases {
        for &k in every {
            used.extend(sampled_at_or_before(base, k).find(|at| !failed.contains(at)));
        }
    }
    used
}

/// The positions of samples at a distance, from a version backwards.
pub(super) fn sampled_at_or_before(base: usize, every: u32) -> impl Iterator<Item = usize> {
    let k = every.max(1) as usize;
    (0..=base / k).rev().map(move |number| number * k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(counted: &[bool], every: &[u32], failed: &[usize]) -> Vec<usize> {
        let failed = failed.iter().copied().collect();
        used_samples(counted, every, &failed).into_iter().collect()
    }

    #[test]
    fn the_last_version_is_no_base_and_its_sample_is_not_taken() {
        assert_eq!(used(&[true; 5], &[2], &[]), [0, 2]);
        assert_eq!(used(&[true; 6], &[2], &[]), [0, 2, 4]);
        assert_eq!(used(&[true; 5], &[1, 4], &[]), [0, 1, 2, 3]);
        assert_eq!(used(&[true], &[1], &[]), [0; 0]);
        assert_eq!(used(&[], &[1], &[]), [0; 0]);
    }

    #[test]
    fn what_only_versions_without_counts_would_use_is_not_sampled() {
        let counted = [true, true, false, false, false, true, true];
        assert_eq!(used(&counted, &[2], &[]), [0, 4]);
    }

    #[test]
    fn a_sample_that_failed_is_replaced_by_the_one_before() {
        assert_eq!(used(&[true; 8], &[3], &[3]), [0, 6]);
        assert_eq!(used(&[true; 8], &[3, 5], &[3, 5]), [0, 6]);
        assert_eq!(used(&[true, true], &[1], &[0]), [0; 0]);
    }
}
