//! Products added up and rounded, as an invoice does.

use rust_decimal::Decimal;
use std::hint::black_box;
use study_rust_decimal::amounts;

#[inline(never)]
pub fn subject(amounts: &[Decimal], rate: Decimal) -> Decimal {
    let mut sum = Decimal::new(0, 0);
    for amount in amounts {
        sum = sum + (*amount * rate).round_dp(2) - Decimal::new(1, 2);
    }
    sum
}

fn main() {
    let amounts = amounts(40_000, 3);
    assert!(
        black_box(subject(
            black_box(&amounts),
            black_box(Decimal::new(19_125, 5))
        )) > Decimal::new(0, 0)
    );
}
