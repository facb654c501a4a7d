//! A profile → the bytes in which it is stored, and back.
//!
//! `LITO`, format version (u16), length of the payload (u64), BLAKE3 of it (32 bytes), then the payload in postcard's
//! encoding, in a Zstandard frame; integers little-endian. Frames of earlier builds are compressed; those of this one are
//! not, since git compresses a store better as a whole. Input is not trusted: every limit is checked before memory is
//! allocated.

use std::io::Read;

use super::plain_frame;
use crate::model::Profile;

/// First bytes of every stored profile.
pub const MAGIC: [u8; 4] = *b"LITO";

/// The version that this build writes, and the newest it reads.
pub const VERSION: u16 = 1;

/// Largest payload accepted: a hundred times the largest profile seen.
pub const LARGEST_PAYLOAD: u64 = 256 << 20;

/// Largest ratio of payload to compressed bytes accepted; real profiles compress 3 to 8 times.
pub const LARGEST_RATIO: u64 = 200;

/// Longest accepted name of a benchmark, function, file or profiler, in bytes.
pub const LONGEST_NAME: usize = 1 << 16;

const HEADER: usize = 4 + 2 + 8 + 32;

/// Reason why bytes are not a usable profile.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileDecodeError {
    /// The bytes are something else.
    #[error(
        "decoding a stored profile: its first bytes are not those of the format; the file is something else or damaged"
    )]
    NotAProfile,
    /// Cut short or damaged.
    #[error("decoding a stored profile: {0}; it is damaged: take the sample again")]
    Damaged(&'static str),
    /// Written by a later version of lito.
    #[error(
        "decoding a stored profile: it has format {found}, this lito reads up to {VERSION}; \
         update lito to a version that reads format {found}"
    )]
    Newer {
        /// Format version found.
        found: u16,
    },
    /// Larger than any plausible profile.
    #[error("decoding a stored profile: {what} is {found}, more than the limit of {limit}")]
    TooLarge {
        /// Quantity that exceeds its limit.
        what: &'static str,
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
}

/// Encodes a profile; equal profiles give equal bytes.
#[must_use]
pub fn encode(profile: &Profile) -> Vec<u8> {
    let payload = postcard::to_allocvec(profile).expect("a profile holds only encodable values");
    let frame = plain_frame::frame_of(&payload);
    let mut bytes = Vec::with_capacity(HEADER + frame.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
    bytes.extend_from_slice(&frame);
    bytes
}

/// Decodes the bytes that [`encode`] made.
///
/// # Errors
/// [`ProfileDecodeError`]: not a profile, damaged, from a newer version, or beyond a limit.
pub fn decode(bytes: &[u8]) -> Result<Profile, ProfileDecodeError> {
    let (magic, rest) = (bytes.split_first_chunk::<4>()).ok_or(ProfileDecodeError::NotAProfile)?;
    if *magic != MAGIC {
        return Err(ProfileDecodeError::NotAProfile);
    }
    let cut = ProfileDecodeError::Damaged("it is cut short");
    let Some((version, rest)) = rest.split_first_chunk::<2>() else {
        return Err(cut);
    };
    match u16::from_le_bytes(*version) {
        0 => return Err(ProfileDecodeError::Damaged("it has no format version")),
        found if found > VERSION => return Err(ProfileDecodeError::Newer { found }),
        _ => {}
    }
    let Some((length, rest)) = rest.split_first_chunk::<8>() else {
        return Err(cut);
    };
    let length = u64::from_le_bytes(*length);
    let Some((checksum, compressed)) = rest.split_first_chunk::<32>() else {
        return Err(cut);
    };
    let limit = LARGEST_PAYLOAD.min((compressed.len() as u64).saturating_mul(LARGEST_RATIO));
    if length > limit {
        return Err(ProfileDecodeError::TooLarge {
            what: "its size when decompressed",
            found: length,
            limit,
        });
    }
    let payload = decompress(compressed, length)?;
    if blake3::hash(&payload).as_bytes() != checksum {
        return Err(ProfileDecodeError::Damaged("its checksum does not match"));
    }
    let (profile, left) = postcard::take_from_bytes::<Profile>(&payload)
        .map_err(|_| ProfileDecodeError::Damaged("its payload is not a profile"))?;
    if !left.is_empty() {
        return Err(ProfileDecodeError::Damaged("its payload goes on after the profile"));
    }
    check(&profile)?;
    Ok(profile)
}

/// Decompresses a payload; never allocates more than the announced length.
fn decompress(compressed: &[u8], length: u64) -> Result<Vec<u8>, ProfileDecodeError> {
    let damaged = |_| ProfileDecodeError::Damaged("it can't be decompressed");
    let mut payload = Vec::new();
    zstd::stream::read::Decoder::with_buffer(compressed)
        .map_err(damaged)?
        .take(length + 1)
        .read_to_end(&mut payload)
        .map_err(damaged)?;
    if payload.len() as u64 != length {
        return Err(ProfileDecodeError::Damaged("its length does not match"));
    }
    Ok(payload)
}

/// Checks indices and the lengths of names. The payload's size bounds the numbers of entries.
fn check(profile: &Profile) -> Result<(), ProfileDecodeError> {
    let names = [&profile.benchmark, &profile.profiler]
        .into_iter()
        .chain(&profile.files)
        .chain(profile.functions.iter().map(|f| &f.name));
    for name in names {
        if name.len() > LONGEST_NAME {
            return Err(ProfileDecodeError::TooLarge {
                what: "the length of a name",
                found: name.len() as u64,
                limit: LONGEST_NAME as u64,
            });
        }
    }
    let files = (profile.functions.iter().filter_map(|f| f.file))
        .chain(profile.sites.iter().filter_map(|s| s.file))
        .chain(profile.lines.iter().map(|l| l.file));
    for file in files {
        if file.0 as usize >= profile.files.len() {
            return Err(ProfileDecodeError::Damaged("it refers to a file that it does not list"));
        }
    }
    for function in profile.sites.iter().flat_map(|s| [s.caller, s.callee]) {
        if function.0 as usize >= profile.functions.len() {
            return Err(ProfileDecodeError::Damaged(
                "it refers to a function that it does not list",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::{HEADER, ProfileDecodeError, VERSION, decode, encode};
    use crate::model::{
        CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine,
    };

    fn profiles() -> impl Strategy<Value = Profile> {
        let functions = prop::collection::vec(("[a-z:é]{0,9}", any::<(u32, u64, bool)>()), 1..9);
        let sites = prop::collection::vec(any::<(u32, u32, u32, u64, bool)>(), 0..9);
        let lines = prop::collection::vec(any::<(u32, u64, u64)>(), 0..20);
        (functions, sites, lines, any::<u64>()).prop_map(|(functions, sites, lines, total)| {
            let count = u32::try_from(functions.len()).unwrap();
            Profile {
                benchmark: "a/b".to_owned(),
                unit: CostUnit::Instructions,
                profiler: "callgrind".to_owned(),
                exact_counts: total % 2 == 0,
                total,
                files: vec!["src/lib.rs".to_owned(), "core/src/hint.rs".to_owned()],
                functions: (functions.into_iter())
                    .map(|(name, (line, cost, external))| ProfileFunction {
                        name,
                        file: external.then_some(ProfileFileId(1)),
                        line,
                        external,
                        calls: cost / 3,
                        inlined_calls: cost / 5,
                        inclusive: cost,
                        self_cost: cost / 2,
                        estimated: external,
                    })
                    .collect(),
                sites: (sites.into_iter())
                    .map(|(caller, callee, line, calls, inlined)| ProfileCallSite {
                        caller: ProfileFunctionId(caller % count),
                        callee: ProfileFunctionId(callee % count),
                        file: Some(ProfileFileId(line % 2)),
                        line,
                        calls,
                        inclusive: calls,
                        inlined,
                        estimated: !inlined,
                    })
                    .collect(),
                lines: (lines.into_iter())
                    .map(|(line, executions, self_cost)| ProfileLine {
                        file: ProfileFileId(line % 2),
                        line,
                        executions,
                        self_cost,
                        estimated: line > 7,
                    })
                    .collect(),
            }
        })
    }

    fn one() -> Profile {
        Profile {
            benchmark: "b".to_owned(),
            unit: CostUnit::Operations,
            profiler: "p".to_owned(),
            exact_counts: true,
            total: 1,
            files: Vec::new(),
            functions: Vec::new(),
            sites: Vec::new(),
            lines: Vec::new(),
        }
    }

    #[test]
    fn a_newer_format_says_which_version_is_needed() {
        let mut bytes = encode(&one());
        bytes[4..6].copy_from_slice(&(VERSION + 3).to_le_bytes());
        assert_eq!(decode(&bytes), Err(ProfileDecodeError::Newer { found: VERSION + 3 }));
        assert!(decode(&bytes).unwrap_err().to_string().contains("reads format 4"));
    }

    #[test]
    fn a_compressed_payload_of_an_earlier_lito_is_read() {
        let bytes = encode(&one());
        let payload = postcard::to_allocvec(&one()).unwrap();
        let mut earlier = bytes[..HEADER].to_vec();
        earlier.extend_from_slice(&zstd::bulk::compress(&payload, 3).unwrap());
        assert_ne!(earlier, bytes);
        assert_eq!(decode(&earlier), Ok(one()));
    }

    #[test]
    fn an_announced_bomb_is_refused_before_it_is_unpacked() {
        let mut bytes = encode(&one());
        bytes[6..14].copy_from_slice(&(1u64 << 40).to_le_bytes());
        assert!(matches!(decode(&bytes), Err(ProfileDecodeError::TooLarge { .. })));
    }

    #[test]
    fn a_payload_longer_than_announced_is_refused() {
        let zeros = zstd::bulk::compress(&vec![0u8; 1 << 20], 3).unwrap();
        let mut bytes = encode(&one())[..HEADER].to_vec();
        bytes[6..14].copy_from_slice(&100u64.to_le_bytes());
        bytes.extend_from_slice(&zeros);
        assert_eq!(
            decode(&bytes),
            Err(ProfileDecodeError::Damaged("its length does not match"))
        );
    }

    #[test]
    fn indices_out_of_range_are_refused() {
        let line = ProfileLine {
            file: ProfileFileId(0),
            line: 1,
            executions: 1,
            self_cost: 1,
            estimated: false,
        };
        let bytes = encode(&Profile {
            lines: vec![line],
            ..one()
        });
        assert!(matches!(decode(&bytes), Err(ProfileDecodeError::Damaged(_))));
    }

    #[test]
    fn each_truncation_is_an_error() {
        let bytes = encode(&one());
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{end} bytes");
        }
    }

    proptest! {
        #[test]
        fn a_decoded_profile_is_the_encoded_one(profile in profiles()) {
            prop_assert_eq!(decode(&encode(&profile)), Ok(profile));
        }

        #[test]
        fn a_changed_byte_is_noticed(profile in profiles(), at in any::<prop::sample::Index>(), flip in 1u8..) {
            let mut bytes = encode(&profile);
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            // a bit of the compressed frame may change nothing
            if let Ok(decoded) = decode(&bytes) {
                prop_assert_eq!(decoded, profile);
            }
        }

        #[test]
        fn any_bytes_decode_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), payload in any::<bool>()) {
            let mut all = Vec::new();
            if payload {
                // past the checksum: an arbitrary payload in a valid envelope
                all.extend_from_slice(b"LITO\x01\x00");
                all.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                all.extend_from_slice(blake3::hash(&bytes).as_bytes());
                all.extend_from_slice(&zstd::bulk::compress(&bytes, 1).unwrap());
                prop_assert!(decode(&all).is_err() || !bytes.is_empty());
            } else {
                prop_assert!(decode(&bytes).is_err());
            }
        }
    }
}
