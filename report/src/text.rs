//! Text that somebody else wrote (names of functions, files, branches, benchmarks) → text that is safe to
//! show: on a terminal, in markdown, in a cell of a given width. Styles nothing.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

/// Length to which object ids are cut where they are shown: unambiguous in histories of millions.
const SHORT_ID: usize = 10;

/// Marks (accents, vowel signs) that may stand on one letter: more than any script needs would grow over the lines above
/// and below, and take no column of a limit in columns.
const MARKS: usize = 4;

/// Text of several lines, each made [`safe`], as a message of lito that quotes a file or a program.
#[must_use]
pub fn safe_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(safe).collect();
    lines.join("\n")
}

/// The text with every character that could move the cursor, reorder or hide what is shown written as an
/// escape (`\n`, `\u{202e}`). The result is one line and safe for any terminal.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let mut marks = 0;
    for character in text.chars() {
        marks = if character.width() == Some(0) { marks + 1 } else { 0 };
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if is_hostile(c) || marks > MARKS => write_out(c, &mut shown),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// `\u{202e}`.
fn write_out(character: char, shown: &mut String) {
    write!(shown, "\\u{{{:x}}}", u32::from(character)).expect("a string takes every write");
}

/// Control characters, line separators, and what Unicode has to reorder text (the bidirectional controls of
/// UAX 9) or to hide it (zero-width and default-ignorable characters, blanks that are letters, variations, tags);
/// and the two that no XML document can hold.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{00ad}'
                | '\u{034f}'
                | '\u{061c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The text as a markdown code span that holds in a table cell too; no markup, mention or link in it works.
///
/// A limit: who answers a comment by mail quotes it as plain text, where code protects nothing. To break the name for that
/// would be to show one that can't be copied.
#[must_use]
pub fn markdown_code(text: &str) -> String {
    let text = safe(text);
    let text = text.trim();
    if text.is_empty() {
        return String::from("` `");
    }
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    // A bar ends the cell, unless a backslash stands before it that none stands before.
    let text = text.replace("\\|", "\\\\u{7c}").replace('|', "\\|");
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The text as a block of code, one line, a fence around it that it can't close.
#[must_use]
pub fn markdown_block(language: &str, text: &str) -> String {
    let text = safe(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// The text as plain markdown prose: whatever would be markup, HTML, a mention, a reference or an address is escaped,
/// wherever in a line it stands. Code spans in backticks, as lito's own sentences have them, are kept and closed against
/// escapes.
#[must_use]
pub fn markdown_prose(text: &str) -> String {
    let text = text.trim();
    let parts: Vec<&str> = text.split('`').collect();
    let balanced = parts.len() % 2 == 1;
    let mut prose = String::with_capacity(text.len() + 16);
    for (index, part) in parts.iter().enumerate() {
        let code = balanced && index % 2 == 1;
        match (code, *part) {
            (true, "") => prose.push_str("\\`\\`"),
            (true, part) => prose.push_str(&markdown_code(part)),
            (false, part) => {
                if index > 0 && !balanced {
                    prose.push_str("\\`");
                }
                escape_prose(part, &mut prose);
            }
        }
    }
    unblocked(prose)
}

/// Nothing that is seen, and the end of a word. GitHub looks for mentions and references in the text that the reader
/// sees, where a character that is written as an entity is the character; between two halves it finds none.
const APART: &str = "&#8203;";

/// Hexadecimal digits that GitHub takes for a commit, where they are a word.
const OBJECT_ID: usize = 7;

fn escape_prose(text: &str, prose: &mut String) {
    let shown = safe(text);
    let mut rest: &str = &shown;
    let mut before = ' ';
    while let Some(character) = rest.chars().next() {
        if let Some(id) = object_id(rest).filter(|_| !before.is_ascii_alphanumeric()) {
            // In code it is not a mention, and can still be copied.
            prose.push_str(&markdown_code(id));
            rest = &rest[id.len()..];
            before = 'x';
            continue;
        }
        rest = &rest[character.len_utf8()..];
        let after = rest.chars().next().unwrap_or(' ');
        match character {
            '<' => prose.push_str("&lt;"),
            '>' => prose.push_str("&gt;"),
            '&' => prose.push_str("&amp;"),
            // Mathematics; a backslash before it is part of it.
            '$' => prose.push_str("&#36;"),
            '\\' | '*' | '_' | '[' | ']' | '|' | '~' | '!' => {
                prose.push('\\');
                prose.push(character);
            }
            // Mentions, addresses of mail; issues.
            '@' | '#' => {
                prose.push(character);
                prose.push_str(APART);
            }
            // Addresses; `:tada:`.
            ':' if after == '/' || is_shortcode(rest) => {
                prose.push(':');
                prose.push_str(APART);
            }
            // `www.`
            '.' if ends_in(prose, "www") => {
                prose.push_str(APART);
                prose.push('.');
            }
            // `GH-1`, `CVE-2020-1`, `GHSA-x`, and what a repository sets up for its own tracker.
            '-' if (before.is_ascii_alphabetic() && after.is_ascii_digit()) || ends_in(prose, "ghsa") => {
                prose.push('-');
                prose.push_str(APART);
            }
            c => prose.push(c),
        }
        before = character;
    }
}

/// Whether what follows a colon ends in another, as in `:tada:`.
fn is_shortcode(after: &str) -> bool {
    let word = after.trim_start_matches(|c: char| c.is_alphanumeric() || "+-_".contains(c));
    word.len() < after.len() && word.starts_with(':')
}

fn ends_in(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    let end = start.and_then(|start| text.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// The word that the text starts with, if it could be the id of a commit.
fn object_id(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric());
    let word = &text[..end.unwrap_or(text.len())];
    let is_id = word.len() >= OBJECT_ID && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(word)
}

/// The prose, so that it opens no list, rule or heading where it stands at the start of a line.
fn unblocked(mut prose: String) -> String {
    let digits = prose.len() - prose.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = prose[digits..].chars().next();
    let after = prose[digits..].chars().nth(1);
    let opens = match mark {
        Some('.' | ')') => digits > 0 && matches!(after, None | Some(' ')),
        Some('+' | '-') => digits == 0 && (matches!(after, None | Some(' ')) || after == mark),
        Some('=') => digits == 0,
        _ => false,
    };
    if opens {
        prose.insert(digits, '\\');
    }
    prose
}

/// One word of a POSIX shell: as it is if nothing in it means anything, else between single quotes.
#[must_use]
pub fn quoted_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/_-.,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// An object id, shortened as it is shown to people.
#[must_use]
pub fn short_id(id: &str) -> Cow<'_, str> {
    match id.get(..SHORT_ID) {
        Some(short) if id.bytes().all(|b| b.is_ascii_hexdigit()) => Cow::Borrowed(short),
        _ => safe(id),
    }
}

/// Columns that a text without escape sequences takes on a terminal.
#[must_use]
pub fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The text, cut at the end to at most `columns`, the cut shown by `…`.
#[must_use]
pub fn cut_end(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(character);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    Cow::Owned(kept)
}

/// The text, cut at its start: the end of a path or of a function's name says the most.
#[must_use]
pub fn cut_start(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let mut start = text.len();
    for (index, character) in text.char_indices().rev() {
        used += character.width().unwrap_or(0);
        if used > columns {
            break;
        }
        start = index;
    }
    Cow::Owned(format!("…{}", &text[start..]))
}

/// The text broken at spaces into lines of at most `columns`; words longer than that stay whole.
#[must_use]
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reordering_characters_are_written_out() {
        assert_eq!(safe("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(safe("\x1b[31mred"), "\\u{1b}[31mred");
        assert_eq!(safe("two\nlines"), "two\\nlines");
        assert_eq!(safe("Größe::mètre"), "Größe::mètre");
    }

    #[test]
    fn code_spans_survive_backticks_and_pipes() {
        assert_eq!(markdown_code("a|b"), "`a\\|b`");
        assert_eq!(markdown_code("a\\|b"), "`a\\\\u{7c}b`");
        assert_eq!(markdown_code("a`b"), "``a`b``");
        assert_eq!(markdown_code("`b"), "`` `b ``");
        assert_eq!(markdown_code(""), "` `");
    }

    #[test]
    fn prose_neither_links_nor_mentions() {
        assert_eq!(markdown_prose("@all see #1"), "@&#8203;all see #&#8203;1");
        assert_eq!(markdown_prose("see GH-1"), "see GH-&#8203;1");
        assert_eq!(markdown_prose(":tada: at x.rs:1"), ":&#8203;tada: at x.rs:1");
        assert_eq!(markdown_prose("k::f::g"), "k::&#8203;f::g");
        assert_eq!(markdown_prose("in defaced1"), "in `defaced1`");
        assert_eq!(markdown_prose("www.x.y"), "www&#8203;.x.y");
        assert_eq!(markdown_prose("$x$"), "&#36;x&#36;");
        assert_eq!(markdown_prose("<img src=x>"), "&lt;img src=x&gt;");
        assert_eq!(markdown_prose("calls `f` twice"), "calls `f` twice");
        assert_eq!(markdown_prose("an odd ` tick"), "an odd \\` tick");
        assert!(!markdown_prose("https://example.test").contains("://"));
        // In code it links to nothing, and an entity would be shown as it is written.
        assert_eq!(markdown_prose("`a://b` c://d"), "`a://b` c:&#8203;//d");
    }

    #[test]
    fn prose_at_the_start_of_a_line_opens_no_block() {
        let shown = ["- x", "+", "---", "===", "1. x", "12)", "    code"].map(markdown_prose);
        assert_eq!(shown, ["\\- x", "\\+", "\\---", "\\===", "1\\. x", "12\\)", "code"]);
        // Any other character stays as it is.
        for figure in ["-1.2% to +4.4%", "+4.4%", "3.5 s", "12 of 14"] {
            assert_eq!(markdown_prose(figure), figure);
        }
    }

    #[test]
    fn marks_are_not_stacked() {
        let stacked = format!("a{}", "\u{301}".repeat(10_000));
        assert!(width(&safe(&stacked)) > 10_000);
        assert!(cut_end(&safe(&stacked), 40).len() < 100);
        assert_eq!(safe("e\u{301}"), "e\u{301}");
    }

    #[test]
    fn a_block_of_code_ends_where_it_should() {
        assert_eq!(markdown_block("sh", "a"), "```sh\na\n```\n");
        assert_eq!(markdown_block("", "```\nb"), "````\n```\\nb\n````\n");
    }

    #[test]
    fn cuts_keep_within_the_width() {
        assert_eq!(cut_end("abcdef", 4), "abc…");
        assert_eq!(cut_start("abcdef", 4), "…def");
        assert_eq!(cut_end("abc", 3), "abc");
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("", 7), [""]);
    }

    #[test]
    fn only_object_ids_are_shortened() {
        assert_eq!(short_id("0123456789abcdef0123456789abcdef01234567"), "0123456789");
        assert_eq!(short_id("release/1.0.0-rc"), "release/1.0.0-rc");
    }

    proptest! {
        #[test]
        fn nothing_hostile_gets_through(text in any::<String>()) {
            for shown in [safe(&text).into_owned(), markdown_code(&text), markdown_prose(&text)] {
                prop_assert!(!shown.chars().any(is_hostile));
            }
        }

        #[test]
        fn prose_holds_no_markup(text in "[^`]*") {
            let prose = markdown_prose(&text);
            prop_assert!(!prose.contains('<') && !prose.contains("://"));
            prop_assert_eq!(prose.matches('@').count(), prose.matches("@&#8203;").count());
        }

        #[test]
        fn a_code_span_ends_where_it_should(text in any::<String>()) {
            let span = markdown_code(&text);
            let fence = span.len() - span.trim_start_matches('`').len();
            let ticks = "`".repeat(fence);
            prop_assert!(span.ends_with(&ticks));
            if fence < span.len() {
                let inner = &span[fence..span.len() - fence];
                prop_assert!(!inner.split(|c| c != '`').any(|run| run.len() == fence));
            }
        }

        #[test]
        fn cut_text_fits(text in "\\PC*", columns in 1usize..40) {
            prop_assert!(width(&cut_end(&text, columns)) <= columns);
            prop_assert!(width(&cut_start(&text, columns)) <= columns);
        }
    }
}
