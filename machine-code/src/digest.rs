//! A program → the digest of its machine code, or of the part that a benchmark executes, which says later, without the
//! program, whether another one executes the same.
//!
//! Functions and data are numbered in the order in which references lead to them from the entry. Each is hashed with its
//! bytes outside addresses, and with the numbers of its targets. So two programs have one digest exactly if
//! [`super::compare_programs`] pairs everything that [`super::CodeScope::Program`] covers, except that a constant whose end
//! is not known is hashed up to where the next object begins: a few equal programs have different digests, and no two
//! different ones have the same.

use std::collections::{BTreeSet, HashMap};

use super::address::{AddressContent, DataExtent};
use super::pairing::location;
use super::program::{CodeReference, MachineCode, ReferenceTarget};
use super::reference_graph::{ReferenceGraphNode, is_startup_table};
use super::x86_64::AddressAccess;

/// The digest of a program's machine code: first half of a BLAKE3 hash. By chance, two programs share one in one of 2^64
/// pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeDigest([u8; 16]);

impl std::fmt::Display for CodeDigest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The digest of all code and data that a program can reach.
#[must_use]
pub fn digest_program(code: &MachineCode<'_>) -> CodeDigest {
    let mut walk = ProgramWalk::default();
    let mut hasher = blake3::Hasher::new();
    walk.begin_at(code, code.entry, &mut hasher);
    for section in code.sections.iter().filter(|section| is_startup_table(&section.name)) {
        hash_text(&section.name, hasher.update(b"table"));
        walk.begin_at(code, section.start, &mut hasher);
    }
    walk.finish(code, hasher)
}

/// For each set of canonical names, the digest of all code and data that the functions of these names can reach; `None` if
/// the program has none of them. Copies of a generic function are told apart by their symbols.
#[must_use]
pub fn digest_reachable<'s>(
    code: &MachineCode<'_>,
    functions: impl IntoIterator<Item = &'s BTreeSet<String>>,
) -> Vec<Option<CodeDigest>> {
    let bodies = code.bodies.iter().zip(code.canonical_names());
    let named = bodies.flat_map(|(body, names)| names.iter().zip(&body.names).map(|both| (both, body.start)));
    let named: BTreeSet<((&String, &String), u64)> = named.collect();
    let digest = |functions: &BTreeSet<String>| {
        let mut walk = ProgramWalk::default();
        let mut hasher = blake3::Hasher::new();
        for ((name, _), start) in named.iter().filter(|((name, _), _)| functions.contains(*name)) {
            hash_text(name, hasher.update(b"function"));
            walk.begin_at(code, *start, &mut hasher);
        }
        (!walk.met.is_empty()).then(|| walk.finish(code, hasher))
    };
    functions.into_iter().map(digest).collect()
}

/// A walk along the references of a program, which numbers functions and data as it meets them.
#[derive(Debug, Default)]
struct ProgramWalk {
    numbers: HashMap<ReferenceGraphNode, u64>,
    /// In the order of their numbers.
    met: Vec<ReferenceGraphNode>,
}

impl ProgramWalk {
    /// An address that nothing in the program refers to.
    fn begin_at(&mut self, code: &MachineCode<'_>, address: u64, hasher: &mut blake3::Hasher) {
        self.hash_place(code, address, AddressAccess::Taken, hasher);
    }

    /// Follows all references from where it began.
    fn finish(mut self, code: &MachineCode<'_>, mut hasher: blake3::Hasher) -> CodeDigest {
        let mut next = 0;
        while let Some(node) = self.met.get(next).copied() {
            match node {
                ReferenceGraphNode::Body(body) => {
                    let body = &code.bodies[body];
                    self.hash_range(code, (body.start, body.end), hasher.update(b"body"));
                }
                ReferenceGraphNode::Data(data) => self.hash_data(code, data, hasher.update(b"data")),
            }
            next += 1;
        }
        let mut digest = [0; 16];
        digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        CodeDigest(digest)
    }

    /// Hashes a range: its bytes outside references, and the places that these lead to.
    fn hash_range(&mut self, code: &MachineCode<'_>, (start, end): (u64, u64), hasher: &mut blake3::Hasher) {
        hasher.update(&(end - start).to_le_bytes());
        let mut from = start;
        for reference in code.references_in(start, end) {
            if reference.at > from {
                hash_bytes(code, (from, reference.at), hasher);
            }
            hasher.update(b"@").update(&(reference.at - start).to_le_bytes());
            hasher.update(&[reference.size]).update(&reference.kind.to_le_bytes());
            self.hash_reference(code, reference, hasher);
            from = from.max(reference.at + u64::from(reference.size));
        }
        if end > from {
            hash_bytes(code, (from, end), hasher);
        }
        hasher.update(b".");
    }

    /// Hashes data; of a panic's location, only the path, as [`super`] explains.
    fn hash_data(&mut self, code: &MachineCode<'_>, data: DataExtent, hasher: &mut blake3::Hasher) {
        match location(code, data.start) {
            Some((path, length)) => {
                hasher.update(b"location").update(code.bytes(path, length));
            }
            None => self.hash_range(code, (data.start, data.end), hasher),
        }
    }

    fn hash_reference(&mut self, code: &MachineCode<'_>, reference: &CodeReference, hasher: &mut blake3::Hasher) {
        match reference.target {
            ReferenceTarget::None => drop(hasher.update(b"none")),
            ReferenceTarget::External(name, addend) => {
                let name = code.externals.get(name as usize).map_or("", String::as_str);
                hash_text(name, hasher.update(b"external"));
                hasher.update(&addend.to_le_bytes());
            }
            ReferenceTarget::Address(_) => drop(hasher.update(b"address")),
            ReferenceTarget::FromTable(_) => drop(hasher.update(b"entry")),
        }
        for address in code.addresses(reference) {
            self.hash_place(code, address, reference.access, hasher);
        }
    }

    fn hash_place(&mut self, code: &MachineCode<'_>, address: u64, access: AddressAccess, hasher: &mut blake3::Hasher) {
        let (kind, node, offset) = match code.content_at(address, access) {
            AddressContent::Code { body, offset } => (b'f', ReferenceGraphNode::Body(body), offset),
            AddressContent::Constant(data) => (b'c', of_data(data), data.offset),
            AddressContent::Mutable(data) => (b'v', of_data(data), data.offset),
            AddressContent::Section { index, offset } => {
                let section = &code.sections[index];
                let is_end = offset == section.end - section.start;
                hash_text(&section.name, hasher.update(b"s"));
                hasher.update(&if is_end { u64::MAX } else { offset }.to_le_bytes());
                return;
            }
            AddressContent::Nowhere => {
                hasher.update(b"n").update(&address.to_le_bytes());
                return;
            }
        };
        let next = self.met.len() as u64;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.met.push(node);
        }
        hasher.update(&[kind]);
        hasher.update(&number.to_le_bytes()).update(&offset.to_le_bytes());
    }
}

fn of_data(data: DataExtent) -> ReferenceGraphNode {
    ReferenceGraphNode::Data(DataExtent { offset: 0, ..data })
}

/// Hashes the stored bytes of a range, without the zeros at its end: nothing is stored for the zero-initialised part of a
/// section.
fn hash_bytes(code: &MachineCode<'_>, (start, end): (u64, u64), hasher: &mut blake3::Hasher) {
    let bytes = code.bytes(start, end - start);
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    hasher.update(b"=").update(&(used as u64).to_le_bytes());
    hasher.update(&bytes[..used]);
}

/// Texts are preceded by their length, so that no two sequences of texts give the same bytes.
fn hash_text(text: &str, hasher: &mut blake3::Hasher) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
