//! Small messages with long runs restored.

use std::hint::black_box;
use study_lz4_flex::Numbers;

#[inline(never)]
pub fn subject(messages: &[Vec<u8>]) -> u64 {
    let mut sum = 0u64;
    for message in messages {
        if let Ok(bytes) = lz4_flex::decompress_size_prepended(message) {
            sum += u64::from(bytes[bytes.len() / 2]) + bytes.len() as u64;
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(4);
    let messages: Vec<Vec<u8>> = (0..8_000)
        .map(|_| {
            let mut bytes = Vec::new();
            for _ in 0..8 {
                let (value, length) = (numbers.below(256) as u8, 1 + numbers.below(120) as usize);
                bytes.extend(std::iter::repeat(value).take(length));
            }
            lz4_flex::compress_prepend_size(&bytes)
        })
        .collect();
    assert!(black_box(subject(black_box(&messages))) > 0);
}
