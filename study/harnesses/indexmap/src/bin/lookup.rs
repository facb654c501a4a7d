//! Lookups of text, half of which find something.

use std::hint::black_box;
use study_indexmap::{Map, Numbers};

#[inline(never)]
pub fn subject(map: &Map<String, u64>, asked: &[String]) -> u64 {
    let mut sum = 0;
    for key in asked {
        sum += map.get(key.as_str()).map_or(1, |value| value % 3);
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(2);
    let map: Map<String, u64> = (0..5_000)
        .map(|place| (format!("key-{}", place * 2), place))
        .collect();
    let asked: Vec<String> = (0..40_000)
        .map(|_| format!("key-{}", numbers.below(10_000)))
        .collect();
    assert!(black_box(subject(black_box(&map), black_box(&asked))) > 10_000);
}
