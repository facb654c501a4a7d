//! Sizes of chunks, a third with an extension.

use demo_httparse::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(sizes: &[Vec<u8>]) -> u64 {
    let mut sum = 0u64;
    for size in sizes {
        if let Ok(httparse::Status::Complete((_, bytes))) = httparse::parse_chunk_size(size) {
            sum = sum.wrapping_add(bytes);
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(3);
    let sizes: Vec<Vec<u8>> = (0..60_000)
        .map(|index| {
            let extension = if index % 3 == 0 { ";name=value" } else { "" };
            format!("{:x}{}\r\n", numbers.below(1 << 24), extension).into_bytes()
        })
        .collect();
    assert!(black_box(subject(black_box(&sizes))) > 0);
}
