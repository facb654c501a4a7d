//! Values written without spaces.

use serde_json::Value;
use std::hint::black_box;
use study_serde_json::records;

#[inline(never)]
pub fn subject(value: &Value) -> String {
    serde_json::to_string(value).expect("a value")
}

fn main() {
    let value: Value = serde_json::from_str(&records(1_800, 3)).expect("a document");
    assert!(black_box(subject(black_box(&value))).len() > 100_000);
}
