//! Bytes → other bytes: some overwritten, cut, repeated, or taken from another input.

use super::random::Numbers;

/// Longer inputs are cut: a run is to try many.
const LONGEST: usize = 1 << 16;

/// Texts that readers tend to stumble over.
const WORDS: [&[u8]; 16] = [
    b"(",
    b")",
    b"{",
    b"}",
    b"[",
    b"\"",
    b"'",
    b"/*",
    b"*/",
    b"\n",
    b"\0",
    b"\xff",
    b"-1",
    b"18446744073709551615",
    b"0x",
    b"+",
];

/// One of some texts, with edits in which pieces of another one occur.
pub(crate) fn mutate_one_of(texts: &[&str], numbers: &mut Numbers) -> Vec<u8> {
    let [text, other] = [(); 2].map(|()| texts[numbers.below(texts.len())].as_bytes());
    mutate(text, other, numbers)
}

/// An input with one to eight edits.
pub(crate) fn mutate(input: &[u8], other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=numbers.below(8) {
        let at = numbers.below(bytes.len() + 1);
        let end = (at + 1 + numbers.below(32)).min(bytes.len()).max(at);
        match numbers.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].repeat(1 + numbers.below(64));
                bytes.splice(at..at, piece);
            }
            3 => {
                let from = numbers.below(other.len() + 1);
                let until = (from + numbers.below(256)).min(other.len());
                bytes.splice(at..end, other[from..until].iter().copied());
            }
            4 => bytes.truncate(at),
            _ => {
                let word = WORDS[numbers.below(WORDS.len())].repeat(1 + numbers.below(16));
                bytes.splice(at..at, word);
            }
        }
        bytes.truncate(LONGEST);
    }
    bytes
}
