//! Sequences of numbers, with the algorithm that looks for what is rare.

use similar::{capture_diff_slices, Algorithm};
use std::hint::black_box;
use study_similar::Numbers;

#[inline(never)]
pub fn subject(old: &[u32], new: &[u32]) -> usize {
    capture_diff_slices(Algorithm::Patience, old, new).len()
        + capture_diff_slices(Algorithm::Myers, old, new).len()
}

fn main() {
    let mut numbers = Numbers::new(4);
    let old: Vec<u32> = (0..3_000).map(|_| numbers.below(2_000) as u32).collect();
    let new: Vec<u32> = old
        .iter()
        .filter_map(|&value| match numbers.below(24) {
            0 => None,
            1 => Some(value + 1),
            _ => Some(value),
        })
        .collect();
    assert!(black_box(subject(black_box(&old), black_box(&new))) > 100);
}
