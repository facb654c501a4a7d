//! Bits set and asked for, one by one.

use fixedbitset::FixedBitSet;
use std::hint::black_box;
use study_fixedbitset::Numbers;

#[inline(never)]
pub fn subject(set: &mut FixedBitSet, places: &[usize]) -> usize {
    let mut seen = 0;
    for &place in places {
        if set.contains(place ^ 1) {
            seen += 1;
        }
        set.insert(place);
        if place % 7 == 0 {
            set.set(place / 2, false);
        }
    }
    seen
}

fn main() {
    let mut numbers = Numbers::new(1);
    let places: Vec<usize> = (0..300_000)
        .map(|_| numbers.below(1 << 18) as usize)
        .collect();
    let mut set = FixedBitSet::with_capacity(1 << 18);
    assert!(black_box(subject(black_box(&mut set), black_box(&places))) > 0);
}
