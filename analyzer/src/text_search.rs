//! A word and a source's text → where the text mentions it, and whether only documentation does. Parses nothing.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::languages::Language;
use crate::syntax::LineRange;

/// Where the lines of a text start.
#[derive(Debug)]
pub(crate) struct LineStarts {
    /// In bytes, ascending.
    starts: Vec<usize>,
    /// Of the text, in bytes.
    length: usize,
}

impl LineStarts {
    pub(crate) fn of(text: &[u8]) -> Self {
        let after_breaks = memchr_iter(b'\n', text).map(|at| at + 1);
        Self {
            starts: std::iter::once(0).chain(after_breaks).collect(),
            length: text.len(),
        }
    }

    /// The bytes of some lines; none for lines that the text does not have.
    pub(crate) fn place(&self, lines: LineRange) -> Range<usize> {
        let start = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.length);
        let end = start(lines.last);
        start(lines.first.saturating_sub(1)).min(end)..end
    }

    /// The bytes of the lines above one, 1-based, the nearest first.
    pub(crate) fn above(&self, line: u32) -> impl Iterator<Item = Range<usize>> {
        let until = (line as usize).min(self.starts.len());
        self.starts[..until].windows(2).rev().map(|ends| ends[0]..ends[1])
    }
}

/// True if a text holds a word as a whole word.
#[must_use]
pub(crate) fn holds_word(text: &[u8], word: &str) -> bool {
    places_of(text, word).next().is_some()
}

/// The lines of a text that hold a word as a whole word, 1-based and ascending.
pub(crate) fn lines_naming(text: &[u8], word: &str) -> Vec<u32> {
    lines_at(text, places_of(text, word))
}

/// The lines of ascending places in a text, 1-based, each once.
pub(crate) fn lines_at(text: &[u8], places: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut lines = Vec::new();
    let (mut line, mut counted) = (1_u32, 0);
    for at in places {
        let breaks = memchr_iter(b'\n', &text[counted..at]).count();
        line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        counted = at;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The identifiers outside line comments, with the place of their first byte; in the order of the text.
pub(crate) fn words_with_places(bytes: &[u8], language: Language) -> impl Iterator<Item = (&str, usize)> {
    let comment = memmem::Finder::new(language.support().line_comment());
    let code = move |line: &[u8]| comment.find(line).unwrap_or(line.len());
    let mut start = 0;
    let lines = bytes.split(|&byte| byte == b'\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        (at, &line[..code(line)])
    });
    lines.flat_map(|(at, line)| {
        let mut start = at;
        let words = line.split(|byte| !is_part_of_word(byte));
        let placed = words.map(move |word| {
            let at = start;
            start += word.len() + 1;
            (word, at)
        });
        let identifiers = placed.filter(|(word, _)| word.first().is_some_and(|first| !first.is_ascii_digit()));
        identifiers.filter_map(|(word, at)| Some((std::str::from_utf8(word).ok()?, at)))
    })
}

/// A line without the white space around it, the attributes above it, and the same for each line that it is indented under.
pub(crate) fn line_in_context<'t>(lines: &[&'t [u8]], line: usize) -> Vec<&'t [u8]> {
    let mut context = vec![lines[line].trim_ascii()];
    let mut depth = indentation(lines[line]);
    let mut is_attached = true;
    for above in lines[..line]
        .iter()
        .rev()
        .filter(|above| !above.trim_ascii().is_empty())
    {
        let is_around = indentation(above) < depth;
        let is_attribute = above.trim_ascii().starts_with(b"#");
        if is_around || (is_attached && is_attribute) {
            context.push(above.trim_ascii());
        }
        depth = depth.min(indentation(above));
        is_attached = is_around || (is_attached && is_attribute);
    }
    context
}

/// The white space before a line, in bytes.
pub(crate) fn indentation(line: &[u8]) -> usize {
    line.len() - line.trim_ascii_start().len()
}

/// Who mentions a file's name in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileMention {
    /// Nobody.
    None,
    /// Comments, and documentation that includes the file.
    Documentation,
    /// Code.
    Code,
}

/// The strongest mention of a file's name in a source.
#[must_use]
pub(crate) fn mention_of_file(text: &[u8], name: &str) -> FileMention {
    let kinds = places_of(text, name).map(|at| match is_documentation(text, at) {
        true => FileMention::Documentation,
        false => FileMention::Code,
    });
    kinds.max().unwrap_or(FileMention::None)
}

/// The words of a text, comments included, as digests in ascending order.
#[derive(Debug)]
pub(crate) struct WordDigests(Box<[u32]>);

impl WordDigests {
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut digests: Vec<u32> = words_of(text).map(word_digest).collect();
        digests.sort_unstable();
        digests.dedup();
        Self(digests.into())
    }

    /// False if the text lacks one of the words that a name consists of, so that it need not be searched.
    pub(crate) fn may_hold(&self, name: &str) -> bool {
        words_of(name.as_bytes()).all(|word| self.0.binary_search(&word_digest(word)).is_ok())
    }
}

fn words_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let runs = text.split(|byte| !is_part_of_word(byte));
    runs.filter(|run| !run.is_empty())
}

/// A number that is the same for the same word, and rarely for another one: FNV-1a.
fn word_digest(word: &[u8]) -> u32 {
    let add = |digest: u32, &byte: &u8| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    word.iter().fold(0x811c_9dc5, add)
}

/// The words of a text, in its order.
pub(crate) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    // No letter is divided: each of its bytes is part of a word.
    words_of(text.as_bytes()).filter_map(|word| std::str::from_utf8(word).ok())
}

/// True for a byte of a word.
pub(crate) fn is_part_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80
}

/// Where a text holds a word as a whole word.
pub(crate) fn places_of<'t>(text: &'t [u8], word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = is_part_of_word;
    let all = (!word.is_empty()).then(|| memmem::find_iter(text, word));
    all.into_iter().flatten().filter(move |&at| {
        let left = at.checked_sub(1).and_then(|left| text.get(left));
        let right = text.get(at + word.len());
        !left.is_some_and(is_part) && !right.is_some_and(is_part)
    })
}

/// True for a place in a line comment, in `doc = include_str!(…)` of an attribute, or in a call of a macro that makes
/// documentation of it.
fn is_documentation(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let line = before[line_start..].trim_ascii_start();
    if line.starts_with(b"//") || memmem::find(line, b"doctest!(").is_some() {
        return true;
    }
    // An attribute begins with its bracket; a statement or a block ends before it.
    let ends = |byte: &u8| matches!(byte, b'[' | b']' | b';' | b'{' | b'}');
    let Some(start) = before.iter().rposition(ends).filter(|&start| before[start] == b'[') else {
        return false;
    };
    let is_attribute = before[..start].trim_ascii_end().ends_with(b"#") || before[..start].ends_with(b"#!");
    let inside: Vec<u8> = before[start + 1..]
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let Some(included) = memmem::find(&inside, b"doc=include_str!") else {
        return false;
    };
    let is_whole_word = included == 0 || matches!(inside[included - 1], b',' | b'(');
    is_attribute && is_whole_word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_both_ends() {
        let text = "one\ntwo\nthree\nfour";
        let starts = LineStarts::of(text.as_bytes());
        let cut = |first, last| &text[starts.place(LineRange { first, last })];
        assert_eq!(cut(2, 3), "two\nthree\n");
        assert_eq!(cut(4, 9), "four");
        assert_eq!(cut(9, 9), "");
    }

    #[test]
    fn a_word_is_no_part_of_another() {
        assert!(holds_word(b"mod part;", "part"));
        assert!(!holds_word(b"mod parts; apart", "part"));
        assert!(holds_word(b"include_str!(\"../data/a b.txt\")", "a b.txt"));
    }

    #[test]
    fn words_are_identifiers_outside_of_comments() {
        let words = |text: &str, path: &str| -> Vec<String> {
            let language = crate::languages::language_of(path).expect("a known language");
            let words = words_with_places(text.as_bytes(), language);
            words.map(|(word, at)| format!("{word} {at}")).collect()
        };
        assert_eq!(
            words("a.b_1(22, c!) // d\n\u{e9}t", "m.rs"),
            ["a 0", "b_1 2", "c 10", "\u{e9}t 19"]
        );
        assert_eq!(words("a // b # c", "m.py"), ["a 0", "b 5"]);
    }

    #[test]
    fn each_line_with_a_word_is_found_once() {
        let source = b"const LIMIT: u8 = 1;\nlet x = LIMITS;\nfor i in 0..LIMIT {\nMY_LIMIT";
        assert_eq!(lines_naming(source, "LIMIT"), [1, 3]);
        assert_eq!(lines_naming(b"a a\n\na", "a"), [1, 3]);
        assert_eq!(lines_naming(source, ""), Vec::<u32>::new());
    }

    #[test]
    fn included_documentation_is_no_code() {
        let documentation: [&[u8]; 5] = [
            b"#![doc = include_str!(\"../README.md\")]",
            b"#![cfg_attr(docsrs, doc = include_str!(concat!(env!(\"X\"), \"/README.md\")))]",
            b"#[doc =\n include_str!(\"README.md\")]\nfn f() {}",
            b"doc_comment::doctest!(\"../README.md\");",
            b"fn f() {}\n    // see README.md\n",
        ];
        for text in documentation {
            assert_eq!(mention_of_file(text, "README.md"), FileMention::Documentation);
        }
    }

    #[test]
    fn everything_else_is_code() {
        let code: [&[u8]; 4] = [
            b"static PAGE: &str = include_str!(\"../README.md\");",
            b"#[template(path = \"README.md\")] struct Page;",
            b"#[cfg(doc)] fn f() -> &'static str { include_str!(\"README.md\") }",
            b"#![doc = \"x\"] const A: &str = include_str!(\"README.md\");",
        ];
        for text in code {
            assert_eq!(mention_of_file(text, "README.md"), FileMention::Code);
        }
        assert_eq!(mention_of_file(b"fn f() {}", "README.md"), FileMention::None);
        let both = b"#![doc = include_str!(\"README.md\")]\nconst A: &str = include_str!(\"README.md\");";
        assert_eq!(mention_of_file(both, "README.md"), FileMention::Code);
    }
}
