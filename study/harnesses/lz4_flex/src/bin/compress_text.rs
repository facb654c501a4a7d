//! Text made smaller.

use std::hint::black_box;
use study_lz4_flex::text;

#[inline(never)]
pub fn subject(input: &[u8]) -> usize {
    lz4_flex::compress_prepend_size(input).len()
}

fn main() {
    let input = text(500_000, 1);
    let length = black_box(subject(black_box(&input)));
    assert!(length > 1_000 && length < input.len());
}
