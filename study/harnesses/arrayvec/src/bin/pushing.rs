//! Vectors of fixed room filled and emptied.

use std::hint::black_box;
use study_arrayvec::{Numbers, empty};

#[inline(never)]
pub fn subject(lengths: &[u64]) -> u64 {
    let mut sum = 0u64;
    for &length in lengths {
        let mut vector = empty!(0u64, 16);
        for value in 0..length {
            vector.push(value ^ length);
        }
        if length > 3 {
            sum = sum.wrapping_add(vector.swap_remove(1));
            vector.truncate(length as usize / 2);
        }
        while let Some(value) = vector.pop() {
            sum = sum.wrapping_mul(31).wrapping_add(value);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(1);
    let lengths: Vec<u64> = (0..40_000).map(|_| numbers.below(17)).collect();
    assert!(black_box(subject(black_box(&lengths))) > 0);
}
