//! `/lito accept BENCHMARK @COMMIT REASON`, written in a comment → the regressions that it accepts.
//!
//! The commit is the one whose verdict the author read: what is pushed afterwards is not accepted by it.

use std::collections::BTreeSet;

use runner::benchmark::glob_matches;
use verdict::{Acknowledgement, VerdictReport};

/// The start of a line that addresses lito.
const CALLED: &str = "/lito";

/// Commands that are read of one comment.
pub const COMMANDS: usize = 50;

/// Digits of a commit's id, at least and at most.
const COMMIT_DIGITS: usize = 7;
const MOST_COMMIT_DIGITS: usize = 64;

/// Characters of a reason that are kept.
pub const REASON: usize = 500;

/// A command in a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptCommand {
    /// The benchmark, or a glob that matches several.
    benchmark: String,
    /// The first digits of the commit whose verdict is accepted, in lower case.
    commit: String,
    reason: String,
}

/// Who asks, where and when.
#[derive(Debug, Clone, Copy)]
pub struct AcceptCommandAuthor<'a> {
    /// The author's login.
    pub login: &'a str,
    /// The pull request.
    pub pull: u64,
    /// In seconds since 1970.
    pub at: i64,
}

/// The commands of a comment, no more than [`COMMANDS`]; of a line that is meant for lito and is none, why.
#[must_use]
pub fn read(comment: &str) -> Vec<Result<AcceptCommand, String>> {
    (comment.lines())
        .filter_map(|line| {
            let rest = line.trim().strip_prefix(CALLED)?;
            // `/litotes` is somebody else's business.
            let called = rest.is_empty() || rest.starts_with(char::is_whitespace);
            called.then(|| command(rest.trim()))
        })
        .take(COMMANDS)
        .collect()
}

fn command(text: &str) -> Result<AcceptCommand, String> {
    const USAGE: &str = "write `/lito accept BENCHMARK @COMMIT REASON`, with the commit whose verdict you read";
    let (verb, rest) = word(text);
    if verb != "accept" {
        return Err(format!("`{verb}` is nothing that lito does: {USAGE}"));
    }
    let (benchmark, reason) = word(rest);
    if benchmark.is_empty() {
        return Err(format!("it names no benchmark: {USAGE}"));
    }
    let (commit, reason) = word(reason);
    let Some(commit) = commit.strip_prefix('@').filter(|digits| is_commit(digits)) else {
        return Err(format!("it names no commit: {USAGE}"));
    };
    if reason.is_empty() {
        return Err(format!("it gives no reason: {USAGE}"));
    }
    Ok(AcceptCommand {
        benchmark: benchmark.to_owned(),
        commit: commit.to_ascii_lowercase(),
        reason: reason.chars().take(REASON).collect(),
    })
}

/// Digits that one repository's commits can be told apart by, or more.
fn is_commit(digits: &str) -> bool {
    (COMMIT_DIGITS..=MOST_COMMIT_DIGITS).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The first word, or what stands in backticks or double quotes, and the rest.
fn word(text: &str) -> (&str, &str) {
    let quoted = ['`', '"'].into_iter().find_map(|quote| {
        let (inside, rest) = text.strip_prefix(quote)?.split_once(quote)?;
        Some((inside, rest))
    });
    let (word, rest) = quoted
        .or_else(|| text.split_once(char::is_whitespace))
        .unwrap_or((text, ""));
    (word, rest.trim())
}

impl AcceptCommand {
    /// The acknowledgements: one for each named benchmark that regressed.
    ///
    /// # Errors
    /// The report is on another commit, or nothing that is named got worse; in one clause.
    pub fn of(&self, report: &VerdictReport, by: AcceptCommandAuthor<'_>) -> Result<Vec<Acknowledgement>, String> {
        if !report.head.starts_with(&self.commit) {
            return Err(format!(
                "it accepts the verdict on {}, and {} is judged now: read that verdict first",
                self.commit, report.head
            ));
        }
        let names: BTreeSet<&str> = (report.entries_to_accept(&[]))
            .map(|(entry, _)| entry.name.as_str())
            .filter(|name| *name == self.benchmark || glob_matches(&self.benchmark, name))
            .collect();
        if names.is_empty() {
            return Err(format!(
                "`{}` has lost nothing on {} that could be accepted",
                self.benchmark, report.head
            ));
        }
        let accepted = names.into_iter().filter_map(|name| {
            Some(Acknowledgement {
                pull: by.pull,
                reason: self.reason.clone(),
                by: by.login.to_owned(),
                at: by.at,
                ..Acknowledgement::of(report, name)?
            })
        });
        Ok(accepted.collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use verdict::Metric;
    use verdict::{BenchmarkOutcome, BenchmarkVerdict, SCHEMA, Verdict};

    use super::*;

    const HEAD: &str = "0123456789abcdef0123456789abcdef01234567";

    fn accepting(benchmark: &str, reason: &str) -> AcceptCommand {
        AcceptCommand {
            benchmark: benchmark.to_owned(),
            commit: String::from("0123456"),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn a_command_names_a_benchmark_and_gives_a_reason() {
        let comment = "Looks good.\n/lito accept parse/large @0123456 we now check for overflow\r\n\
            /lito accept `with a space` @0123456 known\n/lito accept \"x\"  @0123456  y";
        let read: Vec<_> = read(comment).into_iter().map(Result::unwrap).collect();
        let expected = [
            accepting("parse/large", "we now check for overflow"),
            accepting("with a space", "known"),
            accepting("x", "y"),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn what_is_meant_for_lito_and_is_no_command_is_answered() {
        for wrong in [
            "/lito",
            "/lito please",
            "/lito accept",
            "/lito accept a",
            "/lito accept a @0123456",
            "/lito accept a b",
            "/lito accept a @012 b",
            "/lito accept a @01234567x b",
        ] {
            let read = read(wrong);
            assert_eq!(read.len(), 1, "{wrong}");
            assert!(read[0].as_ref().unwrap_err().contains("/lito accept"), "{wrong}");
        }
        assert_eq!(read("/litotes are not bad\nsee /lito accept a b"), []);
    }

    fn report(names: &[&str]) -> VerdictReport {
        let entry = |name: &&str| BenchmarkVerdict {
            change: Some(0.2),
            ..BenchmarkVerdict::without_values(name, Metric::Instructions, BenchmarkOutcome::Regression)
        };
        VerdictReport {
            schema: SCHEMA.to_owned(),
            base: String::from("b"),
            head: String::from(HEAD),
            verdict: Verdict::Regression,
            reason: String::new(),
            benchmarks: names.iter().map(entry).collect(),
            stages: Vec::new(),
            audited: false,
            audit: None,
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        }
    }

    const BY: AcceptCommandAuthor<'static> = AcceptCommandAuthor {
        login: "maintainer",
        pull: 7,
        at: 1_700_000_000,
    };

    #[test]
    fn what_is_accepted_is_what_the_verdict_says_of_these_benchmarks() {
        let report = report(&["parse/large", "parse/small", "print"]);
        let accepted = accepting("parse/*", "why").of(&report, BY).unwrap();
        let names: Vec<&str> = accepted.iter().map(|one| one.benchmark.as_str()).collect();
        assert_eq!(names, ["parse/large", "parse/small"]);
        assert_eq!((accepted[0].pull, accepted[0].by.as_str()), (7, "maintainer"));
        assert!(!report.is_accepted(&accepted));
        let all = accepting("*", "why").of(&report, BY).unwrap();
        assert!(report.is_accepted(&all));
    }

    #[test]
    fn what_lost_nothing_cannot_be_accepted() {
        let refused = accepting("typo", "why").of(&report(&["print"]), BY);
        assert!(refused.unwrap_err().contains("typo"));
    }
}
