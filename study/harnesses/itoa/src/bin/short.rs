//! Small numbers with a sign, as counters and coordinates are.

use std::hint::black_box;
use study_itoa::Numbers;

#[inline(never)]
pub fn subject(values: &[i32]) -> u64 {
    let mut sum = 0u64;
    let mut buffer = itoa::Buffer::new();
    for &value in values {
        for byte in buffer.format(value).bytes() {
            sum += u64::from(byte);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(2);
    let values: Vec<i32> = (0..200_000)
        .map(|_| numbers.below(2_000) as i32 - 500)
        .collect();
    let expected: u64 = values
        .iter()
        .flat_map(|value| value.to_string().into_bytes())
        .map(u64::from)
        .sum();
    assert_eq!(black_box(subject(black_box(&values))), expected);
}
