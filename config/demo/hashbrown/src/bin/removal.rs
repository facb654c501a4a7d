//! Every entry removed, in the order in which it came.

use demo_hashbrown::{filled, Map};
use std::hint::black_box;

#[inline(never)]
pub fn subject(map: &mut Map, keys: &[u64]) -> usize {
    keys.iter().filter_map(|key| map.remove(key)).count()
}

fn main() {
    let (mut map, keys) = filled(20_000, 4);
    assert!(black_box(subject(black_box(&mut map), black_box(&keys))) > 0);
}
