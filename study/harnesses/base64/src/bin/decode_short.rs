//! Many short texts read back, one in eight of them not base64.

#![allow(deprecated)]

use std::hint::black_box;
use study_base64::Numbers;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    texts
        .iter()
        .filter(|text| base64::decode(text.as_str()).is_ok())
        .count()
}

fn main() {
    let mut numbers = Numbers::new(4);
    let texts: Vec<String> = (0..20_000)
        .map(|index| {
            let length = 1 + numbers.below(48);
            let input: Vec<u8> = (0..length).map(|_| numbers.below(256) as u8).collect();
            let text = base64::encode(&input);
            if index % 8 == 0 {
                format!("{text}!")
            } else {
                text
            }
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), 17_500);
}
