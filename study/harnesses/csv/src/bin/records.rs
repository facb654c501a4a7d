//! Records read as text, each one a value of its own.

use std::hint::black_box;
use study_csv::table;

#[inline(never)]
pub fn subject(table: &str) -> usize {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader
        .records()
        .map(|record| record.map_or(0, |record| record.iter().map(str::len).sum::<usize>()))
        .sum()
}

fn main() {
    let table = table(6_000, 1);
    assert!(black_box(subject(black_box(&table))) > 100_000);
}
