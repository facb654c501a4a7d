//! Input for the benchmarks: the same in every run and for every version.

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

/// A paragraph of words of one to twelve letters.
pub fn paragraph(words: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::new();
    for _ in 0..words {
        let letters = 1 + numbers.below(12);
        if !text.is_empty() {
            text.push(if numbers.below(40) == 0 { '-' } else { ' ' });
        }
        for _ in 0..letters {
            text.push((b'a' + numbers.below(26) as u8) as char);
        }
    }
    text
}
