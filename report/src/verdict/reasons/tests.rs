//! Sentences of the reasons that `verdict` gives for real measurements.

use verdict::counts::{CountedCriteria, CountedRuns, judge};
use verdict::drift::{DriftHistory, EarlierCount};
use verdict::wall_time::{WallTimeCriteria, analyze_rounds, final_findings};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, MeasurementRound, MetricFinding, ProcessStart, overall_verdict};

use super::*;

fn sentence(found: &MetricFinding) -> String {
    finding(found.metric, &found.reason)
}

fn counted_reason(metric: Metric, base: &[f64], head: &[f64]) -> String {
    sentence(&judge(CountedRuns { metric, base, head }, CountedCriteria::default()))
}

fn timed_reason(base: f64, control: f64, head: f64, rounds: usize) -> String {
    let round = MeasurementRound {
        base: ProcessStart(vec![base]),
        control: ProcessStart(vec![control]),
        head: ProcessStart(vec![head]),
    };
    let criteria = WallTimeCriteria {
        benchmarks: 1,
        minimum_change: None,
    };
    let result = analyze_rounds(&vec![round; rounds], criteria);
    sentence(&final_findings(&[result])[0])
}

#[test]
fn percentages_keep_what_matters() {
    assert_eq!(format_signed_percent(0.1), "+10.0%");
    assert_eq!(format_signed_percent(-0.0012), "-0.12%");
    assert_eq!(format_signed_percent(0.000_28), "+0.03%");
    assert_eq!(format_signed_percent(0.000_002), "+0.0002%");
    assert_eq!(format_signed_percent(11.5), "+1150%");
    assert_eq!(format_signed_percent(0.0), "0%");
    assert_eq!(format_percent(0.005), "0.5%");
    assert_eq!(format_percent(0.02), "2%");
    assert_eq!(format_percent(1.0), "100%");
}

#[test]
fn counts_name_the_change_and_the_threshold() {
    let instructions = |base: &[f64], head: &[f64]| counted_reason(Metric::Instructions, base, head);
    assert_eq!(
        instructions(&[1000.0], &[1100.0]),
        "instructions rose by 10%, more than the noise floor of 0.1%"
    );
    assert_eq!(
        instructions(&[1000.0, 1030.0, 1000.0], &[1020.0; 3]),
        "instructions changed by +2.0%, within the difference between runs of the base of 3%"
    );
    assert_eq!(
        instructions(&[1000.0], &[0.0]),
        "no instructions were counted at the head: its subject was not reached"
    );
    assert_eq!(
        instructions(&[], &[1.0]),
        "instructions were not counted at both versions"
    );
    assert_eq!(instructions(&[7.0], &[7.0]), "instructions are the same");
}

#[test]
fn runs_that_do_not_repeat_are_named() {
    let instructions = |base: &[f64], head: &[f64]| counted_reason(Metric::Instructions, base, head);
    assert_eq!(
        instructions(&[1000.0; 3], &[1000.0, 3000.0, 1600.0]),
        "instructions of the head do not repeat while those of the base do: runs of the head are 0% to +200% from the \
         base, not all of them within the noise floor of 0.1%"
    );
    assert_eq!(
        instructions(&[1000.0, 1002.0, 1000.0], &[1000.0, 3000.0, 1000.0]),
        "instructions of the head do not repeat nearly as well as those of the base (0.2%): runs of the head are 0% to \
         +200% from the base, not all of them within the difference between runs of the base of 0.2%"
    );
    assert_eq!(
        instructions(&[1000.0, 1002.0, 1000.0], &[1001.0, 1009.0, 1008.0]),
        "instructions changed by +0.80%, more than the difference between runs of the base of 0.2%, but not in every \
         run: no version repeats"
    );
    assert_eq!(
        counted_reason(Metric::PeakBytes, &[0.0; 3], &[0.0, 0.0, 9000.0]),
        "peak bytes were 0 in some runs and up to 9000 at the head in others"
    );
}

#[test]
fn a_slow_rise_names_the_older_version_and_how_many_there_were() {
    let earlier = [EarlierCount {
        version: "abc1234".repeat(6)[..40].to_owned(),
        age: 10,
        count: 1000.0,
        moved: false,
    }];
    let drift = DriftHistory::of(&earlier, &[], 0.001, |_, _| true);
    let said = |metric, base: &[f64], head: &[f64], drift: &Option<DriftHistory>| {
        let terms = CountedCriteria {
            drift: drift.as_ref(),
            ..CountedCriteria::default()
        };
        sentence(&judge(CountedRuns { metric, base, head }, terms))
    };
    assert_eq!(
        said(Metric::Instructions, &[1051.5], &[1052.0], &drift),
        "instructions rose by 5.2% since abc1234abc, in 11 versions, of which none was measured beyond the noise floor of \
         0.1%; by 0.05% in this one"
    );
    let from_zero = [EarlierCount {
        count: 0.0,
        ..earlier[0].clone()
    }];
    let drift = DriftHistory::of(&from_zero, &[], 0.001, |_, _| true);
    assert_eq!(
        said(Metric::PeakBytes, &[1000.0], &[2000.0], &drift),
        "peak bytes rose from 0 by 2000 since abc1234abc, in 11 versions, of which none was measured beyond the noise \
         floor of 0.1%; by 100% in this one"
    );
}

#[test]
fn memory_that_was_zero_has_no_percentage() {
    assert_eq!(
        counted_reason(Metric::PeakBytes, &[0.0], &[65_536.0]),
        "peak bytes were 0 at the base and are 65536 at the head"
    );
    assert_eq!(
        counted_reason(Metric::Allocations, &[1.0], &[4.0]),
        "allocations differ by 3; differences below 4 do not count"
    );
}

#[test]
fn an_infinite_threshold_has_no_number() {
    let shown = counted_reason(Metric::PeakBytes, &[0.0, 4096.0, 4096.0], &[8192.0; 3]);
    assert_eq!(
        shown,
        "peak bytes changed by +100%, within the difference between runs of the base"
    );
}

#[test]
fn times_name_the_change_the_threshold_and_the_chance() {
    assert_eq!(
        timed_reason(1e6, 1e6, 1.2e6, 6),
        "slower: +20.0% (+20.0% to +20.0%) over 6 rounds, more than the smallest change that counts, 2%; p = 0.0077"
    );
    assert_eq!(
        timed_reason(1e6, 1.06e6, 1.07e6, 40),
        "+3.9% (+0.94% to +7.0%) over 40 rounds, not more than the difference of the base from itself, 6%"
    );
    let undecided = timed_reason(1e6, 1.06e6, 1.07e6, 80);
    assert!(undecided.ends_with("6%; no further round is measured"), "{undecided}");
    assert_eq!(
        timed_reason(1e6, 1e6, 2e6, 5),
        "5 rounds measured within the budget; a decision needs 6"
    );
    assert_eq!(timed_reason(1e6, 1e6, 1e6, 0), "no round has a time of both versions");
}

#[test]
fn a_spent_budget_is_added_to_the_reason() {
    let shown = finding(
        Metric::WallTime,
        &FindingReason::TimedUntilBudget(TimingReason::NoRound),
    );
    assert!(
        shown.ends_with(OUT_OF_BUDGET) && shown.starts_with("no round"),
        "{shown}"
    );
}

#[test]
fn a_prediction_is_a_chance_of_exceeding_the_threshold() {
    let reason = FindingReason::Unmeasured(UnmeasuredReason::PredictedUnchanged { probability: 0.12 });
    assert_eq!(
        finding(Metric::Instructions, &reason),
        "12% chance of exceeding the threshold"
    );
}

fn overall_of(outcomes: &[(&str, BenchmarkOutcome, Option<f64>)]) -> String {
    let entries: Vec<BenchmarkVerdict> = (outcomes.iter())
        .map(|&(name, outcome, change)| BenchmarkVerdict {
            change,
            ..BenchmarkVerdict::without_values(name, Metric::Instructions, outcome)
        })
        .collect();
    overall(&overall_verdict(&entries))
}

#[test]
fn the_overall_reason_names_the_worst_and_counts_the_rest() {
    use BenchmarkOutcome::{Failed, Inconclusive, Pass, Regression, SameCode, Skipped};
    let worse = [("large", Regression, Some(0.1)), ("small", Regression, Some(0.05))];
    assert_eq!(
        overall_of(&worse),
        "2 benchmarks got worse, most of all `large`: instructions +10.0%"
    );
    assert_eq!(overall_of(&worse[..1]), "`large` got worse: instructions +10.0%");
    assert_eq!(
        overall_of(&[("a", Regression, None)]),
        "`a` got worse: instructions from zero"
    );
    assert_eq!(
        overall_of(&[("a", Pass, None), ("b", SameCode, None), ("c", Skipped, None)]),
        "nothing changed: 1 measured, 1 compiled to the same code, 1 not likely to change"
    );
    assert_eq!(
        overall_of(&[
            ("a", Failed, None),
            ("b", Inconclusive, None),
            ("c", Inconclusive, None)
        ]),
        "no regression was found, but `a` fails at the head, and 2 benchmarks are inconclusive"
    );
    assert_eq!(overall_of(&[]), "there is no benchmark at the base or the head");
}

#[test]
fn a_skipped_version_says_why_nothing_was_run() {
    let skipped = |benchmarks, risk| {
        let cause = VerdictCause::AllSkipped { benchmarks, risk };
        overall(&VerdictReason { cause, uncounted: None })
    };
    assert_eq!(
        skipped(22, Some(0.001)),
        "none of the 22 benchmarks is likely to change (risk < 1%)"
    );
    assert_eq!(
        skipped(3, Some(0.034)),
        "none of the 3 benchmarks is likely to change (risk at most 3%)"
    );
    assert_eq!(
        skipped(1, Some(0.0)),
        "the only benchmark is not likely to change (risk < 1%)"
    );
    assert_eq!(skipped(2, None), "none of the 2 benchmarks is likely to change");
    let because = |cause| overall(&VerdictReason { cause, uncounted: None });
    assert_eq!(because(VerdictCause::SameCommit), "base and head are the same commit");
    assert_eq!(
        because(VerdictCause::NothingCompiledChanged),
        "nothing that a benchmark compiles changed"
    );
}

#[test]
fn a_loss_that_does_not_count_is_added_to_a_pass() {
    let aside = BenchmarkVerdict {
        gating: false,
        ..BenchmarkVerdict::without_values("parse", Metric::WallTime, BenchmarkOutcome::Regression)
    };
    let pass = BenchmarkVerdict::without_values("parse", Metric::Instructions, BenchmarkOutcome::Pass);
    assert_eq!(
        overall(&overall_verdict(&[pass, aside])),
        "nothing changed: 1 measured; not part of the verdict: `parse` got worse in wall time"
    );
}

#[test]
fn evidence_names_place_and_executions() {
    let executes = |line, executions| {
        evidence(&ReachabilityEvidence::ExecutesChange {
            changed: String::from("krate::parse"),
            file: String::from("src/lib.rs"),
            line,
            executions,
        })
    };
    assert_eq!(
        executes(7, 120_000),
        "`krate::parse` (src/lib.rs:7) changed and runs 120 k times in it"
    );
    assert_eq!(executes(0, 0), "`krate::parse` changed");
    let path = |length: usize| ReachabilityEvidence::ReachesChangedCode {
        path: (0..length).map(|index| format!("f{index}")).collect(),
    };
    assert_eq!(evidence(&path(2)), "a changed function can be reached: f0 → f1");
    assert_eq!(
        evidence(&path(8)),
        "a changed function can be reached: f0 → f1 → f2 → (2 more) → f5 → f6 → f7"
    );
}

#[test]
fn evidence_shows_no_control_characters() {
    let shown = evidence(&ReachabilityEvidence::NotAnalyzed {
        file: String::from("a\x1b[2J"),
        why: String::from("\u{202e}"),
    });
    assert!(!shown.contains(['\x1b', '\u{202e}']), "{shown:?}");
}

#[test]
fn a_size_and_a_build_time_are_spoken_of_in_the_singular() {
    let size = |base: f64, head: f64| counted_reason(Metric::BinarySize, &[base], &[head]);
    assert_eq!(size(1000.0, 1000.0), "binary size is the same");
    assert_eq!(
        size(1000.0, 1063.0),
        "binary size differs by 63; differences below 64 do not count"
    );
    assert_eq!(
        size(100_000.0, 105_000.0),
        "binary size rose by 5%, more than the noise floor of 0.1%"
    );
    let once = finding(Metric::BuildTime, &FindingReason::BuiltOnce);
    assert_eq!(once, "one build of each version does not tell a change from noise");
}
