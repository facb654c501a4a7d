//! The tokens of a source file, and normalised text and digests of their ranges. Knows no grammar: a
//! language's lexer or tree fills it.

use super::digest::TokenDigester;
use super::limits::ParseLimits;
use super::model::{LineRange, NormalisedText};
use super::work_budget::WorkBudget;

/// Bytes from `start` to before `end` of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl ByteRange {
    pub(crate) fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    pub(crate) fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Word,
    Number,
    /// A string literal of any form.
    Text,
    Punctuation,
    Open,
    Close,
    /// A comma that a formatter may add or drop.
    TrailingComma,
    /// A token that makes no code: texts and digests leave it out.
    Silent,
    /// A token that makes no code by itself, and may decide on which code is made: texts leave it out.
    Untold,
    /// Words and signs of a directive, which may be any code. How much space is between them means nothing.
    Spaced,
    /// Another name of the same thing: `core` is read as `std`.
    ReadAs(&'static str),
    /// A label, lifetime or character.
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SyntaxToken {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) line: u32,
    pub(crate) kind: TokenKind,
}

impl SyntaxToken {
    /// True for what texts do not show.
    fn is_left_out(&self) -> bool {
        self.is_no_code() || self.kind == TokenKind::Untold
    }

    /// True for what digests do not show either.
    fn is_no_code(&self) -> bool {
        matches!(self.kind, TokenKind::TrailingComma | TokenKind::Silent)
    }
}

/// All tokens of a file, in order, without comments.
#[derive(Debug)]
pub(crate) struct TokenizedSource<'s> {
    pub(crate) source: &'s str,
    pub(crate) list: Vec<SyntaxToken>,
    /// The budget that is left for texts and digests. Where it is spent they are empty, and the file counts as unread.
    pub(crate) budget: WorkBudget,
}

impl<'s> TokenizedSource<'s> {
    pub(crate) fn new(source: &'s str, list: Vec<SyntaxToken>, limits: &ParseLimits) -> Self {
        Self {
            source,
            list,
            budget: WorkBudget::for_source(source.len(), limits),
        }
    }

    pub(crate) fn text_of(&self, token: &SyntaxToken) -> &'s str {
        &self.source[token.start as usize..token.end as usize]
    }

    /// The tokens that start inside a range; none once the budget is spent.
    pub(crate) fn within(&self, range: ByteRange) -> &[SyntaxToken] {
        let inside = self.inside(range);
        if self.budget.spend(inside.len()) { inside } else { &[] }
    }

    fn inside(&self, range: ByteRange) -> &[SyntaxToken] {
        let first = self.list.partition_point(|token| token.start < range.start);
        let count = self.list[first..].partition_point(|token| token.start < range.end);
        &self.list[first..first + count]
    }

    pub(crate) fn within_mut(&mut self, range: ByteRange) -> &mut [SyntaxToken] {
        let first = self.list.partition_point(|token| token.start < range.start);
        let count = self.list[first..].partition_point(|token| token.start < range.end);
        let affordable = if self.budget.spend(count) { count } else { 0 };
        &mut self.list[first..first + affordable]
    }

    /// True if texts show no token of a range.
    pub(crate) fn shows_nothing(&self, range: ByteRange) -> bool {
        self.within(range).iter().all(SyntaxToken::is_left_out)
    }

    /// First and last line of a range.
    pub(crate) fn lines(&self, range: ByteRange) -> LineRange {
        let inside = self.inside(range);
        let first = inside.first().map_or(1, |token| token.line);
        // A token's own line breaks (in a multi-line string) count, those that end it do not.
        let last = inside.last().map_or(first, |token| {
            let breaks = self
                .text_of(token)
                .trim_end()
                .bytes()
                .filter(|&byte| byte == b'\n')
                .count();
            token.line + u32::try_from(breaks).unwrap_or(u32::MAX)
        });
        LineRange { first, last }
    }

    /// The text of a range as it stands, tokens separated by one space.
    pub(crate) fn plain(&self, range: ByteRange) -> String {
        self.marked(range, &[], &LocalMarks::default()).0
    }

    /// The text of a range with holes and marked locals. `holes` may be in any order, and nested.
    pub(crate) fn marked(&self, range: ByteRange, holes: &[ByteRange], marks: &LocalMarks<'_, '_>) -> NormalisedText {
        self.budget.spend(holes.len());
        let mut inside: Vec<ByteRange> = holes.iter().copied().filter(|hole| range.contains(*hole)).collect();
        inside.sort_by_key(|hole| (hole.start, std::cmp::Reverse(hole.end)));
        let mut holes = inside.into_iter().peekable();
        let mut text = String::new();
        let mut skip_until = 0;
        let tokens = self.within(range);
        for (index, token) in tokens.iter().enumerate() {
            if token.start < skip_until {
                continue;
            }
            while holes.next_if(|hole| hole.start < token.start).is_some() {}
            if let Some(hole) = holes.next_if(|hole| hole.start == token.start) {
                separate(&mut text);
                text.push(NormalisedText::HOLE);
                skip_until = hole.end;
                continue;
            }
            if token.is_left_out() || token.start == token.end {
                continue;
            }
            separate(&mut text);
            let word = self.text_of(token);
            match token.kind {
                _ if marks.turned.contains(&token.start) => text.push_str("=="),
                TokenKind::Word => {
                    if marks.is_local(self, tokens, index) {
                        text.push(NormalisedText::LOCAL);
                    }
                    text.push_str(word);
                }
                TokenKind::Number => text.extend(word.chars().filter(|&letter| letter != '_')),
                TokenKind::Text if marks.in_strings => marks.push_format_string(word, &mut text),
                TokenKind::ReadAs(other) => text.push_str(other),
                _ => text.push_str(word),
            }
        }
        NormalisedText(text)
    }

    /// Adds the tokens of a range to a digest, those that start in one of `without` left out.
    pub(crate) fn digest_into(&self, digester: &mut TokenDigester, range: ByteRange, without: &[ByteRange]) {
        let mut gaps = without.to_vec();
        gaps.sort_unstable_by_key(|gap| gap.start);
        let mut gaps = gaps.into_iter().peekable();
        let mut left_out_until = 0;
        for token in self.within(range) {
            while let Some(gap) = gaps.next_if(|gap| gap.start <= token.start) {
                left_out_until = left_out_until.max(gap.end);
            }
            if token.is_no_code() || token.start < left_out_until {
                continue;
            }
            let word = self.text_of(token);
            match token.kind {
                TokenKind::Number if word.contains('_') => {
                    digester.token(&word.replace('_', ""));
                }
                TokenKind::ReadAs(other) => digester.token(other),
                TokenKind::Spaced => spaced_parts(word).into_iter().for_each(|part| digester.token(part)),
                _ => digester.token(word),
            }
        }
    }
}

/// The parts of a directive between which there is space, a line that goes on in the next one included. The whole text where
/// that is not plain to see: a word that goes on in the next line, a quote that does not end.
fn spaced_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (None, None);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_break = letter == '\\' && text[at + 1..].trim_start_matches('\r').starts_with('\n');
        match quote {
            Some(_) if is_break => return vec![text],
            Some(_) if letter == '\\' => {
                letters.next();
            }
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if is_break => {
                let goes_on = text[at + 1..]
                    .trim_start_matches(['\r', '\n'])
                    .starts_with(|next: char| !next.is_whitespace());
                if start.is_some() && goes_on {
                    return vec![text];
                }
                parts.extend(start.take().map(|start| &text[start..at]));
            }
            None if letter.is_whitespace() => parts.extend(start.take().map(|start| &text[start..at])),
            None => {
                if letter == '"' || letter == '\'' && !is_in_number(&text[..at]) {
                    quote = Some(letter);
                }
                start.get_or_insert(at);
            }
        }
    }
    parts.extend(start.map(|start| &text[start..]));
    match quote {
        Some(_) => vec![text],
        None => parts,
    }
}

/// True if a text ends within a number: `1'000` has no quote.
fn is_in_number(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '\'');
    let word = &text[text.trim_end_matches(is_part).len()..];
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// So many names are compared with a word in the time of a step.
pub(crate) const NAMES_PER_STEP: usize = 4;

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(' ');
    }
}

/// True if the innermost open bracket is a brace: `{ a: 1, …`, not the typed parameters of a closure.
fn in_braces(before: &[SyntaxToken], tokens: &TokenizedSource<'_>) -> bool {
    let mut closed = 0_usize;
    for token in before.iter().rev() {
        if !tokens.budget.spend(1) {
            return false;
        }
        match token.kind {
            TokenKind::Close => closed += 1,
            TokenKind::Open if closed == 0 => return tokens.text_of(token) == "{",
            TokenKind::Open => closed -= 1,
            _ => {}
        }
    }
    false
}

/// Which words of a text are locals.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct LocalMarks<'m, 's> {
    /// The names in scope.
    pub(crate) locals: &'m [&'s str],
    /// True if string literals name locals in braces.
    pub(crate) in_strings: bool,
    /// Where a `!=` starts that is read as `==`.
    pub(crate) turned: &'m [u32],
}

impl LocalMarks<'_, '_> {
    /// A word that is not a member (`.x`), a path segment (`a::x`, `x::b`), a macro (`x!`), or the name
    /// of a field in a literal (`{ x: 1 }`).
    fn is_local(&self, tokens: &TokenizedSource<'_>, around: &[SyntaxToken], index: usize) -> bool {
        let word = tokens.text_of(&around[index]);
        if !tokens.budget.spend(self.locals.len() / NAMES_PER_STEP) {
            return false;
        }
        if !self.locals.contains(&word) {
            return false;
        }
        let before = index.checked_sub(1).map_or("", |at| tokens.text_of(&around[at]));
        let after = around.get(index + 1).map_or("", |token| tokens.text_of(token));
        let member = matches!(before, "." | "::" | "?.") || matches!(after, "::");
        let invoked = after == "!" && around.get(index + 2).is_some_and(|token| token.kind == TokenKind::Open);
        let field_name = after == ":" && matches!(before, "{" | ",") && in_braces(&around[..index], tokens);
        !(member || invoked || field_name)
    }

    /// `"{name:?} {}"`: the names between braces are marked like words.
    fn push_format_string(&self, literal: &str, text: &mut String) {
        let mut rest = literal;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at + 1);
            text.push_str(before);
            if let Some(escaped) = from.strip_prefix('{') {
                text.push('{');
                rest = escaped;
                continue;
            }
            let end = from
                .find(|letter: char| letter != '_' && !letter.is_alphanumeric())
                .unwrap_or(from.len());
            if self.locals.contains(&&from[..end]) {
                text.push(NormalisedText::LOCAL);
            }
            rest = from;
        }
        text.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_between_the_parts_of_a_directive_means_nothing() {
        for (text, parts) in [
            ("12", vec!["12"]),
            (
                "do {  \\\n    f(x);    \\\n  } while (0)",
                vec!["do", "{", "f(x);", "}", "while", "(0)"],
            ),
            ("a \\\r\n b", vec!["a", "b"]),
            (
                "f(\"a  b\", '\\'',  1'000  + 2'000)",
                vec!["f(\"a  b\",", "'\\'',", "1'000", "+", "2'000)"],
            ),
        ] {
            assert_eq!(spaced_parts(text), parts, "{text}");
        }
    }

    #[test]
    fn what_may_be_one_part_is_not_divided() {
        for text in ["ab\\\ncd  e", "don't  do", "\"a  \\\n b\"", "R\"(\")  \"  )\"  \""] {
            assert_eq!(spaced_parts(text), [text], "{text}");
        }
    }
}
