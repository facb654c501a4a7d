//! An error of the TOML reader → a message with the file, the line number, the line itself and a suggestion.

use std::ops::Range;

use report::text;
use runner::suggestions::did_you_mean;

/// Columns of a line that are shown around the error.
const EXCERPT: usize = 100;

/// A part of the file that lito does not accept.
#[derive(Debug)]
pub(super) struct SettingsProblem {
    message: String,
    place: Option<Range<usize>>,
}

impl SettingsProblem {
    /// The reader's error, in lito's words.
    pub(super) fn of(error: &toml::de::Error) -> Self {
        let message = error.message();
        let message = unknown(message, "unknown field ", "key")
            .or_else(|| unknown(message, "unknown variant ", "value"))
            .unwrap_or_else(|| message.trim_end().replace('\n', ", "));
        Self {
            message,
            place: error.span(),
        }
    }

    /// An error in one of the `[[benchmarks]]` tables, counted from 0.
    pub(super) fn in_table(message: String, source: &str, index: usize) -> Self {
        const HEADER: &str = "[[benchmarks]]";
        let place = source.match_indices(HEADER).filter(|(start, _)| {
            let line = source[..*start].rfind('\n').map_or(0, |newline| newline + 1);
            source[line..*start].trim().is_empty()
        });
        let place = place.map(|(start, _)| start..start + HEADER.len()).nth(index);
        Self { message, place }
    }

    /// The message, with the line of `source` that causes it.
    pub(super) fn shown(&self, file: &str, source: &str) -> String {
        let Some(place) = &self.place else {
            return format!("reading the settings: on {file}: {}", self.message);
        };
        let start = place.start.min(source.len());
        let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = source[line_start..].lines().next().unwrap_or_default();
        let number = source[..start].matches('\n').count() + 1;
        let before = &source[line_start..start];
        let column = before.chars().count() + 1;
        let marked = source
            .get(start..place.end.clamp(start, line_start + line.len()))
            .unwrap_or_default();
        // The excerpt starts at the error if the line is too long to be shown whole.
        let (shown, offset) = if text::width(line) <= EXCERPT {
            (line, text::width(&text::safe(before)))
        } else {
            (&source[start..line_start + line.len()], 0)
        };
        let carets = "^".repeat(text::width(&text::safe(marked)).clamp(1, EXCERPT - 1));
        let gutter = " ".repeat(number.to_string().len());
        format!(
            "reading the settings: on {file}:{number}:{column}: {}\n  {number} | {}\n  {gutter} | {:offset$}{carets}",
            self.message,
            text::cut_end(&text::safe(shown), EXCERPT),
            ""
        )
    }
}

/// The reader's "unknown field `a`, expected one of `b`, `c`" with the name nearest to `a`.
fn unknown(message: &str, start: &str, noun: &str) -> Option<String> {
    let rest = message.strip_prefix(start)?;
    let mut quoted = rest.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    let known: Vec<&str> = quoted.collect();
    let advice = did_you_mean(wrong, known.iter().copied()).unwrap_or_else(|| {
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        format!("use one of {}", names.join(", "))
    });
    Some(format!("unknown {noun} `{wrong}`; {advice}"))
}
