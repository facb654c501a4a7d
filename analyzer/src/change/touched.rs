//! Two texts → the lines of one side that the other does not have: what is left of a comparison where a side
//! cannot be parsed.

use imara_diff::{Algorithm, Diff, InternedInput};

use super::sources::{Side, Sources};
use crate::syntax::Lines;

/// Touched ranges of one side of a file, 1-based. A place where only the other side has lines counts as the
/// lines around it.
pub(super) fn lines(sources: &Sources<'_>, side: Side, file: usize) -> Vec<Lines> {
    let (before, after) = (sources.text(Side::Before, file), sources.text(Side::After, file));
    let input = InternedInput::new(before, after);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.hunks()
        .map(|hunk| {
            let range = match side {
                Side::Before => hunk.before,
                Side::After => hunk.after,
            };
            Lines {
                first: range.start + u32::from(!range.is_empty()),
                last: range.end + u32::from(range.is_empty()),
            }
        })
        .collect()
}

/// True if two ranges share a line.
pub(super) const fn overlap(one: Lines, two: Lines) -> bool {
    one.first <= two.last && two.first <= one.last
}
