//! Automata built from many patterns and from few.

use aho_corasick::AhoCorasick;
use std::hint::black_box;
use study_aho_corasick::{words, Built};

#[inline(never)]
pub fn subject(lists: &[Vec<String>]) -> usize {
    lists
        .iter()
        .map(|words| AhoCorasick::new(words).built().is_match("zzzzz qqqqq") as usize + 1)
        .sum()
}

fn main() {
    let lists: Vec<Vec<String>> = [900, 5, 60, 12, 300, 2]
        .iter()
        .enumerate()
        .map(|(seed, &count)| words(count, seed as u64))
        .collect();
    assert!(black_box(subject(black_box(&lists))) >= 6);
}
