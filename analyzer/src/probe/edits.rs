//! Pieces of text to be put between the bytes of a source, without moving a line.

use profile::probes::{FunctionIndex, RegionIndex, Table};

/// What is put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// As it is.
    Text(&'static str),
    /// A part of the source once more, on one line.
    Repeated(String),
    /// A call that counts a region.
    Count(RegionIndex),
    /// A statement that enters a function, and leaves it at the end of the block.
    Enter(FunctionIndex),
    /// A statement that enters a function which is never left.
    EnterFrameless(FunctionIndex),
}

/// On which side of what stands at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    /// Behind what ends here: innermost first.
    After,
    /// Before what begins here: outermost first.
    Before,
}

/// Everything that is put into one source.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<(u32, Side, Vec<Piece>)>,
}

impl Edits {
    /// Puts pieces before what begins at an offset. Outer constructs come first.
    pub(super) fn before(&mut self, at: u32, pieces: &[Piece]) {
        self.list.push((at, Side::Before, pieces.to_vec()));
    }

    /// Puts pieces behind what ends at an offset. Inner constructs come first.
    pub(super) fn after(&mut self, at: u32, pieces: &[Piece]) {
        self.list.push((at, Side::After, pieces.to_vec()));
    }

    /// True if nothing is put in.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The source with everything in it.
    pub(super) fn apply(mut self, source: &str, table: &Table) -> String {
        // Stable, so that pieces of one place and side stay in the order in which they came.
        self.list.sort_by_key(|(at, side, _)| (*at, *side));
        let mut out = String::with_capacity(source.len() * 2);
        let mut done = 0;
        for (at, _, pieces) in &self.list {
            let at = *at as usize;
            out.push_str(&source[done..at]);
            done = at;
            for piece in pieces {
                write(&mut out, piece, table);
            }
        }
        out.push_str(&source[done..]);
        out
    }
}

fn write(out: &mut String, piece: &Piece, table: &Table) {
    let text = match piece {
        Piece::Text(text) => return out.push_str(text),
        Piece::Repeated(text) => return out.push_str(text),
        Piece::Count(region) => {
            let operations = table
                .regions
                .get(*region as usize)
                .map_or(0, profile::probes::Region::operations);
            format!("::lito_probe::p({region},{operations})")
        }
        Piece::Enter(function) => format!("let _lito_probe=::lito_probe::f({function});"),
        Piece::EnterFrameless(function) => format!("::lito_probe::e({function});"),
    };
    out.push_str(&text);
}
