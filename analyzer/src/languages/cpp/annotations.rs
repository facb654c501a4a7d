//! A source of C or C++ → the same without what the preprocessor takes out before the compiler reads it, where a grammar that
//! knows no preprocessor fails.
//!
//! Macros that mark a declaration (`class API Parser`, `void CDECL free(void *)`) are no part of the grammar. They are blanked
//! where the parser fails, and kept as items of their own, so that a change of one is seen.

use std::borrow::Cow;
use std::ops::Range;

use crate::syntax::{ItemKind, LineRange, ParseLimits, ParseProblem, SourceFile, SyntaxItem, TokenDigester};
use crate::text_search::is_part_of_word;

/// So often the parser is asked again, each time with what the errors before pointed to.
const MOST_ATTEMPTS: usize = 8;

/// A line that goes on in the next one, with the line break of another system.
const CONTINUED: &str = "\\\r\n";

/// Conditions that hold for C++ alone, without spaces.
const FOR_CPP: [&str; 3] = ["ifdef__cplusplus", "ifdefined(__cplusplus)", "ifdefined__cplusplus"];

/// Lines that say how names are linked, or end that, without spaces.
const LINKAGE: [&str; 5] = ["extern\"C\"{", "extern\"C\"", "{", "}", "};"];

/// Words before the name of a type.
const TYPE_WORDS: [&[u8]; 5] = [b"class", b"struct", b"union", b"enum", b"namespace"];

/// Parses a source; where that fails, without the macros that may mark a declaration near an error.
pub(super) fn parse_without_annotations(
    source: &str,
    limits: &ParseLimits,
    parse: impl Fn(&str) -> SourceFile,
) -> SourceFile {
    let mut text = without_directives(source);
    // Such a type may be taken for a function, which is no error.
    let mut blanked = annotations_near(&text, &[], AnnotationKind::OfTypes);
    if !blanked.is_empty() {
        text = Cow::Owned(blank(&text, &blanked));
    }
    let mut best = parse(&text);
    for _ in 0..MOST_ATTEMPTS {
        if best.problems.is_empty() || best.functions.len() + best.items.len() > limits.definitions {
            break;
        }
        let found = annotations_near(&text, &best.problems, AnnotationKind::Any);
        if found.is_empty() {
            break;
        }
        let without = blank(&text, &found);
        let parsed = parse(&without);
        let unread = unread_lines(&parsed).cmp(&unread_lines(&best));
        if unread.then(best.functions.len().cmp(&parsed.functions.len())).is_ge() {
            break;
        }
        best = parsed;
        text = Cow::Owned(without);
        blanked.extend(found);
    }
    add_items(source, blanked, &mut best);
    best
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

/// The text with spaces in these places.
fn blank(text: &str, places: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for place in places {
        bytes[place.clone()]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b' ');
    }
    // Each place is of whole letters.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The text without what the preprocessor reads and the grammar does not: directives that are only a comment, and
/// `extern "C" {` with its end where only a compiler of C++ sees them, since the brackets of such a pair stand under conditions
/// of their own. A line is continued also where it ends in the way of another system.
fn without_directives(source: &str) -> Cow<'_, str> {
    let mut places = Vec::new();
    let mut is_inside = false;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let word: String = line.chars().filter(|letter| !letter.is_whitespace()).collect();
        let code = word
            .split("/*")
            .next()
            .and_then(|code| code.split("//").next())
            .unwrap_or("");
        let end = start
            + line
                .find("/*")
                .or_else(|| line.find("//"))
                .unwrap_or(line.trim_end().len());
        if let Some(directive) = code.strip_prefix('#') {
            is_inside = FOR_CPP.contains(&directive);
            if directive.is_empty() {
                places.push(start..start + line.trim_end().len());
            }
        } else if is_inside && LINKAGE.contains(&code) {
            places.push(start..end);
        }
        start += line.len();
    }
    let blanked = match places.is_empty() {
        true => Cow::Borrowed(source),
        false => Cow::Owned(blank(source, &places)),
    };
    match blanked.contains(CONTINUED) {
        true => Cow::Owned(blanked.replace(CONTINUED, " \\\n")),
        false => blanked,
    }
}

/// The macros that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnnotationKind {
    /// Those between `class` and the name of a type that is defined there, in the whole file: without them nothing in the type
    /// is read.
    OfTypes,
    /// All that may be one, near an error.
    Any,
}

/// The words that may be macros which mark a declaration.
fn annotations_near(text: &str, problems: &[ParseProblem], kind: AnnotationKind) -> Vec<Range<usize>> {
    let near: Vec<LineRange> = problems.iter().filter_map(|problem| problem.lines).collect();
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut continues) = (0, false);
    let mut in_comment = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let is_directive = continues || line.trim_start().starts_with('#');
        continues = is_directive && line.trim_end().ends_with('\\');
        let was_comment = in_comment;
        in_comment = match (line.rfind("/*"), line.rfind("*/")) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => in_comment,
        };
        // A marked declaration may begin in the line before.
        let is_near = kind == AnnotationKind::OfTypes
            || near
                .iter()
                .any(|lines| lines.first <= number.saturating_add(1) && number <= lines.last);
        if is_near && !is_directive && !was_comment {
            annotations_in(bytes, start..start + line.len(), kind, &mut found);
        }
        start += line.len();
    }
    found
}

fn annotations_in(text: &[u8], line: Range<usize>, kind: AnnotationKind, found: &mut Vec<Range<usize>>) {
    let mut at = line.start;
    while at < line.end {
        if text[at..].starts_with(b"//") || text[at..].starts_with(b"/*") || text[at] == b'"' {
            return;
        }
        if !is_part_of_word(&text[at]) {
            at += 1;
            continue;
        }
        let length = text[at..line.end]
            .iter()
            .take_while(|byte| is_part_of_word(byte))
            .count();
        let word = at..at + length;
        at += length;
        if let Some(end) = end_of_annotation(text, word.clone(), &line, kind) {
            found.push(word.start..end);
            at = at.max(end);
        }
    }
}

/// The end of a macro that marks what follows; `None` if the word may be something else.
fn end_of_annotation(text: &[u8], word: Range<usize>, line: &Range<usize>, kind: AnnotationKind) -> Option<usize> {
    let name = &text[word.clone()];
    let is_macro_case = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    if name.len() < 2 || !name.iter().all(is_macro_case) || !name.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    let end = end_of_arguments(text, word.end).unwrap_or(word.end);
    let before = text[line.start..word.start].trim_ascii();
    let rest = text.get(end..line.end.max(end))?.trim_ascii();
    let starts_name = rest
        .first()
        .is_some_and(|byte| is_part_of_word(byte) || matches!(byte, b'*' | b'~'));
    let follows_type_word = TYPE_WORDS.iter().any(|known| before.ends_with(known));
    let is_found = match kind {
        AnnotationKind::OfTypes => follows_type_word && starts_name && defines_type(rest, &text[line.end..]),
        AnnotationKind::Any => {
            let is_alone = before.is_empty() && rest.is_empty();
            let ends_head = before.ends_with(b")") && matches!(rest.first(), None | Some(b'{'));
            // A macro for a unit: `64 KB`.
            let is_unit =
                before.last().is_some_and(u8::is_ascii_digit) && matches!(rest.first(), Some(b',' | b'}' | b')'));
            is_alone || starts_name || ends_head || is_unit
        }
    };
    is_found.then_some(end)
}

/// True for `Name {`, `Name : public Base` or `Name final`, where the bracket may stand in the next line.
fn defines_type(rest: &[u8], below: &[u8]) -> bool {
    let length = rest.iter().take_while(|byte| is_part_of_word(byte)).count();
    let behind = rest[length..].trim_ascii();
    let behind = behind.strip_prefix(b"final").unwrap_or(behind).trim_ascii();
    match behind {
        [] => below.trim_ascii_start().starts_with(b"{"),
        [b'{', ..] => true,
        [b':', next, ..] => *next != b':',
        _ => false,
    }
}

/// The end of `(…)` right behind a word, in the same line or the next ones.
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

/// An item for each blanked macro, with the line that it stands on and marks.
fn add_items(source: &str, blanked: Vec<Range<usize>>, file: &mut SourceFile) {
    for place in blanked {
        let before = &source[..place.start];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        // A macro on a line of its own marks what the next one says.
        let behind = &source[place.end..];
        let marked = place.end + behind.len() - behind.trim_start().len();
        let end = source[marked..].find('\n').map_or(source.len(), |at| marked + at);
        let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
        let mut digester = TokenDigester::new();
        source[start..end]
            .split_whitespace()
            .for_each(|word| digester.token(word));
        file.items.push(SyntaxItem {
            kind: ItemKind::Attribute,
            name: source[place].to_owned(),
            path: Vec::new(),
            digest: digester.finish(),
            lines: LineRange {
                first: line,
                last: line,
            },
            test_only: false,
            value: None,
        });
    }
    file.items.sort_by_key(|item| item.lines.first);
}

#[cfg(test)]
mod tests {
    use crate::syntax::{ItemKind, SourceFile, SourceParser};

    fn parsed(source: &str) -> SourceFile {
        SourceParser::default().parse("a.h", source.as_bytes())
    }

    fn functions(source: &str) -> Vec<String> {
        let file = parsed(source);
        assert!(file.problems.is_empty(), "{source}: {:?}", file.problems);
        file.functions.iter().map(|function| function.path.join("::")).collect()
    }

    #[test]
    fn a_macro_before_the_name_of_a_type_does_not_hide_its_methods() {
        for head in [
            "class API Parser",
            "class API Parser : public Base",
            "struct API(1) Parser final",
        ] {
            let source = format!("{head} {{\n    int next() {{ return 1; }}\n}};\n");
            assert_eq!(functions(&source), ["Parser::next"], "{head}");
        }
    }

    #[test]
    fn a_macro_around_a_functions_name_does_not_hide_it() {
        for head in [
            "static void CDECL release(void *at)",
            "FORCE_INLINE\nint release(void *at)",
            "void release(void *at) NO_ANALYSIS",
        ] {
            assert_eq!(
                functions(&format!("{head}\n{{\n    at = 0;\n}}\n")),
                ["release"],
                "{head}"
            );
        }
    }

    #[test]
    fn linkage_for_one_language_alone_hides_nothing() {
        let source =
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint one(void) { return 1; }\n#ifdef __cplusplus\n}\n#endif\n";
        assert_eq!(functions(source), ["one"]);
    }

    #[test]
    fn another_macro_is_seen_as_a_change_of_an_item() {
        let digests = |source: &str| -> Vec<_> {
            let items = parsed(source).items;
            let marks = items.into_iter().filter(|item| item.kind == ItemKind::Attribute);
            marks.map(|item| item.digest).collect()
        };
        let source = "static void FAST release(void *at) { at = 0; }\nstatic void other(void) {}\n";
        let elsewhere = "static void release(void *at) { at = 0; }\nstatic void FAST other(void) {}\n";
        assert!(!digests(source).is_empty());
        assert_ne!(digests(source), digests(&source.replace("FAST", "SLOW")));
        assert_ne!(digests(source), digests(elsewhere));
    }

    #[test]
    fn a_macro_that_moves_to_another_function_is_seen() {
        let digests = |source: &str| -> Vec<_> {
            let items = parsed(source).items;
            let marks = items.into_iter().filter(|item| item.kind == ItemKind::Attribute);
            marks.map(|item| item.digest).collect()
        };
        let function = |name: &str| format!("static void CDECL {name}(void *at) {{ at = 0; }}\n");
        let one = ["FAST\n", &function("first"), &function("second")].concat();
        let other = [&function("first"), "FAST\n", &function("second")].concat();
        let sorted = |mut digests: Vec<_>| {
            digests.sort_by_key(|digest| format!("{digest:?}"));
            digests
        };
        assert!(digests(&one).len() > 2);
        assert_ne!(sorted(digests(&one)), sorted(digests(&other)));
    }

    #[test]
    fn a_type_or_value_in_capitals_stays() {
        let source = "struct STAT now = {0};\nstatic UINT size(WORD of) { return of + LIMIT; }\n";
        assert_eq!(functions(source), ["size"]);
        assert!(parsed(source).items.iter().all(|item| item.kind != ItemKind::Attribute));
    }
}
