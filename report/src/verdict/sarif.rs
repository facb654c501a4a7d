//! The changes blamed for regressions into SARIF 2.1.0 (OASIS standard), for code scanning: one result a change, at its
//! line. Without a prediction there is nothing to point at, and the log is empty.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use analyzer::change::ChangeKind;
use serde_json::{Value, json};
use verdict::VerdictReport;

use super::blame::{BlamedChange, blamed, is_inside, message};
use crate::score::{ScoreDocument, labels as score_words};
use crate::text;

/// The schema's own identifier.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Results at most; costliest first. GitHub shows 5,000 of a run and refuses more than 25,000.
const RESULTS: usize = 1_000;

/// The log, a newline at its end.
#[must_use]
pub fn sarif(report: &VerdictReport, score: Option<&ScoreDocument>) -> String {
    let blamed = blamed(report, score);
    let blamed = &blamed[..blamed.len().min(RESULTS)];
    let rules: BTreeSet<SarifRule> = blamed.iter().map(|blamed| SarifRule(blamed.change.kind)).collect();
    let results: Vec<Value> = blamed
        .iter()
        .map(|blamed| {
            let rule = SarifRule(blamed.change.kind);
            let index = rules.iter().position(|known| *known == rule).unwrap_or_default();
            result(blamed, rule, index, report)
        })
        .collect();
    let rules: Vec<Value> = rules.into_iter().map(SarifRule::description).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lito",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "automationDetails": { "id": "lito/gate/" },
            "invocations": [{ "executionSuccessful": true }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// The rule of a result: the kind of the blamed change. Ordered by its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SarifRule(pub(super) ChangeKind);

impl SarifRule {
    /// The identifier, as the contract `lito.score/1` writes the kind.
    pub(super) fn id(self) -> &'static str {
        match self.0 {
            ChangeKind::CallAddition => "call_addition",
            ChangeKind::CallDeletion => "call_deletion",
            ChangeKind::CallSwap => "call_swap",
            ChangeKind::CompleteChange => "complete_change",
            ChangeKind::LoopAddition => "loop_addition",
            ChangeKind::LoopDeletion => "loop_deletion",
            ChangeKind::FieldValue => "field_value",
            ChangeKind::ConditionalAddition => "conditional_addition",
            ChangeKind::ConditionalDeletion => "conditional_deletion",
            ChangeKind::ConditionExpression => "condition_expression",
            ChangeKind::CallScope => "call_scope",
            ChangeKind::Parameter => "parameter",
            ChangeKind::Operation => "operation",
            ChangeKind::Attribute => "attribute",
            ChangeKind::Type => "type",
            ChangeKind::Constant => "constant",
            ChangeKind::Dependency => "dependency",
            ChangeKind::BuildSetting => "build_setting",
            ChangeKind::Macro => "macro",
        }
    }

    fn description(self) -> Value {
        let words = score_words::kind(self.0);
        json!({
            "id": self.id(),
            "shortDescription": { "text": format!("A benchmark that executes this got worse: {words}") },
            "defaultConfiguration": { "level": "error" },
        })
    }
}

impl Ord for SarifRule {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id().cmp(other.id())
    }
}

impl PartialOrd for SarifRule {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn result(blamed: &BlamedChange<'_>, rule: SarifRule, index: usize, report: &VerdictReport) -> Value {
    let change = blamed.change;
    let mut result = json!({
        "ruleId": rule.id(),
        "ruleIndex": index,
        "level": "error",
        "message": { "text": escaped(&message(blamed, report)) },
    });
    let mut location = json!({});
    if let Some(uri) = relative_uri(&change.file) {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri, "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": change.line.max(1) },
        });
    }
    if let Some(function) = &change.function {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": text::safe(function), "kind": "function" }]);
    }
    if location != json!({}) {
        result["locations"] = json!([location]);
    }
    result
}

/// Braces doubled, since single ones are placeholders (section 3.11.5 of the standard); what would read as an embedded
/// link (3.11.6) taken apart.
fn escaped(message: &str) -> String {
    message.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

/// A path as a relative reference (RFC 3986), every byte but the unreserved ones percent-encoded; `None` for one that
/// would lead out of the repository.
fn relative_uri(path: &str) -> Option<String> {
    if !is_inside(path) {
        return None;
    }
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => write!(uri, "%{byte:02X}").expect("a string takes every write"),
        }
    }
    Some(uri)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::fixture::{hostile, report, score};
    use super::*;

    const ALL_KINDS: [ChangeKind; 19] = [
        ChangeKind::CallAddition,
        ChangeKind::CallDeletion,
        ChangeKind::CallSwap,
        ChangeKind::CompleteChange,
        ChangeKind::LoopAddition,
        ChangeKind::LoopDeletion,
        ChangeKind::FieldValue,
        ChangeKind::ConditionalAddition,
        ChangeKind::ConditionalDeletion,
        ChangeKind::ConditionExpression,
        ChangeKind::CallScope,
        ChangeKind::Parameter,
        ChangeKind::Operation,
        ChangeKind::Attribute,
        ChangeKind::Type,
        ChangeKind::Constant,
        ChangeKind::Dependency,
        ChangeKind::BuildSetting,
        ChangeKind::Macro,
    ];

    fn read(log: &str) -> Value {
        serde_json::from_str(log).unwrap()
    }

    #[test]
    fn a_blamed_change_is_a_result_at_its_line() {
        let log = read(&sarif(&report(), Some(&score())));
        insta::assert_json_snapshot!(log["runs"][0]["results"]);
    }

    #[test]
    fn identifiers_are_those_of_the_contract() {
        for kind in ALL_KINDS {
            assert_eq!(serde_json::to_value(kind).unwrap(), SarifRule(kind).id());
        }
    }

    #[test]
    fn a_regression_blamed_on_any_kind_has_its_rule() {
        for change in ALL_KINDS {
            let mut score = score();
            score.changes[0].kind = change;
            let log = read(&sarif(&report(), Some(&score)));
            let run = &log["runs"][0];
            let rules: Vec<&Value> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().collect();
            assert!(
                rules.iter().any(|rule| rule["id"] == SarifRule(change).id()),
                "{change:?}"
            );
        }
    }

    #[test]
    fn only_regressions_have_results() {
        use verdict::BenchmarkOutcome::{
            Added, Failed, Improvement, Inconclusive, Pass, Regression, Removed, SameCode, Skipped,
        };
        let outcomes = [
            Regression,
            Failed,
            Removed,
            Inconclusive,
            Improvement,
            Pass,
            Added,
            SameCode,
            Skipped,
        ];
        for outcome in outcomes {
            let mut report = report();
            for entry in &mut report.benchmarks {
                entry.verdict = outcome;
            }
            let log = read(&sarif(&report, Some(&score())));
            let results = log["runs"][0]["results"].as_array().unwrap().len();
            assert_eq!(results > 0, outcome == Regression, "{outcome:?}");
        }
    }

    #[test]
    fn every_result_has_its_rule() {
        let log = read(&sarif(&report(), Some(&score())));
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        for result in log["runs"][0]["results"].as_array().unwrap() {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
    }

    #[test]
    fn without_a_prediction_the_log_is_empty_and_valid() {
        let log = read(&sarif(&report(), None));
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(log["runs"][0]["results"], json!([]));
    }

    #[test]
    fn paths_are_encoded_and_stay_inside() {
        assert_eq!(relative_uri("src/a b/ü%#?.rs").unwrap(), "src/a%20b/%C3%BC%25%23%3F.rs");
        assert_eq!(relative_uri("c:\\x").unwrap(), "c%3A%5Cx");
        for outside in ["", "/etc/passwd", "../x.rs", "a/../../x.rs", "a//b", "./x.rs"] {
            assert_eq!(relative_uri(outside), None, "{outside}");
        }
    }

    #[test]
    fn names_cannot_add_links_or_placeholders() {
        let (report, score) = hostile();
        let log = read(&sarif(&report, Some(&score)));
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        for result in results {
            let message = result["message"]["text"].as_str().unwrap();
            assert!(!message.contains("](") && !message.contains('\u{202e}') && !message.contains('\x1b'));
            assert!(message.contains("{{0}}"), "{message}");
            assert!(result["locations"][0].get("physicalLocation").is_none());
        }
    }
}
