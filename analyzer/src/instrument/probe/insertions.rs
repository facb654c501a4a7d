//! Pieces of text to insert between the bytes of a source, without moving a line.

use profile::probes::{ProbeFunctionIndex, ProbeRegionIndex, ProbeTable};

/// An inserted piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProbeFragment {
    /// Fixed text.
    Text(&'static str),
    /// A repeated part of the source, on one line.
    Repeated(String),
    /// A call that counts a region.
    Count(ProbeRegionIndex),
    /// A statement that enters a function, and leaves it at the end of the block.
    Enter(ProbeFunctionIndex),
    /// A statement that enters a function which is never left.
    EnterFrameless(ProbeFunctionIndex),
}

/// The side of an offset where a piece is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProbeInsertionSide {
    /// Behind the construct that ends here: innermost first.
    After,
    /// Before the construct that begins here: outermost first.
    Before,
}

/// All insertions into one source.
#[derive(Debug, Default)]
pub(super) struct ProbeInsertions {
    list: Vec<(u32, ProbeInsertionSide, Vec<ProbeFragment>)>,
}

impl ProbeInsertions {
    /// Inserts pieces before the construct that begins at an offset. Outer constructs come first.
    pub(super) fn before(&mut self, at: u32, pieces: &[ProbeFragment]) {
        self.list.push((at, ProbeInsertionSide::Before, pieces.to_vec()));
    }

    /// Inserts pieces behind the construct that ends at an offset. Inner constructs come first.
    pub(super) fn after(&mut self, at: u32, pieces: &[ProbeFragment]) {
        self.list.push((at, ProbeInsertionSide::After, pieces.to_vec()));
    }

    /// True if nothing is inserted.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The source with all insertions.
    pub(super) fn apply(mut self, source: &str, table: &ProbeTable) -> String {
        // A stable sort: pieces at one place and side keep their order.
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

fn write(out: &mut String, piece: &ProbeFragment, table: &ProbeTable) {
    let text = match piece {
        ProbeFragment::Text(text) => return out.push_str(text),
        ProbeFragment::Repeated(text) => return out.push_str(text),
        ProbeFragment::Count(region) => {
            let operations = table
                .regions
                .get(*region as usize)
                .map_or(0, profile::probes::ProbeRegion::operations);
            format!("::lito_probe::p({region},{operations})")
        }
        ProbeFragment::Enter(function) => format!("let _lito_probe=::lito_probe::f({function});"),
        ProbeFragment::EnterFrameless(function) => format!("::lito_probe::e({function});"),
    };
    out.push_str(&text);
}
