//! Initial pairs of functions of two programs → every function of the base that differs from its partner.
//!
//! Two functions are alike if their bytes are equal outside addresses, and if the targets of these addresses are
//! paired: functions with functions, which are compared in turn, data by its content, variables one to one. Pairs
//! follow from references; names are not used.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::address::{AddressContent, DataExtent};
use super::equivalence::CodeDifferenceKind;
use super::program::{CodeReference, MachineCode, ReferenceTarget};

/// Most pairs compared: fifty times the functions and constants of a large program.
const MOST_PAIRS: usize = 1 << 24;

/// Longest path in a panic's location.
const LONGEST_PATH: u64 = 4096;

/// Bytes of a panic's location: address and length of a path, line, column.
const LOCATION: u64 = 24;

/// Bytes of it that are compared: address and length.
const LOCATION_COMPARED: u64 = 16;

/// The source of a reference: a function of the base or an extent of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum ReferenceOwner {
    Program,
    Body(usize),
    Data(DataExtent, DataExtent),
}

#[derive(Debug, Clone, Copy)]
enum ComparedPair {
    Bodies(usize, usize),
    Data(DataExtent, DataExtent),
}

/// Comparison of two programs within its scope.
pub(super) struct ProgramPairing<'a, 'd> {
    base: &'a MachineCode<'d>,
    head: &'a MachineCode<'d>,
    /// Functions of the base that are compared.
    wanted: &'a BTreeSet<usize>,
    waiting: Vec<ComparedPair>,
    bodies: HashSet<(usize, usize)>,
    /// Pairs of data extents, and the references to them.
    data: HashMap<(DataExtent, DataExtent), Vec<ReferenceOwner>>,
    /// Partners of variables, by start.
    head_of: HashMap<u64, u64>,
    base_of: HashMap<u64, u64>,
    differing: BTreeMap<usize, CodeDifferenceKind>,
    differing_data: Vec<(DataExtent, DataExtent)>,
    /// True if something differs that no function of the base refers to.
    program_differs: bool,
    /// Functions of the base that have a partner.
    pub(super) compared: BTreeSet<usize>,
    given_up: bool,
}

/// Differences between two programs.
#[derive(Debug)]
pub(super) struct ProgramDifferences {
    /// Functions of the base that differ from their partner.
    pub(super) bodies: BTreeMap<usize, CodeDifferenceKind>,
    /// True if code that runs before and after `main` differs.
    pub(super) program: bool,
    /// True if there are more pairs than [`MOST_PAIRS`]: the result is unknown.
    pub(super) given_up: bool,
}

impl<'a, 'd> ProgramPairing<'a, 'd> {
    pub(super) fn new(base: &'a MachineCode<'d>, head: &'a MachineCode<'d>, wanted: &'a BTreeSet<usize>) -> Self {
        Self {
            base,
            head,
            wanted,
            waiting: Vec::new(),
            bodies: HashSet::new(),
            data: HashMap::new(),
            head_of: HashMap::new(),
            base_of: HashMap::new(),
            differing: BTreeMap::new(),
            differing_data: Vec::new(),
            program_differs: false,
            compared: BTreeSet::new(),
            given_up: false,
        }
    }

    /// Pairs two functions.
    pub(super) fn pair(&mut self, base: usize, head: usize) {
        if self.wanted.contains(&base) && self.bodies.insert((base, head)) {
            self.compared.insert(base);
            self.waiting.push(ComparedPair::Bodies(base, head));
        }
    }

    /// Pairs the targets of two addresses that nothing in the programs refers to.
    pub(super) fn pair_addresses(&mut self, base: u64, head: u64) {
        let taken = super::x86_64::AddressAccess::Taken;
        let places = (self.base.content_at(base, taken), self.head.content_at(head, taken));
        if let Some(why) = self.places(places, (base, head), ReferenceOwner::Program) {
            self.differs(ReferenceOwner::Program, why);
        }
    }

    /// Compares all pairs, and the pairs that these lead to.
    pub(super) fn run(&mut self) {
        while let Some(pair) = self.waiting.pop() {
            if self.bodies.len() + self.data.len() > MOST_PAIRS {
                self.given_up = true;
                return;
            }
            match pair {
                ComparedPair::Bodies(base, head) => self.compare_bodies(base, head),
                ComparedPair::Data(base, head) => self.compare_data(base, head),
            }
        }
    }

    /// Returns the functions that differ from their partners.
    pub(super) fn differences(mut self) -> ProgramDifferences {
        let mut seen = HashSet::new();
        while let Some(key) = self.differing_data.pop() {
            if !seen.insert(key) {
                continue;
            }
            for owner in self.data.remove(&key).unwrap_or_default() {
                match owner {
                    ReferenceOwner::Body(body) => {
                        self.differing.entry(body).or_insert(CodeDifferenceKind::Constant);
                    }
                    ReferenceOwner::Data(base, head) => self.differing_data.push((base, head)),
                    ReferenceOwner::Program => self.program_differs = true,
                }
            }
        }
        ProgramDifferences {
            bodies: self.differing,
            program: self.program_differs,
            given_up: self.given_up,
        }
    }

    /// Records a difference that no function of the programs refers to.
    pub(super) fn program_differs(&mut self) {
        self.program_differs = true;
    }

    fn differs(&mut self, owner: ReferenceOwner, why: CodeDifferenceKind) {
        match owner {
            ReferenceOwner::Body(body) => {
                self.differing.entry(body).or_insert(why);
            }
            ReferenceOwner::Data(base, head) => self.differing_data.push((base, head)),
            ReferenceOwner::Program => self.program_differs = true,
        }
    }

    fn compare_bodies(&mut self, base: usize, head: usize) {
        let (one, other) = (&self.base.bodies[base], &self.head.bodies[head]);
        let length = one.end - one.start;
        let owner = ReferenceOwner::Body(base);
        if length != other.end - other.start {
            self.differs(owner, CodeDifferenceKind::Code);
        } else {
            self.compare_range((one.start, other.start), length, owner, CodeDifferenceKind::Code);
        }
    }

    fn compare_data(&mut self, base: DataExtent, head: DataExtent) {
        let owner = ReferenceOwner::Data(base, head);
        let (one, other) = (base.end - base.start, head.end - head.start);
        if base.sized != head.sized || (base.sized && one != other) {
            self.differs(owner, CodeDifferenceKind::Constant);
            return;
        }
        let starts = (base.start, head.start);
        if let (true, Some(b), Some(h)) = (
            !base.sized || one == LOCATION,
            location(self.base, base.start),
            location(self.head, head.start),
        ) {
            let path = |code: &MachineCode<'d>, (at, length)| code.bytes(at, length);
            if path(self.base, b) != path(self.head, h) {
                self.differs(owner, CodeDifferenceKind::Constant);
            }
            return;
        }
        self.compare_range(starts, one.min(other), owner, CodeDifferenceKind::Constant);
    }

    fn compare_range(&mut self, starts: (u64, u64), length: u64, owner: ReferenceOwner, why: CodeDifferenceKind) {
        let Some((ours, theirs)) = aligned(self.base, self.head, starts, length) else {
            self.differs(owner, why);
            return;
        };
        for (a, b) in ours.iter().zip(theirs) {
            if let Some(why) = self.targets(a, b, owner) {
                self.differs(owner, why);
            }
        }
    }

    fn targets(&mut self, a: &CodeReference, b: &CodeReference, owner: ReferenceOwner) -> Option<CodeDifferenceKind> {
        match (a.target, b.target) {
            (ReferenceTarget::None, ReferenceTarget::None) => return None,
            (ReferenceTarget::External(x, m), ReferenceTarget::External(y, n)) => {
                let names = (self.base.externals.get(x as usize), self.head.externals.get(y as usize));
                return (names.0 != names.1 || m != n).then_some(CodeDifferenceKind::Target);
            }
            (ReferenceTarget::Address(_), ReferenceTarget::Address(_))
            | (ReferenceTarget::FromTable(_), ReferenceTarget::FromTable(_)) => {}
            _ => return Some(CodeDifferenceKind::Target),
        }
        let ours: Vec<u64> = self.base.addresses(a).collect();
        let theirs: Vec<u64> = self.head.addresses(b).collect();
        if ours.len() != theirs.len() {
            return Some(CodeDifferenceKind::Target);
        }
        let mut found = None;
        for (x, y) in ours.into_iter().zip(theirs) {
            let places = (self.base.content_at(x, a.access), self.head.content_at(y, b.access));
            found = found.or(self.places(places, (x, y), owner));
        }
        found
    }

    /// Pairs two places, or returns why they can't be paired.
    fn places(
        &mut self,
        places: (AddressContent, AddressContent),
        addresses: (u64, u64),
        owner: ReferenceOwner,
    ) -> Option<CodeDifferenceKind> {
        match places {
            (AddressContent::Code { body: b, offset: x }, AddressContent::Code { body: h, offset: y }) => {
                self.pair(b, h);
                (x != y).then_some(CodeDifferenceKind::Target)
            }
            (
                AddressContent::Constant(b) | AddressContent::Mutable(b),
                AddressContent::Constant(h) | AddressContent::Mutable(h),
            ) if b.offset != h.offset => Some(CodeDifferenceKind::Target),
            (AddressContent::Constant(b), AddressContent::Constant(h)) => {
                self.pair_data(b, h, owner);
                None
            }
            (AddressContent::Mutable(b), AddressContent::Mutable(h)) => {
                let one = *self.head_of.entry(b.start).or_insert(h.start);
                let other = *self.base_of.entry(h.start).or_insert(b.start);
                self.pair_data(b, h, owner);
                ((one, other) != (h.start, b.start)).then_some(CodeDifferenceKind::Target)
            }
            (AddressContent::Section { index: b, offset: x }, AddressContent::Section { index: h, offset: y }) => {
                let (b, h) = (&self.base.sections[b], &self.head.sections[h]);
                let at_end = x == b.end - b.start && y == h.end - h.start;
                (b.name != h.name || (x != y && !at_end)).then_some(CodeDifferenceKind::Target)
            }
            (AddressContent::Nowhere, AddressContent::Nowhere) => {
                (addresses.0 != addresses.1).then_some(CodeDifferenceKind::Target)
            }
            _ => Some(CodeDifferenceKind::Target),
        }
    }

    fn pair_data(&mut self, mut base: DataExtent, mut head: DataExtent, owner: ReferenceOwner) {
        (base.offset, head.offset) = (0, 0);
        let owners = self.data.entry((base, head)).or_default();
        if owners.is_empty() {
            self.waiting.push(ComparedPair::Data(base, head));
        }
        if owners.last() != Some(&owner) {
            owners.push(owner);
        }
    }
}

/// Whether two functions have the same instructions, ignoring the targets of addresses.
pub(super) fn same_instructions(base: &MachineCode<'_>, head: &MachineCode<'_>, pair: (usize, usize)) -> bool {
    let (one, other) = (&base.bodies[pair.0], &head.bodies[pair.1]);
    let length = one.end - one.start;
    length == other.end - other.start && aligned(base, head, (one.start, other.start), length).is_some()
}

/// The references of two ranges, if they have the same offsets and all other bytes are equal.
fn aligned<'c>(
    base: &'c MachineCode<'_>,
    head: &'c MachineCode<'_>,
    starts: (u64, u64),
    length: u64,
) -> Option<(&'c [CodeReference], &'c [CodeReference])> {
    let ours = base.references_in(starts.0, starts.0 + length);
    let theirs = head.references_in(starts.1, starts.1 + length);
    let fields = |from: u64, r: &CodeReference| (r.at - from, r.size, r.kind);
    let aligned = ours.len() == theirs.len()
        && (ours.iter().zip(theirs)).all(|(a, b)| fields(starts.0, a) == fields(starts.1, b));
    (aligned && same_bytes(base, head, starts, length, ours)).then_some((ours, theirs))
}

/// Whether two ranges are equal in every byte outside references.
fn same_bytes(
    base: &MachineCode<'_>,
    head: &MachineCode<'_>,
    starts: (u64, u64),
    length: u64,
    fields: &[CodeReference],
) -> bool {
    let (ours, theirs) = (base.bytes(starts.0, length), head.bytes(starts.1, length));
    // Nothing is stored for the zero-initialised part of a section.
    let equal = |from: u64, to: u64| {
        let part = |bytes: &[u8], at: u64| {
            usize::try_from(at)
                .ok()
                .and_then(|at| bytes.get(at).copied())
                .unwrap_or_default()
        };
        let range = |bytes: &'_ [u8]| -> Option<(usize, usize)> {
            let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
            (to <= bytes.len()).then_some((from, to))
        };
        match (range(ours), range(theirs)) {
            (Some((from, to)), Some(_)) => ours[from..to] == theirs[from..to],
            _ => (from..to).all(|at| part(ours, at) == part(theirs, at)),
        }
    };
    let mut from = 0;
    for field in fields {
        let at = field.at - starts.0;
        if at > from && !equal(from, at) {
            return false;
        }
        from = from.max(at + u64::from(field.size));
    }
    from >= length || equal(from, length)
}

/// The address and length of the path in a `core::panic::Location` of a Rust source at this address, if there is one.
///
/// Its line and column are read only for printing, and move with every line that is added above: they are the only part
/// of a constant that is not compared.
pub(super) fn location(code: &MachineCode<'_>, at: u64) -> Option<(u64, u64)> {
    let bytes = code.bytes(at, LOCATION);
    if bytes.len() as u64 != LOCATION {
        return None;
    }
    let [reference] = code.references_in(at, at + LOCATION) else {
        return None;
    };
    let ReferenceTarget::Address(path) = reference.target else {
        return None;
    };
    if reference.at != at || reference.size != 8 {
        return None;
    }
    let length = u64::from_le_bytes(bytes[8..16].try_into().ok()?);
    let number = |from: usize| Some(u32::from_le_bytes(bytes[from..from + 4].try_into().ok()?));
    let placed = number(LOCATION_COMPARED as usize)? > 0 && number(20)? > 0;
    let text = code.bytes(path, length.min(LONGEST_PATH));
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    (placed && length <= LONGEST_PATH && text.ends_with(b".rs")).then_some((path, length))
}
