//! 64-bit numbers of every length, most of them long.

use std::hint::black_box;
use study_itoa::Numbers;

#[inline(never)]
pub fn subject(values: &[u64]) -> usize {
    let mut length = 0;
    for &value in values {
        length += itoa::Buffer::new().format(value).len();
    }
    length
}

fn main() {
    let mut numbers = Numbers::new(1);
    let values: Vec<u64> = (0..150_000)
        .map(|_| {
            let value = numbers.below(1 << 31) << 31 | numbers.below(1 << 31);
            value >> numbers.below(50)
        })
        .collect();
    let expected: usize = values.iter().map(|value| value.to_string().len()).sum();
    assert_eq!(black_box(subject(black_box(&values))), expected);
}
