//! The usual patch, as text.

use similar::TextDiff;
use std::hint::black_box;
use study_similar::texts;

#[inline(never)]
pub fn subject(old: &str, new: &str) -> usize {
    let diff = TextDiff::from_lines(old, new);
    let patch = diff.unified_diff().context_radius(3).to_string();
    patch.len() + patch.lines().filter(|line| line.starts_with('+')).count()
}

fn main() {
    let (old, new) = texts(1_500, 8, 2);
    assert!(black_box(subject(black_box(&old), black_box(&new))) > 1_000);
}
