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

/// An empty vector. Its type is written differently before and after 0.6, so it is made of an array.
#[macro_export]
macro_rules! empty {
    ($value:expr, $room:expr) => {{
        let mut vector = arrayvec::ArrayVec::from([$value; $room]);
        vector.clear();
        vector
    }};
}
