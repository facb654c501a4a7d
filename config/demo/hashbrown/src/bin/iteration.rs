//! Iteration over a map of which three quarters were removed.

use demo_hashbrown::{filled, Map};
use std::hint::black_box;

#[inline(never)]
pub fn subject(map: &Map) -> u64 {
    let mut mixed = 0u64;
    for round in 0..40 {
        for (key, value) in map {
            mixed = mixed.wrapping_mul(31).wrapping_add(key ^ value ^ round);
        }
    }
    mixed
}

fn main() {
    let (mut map, keys) = filled(20_000, 3);
    for key in &keys[..15_000] {
        map.remove(key);
    }
    assert!(black_box(subject(black_box(&map))) > 0);
}
