//! Nearly valid comments, descriptions and events of pull requests → the commands, claims and events that are read from it, and the comment
//! that answers them.

use engine::github::GithubEvent;
use engine::github::accept_command::{self, AcceptCommandAuthor};
use report::github::{CheckPolicy, MARKER, MeasurementOrigin, PostingContent};
use report::verdict::claims as words;
use runner::benchmark::glob_matches;
use verdict::claims::{MOST_CLAIMS, claims_of_description, judge_claim};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, Metric, SCHEMA, Verdict, VerdictReport};

use super::mutation::mutate_one_of;
use super::random::Numbers;

const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

/// The longest text that GitHub takes for a comment, in characters.
const LONGEST_COMMENT: usize = 65_535;

/// Comments and descriptions of pull requests.
const WRITTEN: [&str; 5] = [
    "Looks good.\n/lito accept parse/large @0123456 we now check for overflow\r\n",
    "/lito accept `with a space` @0123456789abcdef known\n/lito accept \"x\"  @0123456  y\n/lito accept * @0123456 all\n",
    "/lito\n/lito please\n/lito accept\n/lito accept a\n/lito accept a @012 b\n/litotes\n",
    "Faster parsing.\n\nlito: parse/* faster 10%\n- [x] `lito: walk unchanged within 2%`\n<!-- lito: a faster 1% -->\n\
     1. lito: parse/large smaller 5% in peak bytes.\n",
    "/lito accept ``\u{301}\u{202e} @0123456 \u{200b}</details> [a](b) ```\n* lito: \u{fc}/\u{1f600} slower 1000% in wall time\n",
];

/// Payloads of events, as far as they are read.
const EVENTS: [(&str, &str); 4] = [
    (
        "issue_comment",
        r#"{"action":"created","issue":{"number":7,"pull_request":{}},"comment":{"id":5,"body":"/lito"}}"#,
    ),
    (
        "pull_request",
        r#"{"action":"opened","number":7,"pull_request":{"state":"open","body":"lito: a faster 1%","head":{"sha":"0123456789abcdef0123456789abcdef01234567"},"base":{"sha":"ffffffffffffffffffffffffffffffffffffffff"}}}"#,
    ),
    (
        "push",
        r#"{"ref":"refs/heads/main","before":"0000000000000000000000000000000000000000","after":"0123456789abcdef0123456789abcdef01234567","deleted":false}"#,
    ),
    ("workflow_run", r#"{"workflow_run":{"id":18446744073709551615}}"#),
];

/// A comment or a description, damaged.
pub(crate) fn comment(numbers: &mut Numbers) -> Vec<u8> {
    mutate_one_of(&WRITTEN, numbers)
}

/// Reads what somebody wrote on a pull request, and words the answer.
pub(crate) fn read_comment(written: &[u8]) {
    let written = String::from_utf8_lossy(written);
    let mut report = judged();
    let commands = accept_command::read(&written);
    assert!(commands.len() <= accept_command::COMMANDS);
    let by = AcceptCommandAuthor {
        login: &written,
        pull: 7,
        at: i64::MAX,
    };
    let (mut accepted, mut notes) = (Vec::new(), Vec::new());
    for command in commands {
        match command.and_then(|command| command.of(&report, by)) {
            Ok(these) => accepted.extend(these),
            Err(why) => notes.push(why),
        }
    }
    for one in &accepted {
        assert!(one.reason.chars().count() <= accept_command::REASON);
        let is_settled = |entry: &BenchmarkVerdict| entry.verdict == BenchmarkOutcome::Regression && one.covers(entry);
        assert!(report.benchmarks.iter().any(is_settled), "{}", one.benchmark);
    }
    let claims = claims_of_description(&written);
    assert!(claims.len() <= MOST_CLAIMS + 1);
    for requested in &claims {
        report.claims.push(match &requested.claim {
            Ok(claim) => {
                let judged = judge_claim(claim, &report.benchmarks, |name| glob_matches(&claim.benchmarks, name));
                words::answer(claim, requested.source, &judged)
            }
            Err(error) => words::malformed(requested, words::claim_error(error)),
        });
    }
    let answer = report::github::comment(&PostingContent {
        report: &report,
        score: None,
        acknowledgements: &accepted,
        measured_by: MeasurementOrigin::Fork,
        policy: CheckPolicy::default(),
        threshold: 0.05,
        notes: &notes,
        compared_in: None,
    });
    assert!(answer.starts_with(MARKER) && answer.matches(MARKER).count() == 1);
    assert!(answer.chars().count() <= LONGEST_COMMENT);
    assert!(!answer.contains(|letter: char| letter != '\n' && letter.is_control()));
    assert!(!answer.contains(['\u{202e}', '\u{200b}']));
}

/// The payload of an event, damaged.
pub(crate) fn event(numbers: &mut Numbers) -> Vec<u8> {
    mutate_one_of(&EVENTS.map(|(_, payload)| payload), numbers)
}

/// Reads a payload as one of each kind of event.
pub(crate) fn read_event(payload: &[u8]) {
    let payload = String::from_utf8_lossy(payload);
    for (name, _) in EVENTS {
        let _ = GithubEvent::read(name, &payload);
    }
}

/// A report in which some benchmarks got worse.
fn judged() -> VerdictReport {
    let entry = |name: &str, outcome, change| BenchmarkVerdict {
        change: Some(change),
        low: Some(change),
        high: Some(change),
        significant: true,
        ..BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
    };
    VerdictReport {
        schema: SCHEMA.to_owned(),
        base: "f".repeat(40),
        head: HEAD.to_owned(),
        verdict: Verdict::Regression,
        reason: String::from("two benchmarks got worse"),
        benchmarks: vec![
            entry("parse/large", BenchmarkOutcome::Regression, 0.2),
            entry("with a space", BenchmarkOutcome::Regression, 0.01),
            entry("x", BenchmarkOutcome::Improvement, -0.1),
            entry("walk", BenchmarkOutcome::Pass, 0.0),
        ],
        stages: Vec::new(),
        audited: false,
        audit: None,
        claims: Vec::new(),
        repeat: None,
        environment: [].into(),
        programs: [].into(),
        cost_seconds: 1.5,
        spent: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_damaged_holds_commands_claims_and_events() {
        let by = AcceptCommandAuthor {
            login: "mona",
            pull: 7,
            at: 1,
        };
        let commands = WRITTEN.iter().flat_map(|text| accept_command::read(text));
        let accepted = commands
            .filter_map(|command| command.and_then(|command| command.of(&judged(), by)).ok())
            .flatten();
        let names: Vec<String> = accepted.map(|one| one.benchmark).collect();
        assert_eq!(names, ["parse/large", "with a space", "parse/large", "with a space"]);
        let claims = WRITTEN.iter().flat_map(|text| claims_of_description(text));
        assert_eq!(claims.filter(|one| one.claim.is_ok()).count(), 4);
        for (name, payload) in EVENTS {
            let read = GithubEvent::read(name, payload);
            assert!(
                !matches!(read, Ok(GithubEvent::Nothing(_)) | Err(_)),
                "{name}: {read:?}"
            );
        }
    }
}
