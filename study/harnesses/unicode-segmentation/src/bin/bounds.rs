//! Every piece between the bounds of words.

use std::hint::black_box;
use study_unicode_segmentation::text;
use unicode_segmentation::UnicodeSegmentation;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    let mut pieces = 0;
    for (place, piece) in text.split_word_bound_indices() {
        pieces += 1 + (place + piece.len()) % 2;
    }
    pieces
}

fn main() {
    let text = text(10_000, 4);
    assert!(black_box(subject(black_box(&text))) > 10_000);
}
