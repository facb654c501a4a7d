//! Text that the grammars of C and C++ do not read, be there an error or not: units behind numbers, files and namespaces in
//! conditions of the preprocessor, types that make a value, comments inside of macros.

use std::ops::Range;

use super::code_bytes::CodeBytes;
use super::conditionals::is_condition;
use super::lines::joined_lines;
use super::{KeptText, Replacement};
use crate::text_search::is_part_of_word;

/// Conditions that hold for C++ alone, without spaces.
const FOR_CPP: [&str; 3] = ["ifdef__cplusplus", "ifdefined(__cplusplus)", "ifdefined__cplusplus"];

/// Lines that say how names are linked, or end that, without spaces.
const LINKAGE: [&str; 5] = ["extern\"C\"{", "extern\"C\"", "{", "}", "};"];

/// Names of types that make a value of another, each with a word of the same length: `(unsigned(x) + 1)` is taken for a cast to
/// `unsigned`.
const TYPE_CALLS: [(&str, &str); 4] = [
    ("unsigned", "unsigne_"),
    ("signed", "signe_"),
    ("short", "shor_"),
    ("long", "lon_"),
];

/// Names of files and namespaces are shorter.
const LONGEST_ARGUMENTS: usize = 400;

/// The replacements of any source.
pub(super) fn unreadable_words(source: &str, code: &CodeBytes) -> Vec<Replacement> {
    let text = source.as_bytes();
    let mut found = Vec::new();
    let mut is_for_cpp = false;
    for line in joined_lines(text, code) {
        let range = line.range;
        if let Some(directive) = line.directive {
            let written = without_spaces(source, directive.start + 1..directive.end, code);
            is_for_cpp = FOR_CPP.contains(&&*written);
            if written.is_empty() {
                found.push(Replacement::blank(directive.clone(), KeptText::Replaced));
            } else if is_condition(&text[directive.clone()]) {
                files_and_namespaces(text, directive.clone(), code, &mut found);
            }
            comments_between_lines(text, directive, code, &mut found);
        } else {
            if is_for_cpp && LINKAGE.contains(&&*without_spaces(source, range.clone(), code)) {
                found.push(Replacement::blank(range.clone(), KeptText::Replaced));
            }
            found.extend(label_before_directive(text, range.clone(), code));
            units(text, range.clone(), code, &mut found);
            type_calls(text, range.clone(), code, &mut found);
            values_of_types(text, range.clone(), code, &mut found);
            found.extend(type_of_enumeration(text, range.clone(), code));
            empty_defaults(text, range.clone(), code, &mut found);
        }
        // A line that goes on in the next one, with the line break of another system.
        found.extend(line_breaks(text, range));
    }
    found
}

/// The text of a range without spaces and comments.
fn without_spaces(source: &str, range: Range<usize>, code: &CodeBytes) -> String {
    let start = range.start;
    let letters = source[range]
        .char_indices()
        .filter(|&(at, letter)| !letter.is_whitespace() && !code.is_comment(start + at));
    letters.map(|(_, letter)| letter).collect()
}

/// `\` before a line break that the parser does not know.
fn line_breaks(text: &[u8], line: Range<usize>) -> impl Iterator<Item = Replacement> {
    let starts = memchr::memmem::find_iter(&text[line.clone()], b"\\\r\n").map(move |at| line.start + at);
    starts.map(|at| Replacement {
        place: at..at + 2,
        with: " \\",
        kept: KeptText::Replaced,
    })
}

/// The arguments of `__has_include(<file>)` and `__has_cpp_attribute(name::space)` in a condition.
fn files_and_namespaces(text: &[u8], line: Range<usize>, code: &CodeBytes, found: &mut Vec<Replacement>) {
    let mut at = line.start;
    while at < line.end {
        if text[at] == b'(' && code.is_code(at) && at > 0 && is_part_of_word(&text[at - 1]) {
            let longest = line.end.min(at + LONGEST_ARGUMENTS);
            let length = memchr::memchr(b')', &text[at..longest]).unwrap_or(0);
            let inside = at + 1..at + length.max(1);
            let arguments = &text[inside.clone()];
            if arguments.starts_with(b"<") || memchr::memmem::find(arguments, b"::").is_some() {
                found.push(Replacement {
                    place: inside,
                    with: "0",
                    kept: KeptText::Item,
                });
            }
        }
        at += 1;
    }
}

/// `label:` with no statement before the next directive becomes `label;`.
fn label_before_directive(text: &[u8], line: Range<usize>, code: &CodeBytes) -> Option<Replacement> {
    let first = code.first(text, line.clone())?;
    let last = code.last(text, line.clone())?;
    let name = &text[first..end_of_word(text, first, line.end)];
    let is_label = text[last] == b':' && first + name.len() == last && !OTHER_LABELS.contains(&name);
    let next = code.first(text, line.end..text.len())?;
    (is_label && text[next] == b'#').then_some(Replacement {
        place: last..last + 1,
        with: ";",
        kept: KeptText::Replaced,
    })
}

/// Words before a colon that no statement has to follow.
const OTHER_LABELS: [&[u8]; 4] = [b"default", b"public", b"protected", b"private"];

/// `64 KB` becomes `64*KB`: such a unit is a factor.
fn units(text: &[u8], line: Range<usize>, code: &CodeBytes, found: &mut Vec<Replacement>) {
    let mut at = line.start;
    while at < line.end {
        if !is_part_of_word(&text[at]) || !code.is_code(at) {
            at += 1;
            continue;
        }
        let end = end_of_word(text, at, line.end);
        let space = text[end..line.end].iter().take_while(|&&byte| byte == b' ').count();
        let unit = end + space..end_of_word(text, end + space, line.end);
        if text[at].is_ascii_digit() && space > 0 && code.is_code(unit.start) && is_macro_name(&text[unit.clone()]) {
            found.push(Replacement {
                place: end..end + space,
                with: "*",
                kept: KeptText::Replaced,
            });
        }
        at = end;
    }
}

/// A type that makes a value, first in brackets.
fn type_calls(text: &[u8], line: Range<usize>, code: &CodeBytes, found: &mut Vec<Replacement>) {
    for (name, with) in TYPE_CALLS {
        for at in memchr::memmem::find_iter(&text[line.clone()], name.as_bytes()).map(|at| line.start + at) {
            let place = at..at + name.len();
            let is_first = at > line.start && text[at - 1] == b'(';
            if is_first && text.get(place.end) == Some(&b'(') && code.is_code(at) {
                found.push(Replacement {
                    place,
                    with,
                    kept: KeptText::Replaced,
                });
            }
        }
    }
}

/// A comment in a directive of several lines.
fn comments_between_lines(text: &[u8], directive: Range<usize>, code: &CodeBytes, found: &mut Vec<Replacement>) {
    if memchr::memchr(b'\n', &text[directive.clone()]).is_none() {
        return;
    }
    for at in memchr::memmem::find_iter(&text[directive.clone()], b"/*").map(|at| directive.start + at) {
        let is_comment = !code.is_code(at) && (at == directive.start || code.is_code(at - 1));
        let end = (at..directive.end).find(|&at| code.is_code(at));
        if let (true, Some(end)) = (is_comment, end) {
            found.push(Replacement::blank(at..end, KeptText::Replaced));
        }
    }
}

/// `typename A::B(c)` makes a value.
fn values_of_types(text: &[u8], line: Range<usize>, code: &CodeBytes, found: &mut Vec<Replacement>) {
    const TYPENAME: &[u8] = b"typename ";
    for at in memchr::memmem::find_iter(&text[line.clone()], TYPENAME).map(|at| line.start + at) {
        let name = text[at + TYPENAME.len()..line.end].iter();
        let length = name.take_while(|&byte| is_part_of_word(byte) || *byte == b':').count();
        let end = at + TYPENAME.len() + length;
        if code.is_code(at) && length > 0 && text.get(end) == Some(&b'(') {
            found.push(Replacement::blank(at..at + TYPENAME.len(), KeptText::Replaced));
        }
    }
}

/// `enum : unsigned {`.
fn type_of_enumeration(text: &[u8], line: Range<usize>, code: &CodeBytes) -> Option<Replacement> {
    let first = code.first(text, line.clone())?;
    let word = end_of_word(text, first, line.end);
    let colon = code.first(text, word..line.end).filter(|&at| text[at] == b':')?;
    let end = (colon..line.end).find(|&at| text[at] == b'{')?;
    let is_type = text[colon + 1..end]
        .iter()
        .all(|byte| is_part_of_word(byte) || matches!(byte, b' ' | b':'));
    (&text[first..word] == b"enum" && is_type).then(|| Replacement::blank(colon..end, KeptText::Item))
}

/// `type name = {})`: the default of a parameter.
fn empty_defaults(text: &[u8], line: Range<usize>, code: &CodeBytes, found: &mut Vec<Replacement>) {
    const DEFAULT: &[u8] = b"= {}";
    for at in memchr::memmem::find_iter(&text[line.clone()], DEFAULT).map(|at| line.start + at) {
        let end = at + DEFAULT.len();
        if code.is_code(at) && matches!(text.get(end), Some(b',' | b')')) {
            found.push(Replacement {
                place: end - 2..end,
                with: "0",
                kept: KeptText::Replaced,
            });
        }
    }
}

/// The end of a word, which may be empty.
pub(super) fn end_of_word(text: &[u8], start: usize, end: usize) -> usize {
    let letters = text[start..end.max(start)].iter();
    start + letters.take_while(|byte| is_part_of_word(byte)).count()
}

/// True for a name in capitals, as macros have it.
pub(super) fn is_macro_name(name: &[u8]) -> bool {
    let is_macro_case = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    name.len() > 1
        && name.iter().all(is_macro_case)
        && name.iter().any(u8::is_ascii_uppercase)
        && !name[0].is_ascii_digit()
}
