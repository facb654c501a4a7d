//! Identifiers read, with and without hyphens.

use std::hint::black_box;
use study_uuid::Numbers;
use uuid::Uuid;

#[inline(never)]
pub fn subject(texts: &[String]) -> u64 {
    let mut sum = 0u64;
    for text in texts {
        if let Ok(id) = Uuid::parse_str(text) {
            sum += u64::from(id.as_bytes()[7]) + 1;
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(1);
    let texts: Vec<String> = (0..40_000)
        .map(|index| {
            let mut word = || numbers.below(1 << 16);
            let parts = [
                word(),
                word(),
                word(),
                word(),
                word(),
                word(),
                word(),
                word(),
            ];
            let [a, b, c, d, e, f, g, h] = parts;
            match index % 3 {
                0 => format!("{a:04x}{b:04x}{c:04x}{d:04x}{e:04x}{f:04x}{g:04x}{h:04x}"),
                1 => format!("{a:04X}{b:04X}-{c:04X}-{d:04X}-{e:04X}-{f:04X}{g:04X}{h:04X}"),
                _ => format!("{a:04x}{b:04x}-{c:04x}-{d:04x}-{e:04x}-{f:04x}{g:04x}{h:04x}"),
            }
        })
        .collect();
    assert!(black_box(subject(black_box(&texts))) >= 40_000);
}
