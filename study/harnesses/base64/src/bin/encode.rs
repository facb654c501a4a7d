//! A few large inputs written as base64.

#![allow(deprecated)]

use std::hint::black_box;
use study_base64::Numbers;

#[inline(never)]
pub fn subject(inputs: &[Vec<u8>]) -> usize {
    inputs.iter().map(|input| base64::encode(input).len()).sum()
}

fn main() {
    let mut numbers = Numbers::new(1);
    let inputs: Vec<Vec<u8>> = (0..8)
        .map(|_| (0..300_000).map(|_| numbers.below(256) as u8).collect())
        .collect();
    assert_eq!(black_box(subject(black_box(&inputs))), 8 * 400_000);
}
