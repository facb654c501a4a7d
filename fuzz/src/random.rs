//! A seed, or the bytes of a fuzzer → the numbers that decide what an input looks like.

use std::collections::VecDeque;

/// Numbers that follow from a seed or from given bytes alone.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// They look random: the state of SplitMix64 (Steele, Lea and Flood, 2014).
    Seeded(u64),
    /// As many bytes as a number needs, from the front; zero where none is left.
    Given(VecDeque<u8>),
}

impl Numbers {
    /// Starts at given bytes.
    #[must_use]
    pub fn given(bytes: &[u8]) -> Self {
        Self::Given(bytes.iter().copied().collect())
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        match self {
            Self::Seeded(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = *state;
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                mixed ^ (mixed >> 31)
            }
            Self::Given(bytes) => taken(bytes, 8),
        }
    }

    /// A number below a limit; 0 where the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let number = match self {
            // A byte more than a number needs would be one that changes nothing.
            Self::Given(bytes) if limit <= 1 << 8 => taken(bytes, 1),
            Self::Given(bytes) if limit <= 1 << 16 => taken(bytes, 2),
            _ => self.next_number(),
        };
        match limit {
            0 => 0,
            _ => usize::try_from(number % limit as u64).unwrap_or(0),
        }
    }

    /// So many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next_number().to_le_bytes()[0]).collect()
    }
}

/// The number of so many bytes from the front, big-endian, or of as many as there are.
fn taken(bytes: &mut VecDeque<u8>, count: usize) -> u64 {
    let first = bytes.drain(..count.min(bytes.len()));
    first.fold(0, |number, byte| number << 8 | u64::from(byte))
}
