//! Text restored. What is compressed is stored: made by the measured version, it would not be the same for all
//! of them.

use std::hint::black_box;

#[inline(never)]
pub fn subject(compressed: &[u8], times: usize) -> usize {
    (0..times)
        .map(|_| miniz_oxide::inflate::decompress_to_vec(compressed).map_or(0, |text| text.len()))
        .sum()
}

fn main() {
    let compressed = include_bytes!("../text.deflate");
    assert_eq!(
        black_box(subject(black_box(compressed), black_box(8))),
        800_000
    );
}
