//! A verdict into JUnit XML, which CI servers show as test results: one test case for each benchmark and metric. Names and
//! reasons are made safe to show first, so that none holds a character that XML forbids.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, VerdictReport};

use super::labels;
use crate::text;

/// The name of the results among those of other programs.
const NAME: &str = "lito";

/// The document, a newline at its end. A regression is a failure; an error is what could not be decided; skipped is what
/// was not run since it is not likely to change. An entry that does not count for the verdict is never one of the first
/// two; sizes and build times that nobody asked for are left out.
#[must_use]
pub fn junit(report: &VerdictReport) -> String {
    let mut suite = TestSuite::new(NAME);
    for (name, value) in [
        ("verdict", labels::verdict(report.verdict)),
        ("reason", &report.reason),
        ("base", &report.base),
        ("head", &report.head),
    ] {
        suite.add_property((name, text::safe(value).as_ref()));
    }
    let judged = report.benchmarks.iter().filter(|entry| !entry.is_byproduct());
    suite.add_test_cases(judged.map(test_case));
    let mut document = Report::new(NAME);
    document.add_test_suite(suite);
    let mut text = document.to_string().expect("a string takes every write");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn test_case(entry: &BenchmarkVerdict) -> TestCase {
    let benchmark = text::safe(&entry.name);
    let mut case = TestCase::new(format!("{benchmark} ({})", entry.metric), status(entry));
    // Where names are folded, the first part of this one is the folder.
    case.set_classname(format!("{NAME}.{}", entry.metric.name()));
    case.set_system_out(details(entry));
    case
}

fn status(entry: &BenchmarkVerdict) -> TestCaseStatus {
    let mut status = match entry.verdict {
        BenchmarkOutcome::Regression if entry.gating => TestCaseStatus::non_success(NonSuccessKind::Failure),
        BenchmarkOutcome::Failed | BenchmarkOutcome::Removed | BenchmarkOutcome::Inconclusive if entry.gating => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        BenchmarkOutcome::Skipped => TestCaseStatus::skipped(),
        BenchmarkOutcome::Regression
        | BenchmarkOutcome::Failed
        | BenchmarkOutcome::Removed
        | BenchmarkOutcome::Inconclusive
        | BenchmarkOutcome::Improvement
        | BenchmarkOutcome::Pass
        | BenchmarkOutcome::Added
        | BenchmarkOutcome::SameCode => TestCaseStatus::success(),
    };
    status.set_message(text::safe(&entry.reason).as_ref());
    status.set_type(labels::outcome(entry.verdict));
    // A server shows the text of a failure, but not what its test case printed.
    if matches!(status, TestCaseStatus::NonSuccess { .. }) {
        status.set_description(details(entry));
    }
    status
}

/// The values and the reason, in lines.
fn details(entry: &BenchmarkVerdict) -> XmlString {
    let mut lines = vec![format!(
        "{}: {}",
        labels::outcome(entry.verdict),
        text::safe(&entry.reason)
    )];
    if entry.base.is_some() || entry.head.is_some() {
        lines.push(format!(
            "{}: {} at the base, {} at the head, {} ({})",
            entry.metric,
            labels::value(entry.metric, entry.base),
            labels::value(entry.metric, entry.head),
            labels::change(entry),
            labels::range(entry)
        ));
    }
    if let Some(evidence) = &entry.evidence {
        lines.push(text::safe(evidence).into_owned());
    }
    if !entry.gating {
        lines.push(String::from("for information: it does not count for the verdict"));
    }
    XmlString::new(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::fixture::{entry, hostile, report};
    use super::*;

    fn read(document: &str) -> Report {
        Report::deserialize_from_str(document).unwrap()
    }

    /// How the case of an entry ended, in the words of the format.
    fn ended(case: &TestCase) -> &'static str {
        match &case.status {
            TestCaseStatus::Success { .. } => "passed",
            TestCaseStatus::Skipped { .. } => "skipped",
            TestCaseStatus::NonSuccess { kind, .. } => match kind {
                NonSuccessKind::Failure => "failure",
                NonSuccessKind::Error => "error",
            },
        }
    }

    #[test]
    fn each_benchmark_and_metric_is_a_case_that_ends_as_it_was_judged() {
        let document = read(&junit(&report()));
        let cases: Vec<String> = document.test_suites[0]
            .test_cases
            .iter()
            .map(|case| format!("{}: {}", case.name.as_str(), ended(case)))
            .collect();
        assert_eq!(cases.len(), report().benchmarks.len());
        insta::assert_snapshot!(cases.join("\n"));
    }

    #[test]
    fn a_regression_says_why_and_by_how_much() {
        let document = junit(&report());
        let from = document.find("<failure").unwrap();
        let until = document[from..].find("</failure>").unwrap();
        insta::assert_snapshot!(document[from..from + until]);
    }

    #[test]
    fn an_entry_for_information_fails_nothing() {
        let undecided = [
            BenchmarkOutcome::Regression,
            BenchmarkOutcome::Failed,
            BenchmarkOutcome::Removed,
            BenchmarkOutcome::Inconclusive,
        ];
        for outcome in undecided {
            let mut entry = entry("a", outcome);
            assert_ne!(ended(&test_case(&entry)), "passed", "{outcome:?}");
            entry.gating = false;
            assert_eq!(ended(&test_case(&entry)), "passed", "{outcome:?}");
        }
    }

    #[test]
    fn the_counts_of_the_suite_are_those_of_its_cases() {
        let document = read(&junit(&report()));
        let suite = &document.test_suites[0];
        let of = |how| suite.test_cases.iter().filter(|case| ended(case) == how).count();
        assert_eq!(suite.tests, suite.test_cases.len());
        assert_eq!((suite.failures, suite.errors), (of("failure"), of("error")));
    }

    #[test]
    fn names_and_reasons_stay_in_their_place() {
        let (mut report, _) = hostile();
        let evil = "\0\u{b}\u{fffe}\u{ffff}\"'&<!--]]><failure/>\r\n\t";
        for entry in &mut report.benchmarks {
            entry.name.push_str(evil);
            entry.reason.push_str(evil);
        }
        report.reason.push_str(evil);
        let document = junit(&report);
        assert!(
            document
                .chars()
                .all(|c| c == '\n' || (' '..'\u{fffe}').contains(&c) || c > '\u{ffff}')
        );
        assert!(!document.contains('\u{202e}') && !document.contains("<script"));
        let read = read(&document);
        let names: Vec<&str> = read.test_suites[0]
            .test_cases
            .iter()
            .map(|case| case.name.as_str())
            .collect();
        assert_eq!(names.len(), report.benchmarks.len());
        assert!(
            names
                .iter()
                .all(|name| name.contains("\\u{0}") && name.contains("]]><failure/>")),
            "{names:#?}"
        );
    }

    #[test]
    fn without_a_benchmark_the_document_is_valid() {
        let mut report = report();
        report.benchmarks.clear();
        assert!(read(&junit(&report)).test_suites[0].test_cases.is_empty());
    }
}
