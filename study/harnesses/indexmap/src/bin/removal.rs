//! Keys counted by way of entries, then removed by swapping.

#![allow(deprecated)]

use std::hint::black_box;
use study_indexmap::{Map, Numbers};

#[inline(never)]
pub fn subject(keys: &[u64]) -> u64 {
    let mut map: Map<u64, u64> = Map::default();
    for key in keys {
        *map.entry(*key).or_insert(0) += 1;
    }
    let mut sum = map.len() as u64;
    for key in keys {
        if key % 2 == 0 {
            sum += map.swap_remove(key).unwrap_or(0);
        }
    }
    map.retain(|key, count| key % 3 == 0 && *count > 1);
    sum + map.len() as u64
}

fn main() {
    let mut numbers = Numbers::new(3);
    let keys: Vec<u64> = (0..40_000).map(|_| numbers.below(20_000)).collect();
    assert!(black_box(subject(black_box(&keys))) > 20_000);
}
