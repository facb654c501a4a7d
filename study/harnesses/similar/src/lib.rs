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

/// Two texts of lines, the second one with every `every`th line changed, left out or new.
pub fn texts(lines: usize, every: u64, seed: u64) -> (String, String) {
    let mut numbers = Numbers::new(seed);
    let (mut old, mut new) = (String::new(), String::new());
    for _ in 0..lines {
        let line = format!(
            "let name{} = call(value{});\n",
            numbers.below(300),
            numbers.below(40)
        );
        old.push_str(&line);
        match numbers.below(every * 3) {
            0 => new.push_str("// something else\n"),
            1 => {}
            2 => {
                new.push_str(&line);
                new.push_str("added();\n");
            }
            _ => new.push_str(&line),
        }
    }
    (old, new)
}
