//! Runs with known answers → findings; and what holds for any runs.

#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::*;
use crate::drift::EarlierCount;

fn instructions<'a>(base: &'a [f64], head: &'a [f64]) -> CountedRuns<'a> {
    CountedRuns {
        metric: Metric::Instructions,
        base,
        head,
    }
}

fn memory<'a>(metric: Metric, base: &'a [f64], head: &'a [f64]) -> CountedRuns<'a> {
    CountedRuns { metric, base, head }
}

#[test]
fn a_change_beyond_the_floor_is_a_regression_with_its_bounds() {
    let finding = judge(
        instructions(&[1000.0, 1001.0, 1000.0], &[1100.0, 1100.0, 1102.0]),
        CountedCriteria::default(),
    );
    assert_eq!(finding.outcome, BenchmarkOutcome::Regression);
    assert!((finding.change.unwrap() - 0.1).abs() < 1e-12);
    assert!((finding.low.unwrap() - (1100.0 / 1001.0 - 1.0)).abs() < 1e-12);
    assert!((finding.high.unwrap() - 0.102).abs() < 1e-12);
    let FindingReason::Counted(CountReason::BeyondThreshold { change, threshold }) = finding.reason else {
        panic!("{finding:?}");
    };
    assert!((change - 0.1).abs() < 1e-12);
    assert_eq!(
        threshold,
        CountedThreshold {
            value: FLOOR,
            source: ThresholdSource::NoiseFloor
        }
    );
}

/// Criteria with these spreads of earlier runs.
fn after(run_spreads: &[f64]) -> CountedCriteria<'_> {
    CountedCriteria {
        run_spreads,
        ..CountedCriteria::default()
    }
}

#[test]
fn no_history_widens_the_threshold_of_counts_that_repeat() {
    let spreads = [0.5; 40];
    for (head, outcome) in [
        (1002.0, BenchmarkOutcome::Regression),
        (1247.0, BenchmarkOutcome::Regression),
        (998.0, BenchmarkOutcome::Improvement),
        (1000.5, BenchmarkOutcome::Pass),
    ] {
        for runs in 1..4 {
            let (base, head) = (vec![1000.0; runs], vec![head; runs]);
            let finding = judge(instructions(&base, &head), after(&spreads));
            assert_eq!(finding.outcome, outcome, "{head:?}");
        }
    }
}

#[test]
fn what_runs_of_one_version_usually_differ_by_is_noise_where_runs_differ() {
    let spreads = [0.0, 0.0, 0.0, 0.04, 0.04, 0.04, 0.04, 0.05, 0.05, 9.0, 9.0, 9.0];
    let head = [1040.0, 1030.0, 1032.0];
    let runs = instructions(&[1000.0, 1000.0, 1001.0], &head);
    assert_eq!(judge(runs, after(&spreads)).outcome, BenchmarkOutcome::Pass);
    let few = &spreads[..HISTORY_AT_LEAST - 1];
    assert_eq!(judge(runs, after(few)).outcome, BenchmarkOutcome::Regression);
    let repeats = instructions(&[1000.0; 3], &head);
    assert_eq!(
        judge(repeats, after(&spreads)).outcome,
        BenchmarkOutcome::Regression,
        "the base repeats"
    );
    // Fewer than half of the verdicts can say what they like.
    let mostly_exact = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0, 9.0];
    assert_eq!(judge(runs, after(&mostly_exact)).outcome, BenchmarkOutcome::Regression);
}

#[test]
fn the_spread_of_earlier_runs_leaves_out_what_the_versions_differed_by() {
    let bounds = |base: &[f64], head: &[f64]| {
        let finding = judge(instructions(base, head), CountedCriteria::default());
        run_spread(finding.low, finding.high)
    };
    let spread = bounds(&[1000.0; 3], &[1250.0; 3]).unwrap();
    assert!(spread.abs() < 1e-12, "{spread}");
    let spread = bounds(&[1000.0, 1010.0], &[2000.0, 2040.0]).unwrap();
    assert!((spread - (1.01 * 1.02 - 1.0)).abs() < 1e-12, "{spread}");
    for (low, high) in [
        (None, Some(0.1)),
        (Some(0.1), None),
        (Some(-1.0), Some(0.1)),
        (Some(0.2), Some(0.1)),
    ] {
        assert_eq!(run_spread(low, high), None);
    }
}

#[test]
fn the_head_never_gains_by_its_own_scatter() {
    let judged = |base: &[f64], head: &[f64]| {
        let finding = judge(instructions(base, head), CountedCriteria::default());
        (finding.outcome, finding.reason)
    };
    let (outcome, reason) = judged(&[1000.0; 3], &[1300.0, 3000.0, 1600.0]);
    assert_eq!(outcome, BenchmarkOutcome::Regression, "its lowest run is 30% beyond");
    assert!(matches!(
        reason,
        FindingReason::Counted(CountReason::BeyondThreshold { .. })
    ));
    for head in [
        [1000.0, 3000.0, 1600.0],
        [3000.0, 1000.0, 1000.0],
        [1000.0, 1000.0, 1002.0],
        [900.0, 1000.0, 1000.0],
        [500.0, 1500.0, 1000.0],
    ] {
        let (outcome, reason) = judged(&[1000.0; 3], &head);
        assert_eq!(outcome, BenchmarkOutcome::Inconclusive, "{head:?}");
        assert!(matches!(
            reason,
            FindingReason::Counted(CountReason::HeadScatters { .. })
        ));
    }
    let (outcome, _) = judged(&[1000.0; 3], &[1000.0, 1000.28, 999.8]);
    assert_eq!(outcome, BenchmarkOutcome::Pass, "scatter within the floor");
    let (outcome, _) = judged(&[1000.0; 3], &[800.0, 900.0, 850.0]);
    assert_eq!(outcome, BenchmarkOutcome::Improvement, "each of its runs is better");
}

#[test]
fn a_head_that_scatters_far_more_than_its_base_does_not_pass() {
    let judged = |head: &[f64]| {
        judge(
            instructions(&[1000.0, 1001.5, 1000.0], head),
            CountedCriteria::default(),
        )
    };
    assert_eq!(judged(&[1000.0, 1002.0, 1000.0]).outcome, BenchmarkOutcome::Pass);
    let wild = judged(&[1000.0, 3000.0, 1000.0]);
    assert_eq!(wild.outcome, BenchmarkOutcome::Inconclusive);
    assert!(matches!(
        wild.reason,
        FindingReason::Counted(CountReason::HeadScatters { .. })
    ));
}

#[test]
fn runs_of_two_noisy_versions_that_overlap_decide_nothing() {
    let base = [1000.0, 1004.0, 1000.0, 1002.0, 1001.0];
    let judged = |head: &[f64]| judge(instructions(&base, head), CountedCriteria::default());
    let overlapping = judged(&[1003.0, 1010.0, 1011.0, 1009.0, 1012.0]);
    assert_eq!(overlapping.outcome, BenchmarkOutcome::Inconclusive);
    assert!(matches!(
        overlapping.reason,
        FindingReason::Counted(CountReason::RunsOverlap { .. })
    ));
    let apart = judged(&[1008.0, 1010.0, 1011.0, 1009.0, 1012.0]);
    assert_eq!(apart.outcome, BenchmarkOutcome::Regression);
}

#[test]
fn memory_of_a_head_that_scatters_is_judged_by_its_most_distant_run() {
    let judged =
        |base: &[f64], head: &[f64]| judge(memory(Metric::Allocations, base, head), CountedCriteria::default());
    assert_eq!(judged(&[40.0; 3], &[40.0, 43.0, 41.0]).outcome, BenchmarkOutcome::Pass);
    assert_eq!(
        judged(&[40.0; 3], &[40.0, 41.0, 200.0]).outcome,
        BenchmarkOutcome::Inconclusive
    );
    assert_eq!(
        judged(&[0.0; 3], &[0.0, 0.0, 200.0]).outcome,
        BenchmarkOutcome::Inconclusive
    );
    let same = [0.0, 0.0, 200.0];
    assert_eq!(judged(&same, &same).outcome, BenchmarkOutcome::Pass);
}

/// What the verdicts on a line of versions say, each with the counts of the ones before it as its history.
fn outcomes(metric: Metric, counts: &[f64], minimum_change: Option<f64>) -> Vec<MetricFinding> {
    let mut moved = vec![false];
    let mut found = Vec::new();
    for head in 1..counts.len() {
        let earlier: Vec<EarlierCount> = (0..head)
            .map(|at| EarlierCount {
                version: format!("v{at}"),
                age: u32::try_from(head - 1 - at).unwrap(),
                count: counts[at],
                moved: moved[at],
            })
            .collect();
        let threshold = minimum_change.unwrap_or(FLOOR);
        let drift = DriftHistory::of(&earlier, &[], threshold, |_, _| true);
        let terms = CountedCriteria {
            run_spreads: &[],
            minimum_change,
            drift: drift.as_ref(),
            is_informational: false,
        };
        let finding = judge(memory(metric, &counts[head - 1..head], &counts[head..=head]), terms);
        moved.push(finding.significant);
        found.push(finding);
    }
    found
}

#[test]
fn a_hundred_steps_below_the_threshold_end_in_an_alarm() {
    let counts: Vec<f64> = (0..=100).map(|step| 1e6 * 1.0049f64.powi(step)).collect();
    let found = outcomes(Metric::Instructions, &counts, Some(0.05));
    let first = found.iter().position(|finding| finding.significant).unwrap();
    assert_eq!(first, 9, "ten steps are 5.01%");
    let FindingReason::Counted(CountReason::Drifted { step, drift, threshold }) = &found[first].reason else {
        panic!("{:?}", found[first]);
    };
    assert_eq!((drift.since.version.as_str(), drift.since.versions), ("v0", 10));
    assert!((drift.change.unwrap() - (1.0049f64.powi(10) - 1.0)).abs() < 1e-12);
    assert!((step.unwrap() - 0.0049).abs() < 1e-12);
    assert_eq!(threshold.source, ThresholdSource::UserMinimum);
    // Each alarm moves the anchor: ten steps later is the next one, not the next version.
    let alarms: Vec<usize> = (0..found.len()).filter(|&at| found[at].significant).collect();
    assert_eq!(alarms, (9..100).step_by(10).collect::<Vec<usize>>());
    assert_eq!(found[first].outcome, BenchmarkOutcome::Regression);
}

#[test]
fn steps_below_the_floor_add_up_as_well() {
    let counts: Vec<f64> = (0..=10).map(|step| 1e6 + 400.0 * f64::from(step)).collect();
    let found = outcomes(Metric::Instructions, &counts, None);
    let alarms: Vec<usize> = (0..found.len()).filter(|&at| found[at].significant).collect();
    assert_eq!(alarms, [2, 5, 8], "each three steps are 0.12%");
}

#[test]
fn a_head_that_adds_nothing_is_not_blamed_for_earlier_creep() {
    let earlier = [EarlierCount {
        version: String::from("old"),
        age: 7,
        count: 900.0,
        moved: false,
    }];
    let drift = DriftHistory::of(&earlier, &[], FLOOR, |_, _| true);
    let judged = |head: f64| {
        let terms = CountedCriteria {
            drift: drift.as_ref(),
            ..CountedCriteria::default()
        };
        judge(instructions(&[1000.0], &[head]), terms).outcome
    };
    assert_eq!(judged(1000.0), BenchmarkOutcome::Pass);
    assert_eq!(judged(999.5), BenchmarkOutcome::Pass);
    assert_eq!(judged(1000.5), BenchmarkOutcome::Regression);
    assert_eq!(judged(990.0), BenchmarkOutcome::Improvement);
}

#[test]
fn ups_and_downs_that_cancel_out_are_no_creep() {
    let counts: Vec<f64> = (0..100).map(|step| 1e6 + f64::from(step % 2) * 900.0).collect();
    assert!(
        outcomes(Metric::Instructions, &counts, None)
            .iter()
            .all(|finding| !finding.significant)
    );
}

#[test]
fn a_little_memory_at_a_time_adds_up_to_a_loss() {
    let counts: Vec<f64> = (0..6).map(|step| f64::from(step) * 900.0).collect();
    let found = outcomes(Metric::PeakBytes, &counts, None);
    assert_eq!(found[0].outcome, BenchmarkOutcome::Pass, "900 bytes in all");
    assert_eq!(
        found[1].outcome,
        BenchmarkOutcome::Regression,
        "1800 bytes in two steps"
    );
}

#[test]
fn what_lies_between_runs_of_one_version_is_none() {
    let finding = judge(
        instructions(&[1000.0, 1030.0, 1000.0], &[1020.0; 3]),
        CountedCriteria::default(),
    );
    assert_eq!(finding.outcome, BenchmarkOutcome::Pass);
    let FindingReason::Counted(CountReason::WithinThreshold { change, threshold }) = finding.reason else {
        panic!("{finding:?}");
    };
    assert!((change - 0.02).abs() < 1e-12 && (threshold.value - 0.03).abs() < 1e-12);
    assert_eq!(threshold.source, ThresholdSource::RunSpread);
}

#[test]
fn the_user_raises_the_floor_and_never_lowers_it() {
    let judged = |minimum: f64, head: f64| {
        let terms = CountedCriteria {
            minimum_change: Some(minimum),
            ..CountedCriteria::default()
        };
        judge(instructions(&[1000.0], &[head]), terms).outcome
    };
    assert_eq!(judged(0.05, 1040.0), BenchmarkOutcome::Pass);
    assert_eq!(judged(0.05, 1060.0), BenchmarkOutcome::Regression);
    assert_eq!(judged(0.0, 1000.9), BenchmarkOutcome::Pass);
    assert_eq!(judged(f64::NAN, 1000.9), BenchmarkOutcome::Pass);
}

#[test]
fn memory_that_was_none_has_no_quotient_and_says_so() {
    let finding = judge(
        memory(Metric::PeakBytes, &[0.0], &[65_536.0]),
        CountedCriteria::default(),
    );
    assert_eq!(finding.outcome, BenchmarkOutcome::Regression);
    assert_eq!((finding.change, finding.low, finding.high), (None, None, None));
    assert_eq!(
        finding.reason,
        FindingReason::Counted(CountReason::FromZero { head: 65_536.0 })
    );
    let finding = judge(memory(Metric::Allocations, &[40.0], &[0.0]), CountedCriteria::default());
    assert_eq!(
        (finding.outcome, finding.change),
        (BenchmarkOutcome::Improvement, Some(-1.0))
    );
}

#[test]
fn a_little_memory_is_no_change() {
    for (metric, base, head) in [
        (Metric::PeakBytes, 0.0, 1023.0),
        (Metric::AllocatedBytes, 1024.0, 2000.0),
        (Metric::Allocations, 1.0, 4.0),
    ] {
        let finding = judge(memory(metric, &[base], &[head]), CountedCriteria::default());
        assert_eq!(finding.outcome, BenchmarkOutcome::Pass, "{metric}");
    }
    let finding = judge(memory(Metric::Allocations, &[1.0], &[5.0]), CountedCriteria::default());
    assert_eq!(finding.outcome, BenchmarkOutcome::Regression);
}

#[test]
fn nothing_on_both_sides_is_no_change() {
    for metric in Metric::ALL {
        let finding = judge(memory(metric, &[0.0], &[0.0]), CountedCriteria::default());
        assert_eq!((finding.outcome, finding.change), (BenchmarkOutcome::Pass, Some(0.0)));
    }
}

#[test]
fn a_subject_that_was_not_reached_is_not_an_improvement() {
    for (base, head) in [(0.0, 9000.0), (9000.0, 0.0)] {
        let finding = judge(instructions(&[base], &[head]), CountedCriteria::default());
        assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
    }
    let finding = judge(instructions(&[], &[9000.0]), CountedCriteria::default());
    assert_eq!(finding.outcome, BenchmarkOutcome::Inconclusive);
}

#[test]
fn runs_are_only_repeated_where_that_can_matter() {
    let needed = |base: &[f64], head: &[f64]| needs_more_runs(instructions(base, head), CountedCriteria::default());
    assert!(needed(&[], &[]));
    assert!(
        !needed(&[1000.0], &[1000.0]),
        "the first repeats to the last instruction"
    );
    assert!(needed(&[1000.0], &[1000.5]), "the head may scatter");
    assert!(needed(&[1000.0], &[1100.0]), "beyond it");
    assert!(!needed(&[1000.0, 1000.0], &[1100.0, 1100.0]), "repeats exactly");
    assert!(
        needed(&[1000.0, 1000.2], &[1000.0, 1000.0]),
        "three where they do not repeat"
    );
    assert!(!needed(&[1000.0, 1000.2, 1000.0], &[1000.0; 3]), "within the threshold");
    assert!(!needed(&[10000.0, 10001.0], &[10300.0, 10300.0]), "far apart");
    assert!(needed(&[10000.0, 10001.0], &[10090.0, 10090.0]), "not so far");
    assert!(needed(&[10000.0, 10004.0], &[10300.0, 10300.0]), "nothing repeats");
    let (base, head) = ([1000.0, 1002.0, 999.0], [1100.0, 1100.0, 1101.0]);
    assert!(needed(&base, &head), "three of noise are too few for an alarm");
    let five = |of: [f64; 3]| [of[0], of[1], of[2], of[0], of[1]];
    assert!(!needed(&five(base), &five(head)));
    assert!(
        !needed(&[f64::NAN; RUNS_OF_SCATTER], &[1.0; RUNS_OF_SCATTER]),
        "garbage does not go on for ever"
    );
}

fn counts() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(
        prop_oneof![
            4 => (0u32..2_000_000).prop_map(f64::from),
            1 => Just(0.0),
            1 => Just(f64::NAN),
            1 => Just(f64::INFINITY),
            1 => Just(f64::MAX),
            1 => Just(f64::MIN_POSITIVE),
            1 => Just(-1.0),
        ],
        0..5,
    )
}

proptest! {
    #[test]
    fn no_runs_give_numbers_that_json_can_not_write(
        base in counts(),
        head in counts(),
        metric in prop::sample::select(&Metric::ALL[..]),
    ) {
        let finding = judge(CountedRuns { metric, base: &base, head: &head }, CountedCriteria::default());
        for number in [finding.base, finding.head, finding.change, finding.low, finding.high].into_iter().flatten() {
            prop_assert!(number.is_finite());
        }
    }

    #[test]
    fn the_same_runs_always_pass(runs in prop::collection::vec(0.0f64..1e9, 1..4)) {
        for metric in Metric::ALL {
            let runs = CountedRuns { metric, base: &runs, head: &runs };
            prop_assert_eq!(judge(runs, CountedCriteria::default()).outcome, BenchmarkOutcome::Pass);
            let exact = CountedRuns { base: &runs.base[..1], head: &runs.head[..1], metric };
            prop_assert!(!needs_more_runs(exact, CountedCriteria::default()));
        }
    }

    #[test]
    fn a_run_that_is_worse_never_turns_an_alarm_into_a_pass(
        base in prop::collection::vec(990.0f64..1010.0, 1..6),
        head in prop::collection::vec(900.0f64..1200.0, 1..6),
        at in 0usize..6,
        more in 0.0f64..5000.0,
        spreads in prop::collection::vec(0.0f64..0.2, 0..20),
    ) {
        let judged = |head: &[f64]| judge(instructions(&base, head), after(&spreads)).outcome;
        let mut worse = head.clone();
        let at = at % worse.len();
        worse[at] += more;
        if judged(&head) == BenchmarkOutcome::Regression {
            prop_assert_eq!(judged(&worse), BenchmarkOutcome::Regression);
        }
    }

    #[test]
    fn worse_on_one_side_is_better_on_the_other(base in 1e3f64..1e9, factor in 1.01f64..3.0) {
        let head = base * factor;
        prop_assert_eq!(judge(instructions(&[base], &[head]), CountedCriteria::default()).outcome, BenchmarkOutcome::Regression);
        prop_assert_eq!(
            judge(instructions(&[head], &[base]), CountedCriteria { minimum_change: Some(0.005), ..CountedCriteria::default() }).outcome,
            BenchmarkOutcome::Improvement
        );
    }

    #[test]
    fn a_longer_way_never_turns_an_alarm_off(base in 1e3f64..1e9, less in 0.0f64..0.5, more in 0.0f64..0.5) {
        let judged = |change: f64| judge(instructions(&[base], &[base * (1.0 + change)]), CountedCriteria::default()).significant;
        let (less, more) = (less.min(more), less.max(more));
        prop_assert!(judged(more) || !judged(less));
    }
}
