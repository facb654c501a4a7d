//! What cannot be made smaller, in blocks.

use std::hint::black_box;
use study_lz4_flex::noise;

#[inline(never)]
pub fn subject(blocks: &[Vec<u8>]) -> usize {
    blocks
        .iter()
        .map(|block| lz4_flex::compress_prepend_size(block).len())
        .sum()
}

fn main() {
    let blocks: Vec<Vec<u8>> = (0..40).map(|seed| noise(20_000, seed)).collect();
    assert!(black_box(subject(black_box(&blocks))) >= 800_000);
}
