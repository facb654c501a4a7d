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

/// A list of records as services send them, with escapes in one text of five.
pub fn records(count: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("[");
    for record in 0..count {
        if record > 0 {
            text.push_str(",\n  ");
        }
        let note = if record % 5 == 0 {
            "a \\\"quoted\\\" line\\n\\u00e9"
        } else {
            "nothing of note"
        };
        text.push_str(&format!(
            "{{\"id\": {}, \"name\": \"user {}\", \"active\": {}, \"score\": {}.{}, \"tags\": [\"a\", \"b{}\"], \"note\": \"{note}\", \"parent\": null}}",
            numbers.below(1 << 30),
            numbers.below(1_000),
            record % 2 == 0,
            numbers.below(1_000),
            numbers.below(100_000),
            numbers.below(10)
        ));
    }
    text + "]"
}
