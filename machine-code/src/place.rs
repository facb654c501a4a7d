//! An address in, what is there and how far it goes out.
//!
//! Where a constant without a symbol ends is not recorded in a program: it is taken to go on to the next address at
//! which something else may begin, and errs on the long side. A window that is too long costs a needless run.

use super::program::{Code, Kind, Reference, Target};
use super::x86_64::Access;

/// A constant without a size goes on for at least this many bytes, whatever else seems to begin in it: room for
/// one address or length.
const SHORTEST_CONSTANT: u64 = 8;

/// What is at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a function: index of its body, bytes from its start.
    Code { body: usize, offset: u64 },
    /// A value that never changes while the program runs.
    Constant(Extent),
    /// A variable, or a table with one owner.
    Mutable(Extent),
    /// In what linkers make, or at the end of a section: index of the section, bytes from its start.
    Section { index: usize, offset: u64 },
    /// In no section, or in code that has no symbol.
    Nowhere,
}

/// A stretch of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Extent {
    pub(super) start: u64,
    pub(super) end: u64,
    /// How far behind the start the address is that led here.
    pub(super) offset: u64,
    /// True if symbols or sections say where it ends.
    pub(super) sized: bool,
}

impl Code<'_> {
    /// What is at an address that is used in this way.
    pub(super) fn place(&self, address: u64, access: Access) -> Place {
        let after = (self.sections).partition_point(|section| section.start <= address);
        let Some(index) = after.checked_sub(1) else {
            return Place::Nowhere;
        };
        let section = &self.sections[index];
        if address > section.end {
            return Place::Nowhere;
        }
        let offset = address - section.start;
        if address == section.end {
            return Place::Section { index, offset };
        }
        let (start, end) = (section.start, section.end);
        let sized = |start: u64, end: u64| Extent {
            start,
            end,
            offset: address - start,
            sized: true,
        };
        match section.kind {
            Kind::Linker => Place::Section { index, offset },
            Kind::Code => match self.body_at(address) {
                Some(body) => Place::Code {
                    body,
                    offset: address - self.bodies[body].start,
                },
                None => Place::Nowhere,
            },
            Kind::Table => Place::Mutable(sized(start, end)),
            Kind::Mutable => Place::Mutable(match self.variable_at(address) {
                Some(variable) => sized(variable.start, variable.end.min(end)),
                // What lies between variables with a name is one variable.
                None => {
                    let next = (self.variables).partition_point(|v| v.start <= address);
                    let before = next.checked_sub(1).map_or(0, |at| self.variables[at].end);
                    let after = (self.variables.get(next)).map_or(u64::MAX, |v| v.start);
                    sized(before.max(start), after.min(end))
                }
            }),
            Kind::Constant => Place::Constant(match (self.variable_at(address), access) {
                (Some(variable), Access::Taken) => sized(variable.start, variable.end.min(end)),
                (None, Access::Taken) => {
                    let next = self.start_after(address).unwrap_or(end);
                    let shortest = address.saturating_add(SHORTEST_CONSTANT);
                    Extent {
                        start: address,
                        end: next.max(shortest).min(end),
                        offset: 0,
                        sized: false,
                    }
                }
                (_, Access::Direct { bytes, low }) => Extent {
                    start: address,
                    end: (address.saturating_add(u64::from(bytes) + u64::from(low))).min(end),
                    offset: 0,
                    sized: false,
                },
            }),
        }
    }

    /// Where a reference leads: an address and, for one that may be too low, the highest that it can mean.
    pub(super) fn addresses(&self, reference: &Reference) -> impl Iterator<Item = u64> {
        let (address, low) = match (reference.target, reference.access) {
            (Target::Address(address), Access::Direct { low, .. }) => (Some(address), low),
            (Target::Address(address), Access::Taken) => (Some(address), 0),
            // Entries of a jump table count from the table's start.
            (Target::FromTable(distance), _) => (
                self.start_before(reference.at)
                    .map(|start| start.wrapping_add_signed(distance)),
                0,
            ),
            (Target::External(..) | Target::None, _) => (None, 0),
        };
        let highest = address.filter(|_| low > 0).map(|a| a.saturating_add(u64::from(low)));
        address.into_iter().chain(highest)
    }
}
