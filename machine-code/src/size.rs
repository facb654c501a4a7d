//! The bytes of an executable → the bytes that it loads, and those of some of its functions.
//!
//! Needs no relocations, so it reads programs that [`super::read_program`] refuses. Measures nothing that a debugger
//! alone reads: symbols, debug information, kept relocations.

use std::collections::BTreeSet;

use object::{BinaryFormat, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, SymbolKind, elf};

/// Bytes of the sections that a program loads from its file: code, constants, initialised variables, unwind tables. What
/// is zero at the start is in no file and not counted. `None` for what is no executable.
///
/// Equals the size of the stripped file but for its headers, and the padding between segments.
#[must_use]
pub fn loaded_size(program: &[u8]) -> Option<u64> {
    let file = object::File::parse(program).ok()?;
    let is_elf = file.format() == BinaryFormat::Elf;
    let loaded = file.sections().filter(|section| {
        let is_zero = matches!(
            section.kind(),
            SectionKind::UninitializedData | SectionKind::UninitializedTls
        );
        let is_loaded = match section.flags() {
            SectionFlags::Elf { sh_flags, .. } => sh_flags.0 & elf::SHF_ALLOC.0 != 0,
            _ => !is_elf && is_of_program(section.kind()),
        };
        is_loaded && !is_zero
    });
    Some(loaded.map(|section| section.size()).sum())
}

/// Kinds of sections that are loaded, for formats that do not say so of each section.
fn is_of_program(kind: SectionKind) -> bool {
    matches!(
        kind,
        SectionKind::Text
            | SectionKind::Data
            | SectionKind::ReadOnlyData
            | SectionKind::ReadOnlyDataWithRel
            | SectionKind::ReadOnlyString
            | SectionKind::Tls
            | SectionKind::TlsVariables
    )
}

/// Bytes of the functions with these symbols, each in full; what two symbols share counts once. `None` if the program
/// is no executable, or has none of them with a known size.
#[must_use]
pub fn functions_size(program: &[u8], symbols: &BTreeSet<String>) -> Option<u64> {
    let file = object::File::parse(program).ok()?;
    let mut bodies: Vec<(u64, u64)> = file
        .symbols()
        .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text)
        .filter(|symbol| symbol.name().is_ok_and(|name| symbols.contains(name)))
        .map(|symbol| (symbol.address(), symbol.address().saturating_add(symbol.size())))
        .collect();
    bodies.sort_unstable();
    let (mut size, mut end) = (0, 0);
    for (first, last) in bodies {
        size += last.saturating_sub(first.max(end));
        end = end.max(last);
    }
    (size > 0).then_some(size)
}
