//! Documents of a known shape read from bytes.

use std::collections::BTreeMap;
use std::hint::black_box;
use study_serde_json::Numbers;

#[inline(never)]
pub fn subject(bytes: &[u8]) -> usize {
    let rows: Vec<(u64, f64, String, Option<bool>, BTreeMap<String, i32>)> =
        serde_json::from_slice(bytes).expect("rows");
    rows.iter().map(|row| row.2.len() + row.4.len()).sum()
}

fn main() {
    let mut numbers = Numbers::new(2);
    let rows: Vec<String> = (0..4_000)
        .map(|row| {
            let flag = ["null", "true", "false"][row % 3];
            format!(
                "[{}, {}.{:03}, \"name\\t{}\", {flag}, {{\"x\": -{}, \"y\": {}}}]",
                numbers.below(1 << 31),
                numbers.below(100),
                numbers.below(1_000),
                numbers.below(1_000),
                1 + numbers.below(1_000),
                numbers.below(1_000)
            )
        })
        .collect();
    let text = format!("[{}]", rows.join(","));
    assert!(black_box(subject(black_box(text.as_bytes()))) > 8_000);
}
