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

/// Text of words that come back, as prose and logs have them.
pub fn text(length: usize, seed: u64) -> Vec<u8> {
    let mut numbers = Numbers::new(seed);
    let words: Vec<String> = (0..600)
        .map(|_| {
            let letters = 2 + numbers.below(9);
            (0..letters)
                .map(|_| (b'a' + numbers.below(26) as u8) as char)
                .collect()
        })
        .collect();
    let mut text = Vec::new();
    while text.len() < length {
        // The smaller of two: frequent words and rare ones.
        let word = numbers.below(600).min(numbers.below(600)) as usize;
        text.extend_from_slice(words[word].as_bytes());
        text.push(if numbers.below(12) == 0 { b'\n' } else { b' ' });
    }
    text.truncate(length);
    text
}

/// Bytes without any structure.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut numbers = Numbers::new(seed);
    (0..length).map(|_| numbers.below(256) as u8).collect()
}
