//! Documents of no known shape read.

use serde_json::Value;
use std::hint::black_box;
use study_serde_json::records;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    let value: Value = serde_json::from_str(text).expect("a document");
    value.as_array().map_or(0, Vec::len)
}

fn main() {
    let text = records(1_200, 1);
    assert_eq!(black_box(subject(black_box(&text))), 1_200);
}
