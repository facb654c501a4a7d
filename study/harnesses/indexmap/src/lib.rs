//! Input for the benchmarks: the same in every run and for every version.

use indexmap::IndexMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// Hashes without a random key, so that every run does the same.
#[derive(Default, Clone)]
pub struct Fixed(u64);

impl Hasher for Fixed {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// The map that is measured.
pub type Map<K, V> = IndexMap<K, V, BuildHasherDefault<Fixed>>;

/// Distinct keys in no order.
pub fn keys(count: u64, seed: u64) -> Vec<u64> {
    let mut numbers = Numbers::new(seed);
    (0..count)
        .map(|index| index << 32 | numbers.below(1 << 31))
        .collect()
}
