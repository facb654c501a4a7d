//! Amounts divided and compared.

use rust_decimal::Decimal;
use std::hint::black_box;
use study_rust_decimal::amounts;

#[inline(never)]
pub fn subject(amounts: &[Decimal]) -> usize {
    let mut larger = 0;
    for pair in amounts.windows(2) {
        let share = pair[0] / pair[1];
        let rest = pair[0] % pair[1];
        larger += usize::from(share > rest) + 1;
    }
    larger
}

fn main() {
    let amounts = amounts(8_000, 4);
    assert!(black_box(subject(black_box(&amounts))) >= 8_000);
}
