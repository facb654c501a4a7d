//! Styles of text by meaning. They use the palette of eight colours, so that the reader's theme decides.

use anstyle::{AnsiColor, Style};

/// Slower, failed, worth a benchmark run.
pub const BAD: Style = AnsiColor::Red.on_default();
/// Faster, passed.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Not certain: an estimate, a degraded analysis, a warning.
pub const UNSURE: Style = AnsiColor::Yellow.on_default();
/// Where to look: a file and line, a command to type.
pub const PLACE: Style = AnsiColor::Cyan.on_default();
/// Emphasised text.
pub const STRONG: Style = Style::new().bold();
/// Secondary text.
pub const FAINT: Style = Style::new().dimmed();

/// The text in a style.
#[must_use]
pub fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
