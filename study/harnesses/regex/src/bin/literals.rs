//! Text searched for a few words.

use regex::Regex;
use std::hint::black_box;
use study_regex::log;

#[inline(never)]
pub fn subject(expression: &Regex, text: &str) -> usize {
    expression.find_iter(text).count()
}

fn main() {
    let expression = Regex::new("ERROR|retry|closed").expect("an expression");
    let text = log(20_000, 1);
    assert!(black_box(subject(black_box(&expression), black_box(&text))) > 10_000);
}
