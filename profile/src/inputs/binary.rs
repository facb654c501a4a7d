//! The inputs of a benchmark → the bytes in which they are stored, and back.
//!
//! `LITI`, format version (u16, little-endian), BLAKE3 of the payload (32 bytes), then the payload in postcard's
//! encoding. Not compressed: the longest record seen has some thousand paths. Input is not trusted.

use super::InputRecord;

/// First bytes of every stored record.
pub const MAGIC: [u8; 4] = *b"LITI";

/// The version that this build writes, and the newest it reads.
pub const VERSION: u16 = 3;

/// The version in which no macros were recorded, and the one before it, without names that are asked for.
const WITHOUT_MACROS: u16 = 2;
const WITHOUT_NAMES: u16 = 1;

/// Most bytes that are read as a record: a hundred times the largest one seen.
pub const LARGEST: u64 = 32 << 20;

/// Longest accepted path or name, in bytes.
const LONGEST_PATH: usize = 1 << 16;

const HEADER: usize = 4 + 2 + 32;

/// Reason why bytes are not a usable record of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("reading the stored inputs of a benchmark: {0}; take the sample again, with this lito or a newer one")]
pub struct InputDecodeError(&'static str);

/// Encodes a record; equal records give equal bytes.
#[must_use]
pub fn encode(record: &InputRecord) -> Vec<u8> {
    let payload = postcard::to_allocvec(record).expect("a record holds only encodable values");
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
/// [`InputDecodeError`] for all other bytes, and for paths that do not stay in the repository.
pub fn decode(bytes: &[u8]) -> Result<InputRecord, InputDecodeError> {
    let cut = InputDecodeError("they are cut short");
    if bytes.len() as u64 > LARGEST {
        return Err(InputDecodeError("they exceed the size limit"));
    }
    let (magic, rest) = bytes.split_first_chunk::<4>().ok_or(cut)?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or(cut)?;
    let (checksum, payload) = rest.split_first_chunk::<32>().ok_or(cut)?;
    if *magic != MAGIC {
        return Err(InputDecodeError("they do not start like inputs"));
    }
    let version = u16::from_le_bytes(*version);
    if ![VERSION, WITHOUT_MACROS, WITHOUT_NAMES].contains(&version) {
        return Err(InputDecodeError("they are in the format of another version of lito"));
    }
    if blake3::hash(payload).as_bytes() != checksum {
        return Err(InputDecodeError("their checksum does not match"));
    }
    let decoded = match version {
        WITHOUT_NAMES => read_as(payload, |(compiled, opened)| InputRecord {
            compiled,
            opened,
            ..InputRecord::default()
        }),
        WITHOUT_MACROS => read_as(payload, |(compiled, opened, asked_names)| InputRecord {
            compiled,
            opened,
            asked_names,
            macros: None,
        }),
        _ => read_as(payload, |record| record),
    };
    let (record, left) = decoded.map_err(|_| InputDecodeError("their payload is malformed"))?;
    if !left.is_empty() || !is_valid(&record) {
        return Err(InputDecodeError("their payload is malformed"));
    }
    Ok(record)
}

/// Reads what begins a payload, as a record; returns what follows it.
fn read_as<'p, F: serde::Deserialize<'p>>(
    payload: &'p [u8],
    record: impl FnOnce(F) -> InputRecord,
) -> postcard::Result<(InputRecord, &'p [u8])> {
    postcard::take_from_bytes(payload).map(|(former, left)| (record(former), left))
}

/// True if each path is relative, short enough, and stays below the root.
fn is_valid(record: &InputRecord) -> bool {
    let InputRecord {
        compiled,
        opened,
        macros,
        asked_names: _,
    } = record;
    let units = compiled.units.iter();
    let mut paths = units
        .flat_map(|unit| unit.files.iter().chain(&unit.watched))
        .chain(&compiled.settings)
        .chain(&opened.files)
        .chain(&opened.folders)
        .chain(&opened.missing)
        .chain(macros.iter().flat_map(|macros| &macros.files));
    let is_inside = |path: &String| {
        let mut parts = path.split('/');
        let stays = path.is_empty() || parts.all(|part| !matches!(part, "" | "." | ".."));
        path.len() <= LONGEST_PATH && stays
    };
    compiled.units.is_sorted() && paths.all(is_inside)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::super::{CompilationUnit, CompiledInputs, CompilerMacros, OpenedFiles, UnitKind, VariableDigest};
    use super::*;

    fn record(path: &str) -> InputRecord {
        let mut unit = CompilationUnit::new("p", "lib", UnitKind::Library);
        unit.files.insert(path.to_owned());
        unit.variables.insert("A".to_owned(), Some(VariableDigest::of(b"1")));
        unit.variables.insert("B".to_owned(), None);
        InputRecord {
            compiled: CompiledInputs {
                is_complete: true,
                units: vec![unit],
                settings: ["Cargo.toml".to_owned()].into(),
            },
            opened: OpenedFiles {
                is_complete: true,
                files: ["README.md".to_owned()].into(),
                folders: [String::new()].into(),
                missing: ["config".to_owned()].into(),
                outside: true,
            },
            asked_names: Some(["parse".to_owned()].into()),
            macros: Some(CompilerMacros {
                predefined: [("A(x)".to_owned(), "x".to_owned())].into(),
                unsettled: ["B".to_owned()].into(),
                files: ["c.h".to_owned()].into(),
            }),
        }
    }

    #[test]
    fn a_decoded_record_is_the_encoded_one() {
        let record = record("src/lib.rs");
        assert_eq!(decode(&encode(&record)), Ok(record));
    }

    #[test]
    fn records_of_former_versions_lack_what_was_not_recorded() {
        let record = record("src/lib.rs");
        let InputRecord {
            compiled,
            opened,
            asked_names,
            macros: _,
        } = &record;
        let decoded = |version: u8, payload: Vec<u8>| {
            let mut bytes = [b"LITI".as_slice(), &[version, 0]].concat();
            bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
            bytes.extend_from_slice(&payload);
            decode(&bytes).unwrap()
        };
        let without_macros = InputRecord {
            macros: None,
            ..record.clone()
        };
        let without_names = InputRecord {
            asked_names: None,
            ..without_macros.clone()
        };
        let second = postcard::to_allocvec(&(compiled, opened, asked_names)).unwrap();
        assert_eq!(decoded(2, second), without_macros);
        let first = postcard::to_allocvec(&(compiled, opened)).unwrap();
        assert_eq!(decoded(1, first), without_names);
    }

    #[test]
    fn paths_that_leave_the_repository_are_refused() {
        for path in ["/etc/passwd", "../x", "a/../../x", "a//b", "./a"] {
            assert!(decode(&encode(&record(path))).is_err(), "{path}");
        }
    }

    #[test]
    fn a_record_that_is_cut_short_or_of_another_version_is_an_error() {
        let bytes = encode(&record("a"));
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{end} bytes");
        }
        let mut newer = bytes;
        newer[4] += 1;
        assert!(decode(&newer).unwrap_err().to_string().contains("another version"));
    }

    proptest! {
        #[test]
        fn any_payload_decodes_without_a_panic(payload in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = b"LITI\x03\x00".to_vec();
            bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
            bytes.extend_from_slice(&payload);
            if let Ok(record) = decode(&bytes) {
                prop_assert!(is_valid(&record));
            }
        }
    }
}
