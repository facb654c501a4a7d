//! Amounts written out.

use rust_decimal::Decimal;
use std::fmt::Write;
use std::hint::black_box;
use study_rust_decimal::amounts;

#[inline(never)]
pub fn subject(amounts: &[Decimal]) -> usize {
    let mut text = String::new();
    for amount in amounts {
        write!(text, "{} ", amount).expect("a string takes every write");
    }
    text.len()
}

fn main() {
    let amounts = amounts(15_000, 2);
    assert!(black_box(subject(black_box(&amounts))) > 100_000);
}
