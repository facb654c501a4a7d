//! The bytes of a stored profile, record of inputs, timeline or call tree → the value, and back.
//!
//! The first byte says which, and whether the rest is a file or its payload: damage hardly ever leaves a checksum right,
//! so a payload gets an envelope of its own.

use profile::call_tree::{binary as call_tree, folded_stacks};
use profile::format::binary as format;
use profile::inputs::{CompilationUnit, InputRecord, UnitKind, binary as inputs};
use profile::timeline::{self, FunctionActivity, Timeline};
use profile::{CostUnit, Profile, ProfileFunction};

use super::mutation::mutate;
use super::random::Numbers;

const CODECS: usize = 4;

/// A file or a payload, nearly always damaged.
pub(crate) fn stored(numbers: &mut Numbers) -> Vec<u8> {
    let kind = numbers.below(2 * CODECS);
    let (file, payload) = stored_value(kind % CODECS, numbers);
    let bytes = if kind < CODECS { file } else { payload };
    let damaged = match numbers.below(8) {
        0 => bytes,
        _ => mutate(&bytes, &bytes, numbers),
    };
    [&kind.to_le_bytes()[..1], &damaged].concat()
}

/// Decodes a file or a payload. What can be decoded is what its own encoding decodes to.
pub(crate) fn read(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else {
        return;
    };
    let kind = usize::from(*kind) % (2 * CODECS);
    let codec = kind % CODECS;
    let file = if kind < CODECS {
        bytes.to_vec()
    } else {
        in_envelope(codec, bytes)
    };
    match codec {
        0 => {
            if let Ok(value) = format::decode(&file) {
                assert_eq!(format::decode(&format::encode(&value)), Ok(value));
            }
        }
        1 => {
            if let Ok(value) = inputs::decode(&file) {
                assert_eq!(inputs::decode(&inputs::encode(&value)), Ok(value));
            }
        }
        2 => {
            if let Ok(value) = timeline::decode(&file) {
                assert_eq!(timeline::decode(&timeline::encode(&value)), Ok(value));
            }
        }
        _ => {
            if let Ok(value) = call_tree::decode(&file) {
                let again = call_tree::decode(&call_tree::encode(&value));
                assert_eq!(
                    again.map(|tree| call_tree::encode(&tree)),
                    Ok(call_tree::encode(&value))
                );
            }
        }
    }
}

/// A value as a file, and its payload.
fn stored_value(codec: usize, numbers: &mut Numbers) -> (Vec<u8>, Vec<u8>) {
    let encoded = "memory takes any bytes";
    match codec {
        0 => {
            let value = profile(numbers);
            (format::encode(&value), postcard::to_allocvec(&value).expect(encoded))
        }
        1 => {
            let mut unit = CompilationUnit::new("crate", "lib", UnitKind::Library);
            unit.files.insert(String::from("src/lib.rs"));
            let mut value = InputRecord::default();
            value.compiled.units.push(unit);
            value.opened.folders.insert(String::from("data"));
            value.asked_names = Some([String::from("parse")].into());
            (inputs::encode(&value), postcard::to_allocvec(&value).expect(encoded))
        }
        2 => {
            let value = Timeline {
                unit: CostUnit::Instructions,
                total: 40,
                frame: 16,
                functions: vec![FunctionActivity {
                    name: String::from("work"),
                    shares: vec![1, 100, 0],
                }],
            };
            (timeline::encode(&value), postcard::to_allocvec(&value).expect(encoded))
        }
        _ => {
            let stacks = folded_stacks::read(b"main;work;inner 12\nmain;other 3\n").expect("the stacks are whole");
            let payload = postcard::to_allocvec(&stacks.tree).expect(encoded);
            (call_tree::encode(&stacks.tree), payload)
        }
    }
}

fn profile(numbers: &mut Numbers) -> Profile {
    Profile {
        benchmark: numbers.next_number().to_string(),
        unit: CostUnit::Instructions,
        profiler: "callgrind".to_owned(),
        exact_counts: true,
        total: numbers.next_number(),
        files: Vec::new(),
        functions: vec![ProfileFunction {
            name: String::from("work"),
            file: None,
            line: 1,
            external: false,
            calls: numbers.next_number(),
            inlined_calls: 0,
            inclusive: 9,
            self_cost: 9,
            estimated: false,
        }],
        sites: Vec::new(),
        lines: Vec::new(),
    }
}

/// A payload with what each format puts around it.
fn in_envelope(codec: usize, payload: &[u8]) -> Vec<u8> {
    let version = 1_u16.to_le_bytes();
    let checksum = blake3::hash(payload);
    let compressed = || zstd::bulk::compress(payload, 1).expect("memory takes any bytes");
    match codec {
        0 => {
            let length = (payload.len() as u64).to_le_bytes();
            [&b"LITO"[..], &version, &length, checksum.as_bytes(), &compressed()].concat()
        }
        1 => [
            &b"LITI"[..],
            &inputs::VERSION.to_le_bytes(),
            checksum.as_bytes(),
            payload,
        ]
        .concat(),
        2 => [&b"LITT"[..], &version, checksum.as_bytes(), payload].concat(),
        _ => [&b"LCCT"[..], &version, &compressed()].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_in_an_envelope_is_read_like_its_file() {
        for codec in 0..CODECS {
            let (file, payload) = stored_value(codec, &mut Numbers::Seeded(1));
            let wrapped = in_envelope(codec, &payload);
            let again = |bytes: &[u8]| match codec {
                0 => format::decode(bytes).ok().map(|value| format::encode(&value)),
                1 => inputs::decode(bytes).ok().map(|value| inputs::encode(&value)),
                2 => timeline::decode(bytes).ok().map(|value| timeline::encode(&value)),
                _ => call_tree::decode(bytes).ok().map(|value| call_tree::encode(&value)),
            };
            assert_eq!(again(&wrapped), again(&file), "{codec}");
            assert_eq!(again(&file), Some(file), "{codec}");
        }
    }
}
