//! Text restored.

use std::hint::black_box;
use study_lz4_flex::text;

#[inline(never)]
pub fn subject(compressed: &[u8]) -> usize {
    lz4_flex::decompress_size_prepended(compressed).map_or(0, |text| text.len())
}

fn main() {
    let compressed = lz4_flex::compress_prepend_size(&text(1_500_000, 3));
    assert_eq!(black_box(subject(black_box(&compressed))), 1_500_000);
}
