//! What is posted: its structure, its size, and that no name gets out of its place.

mod hostile;
mod oracle;

use analyzer::score::{Decision, VersionScore};
use verdict::{Acknowledgement, Audit, Outcome, Report, Verdict, overall};

use super::*;
use crate::verdict::sample::{entry, report, score};

/// A posting of our own measurements, nothing accepted.
fn posting<'a>(report: &'a Report, score: Option<&'a VersionScore>) -> Posting<'a> {
    Posting {
        report,
        score,
        acknowledgements: &[],
        measured_by: MeasuredBy::Ourselves,
        threshold: 0.05,
        notes: &[],
        compared_in: None,
    }
}

fn accept(report: &Report, benchmark: &str) -> Acknowledgement {
    let mut known = Acknowledgement::of(report, benchmark).expect("there is something to accept");
    known.by = String::from("maintainer");
    known.reason = String::from("correct input is worth it");
    known
}

/// A report of these entries alone.
fn of(outcomes: &[(&str, Outcome)]) -> Report {
    let mut report = report();
    report.benchmarks = (outcomes.iter())
        .map(|(name, outcome)| {
            let mut entry = entry(name, *outcome);
            entry.change = match outcome {
                Outcome::Regression => Some(0.1),
                Outcome::Improvement => Some(-0.2),
                _ => None,
            };
            entry
        })
        .collect();
    (report.verdict, report.reason) = overall(&report.benchmarks);
    report
}

/// A version that the score rules out: nothing was run.
fn skipped() -> (Report, VersionScore) {
    let mut report = of(&[("parse/large", Outcome::Skipped), ("walk", Outcome::Skipped)]);
    report.benchmarks[0].probability = Some(0.012);
    report.benchmarks[1].probability = Some(0.004);
    report.stages.truncate(1);
    report.audit = Some(Audit::of(60, 1));
    let mut score = score();
    score.decision = Decision::Skip;
    score.reason = String::from("no benchmark executes what changed");
    score.changes.retain(|change| change.effects.is_empty());
    score.benchmarks[0].selected = false;
    (report, score)
}

#[test]
fn a_comment_tells_what_happened_and_what_to_do() {
    let (report, score) = (report(), score());
    let acknowledgements = [accept(&report, "walk/deep")];
    let notes = [String::from("the measuring job was cancelled")];
    let comment = comment(&Posting {
        acknowledgements: &acknowledgements,
        measured_by: MeasuredBy::Fork,
        notes: &notes,
        ..posting(&report, Some(&score))
    });
    insta::assert_snapshot!(comment);
}

#[test]
fn a_summary_of_a_skipped_version_says_why_and_at_what_risk() {
    let (report, score) = skipped();
    insta::assert_snapshot!(summary(&posting(&report, Some(&score))));
}

#[test]
fn a_check_points_at_the_lines_that_are_blamed() {
    let (report, score) = (report(), score());
    let check = check(&posting(&report, Some(&score)));
    assert!(!check.summary.contains(MARKER));
    insta::assert_snapshot!(format!(
        "{:?}\n{}\n\n{:#?}\n\n{}",
        check.conclusion,
        check.title,
        check.annotations,
        workflow_commands(&check.annotations)
    ));
}

#[test]
fn a_title_names_who_moved_how_much_or_how_many_did() {
    use Outcome::{Improvement, Pass, Regression, Removed, Skipped};
    let title = |outcomes: &[(&str, Outcome)]| check(&posting(&of(outcomes), None)).title;
    assert_eq!(
        title(&[("parse/large", Regression), ("b", Pass)]),
        "parse/large is 1.10 × slower (instructions)"
    );
    assert_eq!(title(&[("a", Improvement)]), "a is 1.25 × faster (instructions)");
    assert_eq!(
        title(&[("a", Regression), ("b", Regression), ("c", Improvement)]),
        "2 benchmarks slower, 1 faster"
    );
    assert_eq!(
        title(&[("a", Regression), ("b", Regression)]),
        "2 benchmarks slower, up to 1.10 ×"
    );
    assert!(title(&[("a", Removed)]).starts_with("inconclusive: "));
    assert!(title(&[("a", Skipped)]).starts_with("skipped: nothing was run"));
    let (report, score) = skipped();
    assert_eq!(
        check(&posting(&report, Some(&score))).title,
        "skipped: no benchmark executes what changed"
    );
}

#[test]
fn a_loss_of_memory_is_not_called_slow() {
    let mut report = of(&[("a", Outcome::Regression), ("b", Outcome::Regression)]);
    report.benchmarks[0].metric = verdict::Metric::PeakBytes;
    assert_eq!(check(&posting(&report, None)).title, "2 benchmarks worse");
    report.benchmarks.truncate(1);
    let title = check(&posting(&report, None)).title;
    assert_eq!(title, "a has 1.10 × the peak bytes");
}

#[test]
fn a_conclusion_follows_the_verdict_unless_all_is_accepted() {
    let (mut report, score) = (report(), score());
    let conclusion = |report: &Report, acknowledgements: &[Acknowledgement]| {
        let posting = Posting {
            acknowledgements,
            ..posting(report, Some(&score))
        };
        check(&posting).conclusion
    };
    for (verdict, expected) in [
        (Verdict::Pass, Conclusion::Success),
        (Verdict::Improvement, Conclusion::Success),
        (Verdict::Skipped, Conclusion::Success),
        (Verdict::Inconclusive, Conclusion::Neutral),
        (Verdict::Mixed, Conclusion::Failure),
        (Verdict::Regression, Conclusion::Failure),
    ] {
        report.verdict = verdict;
        assert_eq!(conclusion(&report, &[]), expected, "{verdict:?}");
    }
    let all = [accept(&report, "walk/deep"), accept(&report, "parse/large")];
    assert_eq!(conclusion(&report, &all), Conclusion::Neutral);
    assert_eq!(conclusion(&report, &all[..1]), Conclusion::Failure);
}

#[test]
fn what_is_accepted_is_only_noted_at_its_lines() {
    let (report, score) = (report(), score());
    let all = [accept(&report, "walk/deep"), accept(&report, "parse/large")];
    let check = check(&Posting {
        acknowledgements: &all,
        ..posting(&report, Some(&score))
    });
    assert!(check.title.ends_with(", accepted"), "{}", check.title);
    assert!(check.annotations.iter().all(|a| a.level == Level::Notice));
    assert!(!check.summary.contains("/lito accept"), "{}", check.summary);
}

#[test]
fn a_failure_is_not_accepted_with_the_benchmarks_that_are_gone() {
    let mut report = of(&[("a", Outcome::Removed)]);
    let known = [accept(&report, "a")];
    let title = |report: &Report| {
        let posting = Posting {
            acknowledgements: &known,
            ..posting(report, None)
        };
        (check(&posting).conclusion, check(&posting).title)
    };
    let (conclusion, accepted) = title(&report);
    assert_eq!(conclusion, Conclusion::Neutral);
    assert!(accepted.ends_with(", accepted"), "{accepted}");
    report.benchmarks.push(entry("b", Outcome::Failed));
    let (conclusion, open) = title(&report);
    assert_eq!(conclusion, Conclusion::Neutral);
    assert!(!open.contains("accepted"), "{open}");
}

#[test]
fn only_what_moved_failed_or_is_gone_deserves_a_comment() {
    use Outcome::*;
    let deserves = |outcomes: &[Outcome]| {
        let named: Vec<(&str, Outcome)> = outcomes.iter().map(|o| ("a", *o)).collect();
        deserves_comment(&posting(&of(&named), None))
    };
    for outcome in [Regression, Improvement, Failed, Removed] {
        assert!(deserves(&[Pass, outcome]), "{outcome:?}");
    }
    for outcome in [Inconclusive, Pass, Added, SameCode, Skipped] {
        assert!(!deserves(&[Pass, outcome]), "{outcome:?}");
    }
    let mut aside = of(&[("a", Regression)]);
    aside.benchmarks[0].gating = false;
    assert!(!deserves_comment(&posting(&aside, None)));
}

#[test]
fn outputs_are_figures_and_one_sentence() {
    let (report, score) = (report(), score());
    let outputs = outputs(&posting(&report, Some(&score)));
    let shown: Vec<String> = outputs.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(
        shown,
        [
            "verdict=mixed",
            "reason=2 benchmarks got worse, most of all `walk/deep`: peak bytes from none; \
             `search/one` got better: instructions -34.0%",
            "regressions=2",
            "selected=10",
            "probability=0.8700"
        ]
    );
}

#[test]
fn the_risk_of_skipping_is_between_the_largest_probability_and_the_sum() {
    let (mut report, score) = skipped();
    let sentence = |report: &Report| {
        let risk = risk::Risk::of(&posting(report, Some(&score)));
        risk.expect("something was skipped").sentence(0.05)
    };
    assert_eq!(
        sentence(&report),
        "The risk that one of the 2 skipped benchmarks moved by 5% or more is estimated at 1.2% to 1.6%."
    );
    report.benchmarks[1].probability = None;
    assert_eq!(
        sentence(&report),
        "The risk that one of the 2 skipped benchmarks moved by 5% or more is estimated at 1.2%, \
         not counting 1 without a prediction."
    );
    report.benchmarks.remove(0);
    assert_eq!(
        sentence(&report),
        "The risk that the skipped benchmark moved by 5% or more is not known."
    );
    report.benchmarks.clear();
    assert_eq!(risk::Risk::of(&posting(&report, Some(&score))), None);
}

/// A real verdict, as it was written into a file.
fn stored(json: &str) -> (Report, VersionScore) {
    let document: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let score = serde_json::from_value(document["score"].clone()).expect("a score");
    (serde_json::from_value(document).expect("a verdict"), score)
}

/// Where it does not: `LITO_BLESS=1 cargo test -p lito-report`, then `docs/pictures.sh`.
#[test]
#[allow(clippy::disallowed_methods)] // writes what it compares with
fn the_pictures_show_what_is_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pictures");
    type Write = fn(&Posting<'_>) -> String;
    for (name, write) in [("comment", comment as Write), ("summary", summary)] {
        let json = std::fs::read_to_string(format!("{folder}/{name}.json")).expect("a verdict");
        let (report, score) = stored(&json);
        let (page, shown) = (write(&posting(&report, Some(&score))), format!("{folder}/{name}.md"));
        if std::env::var_os("LITO_BLESS").is_some() {
            std::fs::write(&shown, &page).expect("the page is written");
        }
        assert_eq!(std::fs::read_to_string(&shown).expect("a page"), page);
    }
}
