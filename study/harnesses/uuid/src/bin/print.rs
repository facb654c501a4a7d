//! Identifiers written out.

use std::fmt::Write;
use std::hint::black_box;
use study_uuid::Numbers;
use uuid::Uuid;

#[inline(never)]
pub fn subject(ids: &[Uuid]) -> usize {
    let mut text = String::with_capacity(ids.len() * 37);
    for id in ids {
        write!(text, "{} ", id).expect("a string takes every write");
    }
    text.len()
}

fn main() {
    let mut numbers = Numbers::new(3);
    let ids: Vec<Uuid> = (0..20_000)
        .map(|_| {
            let text = format!(
                "{:08x}-1111-4222-8333-4444{:08x}",
                numbers.below(1 << 31),
                numbers.below(1 << 31)
            );
            Uuid::parse_str(&text).expect("an identifier")
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&ids))), 20_000 * 37);
}
