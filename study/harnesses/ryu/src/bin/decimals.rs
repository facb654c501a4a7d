//! Doubles with a few decimals, as prices and measurements are.

use std::hint::black_box;
use study_ryu::Numbers;

#[inline(never)]
pub fn subject(values: &[f64]) -> u64 {
    let mut sum = 0u64;
    let mut buffer = ryu::Buffer::new();
    for &value in values {
        let text = buffer.format(value);
        sum = sum.wrapping_mul(31).wrapping_add(text.len() as u64);
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(2);
    let values: Vec<f64> = (0..60_000)
        .map(|_| numbers.below(1_000_000) as f64 / 100.0)
        .collect();
    assert!(black_box(subject(black_box(&values))) > 0);
}
