//! One buffer handed out in parts, compared and dropped.

use bytes::Bytes;
use std::hint::black_box;
use study_bytes::Numbers;

#[inline(never)]
pub fn subject(whole: &Bytes, cuts: &[usize]) -> usize {
    let mut equal = 0;
    for &cut in cuts {
        let mut left = whole.clone();
        let right = left.split_off(cut);
        let part = left.split_to(cut / 2);
        equal += usize::from(part == left) + right.len() % 2 + usize::from(part < right);
    }
    equal
}

fn main() {
    let mut numbers = Numbers::new(3);
    let whole = Bytes::from(
        (0..1_000)
            .map(|_| numbers.below(2) as u8)
            .collect::<Vec<u8>>(),
    );
    let cuts: Vec<usize> = (0..50_000)
        .map(|_| 1 + numbers.below(998) as usize)
        .collect();
    assert!(black_box(subject(black_box(&whole), black_box(&cuts))) > 0);
}
