//! Spans of a syntax tree → offsets and lines of its source.

use std::ops::Range;

use proc_macro2::Span;

use crate::syntax::LineRange;

pub(super) fn start(span: Span) -> usize {
    span.byte_range().start
}

pub(super) fn end(span: Span) -> usize {
    span.byte_range().end
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.byte_range()
}

pub(super) fn line(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn lines(span: Span) -> LineRange {
    LineRange {
        first: line(span.start().line),
        last: line(span.end().line),
    }
}
