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

/// Sentences of words in several scripts, with combining marks, flags and punctuation in between.
pub fn text(words: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let known = [
        "plain",
        "words",
        "of",
        "ASCII,",
        "isn't",
        "32.7",
        "e\u{301}te\u{301}",
        "größer",
        "привет",
        "мир",
        "日本語",
        "한국어",
        "नमस्ते",
        "שלום",
        "👩‍👩‍👧",
        "🇩🇪🇫🇷",
        "(end).",
        "naïve?",
    ];
    let mut text = String::new();
    for _ in 0..words {
        // Three in four are plain ones.
        let of = if numbers.below(4) == 0 {
            known.len()
        } else {
            6
        };
        text.push_str(known[numbers.below(of as u64) as usize]);
        text.push(' ');
    }
    text
}
