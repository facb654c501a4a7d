//! A source → its lines as the preprocessor joins them.

use std::ops::Range;

use super::code_bytes::CodeBytes;
use crate::syntax::LineRange;

/// A line without its break, together with those that it goes on in.
pub(in crate::languages::cpp) struct JoinedLine {
    pub(in crate::languages::cpp) lines: LineRange,
    pub(in crate::languages::cpp) range: Range<usize>,
    /// The directive that it is, from `#` to its last letter.
    pub(in crate::languages::cpp) directive: Option<Range<usize>>,
}

/// The lines of a source. A line goes on behind `\\`, and behind a comment of several lines that follows code.
pub(in crate::languages::cpp) fn joined_lines<'s>(
    source: &'s [u8],
    code: &'s CodeBytes,
) -> impl Iterator<Item = JoinedLine> + 's {
    let (mut start, mut number) = (0, 1_u32);
    std::iter::from_fn(move || {
        if start >= source.len() {
            return None;
        }
        let range = start..end_of_line(source, start, code);
        let text = &source[range.clone()];
        let first = code.first(source, range.clone()).filter(|&first| source[first] == b'#');
        let breaks = memchr::memchr_iter(b'\n', text).count();
        let last = number + u32::try_from(breaks).unwrap_or(u32::MAX / 2);
        let line = JoinedLine {
            lines: LineRange { first: number, last },
            directive: first.map(|first| first..start + text.trim_ascii_end().len()),
            range,
        };
        start = line.range.end + 1;
        number = last + 1;
        Some(line)
    })
}

fn end_of_line(source: &[u8], start: usize, code: &CodeBytes) -> usize {
    let (mut end, mut has_code) = (start, false);
    loop {
        let Some(length) = memchr::memchr(b'\n', &source[end..]) else {
            return source.len();
        };
        has_code = has_code || code.first(source, end..end + length).is_some();
        end += length;
        let is_inside_comment = has_code && !code.is_code(end);
        if !is_inside_comment && !source[start..end].trim_ascii_end().ends_with(b"\\") {
            return end;
        }
        end += 1;
    }
}
