//! Vectors extended by iterators, copied, and taken apart.

use std::hint::black_box;
use study_arrayvec::{Numbers, empty};

#[inline(never)]
pub fn subject(values: &[u32]) -> usize {
    let mut sum = 0usize;
    for chunk in values.chunks(11) {
        let mut vector = empty!(0u32, 32);
        vector.extend(chunk.iter().copied());
        vector.extend(chunk.iter().map(|value| value.rotate_left(5)));
        let copy = vector.clone();
        sum = sum.wrapping_add(copy.len() + usize::from(copy == vector));
        for value in copy {
            sum = sum.wrapping_mul(3).wrapping_add(value as usize);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(4);
    let values: Vec<u32> = (0..150_000).map(|_| numbers.below(1 << 31) as u32).collect();
    assert!(black_box(subject(black_box(&values))) > 0);
}
