//! A source of C or C++ → which of its bytes are code, and which stand in comments, texts or characters.

use std::ops::Range;

use crate::text_search::is_part_of_word;

/// The longest delimiter of a raw text that the language allows.
const LONGEST_DELIMITER: usize = 16;

/// Where a byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteKind {
    Code,
    Comment,
    /// A text or a character.
    Text,
}

/// The kind of each byte of a source.
pub(in crate::languages::cpp) struct CodeBytes(Vec<ByteKind>);

impl CodeBytes {
    pub(in crate::languages::cpp) fn of(source: &[u8]) -> Self {
        let mut kinds = vec![ByteKind::Code; source.len()];
        let mut at = 0;
        while at < source.len() {
            let end = end_of_other(source, at);
            if let Some(end) = end {
                let kind = if source[at] == b'/' {
                    ByteKind::Comment
                } else {
                    ByteKind::Text
                };
                kinds[at..end].fill(kind);
            }
            at = end.unwrap_or(at + 1);
        }
        Self(kinds)
    }

    pub(in crate::languages::cpp) fn is_code(&self, at: usize) -> bool {
        self.0.get(at) == Some(&ByteKind::Code)
    }

    pub(in crate::languages::cpp) fn is_comment(&self, at: usize) -> bool {
        self.0.get(at) == Some(&ByteKind::Comment)
    }

    /// The first byte of a range that is code and no space.
    pub(in crate::languages::cpp) fn first(&self, text: &[u8], range: Range<usize>) -> Option<usize> {
        let mut places = range;
        places.find(|&at| self.is_code(at) && !text[at].is_ascii_whitespace())
    }

    /// The last one.
    pub(in crate::languages::cpp) fn last(&self, text: &[u8], range: Range<usize>) -> Option<usize> {
        let mut places = range.rev();
        places.find(|&at| self.is_code(at) && !text[at].is_ascii_whitespace())
    }
}

/// The end of a comment, a text or a character that starts here.
fn end_of_other(source: &[u8], at: usize) -> Option<usize> {
    let rest = &source[at..];
    match rest {
        [b'/', b'/', ..] => Some(at + length_of_line_comment(rest)),
        [b'/', b'*', ..] => Some(memchr::memmem::find(&rest[2..], b"*/").map_or(source.len(), |end| at + 2 + end + 2)),
        [b'"', ..] if is_raw(source, at) => end_of_raw_text(rest).map(|end| at + end),
        [b'"', ..] => Some(at + length_of_quoted(rest, b'"')),
        // 1'000 is a number.
        [b'\'', ..]
            if at > 0 && source[at - 1].is_ascii_hexdigit() && rest.get(1).is_some_and(u8::is_ascii_hexdigit) =>
        {
            None
        }
        [b'\'', ..] => Some(at + length_of_quoted(rest, b'\'')),
        _ => None,
    }
}

fn length_of_line_comment(rest: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let Some(line) = memchr::memchr(b'\n', &rest[end..]) else {
            return rest.len();
        };
        end += line;
        if !rest[..end].trim_ascii_end().ends_with(b"\\") {
            return end;
        }
        end += 1;
    }
}

/// A text ends on its line, unless that goes on: what an error message says may hold a single quote.
fn length_of_quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// True behind `R`, `u8R`, `LR` and their like.
fn is_raw(source: &[u8], at: usize) -> bool {
    let before = &source[..at];
    let length = before.iter().rev().take_while(|byte| is_part_of_word(byte)).count();
    let prefix = &before[at - length..];
    prefix.ends_with(b"R") && prefix.len() <= 3
}

/// `"delimiter( … )delimiter"`.
fn end_of_raw_text(rest: &[u8]) -> Option<usize> {
    let open = memchr::memchr(b'(', rest).filter(|&open| open <= LONGEST_DELIMITER + 1)?;
    let close = [b")", &rest[1..open], b"\""].concat();
    let end = memchr::memmem::find(&rest[open..], &close)?;
    Some(open + end + close.len())
}

#[cfg(test)]
mod tests {
    use super::CodeBytes;

    fn code(source: &str) -> String {
        let bytes = CodeBytes::of(source.as_bytes());
        let shown = source.bytes().enumerate().map(|(at, byte)| match bytes.is_code(at) {
            true => char::from(byte),
            false => '.',
        });
        shown.collect()
    }

    #[test]
    fn comments_texts_and_characters_are_no_code() {
        for (source, expected) in [
            ("a /* b */ c", "a ....... c"),
            ("a // b\nc", "a ....\nc"),
            ("a // b \\\n c\nd", "a .........\nd"),
            ("f(\"}\\\"\", '{')", "f(....., ...)"),
            ("n = 1'000'000;", "n = 1'000'000;"),
            ("R\"x(\" })x\" + y", "R......... + y"),
            ("#error don't\nint a;", "#error don..\nint a;"),
            ("a /* never closed", "a ..............."),
        ] {
            assert_eq!(code(source), expected, "{source}");
        }
    }
}
