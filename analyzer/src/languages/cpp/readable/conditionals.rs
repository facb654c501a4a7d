//! Conditions of the preprocessor that divide what a grammar reads as a whole → one of their branches.
//!
//! `#if A` … `if (a) {` … `#else` … `if (b) {` … `#endif` has one closing bracket for two opening ones. A grammar that knows no
//! preprocessor fails there, often for the whole file. The first branch is read, and the others are kept as text, so that a
//! change of them is seen.

use std::ops::Range;

use super::code_bytes::CodeBytes;
use crate::syntax::LineRange;

/// `#if` … `#endif`.
#[derive(Debug)]
pub(super) struct Conditional {
    /// Its directives, without their line breaks: the first and the last, and those between branches.
    pub(super) directives: Vec<Range<usize>>,
    /// True if a branch opens or closes brackets of what stands around it.
    pub(super) is_unbalanced: bool,
    /// The lines of all of it.
    pub(super) lines: LineRange,
}

impl Conditional {
    /// All branches but the first.
    pub(super) fn other_branches(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let behind_first = self.directives.windows(2).skip(1);
        behind_first.map(|pair| pair[0].end..pair[1].start)
    }
}

/// One that is still open.
struct OpenConditional {
    directives: Vec<Range<usize>>,
    first_line: u32,
    is_unbalanced: bool,
    /// Brackets that the branch so far opens and doesn't close.
    open: BracketCount,
    /// Those of the first branch.
    of_first: Option<BracketCount>,
}

/// Brackets that are open, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct BracketCount {
    curly: i32,
    round: i32,
    /// True if one was closed that was not open.
    closes_others: bool,
}

impl BracketCount {
    fn add(&mut self, byte: u8) {
        match byte {
            b'{' => self.curly += 1,
            b'}' => self.curly -= 1,
            b'(' => self.round += 1,
            b')' => self.round -= 1,
            _ => return,
        }
        self.closes_others |= self.curly < 0 || self.round < 0;
    }

    fn is_balanced(self) -> bool {
        self == Self::default()
    }

    /// Both in turn.
    fn and(self, next: Self) -> Self {
        Self {
            curly: self.curly + next.curly,
            round: self.round + next.round,
            closes_others: self.closes_others || next.closes_others,
        }
    }
}

/// The conditionals of a source, inner ones before those around them. One without an end is left out.
pub(super) fn conditionals(source: &[u8], code: &CodeBytes) -> Vec<Conditional> {
    let mut open: Vec<OpenConditional> = Vec::new();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1_u32);
    while at < source.len() {
        let end = end_of_line(source, at, code);
        let next_line = line + breaks_in(&source[at..end]) + 1;
        let first = code.first(source, at..end);
        match first.filter(|&first| source[first] == b'#') {
            Some(first) => {
                let word = source[first + 1..end].trim_ascii_start();
                let directive = first..first + source[first..end].trim_ascii_end().len();
                let is = |start: &[u8]| word.starts_with(start);
                if is(b"if") {
                    open.push(OpenConditional {
                        directives: vec![directive],
                        first_line: line,
                        is_unbalanced: false,
                        open: BracketCount::default(),
                        of_first: None,
                    });
                } else if is(b"el")
                    && let Some(inner) = open.last_mut()
                {
                    inner.directives.push(directive);
                    inner.end_branch();
                } else if is(b"endif")
                    && let Some(mut inner) = open.pop()
                {
                    inner.directives.push(directive);
                    inner.end_branch();
                    if let (Some(around), Some(of_first)) = (open.last_mut(), inner.of_first) {
                        around.open = around.open.and(of_first);
                    }
                    found.push(Conditional {
                        directives: inner.directives,
                        is_unbalanced: inner.is_unbalanced,
                        lines: LineRange {
                            first: inner.first_line,
                            last: next_line - 1,
                        },
                    });
                }
            }
            None => {
                if let Some(inner) = open.last_mut() {
                    let brackets = (at..end).filter(|&at| code.is_code(at));
                    brackets.for_each(|at| inner.open.add(source[at]));
                }
            }
        }
        (at, line) = (end + 1, next_line);
    }
    found
}

/// The directives of a source, each with its first line.
pub(super) fn directives(source: &[u8], code: &CodeBytes) -> Vec<(u32, Range<usize>)> {
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1_u32);
    while at < source.len() {
        let end = end_of_line(source, at, code);
        if let Some(first) = code.first(source, at..end).filter(|&first| source[first] == b'#') {
            found.push((line, first..first + source[first..end].trim_ascii_end().len()));
        }
        line += breaks_in(&source[at..end]) + 1;
        at = end + 1;
    }
    found
}

/// True for a directive that begins, divides or ends a conditional.
pub(super) fn is_condition(directive: &[u8]) -> bool {
    let word = directive.strip_prefix(b"#").unwrap_or(directive).trim_ascii_start();
    [&b"if"[..], b"el", b"endif"]
        .iter()
        .any(|start| word.starts_with(start))
}

fn breaks_in(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX / 2)
}

impl OpenConditional {
    fn end_branch(&mut self) {
        let ended = std::mem::take(&mut self.open);
        self.is_unbalanced |= !ended.is_balanced();
        self.of_first.get_or_insert(ended);
    }
}

/// The end of a line without its break. A directive goes on behind `\`, and behind a comment of several lines.
pub(super) fn end_of_line(source: &[u8], start: usize, code: &CodeBytes) -> usize {
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
    use super::{CodeBytes, conditionals};

    /// The first lines of conditionals, and whether they are unbalanced.
    fn found(source: &str) -> Vec<(u32, bool)> {
        let source = source.as_bytes();
        let all = conditionals(source, &CodeBytes::of(source));
        all.iter()
            .map(|found| (found.lines.first, found.is_unbalanced))
            .collect()
    }

    #[test]
    fn a_branch_that_opens_a_bracket_of_others_is_told_from_one_that_closes_its_own() {
        let divided = "#if A\nif (a) {\n#else\nif (b) {\n#endif\n}\n";
        assert_eq!(found(divided), [(1, true)]);
        assert_eq!(found("#if A\nif (a) { }\n#else\nf();\n#endif\n"), [(1, false)]);
        assert_eq!(found("#if A\n} else {\n#endif\n"), [(1, true)]);
        assert_eq!(found("#if A\nf(\"{\"); // {\n#endif\n"), [(1, false)]);
    }

    #[test]
    fn what_the_first_branch_of_an_inner_one_opens_is_open_around_it() {
        let closed = "#if A\n#if B\n{\n#else\n{\n#endif\n}\n#endif\n";
        assert_eq!(found(closed), [(2, true), (1, false)]);
        assert_eq!(found("#if A\n#if B\n{\n#endif\n#endif\n"), [(2, true), (1, true)]);
    }

    #[test]
    fn a_condition_may_go_on_in_the_next_line_and_has_an_end() {
        let source = "#if A && \\\n    B\n{\n#endif /* of\n two lines */\n}\n#if C\n";
        let all = conditionals(source.as_bytes(), &CodeBytes::of(source.as_bytes()));
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].lines.first, all[0].lines.last), (1, 5));
        assert_eq!(all[0].directives.len(), 2);
    }
}
