//! Expressions compiled: literals, classes, repetitions, properties of Unicode.

use regex::Regex;
use std::hint::black_box;

#[inline(never)]
pub fn subject(expressions: &[&str]) -> usize {
    expressions
        .iter()
        .filter_map(|expression| Regex::new(expression).ok())
        .map(|compiled| compiled.captures_len())
        .sum()
}

fn main() {
    let expressions = [
        r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})",
        r"error|warning|fatal|panic|timeout|refused",
        r"^[a-zA-Z_][a-zA-Z0-9_]*$",
        r"(?i)\bcontent-(length|type|encoding)\b:\s*(.*)",
        r"[\p{L}&&\p{Greek}]+",
        r"^(?:[0-9]{1,3}\.){3}[0-9]{1,3}$",
    ];
    assert_eq!(black_box(subject(black_box(&expressions))), 6 + 5 + 2);
}
