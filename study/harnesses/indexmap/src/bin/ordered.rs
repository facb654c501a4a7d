//! A map sorted, walked over and read by place.

use std::hint::black_box;
use study_indexmap::{keys, Map};

#[inline(never)]
pub fn subject(map: &mut Map<u64, u64>) -> u64 {
    map.sort_by(|_, one, _, other| one.cmp(other));
    let mut mixed = 0u64;
    for round in 0..10 {
        for (key, value) in map.iter() {
            mixed = mixed.wrapping_mul(31).wrapping_add(key ^ value ^ round);
        }
    }
    for place in 0..map.len() {
        if let Some((key, _)) = map.get_index(place) {
            mixed ^= key;
        }
    }
    mixed
}

fn main() {
    let mut map: Map<u64, u64> = keys(20_000, 4)
        .into_iter()
        .map(|key| (key, (key & 0xffff_ffff).rotate_left(7)))
        .collect();
    assert!(black_box(subject(black_box(&mut map))) > 0);
}
