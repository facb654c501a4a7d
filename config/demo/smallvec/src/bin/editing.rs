//! Values put in, taken out and filtered in the middle.

use demo_smallvec::Numbers;
use smallvec::SmallVec;
use std::hint::black_box;

#[inline(never)]
pub fn subject(places: &[u64]) -> u64 {
    let mut vector: SmallVec<[u64; 32]> = SmallVec::new();
    let mut sum = 0u64;
    for &place in places {
        let at = place as usize % (vector.len() + 1);
        vector.insert(at, place);
        if vector.len() > 60 {
            vector.retain(|value| *value % 3 != 0);
            sum = sum.wrapping_add(vector.remove(at / 2 % vector.len()));
            vector.truncate(20);
        }
    }
    vector.drain(..).fold(sum, u64::wrapping_add)
}

fn main() {
    let mut numbers = Numbers::new(3);
    let places: Vec<u64> = (0..60_000).map(|_| numbers.below(1 << 20)).collect();
    assert!(black_box(subject(black_box(&places))) > 0);
}
