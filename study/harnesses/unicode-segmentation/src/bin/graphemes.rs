//! What a reader calls characters, from the front.

use std::hint::black_box;
use study_unicode_segmentation::text;
use unicode_segmentation::UnicodeSegmentation;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    text.graphemes(true)
        .filter(|cluster| cluster.len() > 1)
        .count()
}

fn main() {
    let text = text(20_000, 1);
    assert!(black_box(subject(black_box(&text))) > 1_000);
}
