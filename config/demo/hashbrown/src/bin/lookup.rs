//! Lookups, half of which find something.

use demo_hashbrown::{filled, Map};
use std::hint::black_box;

#[inline(never)]
pub fn subject(map: &Map, keys: &[u64]) -> u64 {
    let mut sum = 0u64;
    for key in keys {
        if let Some(value) = map.get(key) {
            sum = sum.wrapping_add(*value);
        }
    }
    sum
}

fn main() {
    let (map, mut keys) = filled(20_000, 2);
    let missing: Vec<u64> = keys.iter().map(|key| key + (1 << 32)).collect();
    keys.extend(missing);
    assert!(black_box(subject(black_box(&map), black_box(&keys))) > 0);
}
