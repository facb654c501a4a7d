//! Text searched for many words.

use aho_corasick::AhoCorasick;
use std::hint::black_box;
use study_aho_corasick::{text, words, Built};

#[inline(never)]
pub fn subject(automaton: &AhoCorasick, text: &str) -> usize {
    automaton.find_iter(text).count()
}

fn main() {
    let known = words(500, 2);
    let text = text(300_000, &known, 8, 3);
    let automaton = AhoCorasick::new(&known).built();
    assert!(black_box(subject(black_box(&automaton), black_box(&text))) > 1_000);
}
