//! Conditions of the preprocessor that divide what a grammar reads as a whole → one of their branches.
//!
//! `#if A` … `if (a) {` … `#else` … `if (b) {` … `#endif` has one closing bracket for two opening ones. A grammar that knows no
//! preprocessor fails there, often for the whole file. The first branch is read, and the others are kept as text, so that a
//! change of them is seen.

use std::ops::Range;

use super::code_bytes::CodeBytes;
use super::lines::joined_lines;
use crate::syntax::LineRange;

/// How the words of directives begin that begin, divide and end a conditional.
const IF: &[u8] = b"if";
const ELSE: &[u8] = b"el";
const END: &[u8] = b"endif";

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
    for line in joined_lines(source, code) {
        let Some(directive) = line.directive else {
            if let Some(inner) = open.last_mut() {
                let brackets = line.range.filter(|&at| code.is_code(at));
                brackets.for_each(|at| inner.open.add(source[at]));
            }
            continue;
        };
        let word = word_of(&source[directive.clone()]);
        if word.starts_with(IF) {
            open.push(OpenConditional {
                directives: vec![directive],
                first_line: line.lines.first,
                is_unbalanced: false,
                open: BracketCount::default(),
                of_first: None,
            });
        } else if word.starts_with(ELSE)
            && let Some(inner) = open.last_mut()
        {
            inner.directives.push(directive);
            inner.end_branch();
        } else if word.starts_with(END)
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
                    last: line.lines.last,
                },
            });
        }
    }
    found
}

/// The conditions of a source, each with the lines of all its branches.
pub(in crate::languages::cpp) fn conditions_around(source: &str) -> Vec<(LineRange, String)> {
    let code = CodeBytes::of(source.as_bytes());
    let all = conditionals(source.as_bytes(), &code).into_iter();
    let text = |found: &Conditional| {
        found
            .directives
            .iter()
            .map(|directive| &source[directive.clone()])
            .collect()
    };
    all.map(|found| (found.lines, text(&found))).collect()
}

/// True for a directive that begins, divides or ends a conditional.
pub(super) fn is_condition(directive: &[u8]) -> bool {
    [IF, ELSE, END]
        .iter()
        .any(|start| word_of(directive).starts_with(start))
}

/// A directive behind its `#`.
fn word_of(directive: &[u8]) -> &[u8] {
    directive.strip_prefix(b"#").unwrap_or(directive).trim_ascii_start()
}

impl OpenConditional {
    fn end_branch(&mut self) {
        let ended = std::mem::take(&mut self.open);
        self.is_unbalanced |= !ended.is_balanced();
        self.of_first.get_or_insert(ended);
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
