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

/// A table of five columns with a head, every tenth row with quotes.
pub fn table(rows: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::from("city,country,population,latitude,note\n");
    for row in 0..rows {
        let note = if row % 10 == 0 {
            "\"large, said to be \"\"old\"\"\""
        } else {
            "plain"
        };
        text.push_str(&format!(
            "city{},c{},{},{}.{:04},{note}\n",
            numbers.below(100_000),
            numbers.below(90),
            numbers.below(9_000_000),
            numbers.below(90),
            numbers.below(10_000)
        ));
    }
    text
}
