//! Input for the benchmarks: the same in every run and for every version.

use roaring::RoaringBitmap;

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

/// Members that lie in sparse stretches, dense ones and runs.
pub fn members(seed: u64) -> Vec<u32> {
    let mut numbers = Numbers::new(seed);
    let mut members: Vec<u32> = Vec::new();
    for block in 0..8u32 {
        let base = block << 16;
        match block % 3 {
            0 => members.extend((0..1_000).map(|_| base + numbers.below(1 << 16) as u32)),
            1 => members.extend((0..9_000).map(|_| base + numbers.below(1 << 16) as u32)),
            _ => members.extend((0..5_000).map(|place| base + 700 + place)),
        }
    }
    members
}

/// Those as a set.
pub fn set(seed: u64) -> RoaringBitmap {
    members(seed).into_iter().collect()
}
