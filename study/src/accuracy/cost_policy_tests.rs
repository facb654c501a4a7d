//! Builds and runs of each policy, counted by hand on five versions.
//!
//! Version 0 takes 10 s to build and 0.01 s to run; each version takes twice as long as the one before. So a sum tells which
//! builds and runs are in it. A sample takes 64 s.
#![allow(clippy::unwrap_used)]

use super::cost_policies::{BaseMeasurement, CostPolicy, PolicyLedger};
use super::measured_predicted::join_predictions;
use super::sampling_schedule::{DriftBound, SamplingSchedule};
use super::tests::{find, line, options, project, simulated};
use super::*;
use analyzer::cost::ChangeClass;
use verdict::counts::FLOOR;

const SAMPLE: f64 = 64.0;
/// Versions 1, 3 and 4 are flagged. Version 2 is skipped.
const FLAGGED: [usize; 3] = [1, 3, 4];

const HEAD_FIRST: CostPolicy = CostPolicy {
    base: BaseMeasurement::Beyond(FLOOR),
    ..CostPolicy::AS_IT_WAS
};
const SAME_CODE: CostPolicy = CostPolicy {
    skips_same_code: true,
    ..CostPolicy::AS_IT_WAS
};
const BOTH: CostPolicy = CostPolicy {
    skips_same_code: true,
    ..HEAD_FIRST
};

/// The counts of versions 0 to 4. Each version from 1 on changes functions of a fifth of the cost.
fn five(counts: [u64; 5], codes: [CodeAnswer; 4]) -> ProjectResults {
    let mut project = project(StudyKind::Commits, "five", &counts.map(|count| line(count, 0.2, 0.0)));
    for (index, version) in project.measured.iter_mut().enumerate() {
        let times = f64::from(1 << index);
        version.build = 10.0 * times;
        let benchmark = version.benchmarks.get_mut("b").unwrap();
        benchmark.seconds = 0.01 * times;
        if index > 0 {
            benchmark.code = codes[index - 1];
        }
    }
    project.sampling.insert(String::from("five-0"), SAMPLE);
    project
}

const DIFFERENT: [CodeAnswer; 4] = [CodeAnswer::Different; 4];
/// Version 2 improves by 10%, and version 3 takes it back.
const BACK_AND_FORTH: [u64; 5] = [1000, 1000, 900, 1000, 1000];
/// Version 2 regresses by 10%.
const SKIPPED_REGRESSION: [u64; 5] = [1000, 1000, 1100, 1100, 1100];

fn ledger(project: &ProjectResults, policy: CostPolicy) -> PolicyLedger {
    let joined = join_predictions(project, 10).unwrap();
    let samples = policy.sampling.samples(&joined);
    PolicyLedger::of(&joined, policy, &samples, |version, _| {
        FLAGGED.contains(&joined.versions[version].position())
    })
}

/// Seconds of building and running these versions.
fn work(built: &[u32], run: &[u32]) -> f64 {
    let times = |versions: &[u32]| versions.iter().map(|version| f64::from(1 << version)).sum::<f64>();
    10.0 * times(built) + 0.01 * times(run)
}

fn assert_work(ledger: &PolicyLedger, built: &[u32], run: &[u32]) {
    let expected = work(built, run);
    assert!(
        (ledger.benchmarking - expected).abs() < 1e-9,
        "{} is not {expected}",
        ledger.benchmarking
    );
    assert_eq!(ledger.builds, built.len());
    assert_eq!(ledger.flagged.len(), FLAGGED.len());
}

/// Whether each flagged version has base and head held against each other.
fn measured(ledger: &PolicyLedger) -> Vec<bool> {
    ledger
        .flagged
        .iter()
        .map(|version| version.seen[0].is_measured)
        .collect()
}

#[test]
fn as_it_was_both_sides_are_built_and_run_once() {
    let ledger = ledger(&five(BACK_AND_FORTH, DIFFERENT), CostPolicy::AS_IT_WAS);
    assert_work(&ledger, &[0, 1, 2, 3, 4], &[0, 1, 2, 3, 4]);
    assert_eq!((ledger.samples, ledger.sampling), (1, SAMPLE));
    assert_eq!(measured(&ledger), [true, true, true]);
}

#[test]
fn where_the_version_before_is_taken_as_measured_only_heads_are_built() {
    let policy = CostPolicy {
        base: BaseMeasurement::Presumed,
        ..CostPolicy::AS_IT_WAS
    };
    assert_work(
        &ledger(&five(BACK_AND_FORTH, DIFFERENT), policy),
        &[1, 3, 4],
        &[1, 3, 4],
    );
}

#[test]
fn a_head_with_the_older_count_has_no_base_built_and_hides_what_was_taken_back() {
    let ledger = ledger(&five(BACK_AND_FORTH, DIFFERENT), HEAD_FIRST);
    // The base of 1 is sampled, that of 4 is the head before. 3 has the count of 1.
    assert_work(&ledger, &[1, 3, 4], &[1, 3, 4]);
    assert_eq!(measured(&ledger), [true, false, true]);
    assert_eq!(ledger.flagged[1].seen[0].since_older, Some(0.0));
    assert_eq!(ledger.flagged[2].seen[0].since_older, None);
}

#[test]
fn a_head_with_another_count_has_its_base_built_and_run() {
    let skipped = ledger(&five(SKIPPED_REGRESSION, DIFFERENT), HEAD_FIRST);
    assert_work(&skipped, &[1, 2, 3, 4], &[1, 2, 3, 4]);
    assert_eq!(measured(&skipped), [true, true, true]);
    assert!((skipped.flagged[1].seen[0].since_older.unwrap() - 0.1).abs() < 1e-12);
    // 1% is beyond the floor, and not beyond 2.5%.
    let small = five([1000, 1000, 1010, 1010, 1010], DIFFERENT);
    assert_work(&ledger(&small, HEAD_FIRST), &[1, 2, 3, 4], &[1, 2, 3, 4]);
    let wider = CostPolicy {
        base: BaseMeasurement::Beyond(0.025),
        ..CostPolicy::AS_IT_WAS
    };
    assert_work(&ledger(&small, wider), &[1, 3, 4], &[1, 3, 4]);
}

#[test]
fn without_an_older_count_the_base_is_built() {
    let mut project = five(BACK_AND_FORTH, DIFFERENT);
    // The sample is of a version that was not measured.
    for version in project.predicted.values_mut() {
        version.on.get_mut(&10).unwrap().sample = String::from("elsewhere");
    }
    assert_work(&ledger(&project, HEAD_FIRST), &[0, 1, 3, 4], &[0, 1, 3, 4]);
}

#[test]
fn the_same_machine_code_is_not_run() {
    use CodeAnswer::{Different, Same, SameExecuted};
    let project = five(BACK_AND_FORTH, [Same, Different, Different, SameExecuted]);
    // Neither side of 1; both of 3, which is the base of 4.
    assert_work(&ledger(&project, SAME_CODE), &[0, 1, 2, 3, 4], &[2, 3]);
    // 1 has the code of the sample, 4 what 3 executes.
    assert_work(&ledger(&project, BOTH), &[1, 3, 4], &[3]);
}

#[test]
fn code_is_that_of_an_older_version_if_every_step_leaves_all_of_it() {
    use CodeAnswer::{Different, Same, SameExecuted};
    let still = [1000; 5];
    let ran = |codes| ledger(&five(still, codes), BOTH).benchmarking - work(&[1, 3, 4], &[]);
    assert!(ran([Same, Same, Same, Same]).abs() < 1e-9);
    // One of the two steps from 1 to 3 may have another code.
    for between in [Different, SameExecuted, CodeAnswer::Unknown] {
        assert!((ran([Same, between, Same, Same]) - work(&[], &[3])).abs() < 1e-9);
        assert!((ran([Same, Same, between, Same]) - work(&[], &[3])).abs() < 1e-9);
    }
}

#[test]
fn a_base_with_the_code_of_the_head_is_built_and_not_run() {
    use CodeAnswer::{Different, Same};
    let project = five(SKIPPED_REGRESSION, [Different, Different, Same, Different]);
    // 3 moved since 1; base 2 shows that 3 did not do it.
    let ledger = ledger(&project, BOTH);
    assert_work(&ledger, &[1, 2, 3, 4], &[1, 3, 4]);
    assert_eq!(measured(&ledger), [true, false, true]);
}

/// Predictions of version 4 rest on a sample of version 3.
fn with_a_sample_of_a_flagged_version() -> ProjectResults {
    let mut project = five(BACK_AND_FORTH, DIFFERENT);
    let last = project.predicted.get_mut("five-4").unwrap();
    last.on.get_mut(&10).unwrap().sample = String::from("five-3");
    project.sampling.insert(String::from("five-3"), SAMPLE);
    project
}

#[test]
fn what_the_gate_ran_is_half_of_a_sample() {
    let kept = CostPolicy {
        keeps_runs: true,
        ..CostPolicy::AS_IT_WAS
    };
    let mut project = with_a_sample_of_a_flagged_version();
    let anew = ledger(&project, CostPolicy::AS_IT_WAS);
    assert_eq!((anew.samples, anew.sampling), (2, 2.0 * SAMPLE));
    let half = ledger(&project, kept);
    assert_eq!((half.samples, half.sampling), (2, 1.5 * SAMPLE));
    assert_eq!(half.benchmarking, anew.benchmarking);
    // Another benchmark was not flagged, and takes as long as the build and the first together.
    let other = MeasuredBenchmark {
        seconds: work(&[3], &[3]),
        ..project.measured[3].benchmarks["b"].clone()
    };
    project.measured[3].benchmarks.insert(String::from("other"), other);
    assert!((ledger(&project, kept).sampling - 1.75 * SAMPLE).abs() < 1e-9);
}

#[test]
fn samples_by_drift_lie_between_two_bounds() {
    let project = five(BACK_AND_FORTH, DIFFERENT);
    let samples = |limit, bound| {
        let policy = CostPolicy {
            sampling: SamplingSchedule::ByDrift { limit, bound },
            ..CostPolicy::AS_IT_WAS
        };
        let joined = join_predictions(&project, 10).unwrap();
        let taken = policy.sampling.samples(&joined);
        assert_eq!(ledger(&project, policy).sampling, taken.len() as f64 * SAMPLE);
        taken.iter().map(|sample| sample.version.unwrap()).collect::<Vec<_>>()
    };
    // A fifth at each version. The last one has nobody after it.
    assert_eq!(samples(0.1, DriftBound::Sum), [0, 1, 2, 3]);
    assert_eq!(samples(0.35, DriftBound::Sum), [0, 2]);
    assert_eq!(samples(1.0, DriftBound::Sum), [0]);
    assert_eq!(samples(0.1, DriftBound::Largest), [0, 1, 2, 3]);
    assert_eq!(samples(0.35, DriftBound::Largest), [0]);
}

#[test]
fn a_sample_every_so_many_versions_begins_with_the_first_and_serves_a_later_one() {
    let project = five(BACK_AND_FORTH, DIFFERENT);
    let joined = join_predictions(&project, 10).unwrap();
    let samples = |versions| {
        let taken = SamplingSchedule::Every(versions).samples(&joined);
        assert!(taken.iter().all(|sample| sample.seconds == SAMPLE));
        taken.iter().map(|sample| sample.version.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(samples(1), [0, 1, 2, 3]);
    assert_eq!(samples(2), [0, 2]);
    assert_eq!(samples(3), [0, 3]);
    assert_eq!(samples(4), [0], "the last version has nobody after it");
}

#[test]
fn drift_is_of_functions_that_changed_came_or_went_and_of_one_benchmark() {
    let mut project = five(BACK_AND_FORTH, DIFFERENT);
    let touched = |project: &mut ProjectResults, version: &str, class, share| {
        let version = project.predicted.get_mut(version).unwrap();
        let on = version.on.get_mut(&10).unwrap();
        on.benchmarks.get_mut("b").unwrap().terms.touched.insert(class, share);
    };
    let by_drift = SamplingSchedule::ByDrift {
        limit: 0.8,
        bound: DriftBound::Sum,
    };
    let samples = |project: &ProjectResults| by_drift.samples(&join_predictions(project, 10).unwrap()).len();
    touched(&mut project, "five-1", ChangeClass::BuildSetting, 1.0);
    touched(&mut project, "five-1", ChangeClass::Field, 1.0);
    assert_eq!(samples(&project), 1);
    touched(&mut project, "five-2", ChangeClass::Unsampled, 0.3);
    assert_eq!(samples(&project), 2);
    touched(&mut project, "five-2", ChangeClass::Unsampled, 0.0);
    touched(&mut project, "five-2", ChangeClass::Replaced, 0.3);
    assert_eq!(samples(&project), 2);
}

#[test]
fn a_sample_between_tells_the_count_of_the_base() {
    let policy = CostPolicy {
        sampling: SamplingSchedule::ByDrift {
            limit: 0.35,
            bound: DriftBound::Sum,
        },
        ..HEAD_FIRST
    };
    // Version 2 is sampled, so that 3 is held against it, and what it took back shows.
    let ledger = ledger(&five(BACK_AND_FORTH, DIFFERENT), policy);
    assert_work(&ledger, &[1, 3, 4], &[1, 3, 4]);
    assert_eq!(measured(&ledger), [true, true, true]);
}

fn row(evaluation: &Evaluation, policy: CostPolicy) -> PolicyRow {
    let mut rows = evaluation.policies.iter();
    rows.find(|row| row.scope == "commits" && row.policy == policy)
        .unwrap()
        .clone()
}

#[test]
fn what_a_policy_loses_and_what_it_sees_of_skipped_versions_is_counted() {
    let mut project = five(BACK_AND_FORTH, DIFFERENT);
    // Version 2 touches nothing that the prediction knows of.
    let skip = |project: &mut ProjectResults| {
        let skipped = project.predicted.get_mut("five-2").unwrap();
        let on = skipped.on.get_mut(&10).unwrap();
        on.benchmarks.get_mut("b").unwrap().terms.touched.clear();
    };
    skip(&mut project);
    let evaluation = evaluate(&[project], &options());
    let now = row(&evaluation, CostPolicy::AS_IT_WAS);
    assert_eq!(
        (now.selected.hits, now.recall.hits, now.recall_moved.hits),
        (3.0, 1.0, 1.0)
    );
    assert_eq!((now.lost, now.builds), (LostMovements::default(), 5));
    let head_first = row(&evaluation, HEAD_FIRST);
    let lost = LostMovements { regressed: 1, moved: 1 };
    assert_eq!(
        (head_first.lost, head_first.recall.hits, head_first.recall.of),
        (lost, 0.0, 1.0)
    );
    assert_eq!(head_first.recall_moved.of, 2.0);
    assert_eq!(head_first.builds_per_flagged(), Some(1.0));
    assert_eq!(head_first.skipped_parts, SkippedParts::default());
    let mut project = five(SKIPPED_REGRESSION, DIFFERENT);
    skip(&mut project);
    let head_first = row(&evaluate(&[project], &options()), HEAD_FIRST);
    let parts = SkippedParts {
        versions: 1,
        regressed: 1,
    };
    assert_eq!((head_first.skipped_parts, head_first.lost.regressed), (parts, 0));
    // The regression itself was skipped.
    assert_eq!((head_first.recall.hits, head_first.recall.of), (0.0, 1.0));
}

#[test]
fn policies_agree_with_the_headline_and_with_each_other() {
    let projects = [3, 5, 7].map(|seed| simulated(StudyKind::Commits, &format!("p{seed}"), seed, 1.0));
    let evaluation = evaluate(&projects, &options());
    let headline = find(&evaluation, SelectionModel::Lito, 0.05, "commits", StudyStage::Source);
    let now = row(&evaluation, CostPolicy::AS_IT_WAS);
    assert!((now.whole() - headline.cost).abs() < 1e-6);
    assert_eq!((now.recall, now.selected), (headline.recall, headline.selected));
    let head_first = row(&evaluation, HEAD_FIRST);
    assert!(head_first.benchmarking < now.benchmarking && head_first.builds < now.builds);
    for limit in DRIFTS {
        let samples = |bound| {
            let sampling = SamplingSchedule::ByDrift { limit, bound };
            row(
                &evaluation,
                CostPolicy {
                    sampling,
                    ..CostPolicy::AS_IT_WAS
                },
            )
            .samples
        };
        assert!(samples(DriftBound::Largest) <= samples(DriftBound::Sum));
    }
}
