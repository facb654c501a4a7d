//! Help texts split into the lines of a narrow column.

use std::hint::black_box;
use study_textwrap::paragraph;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    let mut lines = 0;
    for text in texts {
        for line in textwrap::wrap(text, 24).iter() {
            lines += 1 + line.len() / 100;
        }
    }
    lines
}

fn main() {
    let texts: Vec<String> = (0..500)
        .map(|seed| paragraph(4 + seed as usize % 12, seed))
        .collect();
    assert!(black_box(subject(black_box(&texts))) > 1_000);
}
