//! Insertions into a map that grows from nothing, every fourth key twice.

use std::hint::black_box;
use study_indexmap::{keys, Map};

#[inline(never)]
pub fn subject(keys: &[u64]) -> Map<u64, u64> {
    let mut map = Map::default();
    for (place, key) in keys.iter().enumerate() {
        map.insert(*key, !*key);
        if place % 4 == 0 {
            map.insert(keys[place / 2], *key);
        }
    }
    map
}

fn main() {
    let keys = keys(40_000, 1);
    assert_eq!(black_box(subject(black_box(&keys))).len(), 40_000);
}
