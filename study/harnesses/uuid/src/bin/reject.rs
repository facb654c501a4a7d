//! What is no identifier turned away.

use std::hint::black_box;
use study_uuid::Numbers;
use uuid::Uuid;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    texts
        .iter()
        .filter(|text| Uuid::parse_str(text).is_err())
        .count()
}

fn main() {
    let mut numbers = Numbers::new(2);
    let texts: Vec<String> = (0..40_000)
        .map(|index| {
            let (a, b) = (numbers.below(1 << 31), numbers.below(1 << 16));
            match index % 3 {
                0 => format!("{a:08x}-{b:04x}-4000-8000-00000000{b:04x}0"),
                1 => format!("{a:08x}-{b:04x}-4000-8000-0000000x{b:04x}"),
                _ => format!("{a:08x}{b:04x}-4000-8000-00000000{b:04x}"),
            }
        })
        .collect();
    assert!(black_box(subject(black_box(&texts))) >= 26_000);
}
