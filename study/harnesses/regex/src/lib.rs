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

/// Lines of a log: date, level, address, message.
pub fn log(lines: usize, seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let mut text = String::new();
    for _ in 0..lines {
        let level = ["INFO", "WARN", "ERROR", "DEBUG"][numbers.below(4) as usize];
        let message = [
            "connection closed",
            "user größe@example.test logged in",
            "took 12.5 ms",
            "retry later",
        ];
        text.push_str(&format!(
            "2021-{:02}-{:02}T{:02}:{:02} {level} 10.{}.{}.7 {}\n",
            1 + numbers.below(12),
            1 + numbers.below(28),
            numbers.below(24),
            numbers.below(60),
            numbers.below(256),
            numbers.below(256),
            message[numbers.below(4) as usize]
        ));
    }
    text
}
