//! An executable and the addresses that were executed → the place of each in the source: the line, the function, and
//! the chain of functions it was inlined through.
//!
//! Reads only the compilation units that hold an executed address. If the debug information of one unit is damaged,
//! that unit's addresses stay unplaced; the others are not affected.

use std::borrow::Cow;
use std::collections::HashMap;

use gimli::{AttributeValue, DebuggingInformationEntry, EndianSlice, RunTimeEndian, UnitRef};
use object::{CompressedData, CompressionFormat, Object, ObjectSection, ObjectSymbol};

use profile::function_name;

type DwarfBytes<'a> = EndianSlice<'a, RunTimeEndian>;

/// Longest chain of references from an inlined copy to its declaration.
const LONGEST_CHAIN: usize = 8;

/// Deepest nesting of debugging entries that is followed.
const DEEPEST: usize = 4096;

/// Places of the executed addresses of one object.
#[derive(Debug, Default)]
pub(in crate::callgrind) struct SymbolizedProgram {
    /// Source files, as the compiler saw them.
    pub(in crate::callgrind) files: Vec<String>,
    /// Source functions, one for each declaration and copy.
    pub(in crate::callgrind) origins: Vec<DebugFunction>,
    /// Bodies of functions in machine code; a parent stands before its children.
    pub(in crate::callgrind) instances: Vec<FunctionInstance>,
    /// Parallel to the executed addresses.
    pub(in crate::callgrind) places: Vec<SymbolizedAddress>,
}

/// A function's declaration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::callgrind) struct DebugFunction {
    pub(in crate::callgrind) name: String,
    /// Its symbol, which distinguishes copies of a generic function; empty where the debug information has none.
    pub(in crate::callgrind) symbol: String,
    pub(in crate::callgrind) file: Option<u32>,
    pub(in crate::callgrind) line: u32,
}

/// One body of a function: its own, or a copy inlined into another body.
#[derive(Debug, Clone)]
pub(in crate::callgrind) struct FunctionInstance {
    pub(in crate::callgrind) origin: u32,
    /// The body that this one is inlined into.
    pub(in crate::callgrind) parent: Option<u32>,
    /// Call site, if inlined.
    pub(in crate::callgrind) call: DebugPosition,
}

/// A place in the source; line 0 if unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::callgrind) struct DebugPosition {
    pub(in crate::callgrind) file: Option<u32>,
    pub(in crate::callgrind) line: u32,
    pub(in crate::callgrind) column: u32,
}

/// Largest ratio of a section's size to its compressed bytes; compilers reach 2 to 10.
const LARGEST_RATIO: u64 = 200;

/// A size that is always accepted, in bytes: for a few bytes, the ratio says nothing.
const SMALL_SECTION: u64 = 1 << 16;

/// Most bytes that a compressed section may unpack to. That of the largest programs is not compressed, or has parts.
const LARGEST_SECTION: u64 = 2 << 30;

/// Place of one executed address.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::callgrind) struct SymbolizedAddress {
    /// The innermost body that contains it.
    pub(in crate::callgrind) instance: Option<u32>,
    pub(in crate::callgrind) position: DebugPosition,
}

/// Reason why an object can't be placed at all.
#[derive(Debug, thiserror::Error)]
pub enum DebugInfoError {
    /// Not an object file.
    #[error("reading the profiled program: it is not an executable this can read: {0}")]
    Object(#[from] object::Error),
    /// Its debug information is damaged.
    #[error("reading the profiled program's debug information: {0}; build it again")]
    Damaged(#[from] gimli::Error),
    /// A compressed part says that it unpacks to more than it can hold.
    #[error(
        "reading the profiled program's debug information: {section} takes {stored} bytes and is said to unpack to {claimed}, \
         more than any does; build it again, or with debug information that is not compressed"
    )]
    TooLarge {
        /// The section.
        section: &'static str,
        /// Its bytes in the file.
        stored: u64,
        /// The size that its header claims, in bytes.
        claimed: u64,
    },
    /// It has no debug information.
    #[error(
        "reading the profiled program's debug information: it has no line tables; \
         set `debug = 1` in the Cargo profile that builds it (and `strip = false`)"
    )]
    Missing,
}

/// The content of a section. The claimed size is allocated at once, so it is checked first.
fn unpacked<'d>(section: &'static str, data: CompressedData<'d>) -> Result<Cow<'d, [u8]>, DebugInfoError> {
    let (stored, claimed) = (data.data.len() as u64, data.uncompressed_size);
    let limit = stored
        .saturating_mul(LARGEST_RATIO)
        .clamp(SMALL_SECTION, LARGEST_SECTION);
    if data.format != CompressionFormat::None && claimed > limit {
        return Err(DebugInfoError::TooLarge {
            section,
            stored,
            claimed,
        });
    }
    Ok(data.decompress()?)
}

/// Finds the places of executed addresses, which must be sorted.
pub(in crate::callgrind) fn symbolize_addresses(
    program: &[u8],
    executed: &[u64],
) -> Result<SymbolizedProgram, DebugInfoError> {
    let object = object::File::parse(program)?;
    let endian = if object.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let sections = gimli::DwarfSections::load(|id| match object.section_by_name(id.name()) {
        Some(section) => unpacked(id.name(), section.compressed_data()?),
        None => Ok(Cow::Borrowed(&[][..])),
    })?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
    let mut units = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        units.push(dwarf.unit(header)?);
    }
    if !units.iter().any(|unit| unit.line_program.is_some()) {
        return Err(DebugInfoError::Missing);
    }
    let mut placer = AddressSymbolizer {
        dwarf: &dwarf,
        units: &units,
        executed,
        files: FileNameTable::default(),
        origin_ids: HashMap::new(),
        unit_files: HashMap::new(),
        placement: SymbolizedProgram {
            places: vec![SymbolizedAddress::default(); executed.len()],
            ..SymbolizedProgram::default()
        },
    };
    for index in 0..units.len() {
        if placer.holds_executed(index) {
            // a damaged unit costs only its own places
            let _ = placer.lines(index);
            let _ = placer.bodies(index);
        }
    }
    let mut placement = placer.placement;
    placement.files = placer.files.names;
    Ok(placement)
}

/// Names and start addresses of the functions in a program's symbol table.
///
/// # Errors
/// [`DebugInfoError::Object`] if this is not an object file.
pub fn function_symbols(program: &[u8]) -> Result<Vec<(u64, String)>, DebugInfoError> {
    let object = object::File::parse(program)?;
    let mut symbols: Vec<(u64, String)> = object
        .symbols()
        .chain(object.dynamic_symbols())
        .filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.is_definition())
        .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.to_owned())))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    Ok(symbols)
}

#[derive(Default)]
struct FileNameTable {
    names: Vec<String>,
    ids: HashMap<String, u32>,
}

impl FileNameTable {
    fn id(&mut self, name: String) -> u32 {
        if let Some(id) = self.ids.get(&name) {
            return *id;
        }
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }
}

struct AddressSymbolizer<'a, 'd> {
    dwarf: &'a gimli::Dwarf<DwarfBytes<'d>>,
    units: &'a [gimli::Unit<DwarfBytes<'d>>],
    executed: &'a [u64],
    files: FileNameTable,
    origin_ids: HashMap<(usize, usize), u32>,
    /// (unit, its file number) → file of the whole program.
    unit_files: HashMap<(usize, u64), Option<u32>>,
    placement: SymbolizedProgram,
}

impl<'a, 'd> AddressSymbolizer<'a, 'd> {
    fn unit(&self, index: usize) -> UnitRef<'a, DwarfBytes<'d>> {
        self.units[index].unit_ref(self.dwarf)
    }

    /// Indices of the executed addresses in `begin..end`.
    fn within(&self, begin: u64, end: u64) -> std::ops::Range<usize> {
        let first = self.executed.partition_point(|address| *address < begin);
        let last = self.executed.partition_point(|address| *address < end);
        first..last.max(first)
    }

    fn holds_executed(&self, index: usize) -> bool {
        let Ok(mut ranges) = self.unit(index).unit_ranges() else {
            return true;
        };
        let mut any = false;
        while let Ok(Some(range)) = ranges.next() {
            any = true;
            if !self.within(range.begin, range.end).is_empty() {
                return true;
            }
        }
        !any
    }

    /// Sets the source line of each executed address of a unit.
    fn lines(&mut self, index: usize) -> Result<(), gimli::Error> {
        let Some(program) = self.unit(index).line_program.clone() else {
            return Ok(());
        };
        let mut rows = program.rows();
        let mut last: Option<(u64, u64, u32, u32)> = None;
        while let Some((_, row)) = rows.next_row()? {
            if let Some((address, file, line, column)) = last.take()
                && address < row.address()
            {
                let covered = self.within(address, row.address());
                if !covered.is_empty() {
                    let file = self.file(index, file);
                    let position = DebugPosition { file, line, column };
                    for place in &mut self.placement.places[covered] {
                        place.position = position;
                    }
                }
            }
            if !row.end_sequence() {
                let line = row.line().map_or(0, |line| line.get());
                let column = match row.column() {
                    gimli::ColumnType::LeftEdge => 0,
                    gimli::ColumnType::Column(column) => column.get(),
                };
                last = Some((
                    row.address(),
                    row.file_index(),
                    u32::try_from(line).unwrap_or(0),
                    u32::try_from(column).unwrap_or(0),
                ));
            }
        }
        Ok(())
    }

    /// Sets the innermost body of each executed address of a unit.
    fn bodies(&mut self, index: usize) -> Result<(), gimli::Error> {
        let unit = self.unit(index);
        let mut entries = unit.entries();
        // enclosing entries that are bodies: (depth, instance if anything in it was executed)
        let mut enclosing: Vec<(isize, Option<u32>)> = Vec::new();
        while let Some(entry) = entries.next_dfs()? {
            while enclosing.last().is_some_and(|(depth, _)| *depth >= entry.depth()) {
                enclosing.pop();
            }
            let inlined = match entry.tag() {
                gimli::DW_TAG_subprogram => false,
                gimli::DW_TAG_inlined_subroutine => true,
                _ => continue,
            };
            let parent = enclosing.last().and_then(|(_, instance)| *instance);
            let mut instance = None;
            if (!inlined || parent.is_some()) && enclosing.len() < DEEPEST {
                let mut covered = Vec::new();
                let mut ranges = unit.die_ranges(entry)?;
                while let Some(range) = ranges.next()? {
                    let addresses = self.within(range.begin, range.end);
                    if !addresses.is_empty() {
                        covered.push(addresses);
                    }
                }
                if !covered.is_empty() {
                    let id = u32::try_from(self.placement.instances.len()).unwrap_or(u32::MAX);
                    let body = FunctionInstance {
                        origin: self.origin(index, entry),
                        parent: if inlined { parent } else { None },
                        call: if inlined {
                            self.call_position(index, entry)
                        } else {
                            DebugPosition::default()
                        },
                    };
                    self.placement.instances.push(body);
                    for address in covered.into_iter().flatten() {
                        self.placement.places[address].instance = Some(id);
                    }
                    instance = Some(id);
                }
            }
            enclosing.push((entry.depth(), instance));
        }
        Ok(())
    }

    fn call_position(&mut self, index: usize, entry: &DebuggingInformationEntry<DwarfBytes<'d>>) -> DebugPosition {
        let number = |name| {
            entry
                .attr_value(name)
                .and_then(|value| value.udata_value())
                .unwrap_or(0)
        };
        let file = entry
            .attr_value(gimli::DW_AT_call_file)
            .and_then(file_number)
            .and_then(|file| self.file(index, file));
        DebugPosition {
            file,
            line: u32::try_from(number(gimli::DW_AT_call_line)).unwrap_or(0),
            column: u32::try_from(number(gimli::DW_AT_call_column)).unwrap_or(0),
        }
    }

    /// Finds the declaration of a body, through its chain of references.
    fn origin(&mut self, index: usize, entry: &DebuggingInformationEntry<DwarfBytes<'d>>) -> u32 {
        let own = (index, entry.offset().0);
        let key = self.reference(index, entry).unwrap_or(own);
        if let Some(id) = self.origin_ids.get(&key) {
            return *id;
        }
        let mut found = DwarfDeclaration::default();
        let mut next = Some(own);
        for _ in 0..LONGEST_CHAIN {
            let Some((at, offset)) = next else { break };
            let Ok(entry) = self.unit(at).entry(gimli::UnitOffset(offset)) else {
                break;
            };
            self.read_declaration(at, &entry, &mut found);
            next = self.reference(at, &entry);
        }
        let symbol = found.linkage.clone().unwrap_or_default();
        let name = match (found.linkage, found.name) {
            (Some(linkage), _) => function_name::canonical(&linkage),
            (None, Some(name)) => function_name::canonical(name.split('<').next().unwrap_or_default()),
            (None, None) => String::new(),
        };
        let id = u32::try_from(self.placement.origins.len()).unwrap_or(u32::MAX);
        self.placement.origins.push(DebugFunction {
            name,
            symbol,
            file: found.file,
            line: found.line,
        });
        self.origin_ids.insert(key, id);
        id
    }

    fn read_declaration(
        &mut self,
        index: usize,
        entry: &DebuggingInformationEntry<DwarfBytes<'d>>,
        found: &mut DwarfDeclaration,
    ) {
        let unit = self.unit(index);
        let text = |value: AttributeValue<DwarfBytes<'d>>| {
            let text = unit.attr_string(value).ok()?;
            Some(text.to_string_lossy().into_owned())
        };
        for attribute in entry.attrs() {
            let value = attribute.value();
            match attribute.name() {
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name if found.linkage.is_none() => {
                    found.linkage = text(value);
                }
                gimli::DW_AT_name if found.name.is_none() => found.name = text(value),
                gimli::DW_AT_decl_file if found.file.is_none() => {
                    found.file = file_number(value).and_then(|file| self.file(index, file));
                }
                gimli::DW_AT_decl_line if found.line == 0 => {
                    found.line = value
                        .udata_value()
                        .and_then(|line| u32::try_from(line).ok())
                        .unwrap_or(0);
                }
                _ => {}
            }
        }
    }

    /// The abstract origin or specification of an entry: (unit, offset).
    fn reference(&self, index: usize, entry: &DebuggingInformationEntry<DwarfBytes<'d>>) -> Option<(usize, usize)> {
        let value = entry
            .attr_value(gimli::DW_AT_abstract_origin)
            .or_else(|| entry.attr_value(gimli::DW_AT_specification))?;
        match value {
            AttributeValue::UnitRef(offset) => Some((index, offset.0)),
            AttributeValue::DebugInfoRef(offset) => {
                let start = |unit: &gimli::Unit<DwarfBytes<'d>>| unit.header.debug_info_offset().map_or(0, |at| at.0);
                let after = self.units.partition_point(|unit| start(unit) <= offset.0);
                let holder = after.checked_sub(1)?;
                let inside = offset.to_unit_offset(&self.units[holder].header)?;
                Some((holder, inside.0))
            }
            _ => None,
        }
    }

    /// File of the whole program behind a unit's file number.
    fn file(&mut self, index: usize, number: u64) -> Option<u32> {
        if let Some(known) = self.unit_files.get(&(index, number)) {
            return *known;
        }
        let path = self.path(index, number);
        let id = path.map(|path| self.files.id(path));
        self.unit_files.insert((index, number), id);
        id
    }

    fn path(&self, index: usize, number: u64) -> Option<String> {
        let unit = self.unit(index);
        let header = unit.line_program.as_ref()?.header();
        let file = header.file(number)?;
        let mut path = unit
            .comp_dir
            .map(|dir| dir.to_string_lossy().into_owned())
            .unwrap_or_default();
        if file.directory_index() != 0
            && let Some(directory) = file.directory(header)
            && let Ok(directory) = unit.attr_string(directory)
        {
            append(&mut path, &directory.to_string_lossy());
        }
        append(&mut path, &unit.attr_string(file.path_name()).ok()?.to_string_lossy());
        Some(path)
    }
}

#[derive(Default)]
struct DwarfDeclaration {
    linkage: Option<String>,
    name: Option<String>,
    file: Option<u32>,
    line: u32,
}

fn file_number(value: AttributeValue<DwarfBytes<'_>>) -> Option<u64> {
    match value {
        AttributeValue::FileIndex(number) => Some(number),
        other => other.udata_value(),
    }
}

/// Appends to a path; an absolute path replaces it.
fn append(path: &mut String, next: &str) {
    if next.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_that_claims_more_than_it_can_hold_is_refused_before_memory_is_taken() {
        let claiming = |uncompressed_size| CompressedData {
            format: CompressionFormat::Zlib,
            data: b"no data of this format",
            uncompressed_size,
        };
        for claimed in [1 << 20, 1 << 33, u64::MAX] {
            let refused = unpacked(".debug_info", claiming(claimed));
            assert!(
                matches!(refused, Err(DebugInfoError::TooLarge { .. })),
                "{claimed}: {refused:?}"
            );
        }
        let damaged = unpacked(".debug_info", claiming(100));
        assert!(matches!(damaged, Err(DebugInfoError::Object(_))), "{damaged:?}");
    }
}
