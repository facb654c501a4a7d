//! Manifests read.

use std::hint::black_box;
use study_toml::manifest;
use toml::Value;

#[inline(never)]
pub fn subject(texts: &[String]) -> usize {
    let mut entries = 0;
    for text in texts {
        let value: Value = toml::from_str(text).expect("a manifest");
        entries += value["dependencies"]
            .as_table()
            .map_or(0, |table| table.len());
    }
    entries
}

fn main() {
    let texts: Vec<String> = (0..30).map(|seed| manifest(20, seed)).collect();
    assert_eq!(black_box(subject(black_box(&texts))), 600);
}
