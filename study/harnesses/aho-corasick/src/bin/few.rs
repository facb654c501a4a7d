//! Text searched for a handful of words, the leftmost of which counts.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use std::hint::black_box;
use study_aho_corasick::{text, words, Built};

#[inline(never)]
pub fn subject(automaton: &AhoCorasick, text: &str) -> usize {
    let mut sum = 0;
    for found in automaton.find_iter(text) {
        sum += found.end() - found.start();
    }
    sum
}

fn main() {
    let known = words(6, 4);
    let text = text(1_500_000, &known, 50, 5);
    let automaton = AhoCorasickBuilder::new()
        .match_kind(MatchKind::LeftmostFirst)
        .build(&known)
        .built();
    assert!(black_box(subject(black_box(&automaton), black_box(&text))) > 1_000);
}
