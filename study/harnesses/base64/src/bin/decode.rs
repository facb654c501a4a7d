//! A few large texts read back.

#![allow(deprecated)]

use std::hint::black_box;
use study_base64::Numbers;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    let mut bytes = 0;
    for text in texts {
        bytes += base64::decode(text).map_or(0, |decoded| decoded.len());
    }
    bytes
}

fn main() {
    let mut numbers = Numbers::new(3);
    let texts: Vec<String> = (0..8)
        .map(|_| {
            let input: Vec<u8> = (0..300_000).map(|_| numbers.below(256) as u8).collect();
            base64::encode(&input)
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), 8 * 300_000);
}
