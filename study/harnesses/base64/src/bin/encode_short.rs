//! Many short inputs of all lengths, as tokens and digests are.

#![allow(deprecated)]

use std::hint::black_box;
use study_base64::Numbers;

#[inline(never)]
pub fn subject(inputs: &[Vec<u8>]) -> u64 {
    let mut sum = 0u64;
    for input in inputs {
        let text = base64::encode(input);
        sum = sum
            .wrapping_mul(31)
            .wrapping_add(u64::from(text.as_bytes()[text.len() / 2]));
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(2);
    let inputs: Vec<Vec<u8>> = (0..20_000)
        .map(|_| {
            let length = 1 + numbers.below(48);
            (0..length).map(|_| numbers.below(256) as u8).collect()
        })
        .collect();
    assert!(black_box(subject(black_box(&inputs))) > 0);
}
