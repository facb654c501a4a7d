//! 128-bit numbers.

use std::hint::black_box;
use study_itoa::Numbers;

#[inline(never)]
pub fn subject(values: &[u128]) -> u64 {
    let mut mixed = 0u64;
    for &value in values {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value);
        mixed = mixed.rotate_left(5) ^ text.len() as u64;
    }
    mixed
}

fn main() {
    let mut numbers = Numbers::new(3);
    let values: Vec<u128> = (0..60_000)
        .map(|_| {
            let value = (0..4).fold(0u128, |value, _| {
                value << 32 | u128::from(numbers.below(1 << 31))
            });
            value >> numbers.below(100)
        })
        .collect();
    assert!(black_box(subject(black_box(&values))) > 0);
}
