//! Single precision.

use std::hint::black_box;
use study_ryu::Numbers;

#[inline(never)]
pub fn subject(values: &[f32]) -> usize {
    let mut longest = 0;
    let mut bytes = 0;
    for &value in values {
        let mut buffer = ryu::Buffer::new();
        let length = buffer.format(value).len();
        longest = longest.max(length);
        bytes += length;
    }
    bytes * 100 + longest
}

fn main() {
    let mut numbers = Numbers::new(3);
    let values: Vec<f32> = (0..80_000)
        .map(|_| {
            let value = f32::from_bits(numbers.below(1 << 31) as u32);
            if value.is_finite() {
                value
            } else {
                0.25
            }
        })
        .collect();
    assert!(black_box(subject(black_box(&values))) > 0);
}
