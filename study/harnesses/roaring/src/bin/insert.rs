//! A set built member by member.

use roaring::RoaringBitmap;
use std::hint::black_box;
use study_roaring::members;

#[inline(never)]
pub fn subject(members: &[u32]) -> u64 {
    let mut set = RoaringBitmap::new();
    let mut new = 0;
    for &member in members {
        new += u64::from(set.insert(member));
    }
    new + set.len() as u64
}

fn main() {
    assert!(black_box(subject(black_box(&members(1)))) > 50_000);
}
