//! Amounts read.

use rust_decimal::Decimal;
use std::hint::black_box;
use std::str::FromStr;
use study_rust_decimal::Numbers;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    texts
        .iter()
        .filter(|text| Decimal::from_str(text).is_ok_and(|amount| amount.scale() > 0))
        .count()
}

fn main() {
    let mut numbers = Numbers::new(1);
    let texts: Vec<String> = (0..40_000)
        .map(|index| match index % 4 {
            0 => format!("-{}.{:02}", numbers.below(10_000), numbers.below(100)),
            1 => format!(
                "{}.{:09}",
                numbers.below(1 << 31),
                numbers.below(1_000_000_000)
            ),
            _ => format!("{}.{}", numbers.below(1_000), numbers.below(10_000)),
        })
        .collect();
    assert_eq!(black_box(subject(black_box(&texts))), texts.len());
}
