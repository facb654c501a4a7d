//! Every member walked over.

use roaring::RoaringBitmap;
use std::hint::black_box;
use study_roaring::set;

#[inline(never)]
pub fn subject(sets: &[RoaringBitmap]) -> u64 {
    let mut mixed = 0u64;
    for set in sets {
        for member in set.iter() {
            mixed = mixed.wrapping_mul(31).wrapping_add(u64::from(member));
        }
    }
    mixed
}

fn main() {
    let sets: Vec<RoaringBitmap> = (0..12).map(set).collect();
    assert!(black_box(subject(black_box(&sets))) > 0);
}
