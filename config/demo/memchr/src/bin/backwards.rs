//! From the end, line by line.

use demo_memchr::Numbers;
use std::hint::black_box;

#[inline(never)]
pub fn subject(haystack: &[u8]) -> usize {
    let (mut end, mut longest) = (haystack.len(), 0);
    while let Some(found) = memchr::memrchr(b'\n', &haystack[..end]) {
        longest = longest.max(end - found);
        end = found;
    }
    longest
}

fn main() {
    let mut numbers = Numbers::new(4);
    let haystack: Vec<u8> = (0..50_000)
        .map(|_| if numbers.below(80) == 0 { b'\n' } else { b'z' })
        .collect::<Vec<u8>>()
        .repeat(80);
    assert!(black_box(subject(black_box(&haystack))) > 0);
}
