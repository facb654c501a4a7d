//! Rows written, some of which need quotes.

use csv::{StringRecord, Writer};
use std::hint::black_box;
use study_csv::Numbers;

#[inline(never)]
pub fn subject(rows: &[StringRecord]) -> usize {
    let mut writer = Writer::from_writer(Vec::new());
    for row in rows {
        writer
            .write_record(row.iter())
            .expect("a vector takes every write");
    }
    writer.into_inner().map_or(0, |bytes| bytes.len())
}

fn main() {
    let mut numbers = Numbers::new(4);
    let rows: Vec<StringRecord> = (0..6_000)
        .map(|row| {
            let mut record = StringRecord::new();
            for _ in 0..4 {
                record.push_field(&format!("value {}", numbers.below(1_000_000)));
            }
            record.push_field(if row % 7 == 0 { "a, \"b\"\nc" } else { "abc" });
            record
        })
        .collect();
    assert!(black_box(subject(black_box(&rows))) > 200_000);
}
