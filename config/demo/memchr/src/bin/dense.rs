//! One byte that is frequent: calling costs as much as searching.

use demo_memchr::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(haystack: &[u8]) -> usize {
    let (mut at, mut lengths) = (0, 0);
    while let Some(next) = memchr::memchr(b' ', &haystack[at..]) {
        at += next + 1;
        lengths ^= next;
    }
    lengths + at
}

fn main() {
    let mut numbers = Numbers::new(2);
    let haystack: Vec<u8> = (0..50_000)
        .map(|_| if numbers.below(12) == 0 { b' ' } else { b'a' })
        .collect::<Vec<u8>>()
        .repeat(40);
    assert!(black_box(subject(black_box(&haystack))) > 0);
}
