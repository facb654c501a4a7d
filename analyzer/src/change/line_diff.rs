//! Two texts → the lines of one side that the other does not have: what is left of a comparison where a side
//! cannot be parsed.

use imara_diff::{Algorithm, Diff, InternedInput};

use super::changed_sources::{ChangedSources, SourceSide};
use crate::syntax::LineRange;

/// Touched ranges of one side of a file, 1-based. A place where only the other side has lines counts as the
/// lines around it.
pub(super) fn changed_lines(sources: &ChangedSources<'_>, side: SourceSide, file: usize) -> Vec<LineRange> {
    let (before, after) = (
        sources.text(SourceSide::Before, file),
        sources.text(SourceSide::After, file),
    );
    let input = InternedInput::new(before, after);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.hunks()
        .map(|hunk| {
            let range = match side {
                SourceSide::Before => hunk.before,
                SourceSide::After => hunk.after,
            };
            LineRange {
                first: range.start + u32::from(!range.is_empty()),
                last: range.end + u32::from(range.is_empty()),
            }
        })
        .collect()
}

/// True if two ranges share a line.
pub(super) const fn overlap(one: LineRange, two: LineRange) -> bool {
    one.first <= two.last && two.first <= one.last
}
