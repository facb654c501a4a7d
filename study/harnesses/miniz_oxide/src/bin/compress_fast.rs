//! Text and noise compressed at the fastest level, with the zlib frame.

use std::hint::black_box;
use study_miniz_oxide::{noise, text};

#[inline(never)]
pub fn subject(inputs: &[Vec<u8>]) -> usize {
    let mut bytes = 0;
    for input in inputs {
        bytes += miniz_oxide::deflate::compress_to_vec_zlib(input, 1).len();
    }
    bytes
}

fn main() {
    let inputs = [text(200_000, 2), noise(40_000, 3), text(30_000, 4)];
    assert!(black_box(subject(black_box(&inputs))) > 40_000);
}
