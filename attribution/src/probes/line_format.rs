//! The text that an instrumented program writes at its end → its lines, or the reason why they can't be used.

/// The last line: a text without it was cut.
const END: &str = "end";

/// Characters shown of a line that is not understood.
const SHOWN: usize = 80;

/// Reason why a text can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProbeTextError {
    /// Not such a text, or of another version.
    #[error("reading the counts of probes: the text does not begin with `{wanted}`")]
    Header {
        /// The expected first line.
        wanted: &'static str,
    },
    /// The program ended while writing.
    #[error("reading the counts of probes: the text is cut off after {lines} lines")]
    Cut {
        /// Number of lines.
        lines: usize,
    },
    /// A line that is not understood.
    #[error("reading the counts of probes: line {number} is not understood: `{line}`")]
    Line {
        /// Line number, 1-based.
        number: usize,
        /// The line, shortened.
        line: String,
    },
}

/// Passes every line between the first, which must be `header`, and the last to `take`, as its first word and the
/// numbers behind it; `take` returns `None` for a line that it does not understand.
pub(super) fn each_line(
    text: &str,
    header: &'static str,
    mut take: impl FnMut(&str, &[u64]) -> Option<()>,
) -> Result<(), ProbeTextError> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first != header) {
        return Err(ProbeTextError::Header { wanted: header });
    }
    let mut numbers = Vec::new();
    for (index, line) in lines {
        if line == END {
            return Ok(());
        }
        let mut words = line.split(' ');
        let kind = words.next().unwrap_or_default();
        numbers.clear();
        let understood = words
            .try_for_each(|word| {
                numbers.push(word.parse::<u64>().ok()?);
                Some(())
            })
            .and_then(|()| take(kind, &numbers));
        understood.ok_or_else(|| ProbeTextError::Line {
            number: index + 1,
            line: line.chars().take(SHOWN).collect(),
        })?;
    }
    Err(ProbeTextError::Cut {
        lines: text.lines().count(),
    })
}
