//! A text that an instrumented program leaves at its end → its lines, or why they can't be used.

/// The last line: a text without it was cut.
const END: &str = "end";

/// Characters of a line that are shown where it is not understood.
const SHOWN: usize = 80;

/// Why a text gives no counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProbeTextError {
    /// Not such a text, or of another version.
    #[error("reading the counts of probes: the text does not begin with `{wanted}`")]
    Header {
        /// What its first line would be.
        wanted: &'static str,
    },
    /// The program ended while it wrote.
    #[error("reading the counts of probes: the text is cut off after {lines} lines")]
    Cut {
        /// How many there are.
        lines: usize,
    },
    /// A line that is none of the known ones.
    #[error("reading the counts of probes: line {number} is not understood: `{line}`")]
    Line {
        /// 1-based.
        number: usize,
        /// The line, shortened.
        line: String,
    },
}

/// Hands every line between the first, which must be `header`, and the last to `take`, as its first word and the numbers
/// behind it; `take` gives `None` for a line that it does not understand.
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
