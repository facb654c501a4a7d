//! Bytes → a Zstandard frame that holds them as they are.
//!
//! Git compresses whatever it stores, and stores of similar contents only the differences. It sees neither in compressed
//! bytes. Decoders take such a frame like any other (RFC 8878, sections 3.1.1 and 3.1.1.2).

/// First bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The size of the content follows in 8 bytes; no checksum, no dictionary.
const DESCRIPTOR: u8 = 0b1100_0000;

/// A window of 128 KiB: exponent 7 above 10 bits, no mantissa.
const WINDOW: u8 = 7 << 3;

/// Most bytes of a block.
const LARGEST_BLOCK: usize = 128 << 10;

/// Bytes of a frame beside its content, with one block.
const OVERHEAD: usize = 4 + 1 + 1 + 8 + 3;

/// The frame of a content.
pub(super) fn frame_of(content: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(OVERHEAD + content.len());
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&[DESCRIPTOR, WINDOW]);
    frame.extend_from_slice(&(content.len() as u64).to_le_bytes());
    let mut blocks = content.chunks(LARGEST_BLOCK).peekable();
    if blocks.peek().is_none() {
        frame.extend_from_slice(&block_header(0, true));
    }
    while let Some(block) = blocks.next() {
        frame.extend_from_slice(&block_header(block.len(), blocks.peek().is_none()));
        frame.extend_from_slice(block);
    }
    frame
}

/// Whether the block is the last one, its kind (0: as it is) in two bits, and its size in 21, little-endian.
fn block_header(size: usize, is_last: bool) -> [u8; 3] {
    let header = u32::try_from(size).expect("a block is small") << 3 | u32::from(is_last);
    let [low, middle, high, _] = header.to_le_bytes();
    [low, middle, high]
}

#[cfg(test)]
mod tests {
    use super::frame_of;

    #[test]
    fn a_frame_holds_its_content_as_it_is() {
        for size in [0, 1, 1000, 128 << 10, (128 << 10) + 1, 1 << 20] {
            let content: Vec<u8> = (0..size).map(|at| (at * 7 % 251) as u8).collect();
            let frame = frame_of(&content);
            assert!(frame.len() < content.len() + 64, "{size}");
            let read = zstd::stream::decode_all(&frame[..]).expect("a frame");
            assert!(read == content, "{size}");
            assert!(
                zstd::bulk::decompress(&frame, content.len()).expect("a frame") == content,
                "{size}"
            );
        }
    }
}
