//! Sets joined, intersected and subtracted.

use roaring::RoaringBitmap;
use std::hint::black_box;
use study_roaring::set;

#[inline(never)]
pub fn subject(sets: &[RoaringBitmap]) -> u64 {
    let mut members = 0u64;
    for pair in sets.windows(2) {
        let (one, other) = (&pair[0], &pair[1]);
        let joined = one | other;
        let common = one & other;
        let rest = one - other;
        members += joined.len() as u64 + common.len() as u64 * 3 + rest.len() as u64 * 5;
        members += u64::from(common.is_subset(&joined));
    }
    members
}

fn main() {
    let sets: Vec<RoaringBitmap> = (0..14).map(set).collect();
    assert!(black_box(subject(black_box(&sets))) > 100_000);
}
