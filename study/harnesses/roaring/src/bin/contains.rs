//! Members asked for, one in three there.

use roaring::RoaringBitmap;
use std::hint::black_box;
use study_roaring::{set, Numbers};

#[inline(never)]
pub fn subject(set: &RoaringBitmap, asked: &[u32]) -> usize {
    asked.iter().filter(|&&member| set.contains(member)).count()
}

fn main() {
    let mut numbers = Numbers::new(2);
    let asked: Vec<u32> = (0..100_000)
        .map(|_| numbers.below(1 << 19) as u32)
        .collect();
    let set = set(2);
    assert!(black_box(subject(black_box(&set), black_box(&asked))) > 5_000);
}
