//! Words replaced, and matches that overlap counted.

use aho_corasick::AhoCorasick;
use std::hint::black_box;
use study_aho_corasick::{text, words, Built};

#[inline(never)]
pub fn subject(automaton: &AhoCorasick, text: &str, by: &[String]) -> usize {
    automaton.replace_all(text, by).len() + automaton.find_overlapping_iter(text).count()
}

fn main() {
    let known = words(120, 6);
    let text = text(120_000, &known, 5, 7);
    let by = words(120, 8);
    let automaton = AhoCorasick::new(&known).built();
    assert!(
        black_box(subject(
            black_box(&automaton),
            black_box(&text),
            black_box(&by)
        )) > 50_000
    );
}
