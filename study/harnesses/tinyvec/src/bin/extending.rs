//! Vectors made from slices and iterators, and joined.

use std::hint::black_box;
use study_tinyvec::Numbers;
use tinyvec::TinyVec;

#[inline(never)]
pub fn subject(values: &[u32]) -> usize {
    let mut sum = 0usize;
    for chunk in values.chunks(11) {
        let mut vector: TinyVec<[u32; 16]> = chunk.iter().copied().collect();
        vector.extend(chunk.iter().map(|value| value.rotate_left(5)));
        vector.extend_from_slice(&chunk[..chunk.len() / 2]);
        let copy = vector.clone();
        sum = sum.wrapping_add(copy.len() + copy[0] as usize);
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(4);
    let values: Vec<u32> = (0..150_000)
        .map(|_| numbers.below(1 << 31) as u32)
        .collect();
    assert!(black_box(subject(black_box(&values))) > 0);
}
