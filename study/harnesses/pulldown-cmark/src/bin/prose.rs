//! Prose read, without writing anything.

use pulldown_cmark::{Event, Parser};
use std::hint::black_box;
use study_pulldown_cmark::prose;

#[inline(never)]
pub fn subject(text: &str) -> usize {
    Parser::new(text)
        .map(|event| match event {
            Event::Text(text) => text.len(),
            _ => 1,
        })
        .sum()
}

fn main() {
    let text = prose(15_000, 1);
    assert!(black_box(subject(black_box(&text))) > 20_000);
}
