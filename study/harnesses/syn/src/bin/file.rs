//! A source file parsed.

use std::hint::black_box;
use study_syn::source;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    syn::parse_file(text).map_or(0, |file| file.items.len())
}

fn main() {
    let text = source(60, 1);
    assert_eq!(black_box(subject(black_box(&text))), 61);
}
