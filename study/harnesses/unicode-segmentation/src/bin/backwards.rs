//! What a reader calls characters, from the end, with their places.

use std::hint::black_box;
use study_unicode_segmentation::text;
use unicode_segmentation::UnicodeSegmentation;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    let mut sum = 0usize;
    for (place, cluster) in text.grapheme_indices(true).rev() {
        sum = sum.wrapping_add(place ^ cluster.len());
    }
    sum
}

fn main() {
    let text = text(15_000, 2);
    assert!(black_box(subject(black_box(&text))) > 1_000);
}
