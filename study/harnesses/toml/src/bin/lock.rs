//! A long file of locked packages read into values with types.

use std::collections::BTreeMap;
use std::hint::black_box;
use study_toml::lock;
use toml::Value;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    let file: BTreeMap<String, Value> = toml::from_str(text).expect("a lock file");
    file["package"]
        .as_array()
        .map_or(0, |packages| packages.len())
}

fn main() {
    let text = lock(250, 2);
    assert_eq!(black_box(subject(black_box(&text))), 250);
}
