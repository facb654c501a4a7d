//! Postings: their structure, its size, and that no name gets out of its place.

mod hostile;
#[allow(clippy::wildcard_enum_match_arm)] // over the markdown parser's enum, not our own
mod oracle;

use analyzer::score::{DecisionReason, ScoreDecision};
use verdict::{Acknowledgement, BenchmarkOutcome, SkipAudit, Verdict, VerdictReport, overall_verdict};

use super::*;
use crate::score::{ScoreDocument, reason_sentence};
use crate::verdict::fixture::{entry, report, score};
use crate::verdict::reasons;

/// A posting of our own measurements, nothing accepted.
fn posting<'a>(report: &'a VerdictReport, score: Option<&'a ScoreDocument>) -> PostingContent<'a> {
    PostingContent {
        report,
        score: score.map(Cow::Borrowed),
        acknowledgements: &[],
        measured_by: MeasurementOrigin::Ourselves,
        policy: CheckPolicy::default(),
        threshold: 0.05,
        notes: &[],
        compared_in: None,
    }
}

fn accept(report: &VerdictReport, benchmark: &str) -> Acknowledgement {
    let mut known = Acknowledgement::of(report, benchmark).expect("there is something to accept");
    known.by = String::from("maintainer");
    known.reason = String::from("correct input is worth it");
    known
}

/// A report of these entries alone.
fn of(outcomes: &[(&str, BenchmarkOutcome)]) -> VerdictReport {
    let mut report = report();
    report.benchmarks = (outcomes.iter())
        .map(|(name, outcome)| {
            let mut entry = entry(name, *outcome);
            entry.change = match outcome {
                BenchmarkOutcome::Regression => Some(0.1),
                BenchmarkOutcome::Improvement => Some(-0.2),
                BenchmarkOutcome::Failed
                | BenchmarkOutcome::Removed
                | BenchmarkOutcome::Inconclusive
                | BenchmarkOutcome::Pass
                | BenchmarkOutcome::Added
                | BenchmarkOutcome::SameCode
                | BenchmarkOutcome::Skipped => None,
            };
            entry
        })
        .collect();
    let reason = overall_verdict(&report.benchmarks);
    (report.verdict, report.reason) = (reason.cause.verdict(), reasons::overall(&reason));
    report
}

/// A version that the score rules out: nothing was run.
fn skipped() -> (VerdictReport, ScoreDocument) {
    let mut report = of(&[
        ("parse/large", BenchmarkOutcome::Skipped),
        ("walk", BenchmarkOutcome::Skipped),
    ]);
    report.benchmarks[0].probability = Some(0.012);
    report.benchmarks[1].probability = Some(0.004);
    report.stages.truncate(1);
    report.audit = Some(SkipAudit::of(60, 1));
    let mut score = score();
    score.decision = ScoreDecision::Skip;
    score.reason = reason_sentence(&DecisionReason::NotExecuted);
    score.changes.retain(|change| change.effects.is_empty());
    score.benchmarks[0].selected = false;
    (report, score)
}

#[test]
fn a_comment_tells_what_happened_and_what_to_do() {
    let (report, score) = (report(), score());
    let acknowledgements = [accept(&report, "walk/deep")];
    let notes = [String::from("the measuring job was cancelled")];
    let comment = comment(&PostingContent {
        acknowledgements: &acknowledgements,
        measured_by: MeasurementOrigin::Fork,
        policy: CheckPolicy::default(),
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
    use BenchmarkOutcome::{Improvement, Pass, Regression, Removed, Skipped};
    let title = |outcomes: &[(&str, BenchmarkOutcome)]| check(&posting(&of(outcomes), None)).title;
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
    assert!(title(&[("a", Skipped)]).starts_with("skipped: the only benchmark is not likely"));
    let (report, score) = skipped();
    assert_eq!(
        check(&posting(&report, Some(&score))).title,
        "skipped: no benchmark executes what changed"
    );
}

#[test]
fn a_loss_of_memory_is_not_called_slow() {
    let mut report = of(&[("a", BenchmarkOutcome::Regression), ("b", BenchmarkOutcome::Regression)]);
    report.benchmarks[0].metric = verdict::Metric::PeakBytes;
    assert_eq!(check(&posting(&report, None)).title, "2 benchmarks worse");
    report.benchmarks.truncate(1);
    let title = check(&posting(&report, None)).title;
    assert_eq!(title, "a has 1.10 × the peak bytes");
}

#[test]
fn a_conclusion_follows_the_verdict_unless_all_is_accepted() {
    let (mut report, score) = (report(), score());
    let conclusion = |report: &VerdictReport, acknowledgements: &[Acknowledgement]| {
        let posting = PostingContent {
            acknowledgements,
            policy: CheckPolicy {
                unjudged_fails: false,
                ..CheckPolicy::default()
            },
            ..posting(report, Some(&score))
        };
        check(&posting).conclusion
    };
    for (verdict, expected) in [
        (Verdict::Pass, CheckReportConclusion::Success),
        (Verdict::Improvement, CheckReportConclusion::Success),
        (Verdict::Skipped, CheckReportConclusion::Success),
        (Verdict::Inconclusive, CheckReportConclusion::Neutral),
        (Verdict::Mixed, CheckReportConclusion::Failure),
        (Verdict::Regression, CheckReportConclusion::Failure),
    ] {
        report.verdict = verdict;
        assert_eq!(conclusion(&report, &[]), expected, "{verdict:?}");
    }
    let all = [accept(&report, "walk/deep"), accept(&report, "parse/large")];
    assert_eq!(conclusion(&report, &all), CheckReportConclusion::Neutral);
    assert_eq!(conclusion(&report, &all[..1]), CheckReportConclusion::Failure);
}

#[test]
fn what_the_score_flagged_and_nothing_judged_fails_unless_the_maintainer_says_otherwise() {
    use BenchmarkOutcome::*;
    let conclusion = |report: &VerdictReport, unjudged_fails| {
        let policy = CheckPolicy {
            unjudged_fails,
            ..CheckPolicy::default()
        };
        let posting = PostingContent {
            policy,
            ..posting(report, None)
        };
        check(&posting).conclusion
    };
    let undelivered = VerdictReport {
        verdict: Verdict::Inconclusive,
        ..of(&[])
    };
    let without_values = of(&[("a", Inconclusive), ("b", Pass)]);
    for report in [
        &undelivered,
        &without_values,
        &of(&[("a", Failed)]),
        &of(&[("a", Removed)]),
    ] {
        assert_eq!(conclusion(report, true), CheckReportConclusion::Failure, "{report:?}");
        assert_eq!(conclusion(report, false), CheckReportConclusion::Neutral, "{report:?}");
    }
    let mut noisy = of(&[("a", Inconclusive)]);
    (noisy.benchmarks[0].base, noisy.benchmarks[0].head) = (Some(100.0), Some(101.0));
    assert_eq!(
        conclusion(&noisy, true),
        CheckReportConclusion::Neutral,
        "values that do not decide are a judgement"
    );
    for (fails, expected) in [
        (true, CheckReportConclusion::Failure),
        (false, CheckReportConclusion::Neutral),
    ] {
        let policy = CheckPolicy {
            unjudged_fails: fails,
            ..CheckPolicy::default()
        };
        assert_eq!(not_judged("the network is down", policy).conclusion, expected);
    }
}

#[test]
fn what_a_forks_run_says_of_itself_passes_no_check_unless_the_maintainer_allows_it() {
    use BenchmarkOutcome::*;
    let conclusion = |report: &VerdictReport, forks_decide| {
        let policy = CheckPolicy {
            forks_decide,
            ..CheckPolicy::default()
        };
        let posting = PostingContent {
            policy,
            measured_by: MeasurementOrigin::Fork,
            ..posting(report, None)
        };
        check(&posting).conclusion
    };
    for outcome in [Pass, Improvement, SameCode, Added] {
        let report = of(&[("a", outcome), ("b", Skipped)]);
        assert_eq!(
            conclusion(&report, false),
            CheckReportConclusion::Neutral,
            "{outcome:?}"
        );
        assert_eq!(conclusion(&report, true), CheckReportConclusion::Success, "{outcome:?}");
    }
    assert_eq!(
        conclusion(&of(&[("a", Regression)]), false),
        CheckReportConclusion::Failure
    );
    assert_eq!(
        conclusion(&of(&[("a", Skipped)]), false),
        CheckReportConclusion::Success,
        "the score is our own"
    );
}

#[test]
fn what_is_accepted_is_only_noted_at_its_lines() {
    let (report, score) = (report(), score());
    let all = [accept(&report, "walk/deep"), accept(&report, "parse/large")];
    let check = check(&PostingContent {
        acknowledgements: &all,
        ..posting(&report, Some(&score))
    });
    assert!(check.title.ends_with(", accepted"), "{}", check.title);
    assert!(check.annotations.iter().all(|a| a.level == CheckReportLevel::Notice));
    assert!(!check.summary.contains("/lito accept"), "{}", check.summary);
}

#[test]
fn a_failure_is_not_accepted_with_the_benchmarks_that_are_gone() {
    let mut report = of(&[("a", BenchmarkOutcome::Removed)]);
    let known = [accept(&report, "a")];
    let title = |report: &VerdictReport| {
        let posting = PostingContent {
            acknowledgements: &known,
            ..posting(report, None)
        };
        (check(&posting).conclusion, check(&posting).title)
    };
    let (conclusion, accepted) = title(&report);
    assert_eq!(conclusion, CheckReportConclusion::Neutral);
    assert!(accepted.ends_with(", accepted"), "{accepted}");
    report.benchmarks.push(entry("b", BenchmarkOutcome::Failed));
    let (conclusion, open) = title(&report);
    assert_eq!(conclusion, CheckReportConclusion::Failure);
    assert!(!open.contains("accepted"), "{open}");
}

#[test]
fn only_what_moved_failed_or_is_gone_deserves_a_comment() {
    use BenchmarkOutcome::*;
    let deserves = |outcomes: &[BenchmarkOutcome]| {
        let named: Vec<(&str, BenchmarkOutcome)> = outcomes.iter().map(|o| ("a", *o)).collect();
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
            "reason=2 benchmarks got worse, most of all `walk/deep`: peak bytes from zero; \
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
    let sentence = |report: &VerdictReport| {
        let risk = skipping_risk::SkippingRisk::of(&posting(report, Some(&score)));
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
    assert_eq!(skipping_risk::SkippingRisk::of(&posting(&report, Some(&score))), None);
}

/// A real verdict, as it was written into a file.
fn stored(json: &str) -> (VerdictReport, ScoreDocument) {
    let document: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let score: ScoreDocument = serde_json::from_value(document["score"].clone()).expect("a score");
    (serde_json::from_value(document).expect("a verdict"), score)
}

/// Where it does not: `LITO_BLESS=1 cargo test -p lito-report`, then `docs/pictures.sh`.
#[test]
#[allow(clippy::disallowed_methods)] // writes what it compares with
fn the_pictures_show_what_is_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pictures");
    type PostingRenderer = fn(&PostingContent<'_>) -> String;
    for (name, write) in [("comment", comment as PostingRenderer), ("summary", summary)] {
        let json = std::fs::read_to_string(format!("{folder}/{name}.json")).expect("a verdict");
        let (report, score) = stored(&json);
        let (page, shown) = (write(&posting(&report, Some(&score))), format!("{folder}/{name}.md"));
        if std::env::var_os("LITO_BLESS").is_some() {
            std::fs::write(&shown, &page).expect("the page is written");
        }
        assert_eq!(std::fs::read_to_string(&shown).expect("a page"), page);
    }
}
