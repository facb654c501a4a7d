//! Tokens in, a 64-bit digest out. Not for security: equal digests spare a comparison.

use super::model::TokenDigest;

/// FNV-1a over bytes, with a length-free separator between tokens so that `ab c` and `a bc` differ.
/// Fowler, Noll, Vo: offset basis and prime of the 64-bit variant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenDigester(u64);

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;
/// A byte that no UTF-8 text contains.
const SEPARATOR: u8 = 0xff;

impl TokenDigester {
    pub(crate) fn new() -> Self {
        Self(OFFSET_BASIS)
    }

    /// Adds one token.
    pub(crate) fn token(&mut self, text: &str) {
        for byte in text.bytes() {
            self.byte(byte);
        }
        self.byte(SEPARATOR);
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
    }

    pub(crate) fn finish(self) -> TokenDigest {
        // FNV's low bits mix well, its high bits badly: one avalanche step (splitmix64's last) evens them.
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        TokenDigest(bits ^ (bits >> 31))
    }
}
