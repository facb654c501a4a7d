//! Input for the benchmarks: the same in every run and for every version.

use aho_corasick::AhoCorasick;
use std::fmt::Debug;

/// A linear congruential generator with the constants of Knuth's MMIX.
pub struct Numbers(u64);

impl Numbers {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Numbers(seed)
    }

    /// The next number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// What building an automaton gives: since 1.0 it can fail.
pub trait Built {
    /// The automaton.
    fn built(self) -> AhoCorasick;
}

impl Built for AhoCorasick {
    fn built(self) -> AhoCorasick {
        self
    }
}

impl<E: Debug> Built for Result<AhoCorasick, E> {
    fn built(self) -> AhoCorasick {
        self.expect("the patterns are few")
    }
}

/// Words of three to nine letters.
pub fn words(count: usize, seed: u64) -> Vec<String> {
    let mut numbers = Numbers::new(seed);
    (0..count)
        .map(|_| {
            let letters = 3 + numbers.below(7);
            (0..letters)
                .map(|_| (b'a' + numbers.below(26) as u8) as char)
                .collect()
        })
        .collect()
}

/// Text of words, one in `rarely` of them from `known`.
pub fn text(length: usize, known: &[String], rarely: u64, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let other = words(500, seed + 1_000);
    let mut text = String::new();
    while text.len() < length {
        let list = if numbers.below(rarely) == 0 {
            known
        } else {
            &other
        };
        text.push_str(&list[numbers.below(list.len() as u64) as usize]);
        text.push(' ');
    }
    text
}
