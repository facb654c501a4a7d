//! A posting into a check run: how it ended, a title, a summary, and notes at the changed lines that are blamed.

use super::title::{one_line, title};
use super::{PostingContent, page};
use crate::text::safe;
use crate::verdict::blame::{BlamedChange, blamed, change_label, is_inside, message};

/// Annotations at most: what one request may carry. Costliest first.
const ANNOTATIONS: usize = 50;

/// Characters of an annotation's title and of its message. GitHub takes 255 and 64 KB; nobody reads more than this
/// between two lines of code.
const TITLE: usize = 100;
const MESSAGE: usize = 500;

/// A check run as it is posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// How it ended.
    pub conclusion: CheckReportConclusion,
    /// One line of plain text, 255 characters at most.
    pub title: String,
    /// Markdown, below 65,535 bytes.
    pub summary: String,
    /// At most 50.
    pub annotations: Vec<CheckReportAnnotation>,
}

/// How a check run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckReportConclusion {
    /// Nothing got worse.
    Success,
    /// Something got worse that nobody accepted.
    Failure,
    /// It can't be told, or was accepted.
    Neutral,
}

/// A note at a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReportAnnotation {
    /// The file, from the root of the repository.
    pub file: String,
    /// The line, 1-based.
    pub line: u32,
    /// How much it matters.
    pub level: CheckReportLevel,
    /// One line of plain text.
    pub title: String,
    /// One line of plain text.
    pub message: String,
}

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckReportLevel {
    /// Good to know.
    Notice,
    /// Worth a look: what may be the cause of a loss.
    Warning,
    /// In the way.
    Failure,
}

/// The check run.
#[must_use]
pub fn check(posting: &PostingContent<'_>) -> CheckReport {
    CheckReport {
        conclusion: posting.conclusion(),
        title: title(posting),
        summary: page::check_summary(posting),
        annotations: annotations(posting),
    }
}

/// A change is blamed because the benchmark executes it, not because it was measured alone: never more than a warning.
fn annotations(posting: &PostingContent<'_>) -> Vec<CheckReportAnnotation> {
    let level = if posting.is_accepted() {
        CheckReportLevel::Notice
    } else {
        CheckReportLevel::Warning
    };
    blamed(posting.report, posting.score.as_deref())
        .iter()
        .filter(|blamed| is_shown(&blamed.change.file))
        .take(ANNOTATIONS)
        .map(|blamed: &BlamedChange<'_>| CheckReportAnnotation {
            file: blamed.change.file.clone(),
            line: blamed.change.line.max(1),
            level,
            title: one_line(&change_label(blamed.change), TITLE),
            message: one_line(&message(blamed, posting.report), MESSAGE),
        })
        .collect()
}

/// Whether a note can stand at the file: it can't be renamed for that, and a name that hides something stays out.
fn is_shown(file: &str) -> bool {
    is_inside(file) && safe(file) == file && file.trim() == file
}
