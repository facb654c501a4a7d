//! Doubles of any size, most with all of their digits.

use std::hint::black_box;
use study_ryu::Numbers;

#[inline(never)]
pub fn subject(values: &[f64]) -> usize {
    values
        .iter()
        .map(|&value| ryu::Buffer::new().format(value).len())
        .sum()
}

fn main() {
    let mut numbers = Numbers::new(1);
    let values: Vec<f64> = (0..50_000)
        .map(|_| {
            let bits = numbers.below(1 << 31) << 33 | numbers.below(1 << 31) << 2;
            let value = f64::from_bits(bits);
            if value.is_finite() {
                value
            } else {
                1.5
            }
        })
        .collect();
    assert!(black_box(subject(black_box(&values))) > 50_000 * 10);
}
