//! Random numbers that a seed fixes.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;

/// Random numbers that are the same on every machine: ChaCha with eight rounds, whose stream is specified.
pub(super) struct RandomDraws(pub(super) ChaCha8Rng);

impl RandomDraws {
    /// A number from 0 to `limit` − 1. The upper half of a product of 128 bits: uniform to within limit / 2⁶⁴.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.0.next_u64()) * limit as u128) >> 64) as usize
    }
}
