//! Insertions into a map that grows from nothing.

use demo_hashbrown::{filled, Map};
use std::hint::black_box;

#[inline(never)]
pub fn subject(keys: &[u64]) -> Map {
    let mut map = Map::default();
    for key in keys {
        map.insert(*key, !*key);
    }
    map
}

fn main() {
    let (_, keys) = filled(20_000, 1);
    assert!(!black_box(subject(black_box(&keys))).is_empty());
}
