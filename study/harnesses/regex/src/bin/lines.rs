//! Lines asked one by one whether they match.

use regex::Regex;
use std::hint::black_box;
use study_regex::log;

#[inline(never)]
pub fn subject(expression: &Regex, lines: &[&str]) -> usize {
    let mut matching = 0;
    for line in lines {
        if expression.is_match(line) {
            matching += 1;
        }
    }
    matching
}

fn main() {
    let expression = Regex::new(r"\b10\.\d+\.(1|2)\d\.7 .*[^\s]$").expect("an expression");
    let text = log(8_000, 2);
    let lines: Vec<&str> = text.lines().collect();
    assert!(black_box(subject(black_box(&expression), black_box(&lines))) > 100);
}
