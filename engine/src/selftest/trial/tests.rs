#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::instrument::seed::{IntendedEffect, PlantedKind};
use analyzer::score::{BenchmarkPrediction, VersionScore};
use verdict::{Verdict, VerdictReport};

use super::*;
use crate::score_fixture;

fn seed(kind: PlantedKind, place: SeedHotness) -> SeededChange {
    SeededChange {
        kind,
        place,
        file: Arc::from("src/lib.rs"),
        function: Arc::from("krate::f"),
        line: 7,
        before: None,
        after: String::new(),
        description: String::from("new loop"),
        aim: None,
    }
}

fn entry(name: &str, metric: Metric, change: f64, verdict: BenchmarkOutcome) -> BenchmarkVerdict {
    BenchmarkVerdict {
        change: Some(change),
        ..BenchmarkVerdict::without_values(name, metric, verdict)
    }
}

fn counted(name: &str, change: f64, verdict: BenchmarkOutcome) -> BenchmarkVerdict {
    entry(name, Metric::Instructions, change, verdict)
}

/// A judgement whose score flags the `selected` benchmarks.
fn judgement(benchmarks: Vec<BenchmarkVerdict>, selected: &[&str]) -> GateJudgement {
    let prediction = |entry: &BenchmarkVerdict| BenchmarkPrediction {
        name: entry.name.clone(),
        probability: 0.5,
        selected: selected.contains(&entry.name.as_str()),
        ..BenchmarkPrediction::default()
    };
    GateJudgement {
        measurements: verdict::JobMeasurements {
            schema: verdict::MEASUREMENTS_SCHEMA.to_owned(),
            base: String::from("b"),
            head: String::from("h"),
            measurements: Vec::new(),
            stages: Vec::new(),
            environment: BTreeMap::new(),
            cost_seconds: 0.0,
        },
        score: VersionScore {
            probability: 0.5,
            ..score_fixture::score(
                match selected {
                    [] => ScoreDecision::Skip,
                    _ => ScoreDecision::Benchmark,
                },
                benchmarks.iter().map(prediction).collect(),
            )
        },
        report: VerdictReport {
            schema: String::new(),
            base: String::new(),
            head: String::new(),
            verdict: Verdict::Pass,
            reason: String::from("nothing could be compared"),
            benchmarks,
            stages: Vec::new(),
            audited: false,
            audit: None,
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        },
        unbuilt: None,
        reused_programs: false,
        builds: 0,
        rounds: BTreeMap::new(),
    }
}

fn tried(seed: &SeededChange, judgement: &GateJudgement) -> TrialComparison {
    match of(seed, judgement, 0.05).measured {
        TrialMeasurement::Changes(compared) => compared,
        other => panic!("it was measured: {other:?}"),
    }
}

#[test]
fn a_flag_on_another_benchmark_than_the_one_that_moved_catches_nothing() {
    let entries = vec![
        counted("moved", 0.08, BenchmarkOutcome::Regression),
        counted("calm", 0.0, BenchmarkOutcome::Pass),
    ];
    let seed = seed(PlantedKind::LoopAddition, SeedHotness::Hot);
    let caught = tried(&seed, &judgement(entries.clone(), &["moved"]));
    assert!(caught.moved && caught.caught);
    assert_eq!((caught.benchmark.as_str(), caught.change()), ("moved", 0.08));
    assert!(!tried(&seed, &judgement(entries.clone(), &["calm"])).caught);
    assert!(!tried(&seed, &judgement(entries, &[])).caught);
}

#[test]
fn only_counts_decide_what_moved() {
    let entries = vec![
        counted("sum", 0.01, BenchmarkOutcome::Regression),
        entry("sum", Metric::WallTime, 0.09, BenchmarkOutcome::Regression),
    ];
    let compared = tried(
        &seed(PlantedKind::LoopAddition, SeedHotness::Hot),
        &judgement(entries, &["sum"]),
    );
    assert!(!compared.moved);
    let metrics: Vec<Metric> = compared.seen.iter().map(|seen| seen.metric).collect();
    assert_eq!(metrics, [Metric::Instructions, Metric::WallTime]);
}

#[test]
fn a_change_of_known_size_is_looked_for_in_the_benchmark_that_it_was_made_for() {
    let mut seed = seed(PlantedKind::LoopAddition, SeedHotness::Warm);
    seed.aim = Some(IntendedEffect {
        benchmark: String::from("small"),
        share: 0.01,
        rounds: 300,
        executions: 3,
    });
    let entries = vec![
        counted("large", 0.30, BenchmarkOutcome::Regression),
        counted("small", 0.01, BenchmarkOutcome::Regression),
    ];
    assert_eq!(tried(&seed, &judgement(entries, &[])).benchmark, "small");
}

#[test]
fn every_case_of_a_right_verdict() {
    use BenchmarkOutcome::{Failed, Improvement, Inconclusive, Pass, Regression};
    use PlantedKind::{CallDeletion, ConstantValue, LoopAddition};
    let cases = [
        (LoopAddition, SeedHotness::Hot, 0.06, Regression, true),
        (LoopAddition, SeedHotness::Hot, 0.06, Pass, false),
        (LoopAddition, SeedHotness::Hot, -0.06, Improvement, false),
        (CallDeletion, SeedHotness::Hot, -0.06, Improvement, true),
        (CallDeletion, SeedHotness::Hot, -0.06, Pass, false),
        (CallDeletion, SeedHotness::Hot, 0.06, Regression, false),
        (LoopAddition, SeedHotness::Hot, 0.01, Regression, true),
        (LoopAddition, SeedHotness::Hot, 0.01, Pass, true),
        (LoopAddition, SeedHotness::Hot, 0.01, Improvement, false),
        (LoopAddition, SeedHotness::Hot, 0.01, Inconclusive, false),
        (LoopAddition, SeedHotness::Hot, 0.01, Failed, false),
        (ConstantValue, SeedHotness::Hot, -0.06, Improvement, true),
        (ConstantValue, SeedHotness::Hot, 0.06, Regression, true),
        (ConstantValue, SeedHotness::Hot, 0.06, Pass, false),
        (LoopAddition, SeedHotness::Unreached, 0.0, Pass, true),
        (LoopAddition, SeedHotness::Unreached, 0.06, Regression, false),
    ];
    for (kind, place, change, called, right) in cases {
        let judgement = judgement(vec![counted("sum", change, called)], &[]);
        let compared = tried(&seed(kind, place), &judgement);
        assert_eq!(compared.right, right, "{kind:?} {place:?} {change} {called:?}");
    }
}

#[test]
fn what_does_not_build_or_run_is_no_miss() {
    let seed = seed(PlantedKind::LoopAddition, SeedHotness::Hot);
    let mut unbuilt = judgement(Vec::new(), &[]);
    unbuilt.unbuilt = Some(String::from("error[E0382]"));
    let why = TrialMeasurement::NotCompiled(String::from("error[E0382]"));
    assert_eq!(of(&seed, &unbuilt, 0.05).measured, why);
    let unrun = BenchmarkVerdict::without_values("sum", Metric::Instructions, BenchmarkOutcome::Failed);
    let unrun = judgement(vec![unrun], &[]);
    let why = TrialMeasurement::Failed(String::from("nothing could be compared"));
    assert_eq!(of(&seed, &unrun, 0.05).measured, why);
}
