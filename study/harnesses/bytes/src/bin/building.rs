//! A growing buffer written to in small pieces.

use bytes::{BufMut, BytesMut};
use std::hint::black_box;
use study_bytes::Numbers;

#[inline(never)]
pub fn subject(values: &[u32]) -> usize {
    let mut buffer = BytesMut::with_capacity(64);
    for &value in values {
        buffer.reserve(16);
        buffer.put_u8(value as u8);
        buffer.put_slice(&value.to_be_bytes());
        buffer.extend_from_slice(b"\r\n");
    }
    buffer.len()
}

fn main() {
    let mut numbers = Numbers::new(2);
    let values: Vec<u32> = (0..100_000)
        .map(|_| numbers.below(1 << 31) as u32)
        .collect();
    assert_eq!(black_box(subject(black_box(&values))), 700_000);
}
