//! Many small messages with the zlib frame restored.

use std::hint::black_box;
use study_miniz_oxide::text;

#[inline(never)]
pub fn subject(messages: &[Vec<u8>]) -> u64 {
    let mut sum = 0u64;
    for message in messages {
        if let Ok(bytes) = miniz_oxide::inflate::decompress_to_vec_zlib(message) {
            sum += u64::from(bytes[0]) + bytes.len() as u64;
        }
    }
    sum
}

fn main() {
    let messages: Vec<Vec<u8>> = (0..300)
        .map(|seed| {
            let message = text(200 + seed as usize * 5, seed);
            miniz_oxide::deflate::compress_to_vec_zlib(&message, 6)
        })
        .collect();
    assert!(black_box(subject(black_box(&messages))) > 250_000);
}
