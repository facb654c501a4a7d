//! The members of sparse and dense sets walked over.

use fixedbitset::FixedBitSet;
use std::hint::black_box;
use study_fixedbitset::Numbers;

#[inline(never)]
pub fn subject(sets: &[FixedBitSet]) -> usize {
    let mut sum = 0usize;
    for set in sets {
        for place in set.ones() {
            sum = sum.wrapping_mul(31).wrapping_add(place);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(2);
    let sets: Vec<FixedBitSet> = [100_000, 20_000, 400]
        .iter()
        .cycle()
        .take(9)
        .map(|&members| {
            let mut set = FixedBitSet::with_capacity(200_000);
            for _ in 0..members {
                set.insert(numbers.below(200_000) as usize);
            }
            set
        })
        .collect();
    assert!(black_box(subject(black_box(&sets))) > 0);
}
