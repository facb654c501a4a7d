//! Macros that mark a declaration or make a statement → what the grammar reads instead.
//!
//! A name in capitals may as well be a type, a value or a function. So macros are looked for only where the parser fails, by
//! what stands beside them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::code_bytes::CodeBytes;
use super::lines::joined_lines;
use super::words::{end_of_word, is_macro_name};
use super::{KeptText, Replacement, is_precise};
use crate::syntax::LineRange;
use crate::text_search::is_part_of_word;

/// Words before the name of a type.
const TYPE_WORDS: [&[u8]; 5] = [b"class", b"struct", b"union", b"enum", b"namespace"];

/// Words before brackets with a condition.
const CONDITION_WORDS: [&[u8]; 3] = [b"if", b"while", b"switch"];

/// Words at the end of a function's head, behind its parameters.
const HEAD_WORDS: [&[u8]; 4] = [b"const", b"noexcept", b"override", b"final"];

/// Words before a type: a name behind them is one.
const BEFORE_TYPES: [&[u8]; 10] = [
    b"const",
    b"volatile",
    b"static",
    b"extern",
    b"register",
    b"typedef",
    b"return",
    b"sizeof",
    b"case",
    b"new",
];

/// In a longer line nothing is looked for.
const LONGEST_LINE: usize = 10_000;

/// The macros that are looked for.
#[derive(Debug)]
pub(super) enum AnnotationReach {
    /// Between `class` and the name of a type that is defined there, in the whole file: without them nothing in the type is
    /// read.
    OfTypes,
    /// Those that may be the cause of errors near these lines.
    Errors(BTreeSet<u32>),
}

/// How sure it must be that a name is such a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// It marks a type that is defined.
    OfType,
    /// Nothing else stands there in code that can be compiled.
    Place,
    /// It may be something else as well.
    Guess,
}

/// The macros in a text of which `code` tells comments and texts.
pub(super) fn annotations(text: &[u8], code: &CodeBytes, reach: &AnnotationReach) -> Vec<Replacement> {
    let mut found = Vec::new();
    for joined in joined_lines(text, code).filter(|line| line.directive.is_none()) {
        // A comment of several lines makes one line of them.
        for (line, number) in lines_of(text, joined.range).zip(joined.lines.first..) {
            if line.len() <= LONGEST_LINE {
                let evidence = reach.evidence_asked_for(number);
                AnnotatedLine { text, code, line }.annotations(evidence, &mut found);
            }
        }
    }
    found
}

/// The lines of a range that ends with one.
fn lines_of(text: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = range.start;
    let breaks = memchr::memchr_iter(b'\n', &text[range.clone()]).map(move |at| range.start + at);
    breaks.chain([range.end]).map(move |end| {
        let line = start..end;
        start = end + 1;
        line
    })
}

impl AnnotationReach {
    /// That of errors on these lines.
    pub(super) fn of_errors(errors: &[LineRange]) -> Self {
        // A marked declaration may begin in the line before.
        let precise = errors.iter().filter(|error| is_precise(**error));
        Self::Errors(
            precise
                .flat_map(|error| error.first.saturating_sub(1)..=error.last)
                .collect(),
        )
    }

    /// The least evidence that is asked for on a line.
    fn evidence_asked_for(&self, line: u32) -> Evidence {
        match self {
            Self::OfTypes => Evidence::OfType,
            Self::Errors(near) if near.contains(&line) => Evidence::Guess,
            // The parser may fail far below.
            Self::Errors(_) => Evidence::Place,
        }
    }
}

/// A line of code.
struct AnnotatedLine<'t> {
    text: &'t [u8],
    code: &'t CodeBytes,
    line: Range<usize>,
}

/// A name in capitals on a line, with what stands beside it.
struct MacroName<'t> {
    word: Range<usize>,
    /// Behind its arguments, if there are some.
    end: usize,
    /// Its arguments, with their brackets.
    arguments: &'t [u8],
    /// Its line up to the name, spaces left out.
    before: &'t [u8],
    /// The word that this ends with; empty if it ends otherwise.
    last_word: &'t [u8],
    /// The rest of its line.
    behind: &'t [u8],
    /// The lines below.
    below: &'t [u8],
}

impl<'t> AnnotatedLine<'t> {
    fn annotations(&self, evidence: Evidence, found: &mut Vec<Replacement>) {
        let mut at = self.line.start;
        let mut last_end = None;
        while at < self.line.end {
            if !is_part_of_word(&self.text[at]) || !self.code.is_code(at) {
                found.extend(self.unnamed_pointer(at).filter(|_| evidence == Evidence::Guess));
                at += 1;
                continue;
            }
            let word = at..end_of_word(self.text, at, self.line.end);
            at = word.end;
            if evidence == Evidence::Guess
                && let Some(replacement) = self.deduced_type(&word)
            {
                at = replacement.place.end;
                found.push(replacement);
                continue;
            }
            if !is_macro_name(&self.text[word.clone()]) {
                continue;
            }
            let name = self.name(word);
            let follows_other =
                last_end.is_some_and(|end: usize| self.code.first(self.text, end..name.word.start).is_none());
            if let Some(replacement) = self.replacement(&name, evidence, follows_other) {
                at = at.max(replacement.place.end);
                last_end = Some(at);
                found.push(replacement);
            }
        }
    }

    /// `, const void* = 0)`: the grammar knows no default of a pointer without a name.
    fn unnamed_pointer(&self, at: usize) -> Option<Replacement> {
        let rest = &self.text[at..self.line.end];
        let is_default = rest.starts_with(b"* = ") && rest.contains(&b')') && self.code.is_code(at);
        is_default.then(|| Replacement {
            place: at + 1..at + 2,
            with: "_",
            kept: KeptText::Replaced,
        })
    }

    /// `decltype(…)`: the grammar does not know each expression in it.
    fn deduced_type(&self, word: &Range<usize>) -> Option<Replacement> {
        let end = end_of_arguments(self.text, word.end).filter(|_| self.text[word.clone()] == *b"decltype")?;
        let is_asked_for = self.text[word.end..end] != *b"(auto)";
        is_asked_for.then_some(Replacement {
            place: word.start..end,
            with: "decltype(0)",
            kept: KeptText::Mark,
        })
    }

    fn name(&self, word: Range<usize>) -> MacroName<'t> {
        let end = end_of_arguments(self.text, word.end).unwrap_or(word.end);
        let text = self.text;
        let before = match self.code.last(text, self.line.start..word.start) {
            Some(last) => &text[self.line.start..=last],
            None => &[],
        };
        let letters = before.iter().rev().take_while(|byte| is_part_of_word(byte)).count();
        let line_end = match end > self.line.end {
            true => end + memchr::memchr(b'\n', &text[end..]).unwrap_or(text.len() - end),
            false => self.line.end,
        };
        let behind = match (
            self.code.first(text, end..line_end),
            self.code.last(text, end..line_end),
        ) {
            (Some(first), Some(last)) => &text[first..=last],
            _ => &[],
        };
        MacroName {
            arguments: &text[word.end..end],
            word,
            end,
            before: before.trim_ascii_start(),
            last_word: &before[before.len() - letters..],
            behind,
            below: &text[line_end..],
        }
    }

    fn replacement(&self, name: &MacroName<'t>, evidence: Evidence, follows_other: bool) -> Option<Replacement> {
        let mark = |place, with| Replacement {
            place,
            with,
            kept: KeptText::Mark,
        };
        let with_arguments = |with| mark(name.word.start..name.end, with);
        let alone = |with| mark(name.word.clone(), with);
        if evidence == Evidence::OfType {
            return self.marks_type(name).then(|| with_arguments(""));
        }
        if CONDITION_WORDS.contains(&name.last_word) && self.text[name.word.end..].trim_ascii_start().starts_with(b"(")
        {
            // Brackets right behind it hold what it is asked about.
            return (name.end == name.word.end).then(|| alone(""));
        }
        if self.is_alone(name)
            || name.begins_block()
            || name.ends_head(follows_other)
            || name.begins_declaration()
            || name.begins_constructor()
        {
            return Some(with_arguments(""));
        }
        if evidence < Evidence::Guess {
            return None;
        }
        if name.is_template_parameter() || name.returns_from_an_operator() {
            return Some(with_arguments("int"));
        }
        if self.begins_statement(name) {
            return Some(alone("if"));
        }
        if name.is_declaration() {
            return Some(with_arguments(""));
        }
        if name.is_pointer() {
            return Some(alone("*"));
        }
        (name.marks_what_follows() || name.marks_what_precedes(follows_other)).then(|| with_arguments(""))
    }

    /// A macro with a line of its own, between others that are whole.
    fn is_alone(&self, name: &MacroName<'_>) -> bool {
        let next = self.code.first(self.text, name.end..self.text.len());
        let goes_on = next.is_some_and(|next| b",)=.?|&+-*/<>;".contains(&self.text[next]));
        let is_whole_before = || {
            let before = self.last_before_directives();
            before.is_none_or(|last| matches!(self.text[last], b';' | b'{' | b'}' | b')' | b':' | b'>'))
        };
        name.before.is_empty() && name.behind.is_empty() && !goes_on && is_whole_before()
    }

    /// The last byte of code before the line and the directives above it.
    fn last_before_directives(&self) -> Option<usize> {
        let mut end = self.line.start;
        loop {
            let last = self.code.last(self.text, 0..end)?;
            let start = memchr::memrchr(b'\n', &self.text[..last]).map_or(0, |at| at + 1);
            let first = self.code.first(self.text, start..last + 1)?;
            if self.text[first] != b'#' {
                return Some(last);
            }
            end = start;
        }
    }

    /// `class MACRO Name {`.
    fn marks_type(&self, name: &MacroName<'_>) -> bool {
        TYPE_WORDS.contains(&name.last_word) && starts_name(name.behind) && defines_type(name.behind, name.below)
    }

    /// `MACRO (a < b) {`: a condition, a loop.
    fn begins_statement(&self, name: &MacroName<'_>) -> bool {
        let begins = name.before.is_empty() || name.before.ends_with(b"}") || name.last_word == b"else";
        let open = self.text[name.word.end..].trim_ascii_start();
        let brackets = self.text.len() - open.len();
        begins
            && end_of_arguments(self.text, brackets)
                .is_some_and(|end| self.text[end..].trim_ascii_start().starts_with(b"{"))
    }
}

impl MacroName<'_> {
    fn has_arguments(&self) -> bool {
        self.end > self.word.end
    }

    /// `MACRO {`, and the same with a list of unknown length before it, as what catches an error has it.
    fn begins_block(&self) -> bool {
        let is_first = self.before.is_empty() || self.before.ends_with(b"}");
        let arguments = self.arguments.trim_ascii();
        is_first && self.behind.starts_with(b"{") && (arguments.is_empty() || arguments == b"(...)")
    }

    /// `void f() const MACRO {`, and the same with a macro before it.
    fn ends_head(&self, follows_other: bool) -> bool {
        let follows_head = follows_other || self.before.ends_with(b")") || HEAD_WORDS.contains(&self.last_word);
        let ends = match self.behind {
            [] | [b'{' | b':' | b';' | b'=', ..] => true,
            _ => is_macro_name(&self.behind[..end_of_word(self.behind, 0, self.behind.len())]),
        };
        // A cast to a type, a condition and a value have brackets as well.
        let begins_with = |word: &[u8]| self.before.starts_with(word);
        let is_statement = is_assignment(self.before)
            || begins_with(b"(")
            || begins_with(b"return")
            || CONDITION_WORDS.iter().any(|word| begins_with(word));
        follows_head && ends && !self.before.is_empty() && !is_statement
    }

    /// `MACRO type name(`: two names and more follow.
    fn begins_declaration(&self) -> bool {
        let first = end_of_word(self.behind, 0, self.behind.len());
        let rest = self.behind[first..].trim_ascii_start();
        let rest = rest.strip_prefix(b"*").unwrap_or(rest).trim_ascii_start();
        let begins = self.before.is_empty() || BEFORE_TYPES.contains(&self.last_word);
        let has_type = first > 0 && !self.behind[0].is_ascii_digit() && !BEFORE_TYPES.contains(&&self.behind[..first]);
        let has_name = match rest.first() {
            // A method that is defined outside of its type.
            Some(b':') => rest.starts_with(b"::"),
            Some(byte) => is_part_of_word(byte),
            None => begins_function(self.below),
        };
        begins && has_type && has_name
    }

    /// `MACRO Set(int a) noexcept : size(a)`, where what follows may stand in the next line.
    fn begins_constructor(&self) -> bool {
        let behind = self
            .behind
            .strip_prefix(b"explicit")
            .map_or(self.behind, <[u8]>::trim_ascii_start);
        let name = end_of_word(behind, 0, behind.len());
        let Some(end) = end_of_arguments(behind, name).filter(|_| name > 0) else {
            return false;
        };
        let rest = behind[end..].trim_ascii_start();
        let rest = rest.strip_prefix(b"noexcept").unwrap_or(rest).trim_ascii_start();
        let next = if rest.is_empty() {
            self.below.trim_ascii_start()
        } else {
            rest
        };
        self.before.is_empty() && next.starts_with(b":") && !next.starts_with(b"::")
    }

    /// `MACRO(type) operator==(`.
    fn returns_from_an_operator(&self) -> bool {
        self.has_arguments() && self.behind.starts_with(b"operator")
    }

    /// `template <typename T, MACRO(T)>`.
    fn is_template_parameter(&self) -> bool {
        self.has_arguments()
            && matches!(self.before.last(), None | Some(b',' | b'<'))
            && matches!(self.behind.first(), Some(b'>' | b','))
    }

    /// `MACRO(type, name);`.
    fn is_declaration(&self) -> bool {
        self.has_arguments() && self.before.is_empty() && self.behind == b";"
    }

    /// `(MACRO name)(`: the macro has the sign of a pointer in it, too.
    fn is_pointer(&self) -> bool {
        self.before.ends_with(b"(") && starts_name(self.behind) && points_to_function(self.behind)
    }

    /// `MACRO name`.
    fn marks_what_follows(&self) -> bool {
        match self.behind.first() {
            Some(b'*') if self.before.ends_with(b"(") => points_to_function(&self.behind[1..]),
            // Of a type, a pointer: `FILE *file`.
            Some(b'*') => {
                !self.last_word.is_empty() && !BEFORE_TYPES.contains(&self.last_word) && !is_macro_name(self.last_word)
            }
            Some(_) => starts_name(self.behind),
            None => false,
        }
    }

    /// `type name MACRO,`.
    fn marks_what_precedes(&self, follows_other: bool) -> bool {
        let follows_name =
            !self.last_word.is_empty() && !BEFORE_TYPES.contains(&self.last_word) && !is_macro_name(self.last_word);
        (follows_name || follows_other || self.before.ends_with(b"]"))
            && matches!(self.behind.first(), Some(b',' | b')' | b';' | b'='))
    }
}

/// True if something is assigned that is no operator's name.
fn is_assignment(text: &[u8]) -> bool {
    let before = |at: usize| {
        let signs = text[..at]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_punctuation() && !is_part_of_word(byte));
        text[..at - signs.count()].trim_ascii_end()
    };
    memchr::memchr_iter(b'=', text).any(|at| !before(at).ends_with(b"operator"))
}

/// True for `name)(…`.
fn points_to_function(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let behind = text[end_of_word(text, 0, text.len())..].strip_prefix(b")");
    behind.is_some_and(|behind| behind.trim_ascii_start().starts_with(b"("))
}

/// True for `name(…`.
fn begins_function(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let name = end_of_word(text, 0, text.len());
    name > 0 && text[name..].trim_ascii_start().starts_with(b"(")
}

fn starts_name(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| is_part_of_word(byte) || *byte == b'~')
}

/// True for `Name {`, `Name : public Base` or `Name final`, where the bracket may stand in the next line.
fn defines_type(rest: &[u8], below: &[u8]) -> bool {
    let length = end_of_word(rest, 0, rest.len());
    let behind = rest[length..].trim_ascii();
    let behind = behind.strip_prefix(b"final").unwrap_or(behind).trim_ascii();
    match behind {
        [] => below.trim_ascii_start().starts_with(b"{"),
        [b'{', ..] => true,
        [b':', next, ..] => *next != b':',
        _ => false,
    }
}

/// The end of `(…)` that starts here, in the same line or the next ones.
fn end_of_arguments(text: &[u8], start: usize) -> Option<usize> {
    /// Arguments of a marking macro are short.
    const LONGEST: usize = 400;
    if text.get(start) != Some(&b'(') {
        return None;
    }
    let mut depth = 0_usize;
    for (offset, byte) in text[start..].iter().take(LONGEST).enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start + offset + 1);
        }
    }
    None
}
