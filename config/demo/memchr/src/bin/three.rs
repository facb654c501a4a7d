//! Any of three bytes, as a reader of quoted text looks for them.

use demo_memchr::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(haystack: &[u8]) -> u64 {
    let (mut at, mut commas) = (0, 0);
    while let Some(next) = memchr::memchr3(b',', b'"', b'\n', &haystack[at..]) {
        commas += u64::from(haystack[at + next] == b',');
        at += next + 1;
    }
    commas
}

fn main() {
    let mut numbers = Numbers::new(3);
    let haystack: Vec<u8> = (0..50_000)
        .map(|_| match numbers.below(90) {
            0 => b',',
            1 => b'"',
            2 => b'\n',
            other => b'A' + other as u8 % 26,
        })
        .collect::<Vec<u8>>()
        .repeat(60);
    assert!(black_box(subject(black_box(&haystack))) > 0);
}
