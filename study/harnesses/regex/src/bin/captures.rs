//! The parts of what matches, and replacements.

use regex::Regex;
use std::hint::black_box;
use study_regex::log;

#[inline(never)]
pub fn subject(dates: &Regex, users: &Regex, text: &str) -> usize {
    let mut sum = 0;
    for found in dates.captures_iter(text) {
        sum += found[1].len() + found.get(2).map_or(0, |part| part.start() % 2);
    }
    sum + users.replace_all(text, "<$1>").len()
}

fn main() {
    let dates = Regex::new(r"(\d{4})-(\d{2})-(\d{2})T").expect("an expression");
    let users = Regex::new(r"(\w+)@\w+\.test").expect("an expression");
    let text = log(1_000, 3);
    assert!(
        black_box(subject(
            black_box(&dates),
            black_box(&users),
            black_box(&text)
        )) > 10_000
    );
}
