//! Records read as bytes into the same place.

use csv::{ByteRecord, ReaderBuilder};
use std::hint::black_box;
use study_csv::table;

#[inline(never)]
pub fn subject(table: &str) -> u64 {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .from_reader(table.as_bytes());
    let mut record = ByteRecord::new();
    let mut fields = 0;
    while let Ok(true) = reader.read_byte_record(&mut record) {
        fields += record.len() as u64 + u64::from(record[1].len() == 3);
    }
    fields
}

fn main() {
    let table = table(10_000, 2);
    assert!(black_box(subject(black_box(&table))) > 50_000);
}
