//! A source → its lines as the preprocessor joins them.

use std::borrow::Cow;
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

/// A source in which no space stands between `\\` and the end of its line, each other byte in its place: compilers join such
/// lines all the same.
pub(in crate::languages::cpp) fn with_plain_breaks(source: &str) -> Cow<'_, str> {
    let breaks = memchr::memchr_iter(b'\\', source.as_bytes()).filter_map(|at| {
        let behind = &source[at + 1..];
        let spaces = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        let is_at_the_end = behind[spaces..].starts_with(['\n', '\r']);
        (spaces > 0 && is_at_the_end).then_some((at, spaces))
    });
    let mut plain = String::new();
    let mut end = 0;
    for (at, spaces) in breaks {
        plain.push_str(&source[end..at]);
        plain.push_str(&source[at + 1..at + 1 + spaces]);
        plain.push('\\');
        end = at + 1 + spaces;
    }
    if end == 0 {
        return Cow::Borrowed(source);
    }
    plain.push_str(&source[end..]);
    Cow::Owned(plain)
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

#[cfg(test)]
mod tests {
    use super::with_plain_breaks;

    #[test]
    fn spaces_stand_before_the_end_of_a_joined_line() {
        assert_eq!(with_plain_breaks("// a \\ \t\nb;\\\nc"), "// a  \t\\\nb;\\\nc");
        assert_eq!(with_plain_breaks("// a \\b \n\\\n"), "// a \\b \n\\\n");
    }
}
