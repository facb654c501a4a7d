//! The findings of `lito doctor` into text: what was looked at, how it stands, what to do about it.

use serde::Serialize;

use crate::style::{BAD, FAINT, GOOD, PLACE, UNSURE, paint};
use crate::text;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Fit for use.
    Good,
    /// Works, but not at its best.
    Warning,
    /// Something that lito needs is missing or broken.
    Bad,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, one or two words.
    pub subject: String,
    /// How it stands.
    pub state: State,
    /// What was seen.
    pub seen: String,
    /// What to do; `None` where nothing is to be done.
    pub remedy: Option<String>,
}

/// The findings for a terminal, the remedy under each.
#[must_use]
pub fn human(findings: &[Finding]) -> String {
    let widest = findings.iter().map(|f| text::width(&f.subject)).max().unwrap_or(0);
    let mut out = String::new();
    for finding in findings {
        let (style, mark) = match finding.state {
            State::Good => (GOOD, "ok     "),
            State::Warning => (UNSURE, "warning"),
            State::Bad => (BAD, "error  "),
        };
        let seen = text::safe(&finding.seen);
        out.push_str(&format!(
            "{}  {:widest$}  {seen}\n",
            paint(style, mark),
            finding.subject
        ));
        if let Some(remedy) = &finding.remedy {
            let arrow = paint(FAINT, "→");
            out.push_str(&format!(
                "{:9}{:widest$}  {arrow} {}\n",
                "",
                "",
                paint(PLACE, &text::safe(remedy))
            ));
        }
    }
    out
}

/// The findings as a markdown list.
#[must_use]
pub fn markdown(findings: &[Finding]) -> String {
    let mut out = String::from("| | state | seen | remedy |\n|---|---|---|---|\n");
    for finding in findings {
        let state = match finding.state {
            State::Good => "ok",
            State::Warning => "warning",
            State::Bad => "error",
        };
        out.push_str(&format!(
            "| {} | {state} | {} | {} |\n",
            text::markdown_prose(&finding.subject),
            text::markdown_prose(&finding.seen),
            finding.remedy.as_deref().map(text::markdown_prose).unwrap_or_default()
        ));
    }
    out
}

/// The findings as a JSON array.
#[must_use]
pub fn json(findings: &[Finding]) -> String {
    let mut out = serde_json::to_string_pretty(findings).expect("strings are always encoded");
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_stands_under_its_finding() {
        let findings = [
            Finding {
                subject: "git".into(),
                state: State::Good,
                seen: "2.39".into(),
                remedy: None,
            },
            Finding {
                subject: "valgrind".into(),
                state: State::Bad,
                seen: "not found".into(),
                remedy: Some("apt-get install valgrind".into()),
            },
        ];
        let text = human(&findings);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("valgrind  not found"));
        assert!(lines[2].contains("apt-get install valgrind"));
    }
}
