//! Vectors that move to the heap when they outgrow their room.

use std::hint::black_box;
use study_tinyvec::Numbers;
use tinyvec::TinyVec;

#[inline(never)]
pub fn subject(lengths: &[u32]) -> usize {
    let mut bytes = 0;
    for &length in lengths {
        let mut vector: TinyVec<[u32; 8]> = TinyVec::new();
        for value in 0..length {
            vector.push(value.rotate_left(3));
        }
        bytes += vector.len() + vector.iter().filter(|&&value| value % 3 == 0).count();
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(2);
    let lengths: Vec<u32> = (0..40_000)
        .map(|index| numbers.below(if index % 8 == 0 { 40 } else { 8 }) as u32)
        .collect();
    assert!(black_box(subject(black_box(&lengths))) > 0);
}
