//! Words, without what lies between them.

use std::hint::black_box;
use study_unicode_segmentation::text;
use unicode_segmentation::UnicodeSegmentation;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    text.unicode_words().map(str::len).sum()
}

fn main() {
    let text = text(10_000, 3);
    assert!(black_box(subject(black_box(&text))) > 10_000);
}
