//! A source of C or C++ → the same in the words of a grammar that knows no preprocessor.
//!
//! Macros that mark a declaration (`class API Parser`), units (`64 KB`), and conditions that divide a statement are no part of
//! the grammar: one of them can hide all functions of a file. They are replaced where the parser fails, and kept as
//! items of their own, so that a change of one is seen. Every other byte stays in its place.

mod annotations;
mod code_bytes;
mod condition_value;
mod conditionals;
pub(super) mod known_macros;
mod lines;
pub(super) mod other_systems;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::syntax::{
    ItemKind, LineRange, ParseLimits, ParseProblem, SourceFile, SyntaxFunction, SyntaxItem, TokenDigester, too_costly,
};
use crate::text_search::is_part_of_word;
use annotations::AnnotationReach;
pub(super) use code_bytes::CodeBytes;
pub(super) use conditionals::conditions_around;
use conditionals::{Conditional, conditionals, is_condition};
pub(super) use lines::{JoinedLine, joined_lines, with_plain_breaks};
use words::end_of_word;

/// So often the parser is asked again, each time with what the errors before pointed to.
const MOST_ATTEMPTS: usize = 8;

/// Where all that was found together makes it worse, so many parts of it are tried.
const MOST_PARTS: usize = 8;

/// Of a source of normal size the parser is asked no more often. Of a larger one, it reads no more bytes in all.
const MOST_PARSES: usize = 48;
const MOST_BYTES_PARSED: usize = 16 << 20;

/// So many conditionals at errors are looked at.
const MOST_CONDITIONALS: usize = 500;

/// An error of more lines does not tell where its cause is.
const LARGEST_PRECISE_ERROR: u32 = 40;

/// So many lines may stand between an error and the conditional that causes it.
const LINES_BETWEEN: u32 = 3;

/// A declaration without a body is shorter.
const LONGEST_PROTOTYPE: usize = 1_000;

/// Words on either side of a macro in a function's body that tell where it stands.
const NEIGHBOURS: usize = 2;

/// A place whose text the grammar cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Replacement {
    place: Range<usize>,
    /// Is read instead. Spaces make up what it is shorter.
    with: &'static str,
    kept: KeptText,
}

impl Replacement {
    /// Spaces.
    const fn blank(place: Range<usize>, kept: KeptText) -> Self {
        Self { place, with: "", kept }
    }
}

/// How a replaced text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeptText {
    /// By what is read instead.
    Replaced,
    /// As an item that marks what stands beside it.
    Mark,
    /// As an item of its own.
    Item,
}

/// A source with its replacements.
struct ReadableSource<'s> {
    source: &'s str,
    code: &'s CodeBytes,
    /// Where its lines end.
    breaks: Arc<[usize]>,
    text: Vec<u8>,
    replacements: Vec<Replacement>,
}

/// Parses a source; where that fails, without what the grammar may not know near an error.
pub(super) fn parse_readable(source: &str, limits: &ParseLimits, parse: impl Fn(&str) -> SourceFile) -> SourceFile {
    let code = CodeBytes::of(source.as_bytes());
    let mut readable = ReadableSource::new(source, &code);
    let read = |readable: &ReadableSource<'_>| match std::str::from_utf8(&readable.text) {
        Ok(text) => parse(text),
        // Each place is of whole letters.
        Err(_) => parse(source),
    };
    let mut best = read(&readable);
    let is_settled =
        |file: &SourceFile| file.problems.is_empty() || file.functions.len() + file.items.len() > limits.definitions;
    let all_conditionals = match is_settled(&best) {
        true => Vec::new(),
        false => conditionals(source.as_bytes(), &code),
    };
    let mut parses = MOST_PARSES.min(MOST_BYTES_PARSED / source.len().max(1));
    let steps = [
        ReplacementStep::Marks,
        ReplacementStep::Unbalanced,
        ReplacementStep::Divided,
    ];
    // A step that finds nothing better finds nothing again before another one does.
    let mut in_vain = 0;
    for step in steps.into_iter().cycle().take(MOST_ATTEMPTS * steps.len()) {
        if is_settled(&best) || in_vain == steps.len() {
            break;
        }
        in_vain += 1;
        let parts = readable.unreadable(step, &best.problems, &all_conditionals);
        let all = parts.concat();
        let is_one = parts.len() < 2;
        let alone = parts.into_iter().filter(|_| !is_one).take(MOST_PARTS);
        for some in std::iter::once(all).chain(alone).filter(|some| !some.is_empty()) {
            if parses == 0 || readable.replacements.len() + some.len() > limits.definitions {
                break;
            }
            parses -= 1;
            let other = readable.with(some);
            let parsed = read(&other);
            let unread = unread_lines(&parsed).cmp(&unread_lines(&best));
            if unread.then(best.functions.len().cmp(&parsed.functions.len())).is_lt() {
                (best, readable, in_vain) = (parsed, other, 0);
                break;
            }
        }
    }
    let kept = readable
        .replacements
        .iter()
        .filter(|replacement| replacement.kept != KeptText::Replaced);
    match kept.count() > limits.definitions {
        true => too_costly(),
        false => {
            readable.keep_replaced(&mut best);
            best
        }
    }
}

/// True for a source with templates or namespaces, which C has not.
pub(super) fn is_of_cpp_alone(source: &str) -> bool {
    let text = source.as_bytes();
    let code = CodeBytes::of(text);
    let is_followed_by = |word: &str, is_next: fn(u8) -> bool| {
        memchr::memmem::find_iter(text, word.as_bytes()).any(|at| {
            let end = at + word.len();
            let is_whole = at.checked_sub(1).is_none_or(|before| !is_part_of_word(&text[before]));
            let next = code.first(text, end..text.len());
            is_whole && code.is_code(at) && next.is_some_and(|next| is_next(text[next]))
        })
    };
    is_followed_by("template", |next| next == b'<')
        || is_followed_by("namespace ", |next| next == b'{' || is_part_of_word(&next))
}

/// The lines that errors make unreliable, each counted once for each error.
pub(super) fn unread_lines(file: &SourceFile) -> u64 {
    let lines = |problem: &ParseProblem| {
        problem
            .lines
            .map_or(u64::MAX, |lines| u64::from(lines.last - lines.first) + 1)
    };
    (file.problems.iter()).fold(0, |sum, problem| sum.saturating_add(lines(problem)))
}

/// A kind of replacement, by which a source may become readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplacementStep {
    /// Conditionals with a branch that opens or closes brackets of what stands around, in the whole file.
    Unbalanced,
    /// Conditionals at an error.
    Divided,
    /// Macros at an error that mark a declaration or make a statement.
    Marks,
}

impl<'s> ReadableSource<'s> {
    /// A source without what no parser reads, be there an error or not.
    fn new(source: &'s str, code: &'s CodeBytes) -> Self {
        let readable = Self {
            source,
            breaks: memchr::memchr_iter(b'\n', source.as_bytes()).collect(),
            text: source.as_bytes().to_vec(),
            replacements: Vec::new(),
            code,
        };
        let readable = readable.with(words::unreadable_words(source, code));
        // Such a type may be taken for a function, which is no error.
        let of_types = annotations::annotations(&readable.text, code, &AnnotationReach::OfTypes);
        readable.with(of_types)
    }

    /// The same with further replacements.
    fn with(&self, found: Vec<Replacement>) -> Self {
        let mut text = self.text.clone();
        for Replacement { place, with, .. } in &found {
            let letters = with.bytes().chain(std::iter::repeat(b' '));
            let places = text[place.clone()].iter_mut().filter(|byte| **byte != b'\n');
            places.zip(letters).for_each(|(byte, letter)| *byte = letter);
        }
        let mut replacements = self.replacements.clone();
        replacements.extend(found);
        Self {
            source: self.source,
            code: self.code,
            breaks: Arc::clone(&self.breaks),
            text,
            replacements,
        }
    }

    /// The replacements that a step finds, in parts that may be made without the others.
    fn unreadable(
        &self,
        step: ReplacementStep,
        problems: &[ParseProblem],
        conditionals: &[Conditional],
    ) -> Vec<Vec<Replacement>> {
        let lines: Vec<LineRange> = problems.iter().filter_map(|problem| problem.lines).collect();
        let left = conditionals.iter().filter(|one| !self.is_taken(one));
        match step {
            ReplacementStep::Unbalanced => left.filter(|one| one.is_unbalanced).map(first_branch).collect(),
            ReplacementStep::Divided => {
                let is_at_error = |one: &&Conditional| {
                    lines.iter().any(|error| {
                        // One of many lines may begin with its cause.
                        let last = if is_precise(*error) { error.last } else { error.first };
                        one.lines.first <= last + LINES_BETWEEN && error.first <= one.lines.last + LINES_BETWEEN
                    })
                };
                // Those inside are looked at first: the ones around them may be whole.
                let touched: Vec<&Conditional> = left.filter(is_at_error).take(MOST_CONDITIONALS).collect();
                let is_around = |one: &Conditional, other: &Conditional| {
                    one.lines.first < other.lines.first && other.lines.last < one.lines.last
                };
                let innermost = (touched.iter()).filter(|one| !touched.iter().any(|other| is_around(one, other)));
                let mut parts: Vec<Vec<Replacement>> = innermost.map(|one| first_branch(one)).collect();
                parts.extend(self.directives_in(&lines).map(|replacement| vec![replacement]));
                parts
            }
            ReplacementStep::Marks => {
                let reach = AnnotationReach::of_errors(&lines);
                self.by_name(annotations::annotations(&self.text, self.code, &reach))
            }
        }
    }

    /// Those of one macro together, the most frequent first.
    fn by_name(&self, found: Vec<Replacement>) -> Vec<Vec<Replacement>> {
        let mut parts: BTreeMap<&[u8], Vec<Replacement>> = BTreeMap::new();
        for replacement in found {
            let Range { start, end } = replacement.place;
            let name = &self.text[start..end_of_word(&self.text, start, end)];
            parts.entry(name).or_default().push(replacement);
        }
        let mut parts: Vec<Vec<Replacement>> = parts.into_values().collect();
        parts.sort_by_key(|part| Reverse(part.len()));
        parts
    }

    /// Directives that are no conditions and stand on a line with an error, as in a list of values.
    fn directives_in<'p>(&'p self, errors: &'p [LineRange]) -> impl Iterator<Item = Replacement> + 'p {
        let is_in_error = |line: u32| {
            errors
                .iter()
                .any(|error| is_precise(*error) && error.first <= line && line <= error.last)
        };
        joined_lines(&self.text, self.code).filter_map(move |line| {
            let place = line.directive?;
            (is_in_error(line.lines.first) && !is_condition(&self.text[place.clone()]))
                .then(|| Replacement::blank(place, KeptText::Item))
        })
    }

    /// True if a conditional was replaced already.
    fn is_taken(&self, conditional: &Conditional) -> bool {
        let first = &conditional.directives[0];
        self.text.get(first.start) != Some(&b'#')
    }

    /// Keeps what was replaced: with the function that it marks, or as an item.
    fn keep_replaced(&self, file: &mut SourceFile) {
        let mut items = Vec::new();
        let mut kept: Vec<&Replacement> = (self.replacements.iter())
            .filter(|replacement| replacement.kept != KeptText::Replaced)
            .collect();
        // The line of a mark above another one is no line of the function before that one is.
        kept.sort_by_key(|replacement| Reverse(replacement.place.start));
        for replacement in kept {
            let Some(start) = self.code.first(self.source.as_bytes(), replacement.place.clone()) else {
                continue;
            };
            let line = self.line_of(start);
            let mut below = self.text[replacement.place.end..].split(|&byte| byte == b'\n');
            let is_alone = below.next().is_some_and(|rest| rest.trim_ascii().is_empty());
            let is_marked = |function: &&mut Arc<SyntaxFunction>| {
                is_in_head(line, function) || is_alone && is_in_head(line + 1, function)
            };
            let marked = (replacement.kept == KeptText::Mark)
                .then(|| file.functions.iter_mut().find(is_marked))
                .flatten();
            match marked {
                Some(function) => mark(Arc::make_mut(function), line, &self.source[replacement.place.clone()]),
                None => items.push(self.item(replacement, start, &file.functions)),
            }
        }
        file.items.extend(items);
        file.items.sort_by_key(|item| item.lines.first);
    }

    /// The item of a replaced text, of which the first code stands at `start`.
    fn item(&self, replacement: &Replacement, start: usize, functions: &[Arc<SyntaxFunction>]) -> SyntaxItem {
        let place = &replacement.place;
        let line = self.line_of(start);
        let around = (functions.iter())
            .filter(|function| function.lines.first < line && line <= function.lines.last)
            .min_by_key(|function| function.lines.last - function.lines.first);
        let mut digester = TokenDigester::new();
        let text = self.source[start..place.end].lines().next().unwrap_or_default();
        let (mut kind, mut name) = (ItemKind::Attribute, text.to_owned());
        match replacement.kept {
            KeptText::Replaced | KeptText::Item => self.words(place.clone()).for_each(|word| digester.token(word)),
            KeptText::Mark if around.is_some() => self.neighbourhood(place, &mut digester),
            // A macro on a line of its own marks what the next one says.
            KeptText::Mark => {
                let behind = &self.source[place.end..];
                let marked = place.end + behind.len() - behind.trim_start().len();
                let begin = self.source[..place.start].rfind('\n').map_or(0, |at| at + 1);
                let end = self.source[marked..]
                    .find('\n')
                    .map_or(self.source.len(), |at| marked + at);
                let statement = &self.text[begin..self.text.len().min(begin + LONGEST_PROTOTYPE)];
                let told = match std::str::from_utf8(statement).ok().and_then(prototype_name) {
                    // The rest of it is read, and says something by itself if it tells more than types.
                    Some(marked) => {
                        (kind, name) = (ItemKind::Prototype, marked.to_owned());
                        place.clone()
                    }
                    None => {
                        name = [&self.source[begin..place.end], self.source[place.end..end].trim()].join(" ");
                        begin..end
                    }
                };
                self.words(told).for_each(|word| digester.token(word));
            }
        }
        SyntaxItem {
            kind,
            name,
            path: around.map_or_else(Vec::new, |function| function.path.clone()),
            digest: digester.finish(),
            lines: LineRange {
                first: line,
                last: self.line_of(place.end.max(1) - 1),
            },
            test_only: around.is_some_and(|function| function.test_only),
            value: None,
        }
    }

    fn line_of(&self, at: usize) -> u32 {
        let breaks = self.breaks.partition_point(|&line_break| line_break < at);
        u32::try_from(breaks + 1).unwrap_or(u32::MAX)
    }

    /// The words of a range, without comments.
    fn words(&self, range: Range<usize>) -> impl Iterator<Item = &'s str> {
        let is_kept = |at: usize| !self.code.is_comment(at);
        let mut parts: Vec<&str> = Vec::new();
        let mut start = None;
        for at in range.clone() {
            match (start, is_kept(at)) {
                (None, true) => start = Some(at),
                (Some(first), false) => {
                    parts.extend(self.source.get(first..at));
                    start = None;
                }
                _ => {}
            }
        }
        parts.extend(start.and_then(|first| self.source.get(first..range.end)));
        parts.into_iter().flat_map(str::split_whitespace)
    }

    /// A macro in a function's body, with the words on either side.
    fn neighbourhood(&self, place: &Range<usize>, digester: &mut TokenDigester) {
        let before = &self.source[..place.start];
        let behind = &self.source[place.end..];
        let mut words: Vec<&str> = before.split_whitespace().rev().take(NEIGHBOURS).collect();
        words.reverse();
        words.extend(self.source[place.clone()].split_whitespace());
        words.extend(behind.split_whitespace().take(NEIGHBOURS));
        words.into_iter().for_each(|word| digester.token(word));
    }
}

/// The replacements that leave a conditional's first branch.
fn first_branch(of: &Conditional) -> Vec<Replacement> {
    let directives = of.directives.iter().cloned();
    let places = directives.chain(of.other_branches());
    places.map(|place| Replacement::blank(place, KeptText::Item)).collect()
}

/// True for a line of a function up to the one where its body begins.
fn is_in_head(line: u32, function: &SyntaxFunction) -> bool {
    let body = (function.blocks.first()).map_or(function.lines.first, |body| body.lines.first);
    function.lines.first <= line && line <= body
}

/// The name of a function that is declared here without a body.
fn prototype_name(text: &str) -> Option<&str> {
    let statement = &text[..text.find([';', '{', '}', '#'])?];
    let head = statement
        .split('(')
        .next()
        .filter(|head| head.len() < statement.len())?
        .trim_end();
    let name = head
        .rsplit(|letter: char| letter != '_' && !letter.is_alphanumeric())
        .next()?;
    let ends = text[statement.len()..].starts_with(';') && !head.contains('=');
    (ends && !name.is_empty()).then_some(name)
}

/// Adds a macro to what a function is marked with.
fn mark(function: &mut SyntaxFunction, line: u32, text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut digester = TokenDigester::new();
    digester.token(&format!("{:?}", function.digest));
    digester.token(&text);
    function.digest = digester.finish();
    function.lines.first = function.lines.first.min(line);
    function.attributes.push(text);
    function.attributes.sort();
}

/// True for an error whose cause is near its lines.
fn is_precise(error: LineRange) -> bool {
    error.last - error.first < LARGEST_PRECISE_ERROR
}

#[cfg(test)]
mod tests;
