//! The changes blamed for regressions into the subset of the CodeClimate format that GitLab shows beside changed lines:
//! one finding a change. A change outside of the repository's files has no place there, and is left out.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use verdict::{BenchmarkOutcome, VerdictReport};

use super::blame::{BlamedChange, blamed, is_inside, message};
use super::sarif::SarifRule;
use crate::score::ScoreDocument;
use crate::text;

/// Findings at most; costliest first. A page shows far fewer.
const FINDINGS: usize = 1_000;

/// The findings, a newline at their end.
#[must_use]
pub fn code_quality(report: &VerdictReport, score: Option<&ScoreDocument>) -> String {
    let mut changes = blamed(report, score);
    changes.retain(|blamed| is_inside(&blamed.change.file));
    changes.truncate(FINDINGS);
    let numbers = occurrences(&changes);
    let findings: Vec<Value> = (changes.iter().zip(numbers))
        .map(|(blamed, number)| {
            json!({
                "description": message(blamed, report),
                "check_name": format!("lito/{}", SarifRule(blamed.change.kind).id()),
                "fingerprint": fingerprint(blamed, number),
                "severity": severity(blamed, report),
                "location": {
                    "path": text::safe(&blamed.change.file),
                    "lines": { "begin": blamed.change.line.max(1) },
                },
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(findings))
}

/// The words that tell a change from others wherever its lines move: kind, file, function, callee.
fn identity<'a>(blamed: &'a BlamedChange<'_>) -> [&'a str; 4] {
    let change = blamed.change;
    [
        SarifRule(change.kind).id(),
        &change.file,
        change.function.as_deref().unwrap_or_default(),
        change.callee.as_deref().unwrap_or_default(),
    ]
}

/// For each change, how many of the same identity stand before it in their file.
fn occurrences(changes: &[BlamedChange<'_>]) -> Vec<usize> {
    let mut by_line: Vec<usize> = (0..changes.len()).collect();
    by_line.sort_by_key(|&index| changes[index].change.line);
    let mut seen: BTreeMap<[&str; 4], usize> = BTreeMap::new();
    let mut numbers = vec![0; changes.len()];
    for index in by_line {
        let count = seen.entry(identity(&changes[index])).or_default();
        numbers[index] = *count;
        *count += 1;
    }
    numbers
}

/// The same for the same change in another run, so that a finding is not told as a new one when lines move.
fn fingerprint(blamed: &BlamedChange<'_>, number: usize) -> String {
    let mut hash = Sha256::new();
    for part in identity(blamed) {
        // Names of functions and files hold no NUL, so that parts cannot run into each other.
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update(number.to_le_bytes());
    hash.finalize()
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// `major` where the verdict counts one of the regressions, `info` where all of them are for information.
fn severity(blamed: &BlamedChange<'_>, report: &VerdictReport) -> &'static str {
    let counts = |benchmark: &str| {
        (report.benchmarks.iter())
            .any(|entry| entry.gating && entry.verdict == BenchmarkOutcome::Regression && entry.name == benchmark)
    };
    match blamed.effects.iter().any(|effect| counts(&effect.benchmark)) {
        true => "major",
        false => "info",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::fixture::{hostile, report, score};
    use super::*;

    fn findings(report: &VerdictReport, score: &ScoreDocument) -> Vec<Value> {
        serde_json::from_str(&code_quality(report, Some(score))).unwrap()
    }

    fn fingerprints(score: &ScoreDocument) -> Vec<String> {
        let findings = findings(&report(), score);
        findings
            .iter()
            .map(|finding| finding["fingerprint"].to_string())
            .collect()
    }

    #[test]
    fn a_blamed_change_is_a_finding_at_its_line() {
        insta::assert_json_snapshot!(findings(&report(), &score()));
    }

    #[test]
    fn a_finding_keeps_its_fingerprint_when_lines_move_and_differs_from_all_others() {
        let mut score = score();
        let mut again = score.changes[0].clone();
        again.line += 1;
        score.changes.push(again);
        let before = fingerprints(&score);
        assert_eq!(before.len(), 3);
        let mut distinct = before.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 3, "{before:#?}");
        for change in &mut score.changes {
            change.line += 7;
        }
        assert_eq!(fingerprints(&score), before);
        score.changes[0].callee = Some(String::from("krate::other"));
        assert_ne!(fingerprints(&score), before);
    }

    #[test]
    fn a_regression_for_information_is_told_as_such() {
        let mut report = report();
        for entry in &mut report.benchmarks {
            entry.gating = false;
        }
        let findings = findings(&report, &score());
        assert!(!findings.is_empty());
        assert!(
            findings.iter().all(|finding| finding["severity"] == "info"),
            "{findings:#?}"
        );
    }

    #[test]
    fn without_a_prediction_or_a_regression_there_is_no_finding() {
        assert_eq!(code_quality(&report(), None), "[]\n");
        let mut report = report();
        for entry in &mut report.benchmarks {
            entry.verdict = BenchmarkOutcome::Pass;
        }
        assert!(findings(&report, &score()).is_empty());
    }

    #[test]
    fn names_are_shown_safely_and_paths_stay_inside() {
        let (report, mut score) = hostile();
        assert!(
            findings(&report, &score).is_empty(),
            "the paths lead out of the repository"
        );
        score.changes[0].file = String::from("src/\u{202e}\x1b.rs");
        let findings = findings(&report, &score);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0]["location"]["path"], "src/\\u{202e}\\u{1b}.rs");
        let description = findings[0]["description"].as_str().unwrap();
        assert!(!description.contains(['\u{202e}', '\x1b']), "{description}");
    }
}
