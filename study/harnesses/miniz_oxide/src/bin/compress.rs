//! Text compressed at the usual level.

use std::hint::black_box;
use study_miniz_oxide::text;

#[inline(never)]
pub fn subject(input: &[u8]) -> usize {
    miniz_oxide::deflate::compress_to_vec(input, 6).len()
}

fn main() {
    let input = text(120_000, 1);
    let length = black_box(subject(black_box(&input)));
    assert!(length > 1_000 && length < 80_000);
}
