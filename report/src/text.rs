//! Text that somebody else wrote (names of functions, files, branches, benchmarks) into text that is fit to
//! be shown: on a terminal, in markdown, in a cell of a given width. Styles nothing.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

/// Length to which object ids are cut where they are shown: unambiguous in histories of millions.
const SHORT_ID: usize = 10;

/// The text with every character that could move the cursor, reorder or hide what is shown written as an
/// escape (`\n`, `\u{202e}`). What it gives is one line and safe for any terminal.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if is_hostile(c) => {
                write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a string takes every write");
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, line separators, and what Unicode has to reorder text (the bidirectional controls of
/// UAX 9) or to hide it (zero-width characters, variation-free tags).
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{00ad}'
                | '\u{061c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text as a markdown code span that holds in a table cell too; no markup, mention or link in it works.
#[must_use]
pub fn markdown_code(text: &str) -> String {
    let text = safe(text);
    if text.trim().is_empty() {
        return String::from("` `");
    }
    let longest_run = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// The text as plain markdown prose: whatever would be markup, HTML, a mention or a reference is escaped.
/// Code spans in backticks, as lito's own sentences have them, are kept and closed against escapes.
#[must_use]
pub fn markdown_prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let balanced = parts.len() % 2 == 1;
    let mut prose = String::with_capacity(text.len() + 16);
    for (index, part) in parts.iter().enumerate() {
        let code = balanced && index % 2 == 1;
        if code && !part.is_empty() {
            prose.push_str(&markdown_code(part));
        } else {
            if index > 0 && !balanced {
                prose.push_str("\\`");
            }
            escape_prose(part, &mut prose);
        }
    }
    prose
}

fn escape_prose(text: &str, prose: &mut String) {
    let start = prose.len();
    for character in safe(text).chars() {
        match character {
            '<' => prose.push_str("&lt;"),
            '>' => prose.push_str("&gt;"),
            '&' => prose.push_str("&amp;"),
            // An entity keeps a mention or a reference from being linked; a backslash does not.
            '@' => prose.push_str("&#64;"),
            '#' => prose.push_str("&#35;"),
            '\\' | '*' | '_' | '[' | ']' | '|' | '~' | '!' => {
                prose.push('\\');
                prose.push(character);
            }
            c => prose.push(c),
        }
    }
    // Bare addresses are linked by GitHub without any markup.
    if prose[start..].contains("://") {
        let escaped = prose[start..].replace("://", ":&#47;/");
        prose.truncate(start);
        prose.push_str(&escaped);
    }
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
        assert_eq!(markdown_code("a`b"), "``a`b``");
        assert_eq!(markdown_code("`b"), "`` `b ``");
        assert_eq!(markdown_code(""), "` `");
    }

    #[test]
    fn prose_neither_links_nor_mentions() {
        assert_eq!(markdown_prose("@all see #1"), "&#64;all see &#35;1");
        assert_eq!(markdown_prose("<img src=x>"), "&lt;img src=x&gt;");
        assert_eq!(markdown_prose("calls `f` twice"), "calls `f` twice");
        assert_eq!(markdown_prose("an odd ` tick"), "an odd \\` tick");
        assert!(!markdown_prose("https://example.test").contains("://"));
        // In code it links to nothing, and an entity would be shown as it is written.
        assert_eq!(markdown_prose("`a://b` c://d"), "`a://b` c:&#47;/d");
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
        assert_eq!(
            short_id("0123456789abcdef0123456789abcdef01234567"),
            "0123456789"
        );
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
            prop_assert!(!prose.contains('<') && !prose.contains('@') && !prose.contains("://"));
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
