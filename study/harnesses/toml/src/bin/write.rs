//! Values written.

use std::hint::black_box;
use study_toml::{lock, manifest};
use toml::Value;

#[inline(never)]
pub fn subject(values: &[Value]) -> usize {
    values
        .iter()
        .map(|value| toml::to_string(value).map_or(0, |text| text.len()))
        .sum()
}

fn main() {
    let values: Vec<Value> = [manifest(200, 3), lock(150, 4)]
        .iter()
        .map(|text| toml::from_str(text).expect("a document"))
        .collect();
    assert!(black_box(subject(black_box(&values))) > 10_000);
}
