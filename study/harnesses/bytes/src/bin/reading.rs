//! Messages read from a slice field by field.

use bytes::Buf;
use std::hint::black_box;
use std::io::Cursor;
use study_bytes::Numbers;

#[inline(never)]
pub fn subject(input: &[u8]) -> u64 {
    let mut cursor = Cursor::new(input);
    let mut sum = 0u64;
    while cursor.remaining() >= 16 {
        let kind = cursor.get_u8();
        let mut body = [0; 7];
        cursor.copy_to_slice(&mut body);
        sum = sum.wrapping_add(u64::from(kind) * u64::from(body[3]));
        cursor.advance(usize::from(kind % 8));
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(4);
    let input: Vec<u8> = (0..2_000_000).map(|_| numbers.below(256) as u8).collect();
    assert!(black_box(subject(black_box(&input))) > 0);
}
