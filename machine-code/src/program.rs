//! The model of a program for comparison: functions, data, and every reference between them, by address.
//!
//! Compares nothing.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use profile::function_name;

use super::x86_64::AddressAccess;

/// Sections of functions that are called before and after `main`.
pub(super) const CALLED_SECTIONS: [&str; 3] = [".preinit_array", ".init_array", ".fini_array"];

/// Reason why the code of a program can't be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MachineCodeError {
    /// Not an object file.
    #[error("it is not an executable this can read: {0}")]
    Unreadable(String),
    /// Another operating system's format, or another processor.
    #[error("machine code is compared in ELF programs for x86-64 only")]
    Foreign,
    /// No symbols.
    #[error("it has no symbol table: it was stripped; set `strip = false`")]
    Stripped,
    /// No relocations.
    #[error("its linker kept no relocations; link with `-C link-arg=-Wl,--emit-relocs`, and do not strip")]
    NoRelocations,
    /// Relocations that contradict the program.
    #[error("its relocations do not describe it: {0}")]
    Contradiction(String),
}

/// The code and data of a program.
#[derive(Debug)]
pub struct MachineCode<'d> {
    /// By address; they do not overlap.
    pub(super) bodies: Vec<CodeBody>,
    /// By address.
    pub(super) sections: Vec<ProgramSection<'d>>,
    /// By address.
    pub(super) references: Vec<CodeReference>,
    /// Names that the program imports from shared libraries.
    pub(super) externals: Vec<String>,
    /// Variables whose size is known, by address.
    pub(super) variables: Vec<ProgramVariable>,
    /// Addresses at which data may begin, sorted.
    pub(super) starts: Vec<u64>,
    /// Address of the program's entry.
    pub(super) entry: u64,
    /// The answer of [`MachineCode::canonical_names`], once it was asked for.
    pub(super) canonical_names: OnceLock<Vec<Vec<String>>>,
}

/// The machine code of one function, or of several functions of other languages, whose calls among each other the
/// assembler may have resolved without a relocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeBody {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Symbols, sorted; several where the compiler merged functions.
    pub(super) names: Vec<String>,
}

#[derive(Debug)]
pub(super) struct ProgramSection<'d> {
    pub(super) name: String,
    pub(super) start: u64,
    pub(super) end: u64,
    /// Shorter than the section, or empty, for zero-initialised data.
    pub(super) bytes: &'d [u8],
    pub(super) kind: SectionKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    Code,
    Constant,
    Mutable,
    /// A table with one owner: treated as a unit.
    Table,
    /// A section that only the linker writes.
    Linker,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProgramVariable {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// A field of the program that the linker filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeReference {
    pub(super) at: u64,
    pub(super) size: u8,
    pub(super) kind: u32,
    pub(super) target: ReferenceTarget,
    pub(super) access: AddressAccess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceTarget {
    Address(u64),
    /// Distance from the start of the table that holds the field: an entry of a jump table.
    FromTable(i64),
    /// Index into [`MachineCode::externals`], and the addend.
    External(u32, i64),
    None,
}

impl<'d> MachineCode<'d> {
    /// The canonical names of each body, in the order of its symbols.
    pub(super) fn canonical_names(&self) -> &[Vec<String>] {
        self.canonical_names.get_or_init(|| {
            let of_body = |body: &CodeBody| {
                body.names
                    .iter()
                    .map(|symbol| function_name::canonical(symbol))
                    .collect()
            };
            self.bodies.iter().map(of_body).collect()
        })
    }

    /// The bodies of functions with these canonical names.
    pub(super) fn bodies_named(&self, wanted: &BTreeSet<String>) -> BTreeSet<usize> {
        (self.canonical_names().iter().enumerate())
            .filter(|(_, names)| names.iter().any(|name| wanted.contains(name)))
            .map(|(body, _)| body)
            .collect()
    }

    /// The body that contains an address.
    pub(super) fn body_at(&self, address: u64) -> Option<usize> {
        let after = self.bodies.partition_point(|body| body.start <= address);
        let at = after.checked_sub(1)?;
        (address < self.bodies[at].end).then_some(at)
    }

    pub(super) fn section_at(&self, address: u64) -> Option<&ProgramSection<'d>> {
        let after = (self.sections).partition_point(|section| section.start <= address);
        let section = &self.sections[after.checked_sub(1)?];
        (address < section.end).then_some(section)
    }

    /// References whose field starts in a range.
    pub(super) fn references_in(&self, start: u64, end: u64) -> &[CodeReference] {
        let first = self.references.partition_point(|r| r.at < start);
        let last = self.references.partition_point(|r| r.at < end);
        &self.references[first..last.max(first)]
    }

    /// The variable of known size that contains an address.
    pub(super) fn variable_at(&self, address: u64) -> Option<&ProgramVariable> {
        let after = (self.variables).partition_point(|variable| variable.start <= address);
        let variable = &self.variables[after.checked_sub(1)?];
        (address < variable.end).then_some(variable)
    }

    /// The nearest address at or before this one at which data may begin.
    pub(super) fn start_before(&self, address: u64) -> Option<u64> {
        let after = self.starts.partition_point(|start| *start <= address);
        Some(self.starts[after.checked_sub(1)?])
    }

    /// The nearest address after this one at which data may begin.
    pub(super) fn start_after(&self, address: u64) -> Option<u64> {
        let after = self.starts.partition_point(|start| *start <= address);
        self.starts.get(after).copied()
    }

    /// Bytes of a section's range, zeros included.
    pub(super) fn byte(section: &ProgramSection<'_>, address: u64) -> u8 {
        usize::try_from(address - section.start)
            .ok()
            .and_then(|index| section.bytes.get(index).copied())
            .unwrap_or_default()
    }

    /// The stored bytes from an address, at most this many and none beyond the section.
    pub(super) fn bytes(&self, start: u64, length: u64) -> &'d [u8] {
        let Some(section) = self.section_at(start) else {
            return &[];
        };
        let from = usize::try_from(start - section.start).unwrap_or(usize::MAX);
        let bytes = section.bytes.get(from..).unwrap_or_default();
        &bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))]
    }
}
