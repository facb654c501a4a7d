//! Sets joined, intersected and counted, as a data-flow analysis does.

use fixedbitset::FixedBitSet;
use std::hint::black_box;
use study_fixedbitset::Numbers;

#[inline(never)]
pub fn subject(sets: &[FixedBitSet]) -> usize {
    let mut members = 0;
    for pair in sets.windows(2) {
        let mut joined = pair[0].clone();
        joined.union_with(&pair[1]);
        let mut common = pair[1].clone();
        common.intersect_with(&pair[0]);
        members += joined.count_ones(..) + 3 * common.count_ones(100..40_000);
        members +=
            usize::from(common.is_subset(&joined)) + usize::from(common.is_disjoint(&joined));
    }
    members
}

fn main() {
    let mut numbers = Numbers::new(3);
    let sets: Vec<FixedBitSet> = (0..150)
        .map(|_| {
            let mut set = FixedBitSet::with_capacity(65_536);
            for _ in 0..3_000 {
                set.insert(numbers.below(65_536) as usize);
            }
            set
        })
        .collect();
    assert!(black_box(subject(black_box(&sets))) > 0);
}
