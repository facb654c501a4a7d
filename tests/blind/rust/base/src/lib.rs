//! Sums of numbers that are made elsewhere.

pub mod input;
pub mod text;

/// The sum of halves.
pub fn halves(numbers: &[u64]) -> u64 {
    numbers.iter().map(|n| n / 2).sum()
}

/// The number of vowels.
pub fn vowels(text: &str) -> u64 {
    text.bytes().filter(|byte| b"aeiou".contains(byte)).count() as u64
}
