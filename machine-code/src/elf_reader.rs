//! The bytes of an executable → its functions, its data and every reference between them.
//!
//! Needs the relocations that the linker keeps with `--emit-relocs`: they say which bytes of the machine code are
//! addresses, so that no instruction has to be decoded. Compares nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use object::elf;
use object::{
    Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SymbolKind,
};

use super::program::{
    CodeBody, CodeReference, MachineCode, MachineCodeError, ProgramSection, ProgramVariable, ReferenceTarget,
    SectionKind,
};
use super::x86_64::{self, AddressAccess, RelocationMeaning};

/// Start of the address range assigned to thread-local variables: above all addresses of a program.
const THREAD_SPACE: u64 = 1 << 63;

/// Sections that hold independent variables of many sources; the elements of any other section belong together, like
/// those of a table that the linker gathers.
const COMMON_SECTIONS: [&str; 9] = [
    ".rodata",
    ".data.rel.ro",
    ".data",
    ".bss",
    ".tdata",
    ".tbss",
    ".lrodata",
    ".ldata",
    ".lbss",
];

/// Sections that only the linker writes: the relocations contain the same information.
const LINKER_SECTIONS: [&str; 12] = [
    ".got",
    ".plt",
    ".iplt",
    ".dyn",
    ".gnu",
    ".rel",
    ".interp",
    ".note",
    ".eh_frame",
    ".gcc_except_table",
    ".hash",
    ".relro_padding",
];

/// Bytes that linkers and assemblers put between functions: `int3`, `nop`, zero.
const FILLERS: [u8; 3] = [0xcc, 0x90, 0x00];

/// Longest machine instruction, in bytes.
const LONGEST_INSTRUCTION: u64 = 15;

/// Bytes of a field that holds a distance.
const FIELD: i64 = 4;

/// Reads a program.
///
/// # Errors
/// [`MachineCodeError`] if the program lacks the information that a comparison needs.
pub fn read_program(program: &[u8]) -> Result<MachineCode<'_>, MachineCodeError> {
    let unreadable = |error: object::Error| MachineCodeError::Unreadable(error.to_string());
    let file = object::File::parse(program).map_err(unreadable)?;
    if file.format() != BinaryFormat::Elf || file.architecture() != Architecture::X86_64 {
        return Err(MachineCodeError::Foreign);
    }
    if file.symbols().next().is_none() {
        return Err(MachineCodeError::Stripped);
    }
    let threads = thread_start(&file);
    let sections = sections(&file, threads)?;
    let bodies = bodies(&file, &sections);
    let mut code = MachineCode {
        bodies,
        sections,
        references: Vec::new(),
        externals: Vec::new(),
        variables: variables(&file, threads),
        starts: Vec::new(),
        entry: file.entry(),
        canonical_names: OnceLock::new(),
    };
    ReferenceCollector {
        file: &file,
        threads,
        external_ids: HashMap::new(),
        code: &mut code,
    }
    .collect()?;
    check_dynamic(&file, &code)?;
    code.starts = starts(&file, &code, threads);
    Ok(code)
}

/// Where the image of thread-local variables starts.
fn thread_start(file: &object::File<'_>) -> Option<u64> {
    file.sections()
        .filter(|section| has(section.flags(), elf::SHF_TLS))
        .map(|section| section.address())
        .min()
}

fn elf_flags(flags: SectionFlags) -> elf::SectionFlags {
    match flags {
        SectionFlags::Elf { sh_flags, .. } => sh_flags,
        _ => elf::SectionFlags(0),
    }
}

fn has(flags: SectionFlags, wanted: elf::SectionFlags) -> bool {
    elf_flags(flags).0 & wanted.0 != 0
}

fn sections<'d>(file: &object::File<'d>, threads: Option<u64>) -> Result<Vec<ProgramSection<'d>>, MachineCodeError> {
    let mut sections = Vec::new();
    for section in file.sections() {
        let flags = section.flags();
        if !has(flags, elf::SHF_ALLOC) || section.size() == 0 {
            continue;
        }
        let name = section.name().unwrap_or_default().to_owned();
        let start = if has(flags, elf::SHF_TLS) {
            THREAD_SPACE.wrapping_add(section.address() - threads.unwrap_or_default())
        } else {
            section.address()
        };
        let Some(end) = start.checked_add(section.size()) else {
            return Err(contradiction(format!("section {name} ends beyond all addresses")));
        };
        let common = |name: &str| {
            COMMON_SECTIONS.iter().any(|common| {
                name.strip_prefix(common)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let kind = if LINKER_SECTIONS.iter().any(|own| name.starts_with(own)) {
            SectionKind::Linker
        } else if has(flags, elf::SHF_EXECINSTR) {
            SectionKind::Code
        } else if !common(&name) {
            SectionKind::Table
        } else if has(flags, elf::SHF_WRITE) && !name.starts_with(".data.rel.ro") {
            SectionKind::Mutable
        } else {
            SectionKind::Constant
        };
        let bytes = section
            .data()
            .map_err(|error| MachineCodeError::Unreadable(error.to_string()))?;
        sections.push(ProgramSection {
            name,
            start,
            end,
            bytes,
            kind,
        });
    }
    sections.sort_by_key(|section| (section.start, section.end));
    if let Some(pair) = (sections.windows(2)).find(|pair| pair[0].end > pair[1].start) {
        return Err(contradiction(format!(
            "sections {} and {} overlap",
            pair[0].name, pair[1].name
        )));
    }
    Ok(sections)
}

fn contradiction(what: String) -> MachineCodeError {
    MachineCodeError::Contradiction(what)
}

/// Functions of Rust, which each have a section of their own before linking, are separate bodies; functions of other
/// languages are joined with their neighbours.
fn bodies(file: &object::File<'_>, sections: &[ProgramSection<'_>]) -> Vec<CodeBody> {
    let mut named: BTreeMap<u64, (u64, BTreeSet<&str>)> = BTreeMap::new();
    for symbol in file.symbols() {
        if !is_named_definition(&symbol) || symbol.kind() == SymbolKind::Tls {
            continue;
        }
        let entry = named.entry(symbol.address()).or_default();
        entry.0 = entry.0.max(symbol.size());
        entry.1.extend(symbol.name());
    }
    let mut bodies: Vec<CodeBody> = Vec::new();
    for section in sections.iter().filter(|s| s.kind == SectionKind::Code) {
        let mut foreign: Option<CodeBody> = None;
        for (start, (size, names)) in named.range(section.start..section.end) {
            let is_rust = *size > 0 && (names.iter()).any(|name| rustc_demangle::try_demangle(name).is_ok());
            let within = bodies.last().is_some_and(|last| *start < last.end);
            if within && foreign.is_none() {
                continue;
            }
            let own = names.iter().map(|name| (*name).to_owned());
            if is_rust {
                bodies.extend(close(foreign.take(), *start, section));
                bodies.push(CodeBody {
                    start: *start,
                    end: start.saturating_add(*size).min(section.end),
                    names: own.collect(),
                });
            } else {
                let body = foreign.get_or_insert_with(|| CodeBody {
                    start: *start,
                    end: *start,
                    names: Vec::new(),
                });
                body.names.extend(own);
            }
        }
        bodies.extend(close(foreign, section.end, section));
    }
    for body in &mut bodies {
        body.names.sort();
    }
    bodies
}

/// Ends a body of another language where the next Rust function begins, without the filler between them.
fn close(foreign: Option<CodeBody>, limit: u64, section: &ProgramSection<'_>) -> Option<CodeBody> {
    let body = foreign?;
    let mut end = limit;
    while end > body.start + 1 && FILLERS.contains(&MachineCode::byte(section, end - 1)) {
        end -= 1;
    }
    Some(CodeBody { end, ..body })
}

fn is_named_definition<'d>(symbol: &impl ObjectSymbol<'d>) -> bool {
    symbol.section_index().is_some()
        && !matches!(symbol.kind(), SymbolKind::Section | SymbolKind::File)
        && symbol.name().is_ok_and(|name| !name.is_empty())
}

/// Address of a symbol, with thread-local variables in their own range.
fn place<'d>(symbol: &impl ObjectSymbol<'d>, threads: Option<u64>) -> u64 {
    match (symbol.kind(), threads) {
        (SymbolKind::Tls, _) => THREAD_SPACE.wrapping_add(symbol.address()),
        _ => symbol.address(),
    }
}

/// Variables whose size the symbol table states; of nested ones, the outermost.
fn variables(file: &object::File<'_>, threads: Option<u64>) -> Vec<ProgramVariable> {
    let mut all: Vec<ProgramVariable> = file
        .symbols()
        .filter(|symbol| {
            is_named_definition(symbol)
                && symbol.size() > 0
                && matches!(symbol.kind(), SymbolKind::Data | SymbolKind::Tls)
        })
        .map(|symbol| {
            let start = place(&symbol, threads);
            let end = start.saturating_add(symbol.size());
            ProgramVariable { start, end }
        })
        .collect();
    all.sort_by_key(|variable| (variable.start, std::cmp::Reverse(variable.end)));
    let mut variables: Vec<ProgramVariable> = Vec::new();
    for variable in all {
        match variables.last_mut() {
            Some(last) if variable.start < last.end => last.end = last.end.max(variable.end),
            _ => variables.push(variable),
        }
    }
    variables
}

/// Addresses at which data may begin: symbols, ends of variables, addresses that are taken, sections.
fn starts(file: &object::File<'_>, code: &MachineCode<'_>, threads: Option<u64>) -> Vec<u64> {
    let symbols = (file.symbols())
        .filter(is_named_definition)
        .map(|symbol| place(&symbol, threads));
    let variables = (code.variables.iter()).flat_map(|variable| [variable.start, variable.end]);
    let taken = (code.references.iter()).filter_map(|reference| match reference.target {
        ReferenceTarget::Address(address) if reference.access == AddressAccess::Taken => Some(address),
        _ => None,
    });
    let sections = code.sections.iter().flat_map(|section| [section.start, section.end]);
    let mut starts: Vec<u64> = symbols.chain(variables).chain(taken).chain(sections).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

struct ReferenceCollector<'a, 'd, 'c> {
    file: &'a object::File<'d>,
    threads: Option<u64>,
    external_ids: HashMap<String, u32>,
    code: &'c mut MachineCode<'d>,
}

impl<'d> ReferenceCollector<'_, 'd, '_> {
    fn collect(mut self) -> Result<(), MachineCodeError> {
        let mut in_code = false;
        let file = self.file;
        for section in file.sections() {
            if !has(section.flags(), elf::SHF_ALLOC) {
                continue;
            }
            // Difference between a thread-local section's address in the file and in the range assigned here.
            let shift = if has(section.flags(), elf::SHF_TLS) {
                THREAD_SPACE.wrapping_sub(self.threads.unwrap_or_default())
            } else {
                0
            };
            for (at, relocation) in section.relocations() {
                in_code |= has(section.flags(), elf::SHF_EXECINSTR);
                let at = at.wrapping_add(shift);
                // The linker leaves relocations of discarded code behind, without an address.
                if self.code.section_at(at).is_none() {
                    continue;
                }
                if let Some(reference) = self.reference(at, &relocation)? {
                    self.code.references.push(reference);
                }
            }
        }
        if !in_code {
            return Err(MachineCodeError::NoRelocations);
        }
        self.code.references.sort_by_key(|reference| reference.at);
        Ok(())
    }

    fn reference(
        &mut self,
        at: u64,
        relocation: &object::Relocation,
    ) -> Result<Option<CodeReference>, MachineCodeError> {
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            return Ok(None);
        };
        let Some((meaning, size)) = x86_64::relocation_meaning(r_type) else {
            return Err(contradiction(format!(
                "relocation {} at {at:#x} is of a kind that is not understood",
                r_type.0
            )));
        };
        let section = self.code.section_at(at);
        let in_code = section.is_some_and(|section| section.kind == SectionKind::Code);
        let access = match (section, meaning) {
            (Some(section), RelocationMeaning::Distance) if in_code => {
                let from = at.saturating_sub(LONGEST_INSTRUCTION).max(section.start);
                x86_64::instruction_access(self.code.bytes(from, at - from))
            }
            _ => AddressAccess::Taken,
        };
        let target = match meaning {
            RelocationMeaning::Mark => return Ok(None),
            RelocationMeaning::ThreadModule => ReferenceTarget::None,
            RelocationMeaning::Distance if !in_code => ReferenceTarget::FromTable(i64::from(self.stored(at)?)),
            _ => self.target(at, meaning, relocation)?,
        };
        Ok(Some(CodeReference {
            at,
            size,
            kind: r_type.0,
            target,
            access,
        }))
    }

    fn stored(&self, at: u64) -> Result<i32, MachineCodeError> {
        let bytes = self.code.bytes(at, 4).try_into();
        let bytes = bytes.map_err(|_| contradiction(format!("no field at {at:#x}")))?;
        Ok(i32::from_le_bytes(bytes))
    }

    fn target(
        &mut self,
        at: u64,
        meaning: RelocationMeaning,
        relocation: &object::Relocation,
    ) -> Result<ReferenceTarget, MachineCodeError> {
        // After a field of 4 bytes the instruction ends, or an immediate value follows.
        let behind = match meaning {
            RelocationMeaning::Distance | RelocationMeaning::Slot | RelocationMeaning::ThreadSlot => FIELD,
            _ => 0,
        };
        let addend = relocation.addend().wrapping_add(behind);
        let RelocationTarget::Symbol(index) = relocation.target() else {
            return Ok(ReferenceTarget::Address(addend as u64));
        };
        let symbol = (self.file.symbol_by_index(index))
            .map_err(|error| contradiction(format!("relocation at {at:#x}: {error}")))?;
        if symbol.section_index().is_none() {
            let name = symbol.name().unwrap_or_default().to_owned();
            let next = u32::try_from(self.code.externals.len()).unwrap_or(u32::MAX);
            let id = *self.external_ids.entry(name.clone()).or_insert(next);
            if id == next {
                self.code.externals.push(name);
            }
            return Ok(ReferenceTarget::External(id, addend));
        }
        let mut address = place(&symbol, self.threads);
        let of_threads = matches!(meaning, RelocationMeaning::ThreadSlot | RelocationMeaning::ThreadOffset);
        if of_threads && symbol.kind() == SymbolKind::Section {
            address = THREAD_SPACE.wrapping_add(address.wrapping_sub(self.threads.unwrap_or_default()));
        }
        if meaning == RelocationMeaning::Slot {
            return Ok(ReferenceTarget::Address(address));
        }
        let said = address.wrapping_add(addend as u64);
        if meaning == RelocationMeaning::Distance {
            // The linked bytes count; a relocation that disagrees with them was not understood.
            let linked = at
                .wrapping_add(FIELD as u64)
                .wrapping_add(i64::from(self.stored(at)?) as u64);
            if linked != said {
                return Err(contradiction(format!(
                    "the field at {at:#x} leads to {linked:#x}, its relocation to {said:#x}"
                )));
            }
        }
        Ok(ReferenceTarget::Address(said))
    }
}

/// Checks that every address which the loader fills in is known from a relocation of the linker, with the same value.
fn check_dynamic(file: &object::File<'_>, code: &MachineCode<'_>) -> Result<(), MachineCodeError> {
    for (at, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            continue;
        };
        let linkers = (code.section_at(at)).is_none_or(|section| section.kind == SectionKind::Linker);
        if r_type != elf::R_X86_64_RELATIVE || linkers {
            continue;
        }
        let known = code.references_in(at, at + 1).first().map(|r| r.target);
        if known != Some(ReferenceTarget::Address(relocation.addend() as u64)) {
            return Err(contradiction(format!(
                "the address that is loaded at {at:#x} is not among them"
            )));
        }
    }
    Ok(())
}
