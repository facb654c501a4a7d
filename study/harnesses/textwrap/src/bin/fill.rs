//! Paragraphs brought to the width of a terminal.

use std::hint::black_box;
use study_textwrap::paragraph;

#[inline(never)]
pub fn subject(paragraphs: &[String]) -> usize {
    paragraphs
        .iter()
        .map(|text| textwrap::fill(text, 72).len())
        .sum()
}

fn main() {
    let paragraphs: Vec<String> = (0..60).map(|seed| paragraph(100, seed)).collect();
    assert!(black_box(subject(black_box(&paragraphs))) > 30_000);
}
