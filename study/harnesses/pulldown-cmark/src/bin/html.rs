//! Whole documents turned into HTML.

use pulldown_cmark::{html, Parser};
use std::hint::black_box;
use study_pulldown_cmark::{blocks, prose};

#[inline(never)]
pub fn subject(text: &str) -> String {
    let mut page = String::with_capacity(text.len() * 2);
    html::push_html(&mut page, Parser::new(text));
    page
}

fn main() {
    let text = prose(5_000, 3) + "\n\n" + &blocks(700, 4);
    assert!(black_box(subject(black_box(&text))).len() > text.len());
}
