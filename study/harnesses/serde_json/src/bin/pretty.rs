//! Rows of a known shape written for people.

use std::collections::BTreeMap;
use std::hint::black_box;
use study_serde_json::Numbers;

/// A row.
pub type Row = (u64, f64, String, Option<bool>, BTreeMap<&'static str, i32>);

#[inline(never)]
pub fn subject(rows: &[Row]) -> usize {
    serde_json::to_vec_pretty(rows).map_or(0, |bytes| bytes.len())
}

fn main() {
    let mut numbers = Numbers::new(4);
    let rows: Vec<Row> = (0..4_000)
        .map(|row| {
            let mut counts = BTreeMap::new();
            counts.insert("first", numbers.below(1_000) as i32 - 500);
            counts.insert("second", numbers.below(10) as i32);
            let name = format!("a \"name\"\nof {} letters", numbers.below(100));
            (
                numbers.below(1 << 31),
                numbers.below(100_000) as f64 / 100.0,
                name,
                [None, Some(row % 2 == 0)][row % 2],
                counts,
            )
        })
        .collect();
    assert!(black_box(subject(black_box(&rows))) > 400_000);
}
