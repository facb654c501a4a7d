//! What is no expression turned away, with a message.

use regex_syntax::Parser;
use std::hint::black_box;

#[inline(never)]
pub fn subject(expressions: &[String]) -> usize {
    let mut bytes = 0;
    for expression in expressions {
        if let Err(error) = Parser::new().parse(expression) {
            bytes += error.to_string().len();
        }
    }
    bytes
}

fn main() {
    let known = [
        "abc(def",
        "x{5,2}",
        "[z-a]",
        r"\p{Nothing}",
        "(?P<name>a)(?P<name>b)",
        "a**[b",
    ];
    let expressions: Vec<String> = (0..600)
        .map(|place| format!("lead{place}{}", known[place % 6]))
        .collect();
    assert!(black_box(subject(black_box(&expressions))) > 10_000);
}
