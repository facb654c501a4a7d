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

/// A hasher that gives the same in every run: multiply and rotate.
#[derive(Default, Clone)]
pub struct Fixed(u64);

impl std::hash::Hasher for Fixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// A map with that hasher.
pub type Map = hashbrown::HashMap<u64, u64, std::hash::BuildHasherDefault<Fixed>>;

/// A map of `size` entries, and its keys in the order in which they came.
pub fn filled(size: usize, seed: u64) -> (Map, Vec<u64>) {
    let mut numbers = Numbers::new(seed);
    let keys: Vec<u64> = (0..size).map(|_| numbers.below(1 << 31)).collect();
    let map = keys.iter().map(|key| (*key, key ^ seed)).collect();
    (map, keys)
}
