//! Values put in, taken out and filtered in the middle.

use std::hint::black_box;
use study_arrayvec::{Numbers, empty};

#[inline(never)]
pub fn subject(places: &[u64]) -> u64 {
    let mut vector = empty!(0u64, 64);
    let mut sum = 0u64;
    for &place in places {
        let at = place as usize % (vector.len() + 1);
        vector.insert(at, place);
        if vector.len() > 50 {
            vector.retain(|value| *value % 3 != 0);
            let at = at / 2 % vector.len();
            sum = sum.wrapping_add(vector.remove(at));
            let half = vector.len() / 2;
            for value in vector.drain(..half) {
                sum = sum.wrapping_add(value);
            }
        }
    }
    sum
}

fn main() {
    let mut numbers = Numbers::new(3);
    let places: Vec<u64> = (0..50_000).map(|_| numbers.below(1 << 20)).collect();
    assert!(black_box(subject(black_box(&places))) > 0);
}
