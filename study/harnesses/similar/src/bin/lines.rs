//! Two texts compared line by line, and every change walked over.

use similar::{ChangeTag, TextDiff};
use std::hint::black_box;
use study_similar::texts;

#[inline(never)]
pub fn subject(old: &str, new: &str) -> usize {
    let diff = TextDiff::from_lines(old, new);
    diff.iter_all_changes()
        .filter(|change| change.tag() != ChangeTag::Equal)
        .count()
}

fn main() {
    let (old, new) = texts(3_000, 12, 1);
    assert!(black_box(subject(black_box(&old), black_box(&new))) > 100);
}
