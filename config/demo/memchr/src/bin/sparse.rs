//! One byte that is rare: the search runs over long stretches.

use demo_memchr::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(haystack: &[u8]) -> usize {
    let (mut at, mut found) = (0, 0);
    while let Some(next) = memchr::memchr(b'\n', &haystack[at..]) {
        at += next + 1;
        found += 1;
    }
    found
}

fn main() {
    let mut numbers = Numbers::new(1);
    let haystack: Vec<u8> = (0..100_000)
        .map(|_| {
            if numbers.below(2_000) == 0 {
                b'\n'
            } else {
                b'a'
            }
        })
        .collect::<Vec<u8>>()
        .repeat(160);
    assert!(black_box(subject(black_box(&haystack))) > 0);
}
