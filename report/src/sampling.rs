//! The outcome of sampling each version → a line.

use crate::number_format;
use crate::style::{BAD, FAINT, GOOD, UNSURE, paint};
use crate::text;

/// Failed benchmarks that a line names.
const FAILURES_SHOWN: usize = 3;

/// Outcome of sampling one version.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingSummary {
    /// The version.
    pub commit: String,
    /// Outcome for the whole version.
    pub state: SamplingSummaryState,
    /// Benchmarks with a profile.
    pub profiled: usize,
    /// Names of benchmarks and targets without one, each with its reason.
    pub failures: Vec<(String, String)>,
    /// Names of benchmarks whose counts of inlined code are estimates, each with the reason.
    pub uncounted: Vec<(String, String)>,
    /// Names of benchmarks of which no function of the source is in the profile, each with the reason.
    pub unnamed: Vec<(String, String)>,
    /// Number of benchmarks that were not tried.
    pub left_out: usize,
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
    let failed = match version.failures.len() {
        0 => String::new(),
        count => format!(
            ", {}: {}{}",
            paint(UNSURE, &format!("{count} failed")),
            named(&version.failures),
            if count > FAILURES_SHOWN {
                "; `lito store list` has all reasons"
            } else {
                ""
            }
        ),
    };
    match &version.state {
        SamplingSummaryState::Without(reason) => {
            let reason = text::safe(reason.lines().next().unwrap_or_default()).into_owned();
            format!("{id}  {}  {reason}\n", paint(BAD, "no profile"))
        }
        SamplingSummaryState::Known => {
            let again = match version.failures.as_slice() {
                [] => "",
                [..] => "; --retry tries failed ones again",
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
            let estimated = match version.uncounted.len() {
                0 => String::new(),
                count => format!(
                    ", {}: {}",
                    paint(UNSURE, &format!("counts of {count} are estimates")),
                    named(&version.uncounted)
                ),
            };
            let unnamed = match version.unnamed.len() {
                0 => String::new(),
                count => format!(
                    ", {}: {}",
                    paint(UNSURE, &format!("{count} without functions of the source")),
                    named(&version.unnamed)
                ),
            };
            let left_out = match version.left_out {
                0 => String::new(),
                count => format!(
                    ", {}: a risk for every change of code until `lito sample` takes them",
                    paint(UNSURE, &format!("{count} left out"))
                ),
            };
            format!(
                "{id}  {}  {}{}{failed}{estimated}{unnamed}{left_out}\n",
                paint(GOOD, "sampled"),
                number_format::counted_noun(version.profiled, "benchmark"),
                paint(FAINT, &format!("  {times}")),
            )
        }
    }
}

/// `parse (it exited with code 7), walk (...) and 3 more`.
fn named(failures: &[(String, String)]) -> String {
    let shown: Vec<String> = (failures.iter().take(FAILURES_SHOWN))
        .map(|(name, reason)| format!("{} ({})", text::safe(name), text::safe(telling_line(reason))))
        .collect();
    let more = match failures.len().saturating_sub(FAILURES_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

/// The line of a reason that says most: a compiler's error or a panic, else the first one.
fn telling_line(reason: &str) -> &str {
    let is_telling = |line: &&str| line.starts_with("error") || line.contains("panicked at");
    let mut lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
    (lines.clone().find(is_telling))
        .or_else(|| lines.next())
        .unwrap_or("no reason is known")
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
            failures: Vec::new(),
            uncounted: Vec::new(),
            unnamed: Vec::new(),
            left_out: 0,
            building: 1.0,
            profiling: 0.0,
        };
        let line = line(&version);
        assert_eq!(line.lines().count(), 1);
        assert!(line.contains("error: \\u{1b}[1mbroken"), "{line:?}");
    }

    #[test]
    fn failed_benchmarks_are_named_with_the_line_that_says_why() {
        let failure = |name: &str, reason: &str| (name.to_owned(), reason.to_owned());
        let one = [failure(
            "parse",
            "running it:\n thread 'main' panicked at src/lib.rs:3:9:\nno",
        )];
        assert_eq!(named(&one), "parse (thread 'main' panicked at src/lib.rs:3:9:)");
        let many: Vec<_> = ["a", "b", "c", "d"].map(|name| failure(name, "it ended")).into();
        assert_eq!(named(&many), "a (it ended), b (it ended), c (it ended) and 1 more");
    }
}
