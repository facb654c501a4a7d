//! Rows turned into values with types.

use std::hint::black_box;
use study_csv::table;

#[inline(never)]
pub fn subject(table: &str) -> u64 {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let mut sum = 0u64;
    for row in reader.deserialize::<(String, String, u64, f64, String)>() {
        if let Ok((_, _, population, latitude, _)) = row {
            sum += population + latitude as u64;
        }
    }
    sum
}

fn main() {
    let table = table(5_000, 3);
    assert!(black_box(subject(black_box(&table))) > 100_000);
}
