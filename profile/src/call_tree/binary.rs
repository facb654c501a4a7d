//! A call tree → the bytes of a cache file, and back.
//!
//! `LCCT`, format version (u16, little-endian), then the tree in postcard's encoding, compressed with Zstandard and its
//! checksum. Input is not trusted: sizes are bounded while decompressing, and a decoded tree has been checked for the
//! order that [`CallTree`] promises.

use std::io::Read;

use super::{CallTree, CallTreeFunctionId, CallTreeNodeId, MOST_CONTEXTS};
use crate::format::binary::{LARGEST_PAYLOAD, LARGEST_RATIO, LONGEST_NAME};

/// First bytes of every stored tree.
pub const MAGIC: [u8; 4] = *b"LCCT";

/// The version that this build writes, and the only one that it reads: a cache of another version is rebuilt.
pub const VERSION: u16 = 1;

/// Zstandard's own default.
const COMPRESSION: i32 = 3;

/// Payload size that is always accepted: for a few bytes, the compression ratio says nothing.
const SMALL_PAYLOAD: u64 = 1 << 16;

/// Reason why bytes are not a usable tree. The caller rebuilds the cache then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallTreeDecodeError {
    /// The bytes are something else.
    #[error(
        "decoding a calling context tree: its first bytes are not those of the format; the file is something else or damaged"
    )]
    NotATree,
    /// Written by another version of lito.
    #[error("decoding a calling context tree: it has format {found}, this lito reads {VERSION}")]
    OtherVersion {
        /// Format version found.
        found: u16,
    },
    /// Cut short or damaged.
    #[error("decoding a calling context tree: {0}; it is damaged")]
    Damaged(&'static str),
    /// Larger than any plausible tree.
    #[error("decoding a calling context tree: {what} is beyond the limit of {limit}")]
    TooLarge {
        /// Quantity that exceeds its limit.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

/// Encodes a tree; equal trees give equal bytes.
#[must_use]
pub fn encode(tree: &CallTree) -> Vec<u8> {
    let payload = postcard::to_allocvec(tree).expect("a tree holds only encodable values");
    let mut bytes = Vec::from(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let mut compressor = zstd::bulk::Compressor::new(COMPRESSION).expect("Zstandard knows its own default level");
    (compressor.include_checksum(true)).expect("Zstandard knows its own parameters");
    let compressed = (compressor.compress(&payload)).expect("compressing to memory fails only without memory");
    bytes.extend_from_slice(&compressed);
    bytes
}

/// Decodes the bytes that [`encode`] made.
///
/// # Errors
/// [`CallTreeDecodeError`]: not a tree, damaged, of another version, or beyond a limit.
pub fn decode(bytes: &[u8]) -> Result<CallTree, CallTreeDecodeError> {
    let (magic, rest) = bytes.split_first_chunk::<4>().ok_or(CallTreeDecodeError::NotATree)?;
    if *magic != MAGIC {
        return Err(CallTreeDecodeError::NotATree);
    }
    let cut = CallTreeDecodeError::Damaged("it is cut short");
    let (version, compressed) = rest.split_first_chunk::<2>().ok_or(cut)?;
    let found = u16::from_le_bytes(*version);
    if found != VERSION {
        return Err(CallTreeDecodeError::OtherVersion { found });
    }
    let payload = decompress(compressed)?;
    let (tree, left) = postcard::take_from_bytes::<CallTree>(&payload)
        .map_err(|_| CallTreeDecodeError::Damaged("its payload is not a tree"))?;
    if !left.is_empty() {
        return Err(CallTreeDecodeError::Damaged("its payload goes on after the tree"));
    }
    check(&tree)?;
    Ok(tree)
}

fn decompress(compressed: &[u8]) -> Result<Vec<u8>, CallTreeDecodeError> {
    let damaged = |_| CallTreeDecodeError::Damaged("it can't be decompressed");
    let by_ratio = (compressed.len() as u64).saturating_mul(LARGEST_RATIO);
    let limit = by_ratio.clamp(SMALL_PAYLOAD, LARGEST_PAYLOAD);
    let mut payload = Vec::new();
    zstd::stream::read::Decoder::with_buffer(compressed)
        .map_err(damaged)?
        .take(limit + 1)
        .read_to_end(&mut payload)
        .map_err(damaged)?;
    if payload.len() as u64 > limit {
        let what = "its size when decompressed";
        return Err(CallTreeDecodeError::TooLarge { what, limit });
    }
    Ok(payload)
}

/// Checks the order that [`CallTree`] promises and the lengths of names.
pub(super) fn check(tree: &CallTree) -> Result<(), CallTreeDecodeError> {
    let ensure = |holds: bool, otherwise| {
        if holds {
            Ok(())
        } else {
            Err(CallTreeDecodeError::Damaged(otherwise))
        }
    };
    let within = |what, size: usize, limit: usize| match size {
        _ if size <= limit => Ok(()),
        _ => Err(CallTreeDecodeError::TooLarge {
            what,
            limit: limit as u64,
        }),
    };
    within("the number of its contexts", tree.nodes.len(), MOST_CONTEXTS)?;
    for function in &tree.functions {
        within("the length of a name", function.name.len(), LONGEST_NAME)?;
        let file = function.file.as_ref().map_or(0, String::len);
        within("the length of a file's name", file, LONGEST_NAME)?;
    }
    let is_sorted = tree.functions.is_sorted_by(|one, other| one.name < other.name);
    ensure(is_sorted, "its functions are out of order")?;
    ensure(!tree.nodes.is_empty(), "it has no root")?;
    let mut path: Vec<CallTreeNodeId> = Vec::new();
    let mut last_called: Vec<Option<CallTreeFunctionId>> = vec![None; tree.nodes.len()];
    for (id, node) in (0..).map(CallTreeNodeId).zip(&tree.nodes) {
        let is_known = (node.function.0 as usize) < tree.functions.len();
        ensure(is_known, "it refers to a function that it does not list")?;
        ensure(
            node.parent.is_none() == (id == CallTreeNodeId(0)),
            "it has several roots or none",
        )?;
        if let Some(parent) = node.parent {
            while path.last().is_some_and(|&last| last != parent) {
                path.pop();
            }
            ensure(!path.is_empty(), "its contexts are not in preorder")?;
            let last = last_called[parent.index()].replace(node.function);
            ensure(last < Some(node.function), "what a context calls is out of order")?;
        }
        path.push(id);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::{CallTreeDecodeError, MAGIC, VERSION, check, decode, encode};
    use crate::call_tree::fixtures::{tree, trees};
    use crate::call_tree::{CallTree, CallTreeFunctionId, CallTreeNode, CallTreeNodeId};

    fn damaged(change: impl FnOnce(&mut CallTree)) -> Result<CallTree, CallTreeDecodeError> {
        let mut tree = tree("m\n a 1\n  b 2\n c 3\n");
        change(&mut tree);
        decode(&encode(&tree))
    }

    #[test]
    fn a_tree_out_of_order_is_refused() {
        type CallTreeMutation = fn(&mut CallTree);
        let changes: [(&str, CallTreeMutation); 8] = [
            ("no root", |tree| tree.nodes.clear()),
            ("two roots", |tree| {
                tree.nodes[1].parent = None;
            }),
            ("a function out of range", |tree| {
                tree.nodes[1].function = CallTreeFunctionId(9);
            }),
            ("its own parent", |tree| {
                tree.nodes[1].parent = Some(CallTreeNodeId(1));
            }),
            ("a parent out of range", |tree| {
                tree.nodes[1].parent = Some(CallTreeNodeId(9));
            }),
            ("no preorder", |tree| {
                let parent = Some(CallTreeNodeId(1));
                let late = CallTreeNode {
                    parent,
                    ..tree.nodes[3]
                };
                tree.nodes.push(late);
            }),
            ("one child twice", |tree| tree.nodes.push(tree.nodes[3])),
            ("functions out of order", |tree| tree.functions.reverse()),
        ];
        for (what, change) in changes {
            assert!(
                matches!(damaged(change), Err(CallTreeDecodeError::Damaged(_))),
                "{what}"
            );
        }
        assert!(damaged(|_| ()).is_ok());
    }

    #[test]
    fn a_name_longer_than_any_is_refused() {
        let long = damaged(|tree| tree.functions[3].name = "x".repeat(super::LONGEST_NAME + 1));
        assert!(matches!(long, Err(CallTreeDecodeError::TooLarge { .. })));
    }

    #[test]
    fn another_version_is_refused_by_its_number() {
        let mut bytes = encode(&tree("m\n"));
        bytes[4..6].copy_from_slice(&(VERSION + 1).to_le_bytes());
        assert_eq!(
            decode(&bytes),
            Err(CallTreeDecodeError::OtherVersion { found: VERSION + 1 })
        );
    }

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        let mut bytes = Vec::from(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&zstd::bulk::compress(&vec![0; 64 << 20], 3).unwrap());
        assert!(matches!(decode(&bytes), Err(CallTreeDecodeError::TooLarge { .. })));
    }

    #[test]
    fn each_truncation_is_an_error() {
        let bytes = encode(&tree("m\n a 1 x2\n"));
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_err(), "{end} bytes");
        }
    }

    proptest! {
        #[test]
        fn a_decoded_tree_is_the_encoded_one(tree in trees(30)) {
            prop_assert_eq!(check(&tree), Ok(()));
            prop_assert_eq!(decode(&encode(&tree)), Ok(tree));
        }

        #[test]
        fn a_changed_byte_is_noticed(tree in trees(30), at in any::<prop::sample::Index>(), flip in 1u8..) {
            let mut bytes = encode(&tree);
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            // a bit of the compressed frame may change nothing
            if let Ok(decoded) = decode(&bytes) {
                prop_assert_eq!(decoded, tree);
            }
        }

        #[test]
        fn any_payload_decodes_without_a_panic(payload in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = Vec::from(MAGIC);
            bytes.extend_from_slice(&VERSION.to_le_bytes());
            bytes.extend_from_slice(&zstd::bulk::compress(&payload, 1).unwrap());
            if let Ok(tree) = decode(&bytes) {
                prop_assert_eq!(check(&tree), Ok(()));
            }
            prop_assert!(decode(&payload).is_err());
        }
    }
}
