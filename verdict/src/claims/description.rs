//! The text of a pull request → the claims in it: lines such as `lito: parse/* faster 10%`.
//!
//! The text is its author's: any text gives claims, or none, and a line that is not a claim says why.

use super::{ClaimError, ClaimSource, MOST_CLAIMS, RequestedClaim};

/// The start of a line that holds a claim.
const MARK: &str = "lito:";

/// The claims of a pull request's text, in their order. The one after [`MOST_CLAIMS`] says that there are too many, and the
/// rest is left out.
///
/// A list's mark, a box to tick and backticks around the line are allowed. Comments of HTML are not read: templates of
/// pull requests have their examples in them.
#[must_use]
pub fn claims_of_description(text: &str) -> Vec<RequestedClaim> {
    let visible = without_comments(text);
    let mut claims: Vec<RequestedClaim> = (visible.lines().filter_map(claim_of_line))
        .map(|claim| RequestedClaim::read(claim, ClaimSource::PullRequest))
        .take(MOST_CLAIMS + 1)
        .collect();
    if let Some(beyond) = claims.get_mut(MOST_CLAIMS) {
        beyond.claim = Err(ClaimError::TooMany);
    }
    claims
}

/// The text without `<!-- … -->`. One that is not closed hides the rest, as it does on the page.
fn without_comments(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        visible.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    visible.push_str(rest);
    visible
}

/// The claim of a line, if it is marked as one.
fn claim_of_line(line: &str) -> Option<&str> {
    let line = without_list_mark(line.trim());
    let line = match line.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')) {
        // Those of a name within the line stay.
        Some(inner) if !inner.contains('`') => inner.trim(),
        _ => line,
    };
    let mark = line.get(..MARK.len()).filter(|mark| mark.eq_ignore_ascii_case(MARK))?;
    Some(line[mark.len()..].trim().trim_end_matches('.'))
}

/// The line without `- `, `* `, `+ `, `1. ` or `1) `, and without `[ ] ` or `[x] ` behind that.
fn without_list_mark(line: &str) -> &str {
    let marked = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
        after.strip_prefix(['.', ')']).filter(|_| after.len() < line.len())
    });
    let Some(item) = marked.filter(|item| item.starts_with(char::is_whitespace)) else {
        return line;
    };
    let item = item.trim_start();
    let boxes = ["[ ]", "[x]", "[X]"];
    boxes
        .iter()
        .find_map(|tick| item.strip_prefix(tick))
        .unwrap_or(item)
        .trim_start()
}
