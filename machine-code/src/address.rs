//! An address → its content and the extent of that content.
//!
//! A program does not record where a constant without a symbol ends: it is assumed to extend to the next address at
//! which another object may begin. This errs on the long side, where an error only costs a needless run.

use super::program::{CodeReference, MachineCode, ReferenceTarget, SectionKind};
use super::x86_64::AddressAccess;

/// A constant without a size extends for at least this many bytes, whatever else seems to begin in it: room for one
/// address or length.
const SHORTEST_CONSTANT: u64 = 8;

/// Content of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressContent {
    /// Inside a function: index of its body, bytes from its start.
    Code { body: usize, offset: u64 },
    /// A value that never changes while the program runs.
    Constant(DataExtent),
    /// A variable, or a table with one owner.
    Mutable(DataExtent),
    /// In a section made by the linker, or at the end of a section: index of the section, bytes from its start.
    Section { index: usize, offset: u64 },
    /// In no section, or in code without a symbol.
    Nowhere,
}

/// A stretch of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DataExtent {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Distance of the referenced address from the start.
    pub(super) offset: u64,
    /// True if symbols or sections determine its end.
    pub(super) sized: bool,
}

impl MachineCode<'_> {
    /// Content of an address, given how it is accessed.
    pub(super) fn content_at(&self, address: u64, access: AddressAccess) -> AddressContent {
        let after = (self.sections).partition_point(|section| section.start <= address);
        let Some(index) = after.checked_sub(1) else {
            return AddressContent::Nowhere;
        };
        let section = &self.sections[index];
        if address > section.end {
            return AddressContent::Nowhere;
        }
        let offset = address - section.start;
        if address == section.end {
            return AddressContent::Section { index, offset };
        }
        let (start, end) = (section.start, section.end);
        let sized = |start: u64, end: u64| DataExtent {
            start,
            end,
            offset: address - start,
            sized: true,
        };
        match section.kind {
            SectionKind::Linker => AddressContent::Section { index, offset },
            SectionKind::Code => match self.body_at(address) {
                Some(body) => AddressContent::Code {
                    body,
                    offset: address - self.bodies[body].start,
                },
                None => AddressContent::Nowhere,
            },
            SectionKind::Table => AddressContent::Mutable(sized(start, end)),
            SectionKind::Mutable => AddressContent::Mutable(match self.variable_at(address) {
                Some(variable) => sized(variable.start, variable.end.min(end)),
                // Data between named variables is treated as one variable.
                None => {
                    let next = (self.variables).partition_point(|v| v.start <= address);
                    let before = next.checked_sub(1).map_or(0, |at| self.variables[at].end);
                    let after = (self.variables.get(next)).map_or(u64::MAX, |v| v.start);
                    sized(before.max(start), after.min(end))
                }
            }),
            SectionKind::Constant => AddressContent::Constant(match (self.variable_at(address), access) {
                (Some(variable), AddressAccess::Taken) => sized(variable.start, variable.end.min(end)),
                (None, AddressAccess::Taken) => {
                    let next = self.start_after(address).unwrap_or(end);
                    let shortest = address.saturating_add(SHORTEST_CONSTANT);
                    DataExtent {
                        start: address,
                        end: next.max(shortest).min(end),
                        offset: 0,
                        sized: false,
                    }
                }
                (_, AddressAccess::Direct { bytes, low }) => DataExtent {
                    start: address,
                    end: (address.saturating_add(u64::from(bytes) + u64::from(low))).min(end),
                    offset: 0,
                    sized: false,
                },
            }),
        }
    }

    /// Target addresses of a reference: one address and, if it may be too low, the highest that it can mean.
    pub(super) fn addresses(&self, reference: &CodeReference) -> impl Iterator<Item = u64> {
        let (address, low) = match (reference.target, reference.access) {
            (ReferenceTarget::Address(address), AddressAccess::Direct { low, .. }) => (Some(address), low),
            (ReferenceTarget::Address(address), AddressAccess::Taken) => (Some(address), 0),
            // Entries of a jump table count from the table's start.
            (ReferenceTarget::FromTable(distance), _) => (
                self.start_before(reference.at)
                    .map(|start| start.wrapping_add_signed(distance)),
                0,
            ),
            (ReferenceTarget::External(..) | ReferenceTarget::None, _) => (None, 0),
        };
        let highest = address.filter(|_| low > 0).map(|a| a.saturating_add(u64::from(low)));
        address.into_iter().chain(highest)
    }
}
