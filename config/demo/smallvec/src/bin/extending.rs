//! Vectors made from slices and iterators, joined, and turned into plain ones.

use demo_smallvec::Numbers;
use smallvec::SmallVec;
use std::hint::black_box;

#[inline(never)]
pub fn subject(values: &[u32]) -> usize {
    let mut bytes = 0;
    for chunk in values.chunks(11) {
        let mut vector: SmallVec<[u32; 16]> = SmallVec::from_slice(chunk);
        vector.extend(chunk.iter().map(|value| value.rotate_left(3)));
        vector.extend_from_slice(&chunk[..chunk.len() / 2]);
        bytes += vector.into_vec().len();
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(2);
    let values: Vec<u32> = (0..200_000).map(|_| numbers.below(1 << 30) as u32).collect();
    assert!(black_box(subject(black_box(&values))) > 0);
}
