//! Short texts compared character by character.

use similar::TextDiff;
use std::hint::black_box;
use study_similar::texts;

#[inline(never)]
pub fn subject(pairs: &[(String, String)]) -> f32 {
    let mut sum = 0.0;
    for (old, new) in pairs {
        sum += TextDiff::from_chars(old.as_str(), new.as_str()).ratio();
    }
    sum
}

fn main() {
    let pairs: Vec<(String, String)> = (0..30).map(|seed| texts(6, 2, seed)).collect();
    assert!(black_box(subject(black_box(&pairs))) > 10.0);
}
