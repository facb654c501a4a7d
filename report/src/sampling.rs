//! The outcome of sampling each version → a line.

use crate::number_format;
use crate::style::{BAD, FAINT, GOOD, UNSURE, paint};
use crate::text;

/// Outcome of sampling one version.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingSummary {
    /// The version.
    pub commit: String,
    /// Outcome for the whole version.
    pub state: SamplingSummaryState,
    /// Benchmarks with a profile.
    pub profiled: usize,
    /// Benchmarks without one.
    pub failed: usize,
    /// Seconds spent on building and listing.
    pub building: f64,
    /// Seconds spent on profiling.
    pub profiling: f64,
}

/// Outcome of sampling a whole version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SamplingSummaryState {
    /// Every benchmark was tried.
    Sampled,
    /// It had been sampled before.
    Known,
    /// It has no profile, for this reason.
    Without(String),
}

/// One version on one line.
#[must_use]
pub fn line(version: &SamplingSummary) -> String {
    let id = text::short_id(&version.commit);
    let failed = match version.failed {
        0 => String::new(),
        failed => format!(", {}", paint(UNSURE, &format!("{failed} failed"))),
    };
    match &version.state {
        SamplingSummaryState::Without(reason) => {
            let reason = text::safe(reason.lines().next().unwrap_or_default()).into_owned();
            format!("{id}  {}  {reason}\n", paint(BAD, "no profile"))
        }
        SamplingSummaryState::Known => {
            let again = match version.failed {
                0 => "",
                _ => "; --retry tries failed ones again",
            };
            format!(
                "{id}  {}{failed}{}\n",
                paint(FAINT, "was sampled before"),
                paint(FAINT, again)
            )
        }
        SamplingSummaryState::Sampled => {
            let times = format!(
                "built in {}, profiled in {}",
                number_format::duration(version.building),
                number_format::duration(version.profiling)
            );
            format!(
                "{id}  {}  {}{failed}  {}\n",
                paint(GOOD, "sampled"),
                number_format::counted_noun(version.profiled, "benchmark"),
                paint(FAINT, &times)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line() {
        let version = SamplingSummary {
            commit: "a".repeat(40),
            state: SamplingSummaryState::Without(String::from("error: \x1b[1mbroken\nmore of it")),
            profiled: 0,
            failed: 0,
            building: 1.0,
            profiling: 0.0,
        };
        let line = line(&version);
        assert_eq!(line.lines().count(), 1);
        assert!(line.contains("error: \\u{1b}[1mbroken"), "{line:?}");
    }
}
