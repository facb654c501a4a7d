//! Input for the benchmarks: the same in every run and for every version.

use png::Reader;
use std::fmt::Debug;
use std::io::Cursor;

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

/// A picture in memory.
pub type Picture = Cursor<&'static [u8]>;

/// What opening a picture gives: before 0.17 a pair.
pub trait Opened {
    /// The reader.
    fn opened(self) -> Reader<Picture>;
}

impl Opened for Reader<Picture> {
    fn opened(self) -> Reader<Picture> {
        self
    }
}

impl<I: Debug> Opened for (I, Reader<Picture>) {
    fn opened(self) -> Reader<Picture> {
        self.1
    }
}

/// Levels of grey: a slope with some noise.
pub fn levels(width: usize, height: usize, seed: u64) -> Vec<u8> {
    let mut numbers = Numbers::new(seed);
    (0..width * height)
        .map(|place| (place % width / 2 + place / width + numbers.below(5) as usize) as u8)
        .collect()
}
