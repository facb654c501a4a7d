//! Numbers to sum up.

use crate::text::Text;

const LENGTH: u64 = 3000;
const UNUSED_LENGTH: u64 = 100;

/// As many numbers as benchmarks take.
pub fn numbers() -> Vec<u64> {
    (0..LENGTH).map(mixed).collect()
}

fn mixed(n: u64) -> u64 {
    n * 7 % 1013
}

/// A text of several words.
pub fn text() -> String {
    Text { words: 200 }.written()
}

/// Numbers that no benchmark asks for.
pub fn no_numbers() -> Vec<u64> {
    (0..UNUSED_LENGTH).collect()
}
