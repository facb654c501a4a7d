//! Insertions and replacements at offsets of a text → the edited text; all other bytes are unchanged.

use std::ops::Range;

/// One replacement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SeedEdit {
    /// The replaced range; empty for an insertion.
    pub(super) at: Range<usize>,
    /// The replacement.
    pub(super) by: String,
}

impl SeedEdit {
    pub(super) fn replace(at: Range<usize>, by: impl Into<String>) -> Self {
        Self { at, by: by.into() }
    }

    /// Inserts lines before the statement that starts at an offset, with its indentation.
    pub(super) fn before(text: &str, at: usize, lines: &str) -> Self {
        let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &text[line_start..at];
        let by = if before.chars().all(char::is_whitespace) {
            let between = format!("{}{before}", line_end(text));
            let mut joined = lines.lines().collect::<Vec<_>>().join(&between);
            joined.push_str(&between);
            joined
        } else {
            let mut joined = lines.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            joined.push(' ');
            joined
        };
        Self::replace(at..at, by)
    }

    /// Inserts an item behind the item that ends at an offset.
    pub(super) fn behind(text: &str, at: usize, item: &str) -> Self {
        let end = line_end(text);
        let lines = item.trim_end().lines().collect::<Vec<_>>().join(end);
        Self::replace(at..at, format!("{end}{end}{lines}"))
    }

    /// Inserts an item before the item that starts at an offset.
    pub(super) fn ahead(text: &str, at: usize, item: &str) -> Self {
        let end = line_end(text);
        let lines = item.trim_end().lines().collect::<Vec<_>>().join(end);
        Self::replace(at..at, format!("{lines}{end}{end}"))
    }

    /// Inserts a copy of the item at a range behind it. All lines of a copy except the first are already indented.
    pub(super) fn indented_behind(text: &str, item: Range<usize>, copy: &str) -> Self {
        let line_start = text[..item.start].rfind('\n').map_or(0, |newline| newline + 1);
        let indentation: String = text[line_start..item.start]
            .chars()
            .take_while(|character| character.is_whitespace())
            .collect();
        let end = line_end(text);
        Self::replace(item.end..item.end, format!("{end}{end}{indentation}{copy}"))
    }
}

/// Applies edits that do not overlap; edits at the same offset keep their order. `None` if they overlap, or lie outside
/// the text.
pub(super) fn apply(text: &str, mut edits: Vec<SeedEdit>) -> Option<String> {
    edits.sort_by_key(|edit| edit.at.start);
    let mut edited = String::with_capacity(text.len() + 1024);
    let mut kept = 0;
    for edit in edits {
        edited.push_str(text.get(kept..edit.at.start)?);
        edited.push_str(&edit.by);
        kept = edit.at.end;
    }
    edited.push_str(text.get(kept..)?);
    Some(edited)
}

/// The line ending of a text.
fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_takes_the_indentation_of_the_statement() {
        let text = "fn f() {\r\n    g();\r\n}\r\n";
        let at = text.find("g()").expect("it is there");
        let edited = apply(text, vec![SeedEdit::before(text, at, "if a {\n    b();\n}")]);
        let expected = "fn f() {\r\n    if a {\r\n        b();\r\n    }\r\n    g();\r\n}\r\n";
        assert_eq!(edited.as_deref(), Some(expected));
    }

    #[test]
    fn a_statement_in_the_middle_of_a_line_keeps_its_line() {
        let text = "fn f() { g(); }";
        let at = text.find("g()").expect("it is there");
        let edited = apply(text, vec![SeedEdit::before(text, at, "a();\nb();")]);
        assert_eq!(edited.as_deref(), Some("fn f() { a(); b(); g(); }"));
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = vec![SeedEdit::replace(0..3, "x"), SeedEdit::replace(2..4, "y")];
        assert_eq!(apply("abcdef", edits), None);
    }

    #[test]
    fn edits_apply_in_the_order_of_the_text() {
        let edits = vec![SeedEdit::replace(4..5, "E"), SeedEdit::replace(0..0, "<")];
        assert_eq!(apply("abcdef", edits).as_deref(), Some("<abcdEf"));
    }
}
