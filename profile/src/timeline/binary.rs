//! A timeline → the bytes of a cache file, and back.
//!
//! `LITT`, format version (u16, little-endian), BLAKE3 of the payload (32 bytes), then the payload in postcard's
//! encoding. Not compressed: a function's shares take as much room as its name. Input is not trusted.

use super::{MOST_FRAMES, Timeline, frames};

/// First bytes of every stored timeline.
const MAGIC: [u8; 4] = *b"LITT";

/// The version that this build writes, and the only one that it reads: a cache of another version is rebuilt.
const VERSION: u16 = 1;

/// Most bytes that are read as a timeline, a hundred times the size of a thousand functions.
pub const LARGEST: u64 = 16 << 20;

const HEADER: usize = 4 + 2 + 32;

/// Reason why bytes are not a usable timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("reading a stored timeline: {0}; remove the file to record it again")]
pub struct TimelineDecodeError(&'static str);

/// Encodes a timeline; equal timelines give equal bytes.
#[must_use]
pub fn encode(timeline: &Timeline) -> Vec<u8> {
    let payload = postcard::to_allocvec(timeline).expect("a timeline holds only encodable values");
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

/// Decodes the bytes that [`encode`] made.
///
/// # Errors
/// [`TimelineDecodeError`] for all other bytes.
pub fn decode(bytes: &[u8]) -> Result<Timeline, TimelineDecodeError> {
    let cut = TimelineDecodeError("it is cut short");
    if bytes.len() as u64 > LARGEST {
        return Err(TimelineDecodeError("it exceeds the size limit"));
    }
    let (magic, rest) = bytes.split_first_chunk::<4>().ok_or(cut)?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or(cut)?;
    let (checksum, payload) = rest.split_first_chunk::<32>().ok_or(cut)?;
    if *magic != MAGIC {
        return Err(TimelineDecodeError("it does not start like a timeline"));
    }
    if u16::from_le_bytes(*version) != VERSION {
        return Err(TimelineDecodeError("it is in the format of another version of lito"));
    }
    if blake3::hash(payload).as_bytes() != checksum {
        return Err(TimelineDecodeError("its checksum does not match"));
    }
    let (timeline, left) =
        postcard::take_from_bytes::<Timeline>(payload).map_err(|_| TimelineDecodeError("its payload is malformed"))?;
    if !left.is_empty() || !is_valid(&timeline) {
        return Err(TimelineDecodeError("its payload is malformed"));
    }
    Ok(timeline)
}

/// Checks everything that the fields of a timeline promise.
fn is_valid(timeline: &Timeline) -> bool {
    let expected = frames(timeline.total, timeline.frame);
    let functions = &timeline.functions;
    timeline.total > 0
        && timeline.frame.is_power_of_two()
        && expected <= MOST_FRAMES
        && functions.is_sorted_by(|a, b| a.name < b.name)
        && functions.iter().all(|activity| {
            activity.shares.len() == expected && activity.shares.iter().all(|share| *share <= 100) && activity.is_seen()
        })
}
