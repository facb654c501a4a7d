//! The findings of `lito doctor` → text: subject, state and remedy of each.

use serde::Serialize;

use crate::json_document::json_document;
use crate::style::{BAD, FAINT, GOOD, PLACE, UNSURE, paint};
use crate::text;

/// State of the subject of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DoctorFindingState {
    /// Fit for use.
    Good,
    /// Works, but not at its best.
    Warning,
    /// Something that lito needs is missing or broken.
    Bad,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorFinding {
    /// Subject of the check, one or two words.
    pub subject: String,
    /// Its state.
    pub state: DoctorFindingState,
    /// The finding.
    pub seen: String,
    /// The remedy; `None` if nothing needs to be done.
    pub remedy: Option<String>,
}

/// The findings for a terminal, the remedy under each.
#[must_use]
pub fn human(findings: &[DoctorFinding]) -> String {
    let widest = findings.iter().map(|f| text::width(&f.subject)).max().unwrap_or(0);
    let mut out = String::new();
    for finding in findings {
        let (style, mark) = match finding.state {
            DoctorFindingState::Good => (GOOD, "ok     "),
            DoctorFindingState::Warning => (UNSURE, "warning"),
            DoctorFindingState::Bad => (BAD, "error  "),
        };
        for (index, seen) in finding.seen.lines().map(text::safe).enumerate() {
            let (mark, subject) = match index {
                0 => (paint(style, mark), finding.subject.as_str()),
                _ => (" ".repeat(mark.len()), ""),
            };
            out.push_str(&format!("{mark}  {subject:widest$}  {seen}\n"));
        }
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
pub fn markdown(findings: &[DoctorFinding]) -> String {
    let mut out = String::from("| | state | seen | remedy |\n|---|---|---|---|\n");
    for finding in findings {
        let state = match finding.state {
            DoctorFindingState::Good => "ok",
            DoctorFindingState::Warning => "warning",
            DoctorFindingState::Bad => "error",
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
pub fn json(findings: &[DoctorFinding]) -> String {
    json_document(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_stands_under_its_finding() {
        let findings = [
            DoctorFinding {
                subject: "git".into(),
                state: DoctorFindingState::Good,
                seen: "2.39".into(),
                remedy: None,
            },
            DoctorFinding {
                subject: "valgrind".into(),
                state: DoctorFindingState::Bad,
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

    #[test]
    fn lines_of_a_finding_stay_lines_below_each_other() {
        let text = human(&[DoctorFinding {
            subject: "benchmarks".into(),
            state: DoctorFindingState::Bad,
            seen: "cargo refuses Cargo.toml:\nerror: \x1b[1mno value".into(),
            remedy: Some("correct it".into()),
        }]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].ends_with("benchmarks  cargo refuses Cargo.toml:"), "{text}");
        assert_eq!(lines[1], " ".repeat(21) + "error: \\u{1b}[1mno value");
    }
}
