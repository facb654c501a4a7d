//! Rows, names and sentences → markdown of bounded size, for every page that is posted. Knows nothing of verdicts and
//! scores.

use crate::text::{cut_end, cut_start, markdown_code, markdown_prose, safe};

/// Columns of a name or a place; its end is kept, which says the most.
const NAME: usize = 100;

/// Columns of a sentence that somebody else may have written.
const SENTENCE: usize = 240;

/// Limit for one part of a page (a table, a list).
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkdownLimits {
    /// Rows or items.
    pub(crate) rows: usize,
    /// Bytes, without the note that something is left out.
    pub(crate) bytes: usize,
}

/// A table or a list: its head, rows until the room is full, and how many did not fit. Nothing without rows.
pub(crate) fn list(head: &str, rows: impl ExactSizeIterator<Item = String>, room: MarkdownLimits) -> String {
    let all = rows.len();
    if all == 0 {
        return String::new();
    }
    let mut out = format!("\n{head}");
    let start = out.len();
    for (shown, row) in rows.enumerate() {
        if shown == room.rows || out.len() - start + row.len() > room.bytes {
            out.push_str(&format!("\nand {} more; the JSON report has them all\n", all - shown));
            break;
        }
        out.push_str(&row);
    }
    out
}

/// A part that is folded, under a title that must be lito's own words: markdown is not read there, and nothing escaped.
/// Nothing without a body.
pub(crate) fn folded(title: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    let body = body.trim_matches('\n');
    format!("\n<details><summary>{title}</summary>\n\n{body}\n\n</details>\n")
}

/// A name or a place as code, its end kept where it is long.
pub(crate) fn name(text: &str) -> String {
    markdown_code(&cut_start(&safe(text), NAME))
}

/// A sentence as prose, its start kept where it is long.
pub(crate) fn sentence(text: &str) -> String {
    markdown_prose(&cut_end(&safe(text), SENTENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: MarkdownLimits = MarkdownLimits { rows: 3, bytes: 20 };

    #[test]
    fn a_list_says_how_many_rows_did_not_fit() {
        let rows = |count: usize| (0..count).map(|n| format!("- {n}\n")).collect::<Vec<_>>();
        assert_eq!(list("", rows(2).into_iter(), ROOM), "\n- 0\n- 1\n");
        let more = "\n- 0\n- 1\n- 2\n\nand 2 more; the JSON report has them all\n";
        assert_eq!(list("", rows(5).into_iter(), ROOM), more);
        let wide = vec!["-".repeat(21)].into_iter();
        assert!(list("", wide, ROOM).starts_with("\n\nand 1 more"));
        assert_eq!(list("| head |\n", rows(0).into_iter(), ROOM), "");
    }

    #[test]
    fn nothing_is_folded_without_a_body() {
        assert_eq!(folded("more", ""), "");
        assert_eq!(
            folded("more", "\na\n"),
            "\n<details><summary>more</summary>\n\na\n\n</details>\n"
        );
    }
}
