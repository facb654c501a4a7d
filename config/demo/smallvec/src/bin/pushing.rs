//! Vectors grown value by value, most of them within their inline room, every eighth beyond it.

use demo_smallvec::Numbers;
use smallvec::SmallVec;
use std::hint::black_box;

#[inline(never)]
pub fn subject(lengths: &[u64]) -> u64 {
    let mut sum = 0u64;
    for &length in lengths {
        let mut vector: SmallVec<[u64; 8]> = SmallVec::new();
        for value in 0..length {
            vector.push(value ^ length);
        }
        while let Some(value) = vector.pop() {
            sum = sum.wrapping_mul(31).wrapping_add(value);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(1);
    let lengths: Vec<u64> = (0..30_000)
        .map(|index| numbers.below(if index % 8 == 0 { 40 } else { 8 }))
        .collect();
    assert!(black_box(subject(black_box(&lengths))) > 0);
}
