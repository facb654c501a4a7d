//! Tests of the counts of a self-test and of their tables.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use analyzer::instrument::seed::{IntendedEffect, PlantedKind, SeedHotness};
use verdict::Metric;
use verdict::{BenchmarkOutcome, Verdict};

use super::*;
use crate::score::PageLayout;

fn trial(kind: PlantedKind, place: SeedHotness, measured: TrialMeasurement) -> SelftestTrial {
    SelftestTrial {
        kind,
        place,
        file: String::from("src/lib.rs"),
        function: String::from("krate::f"),
        line: 3,
        description: String::from("new loop of 4 rounds at line 3"),
        prepared: false,
        aim: None,
        probability: 0.5,
        flagged: true,
        measured,
    }
}

fn changes(change: f64, caught: bool, right: bool) -> TrialMeasurement {
    let outcome = if change >= 0.005 {
        BenchmarkOutcome::Regression
    } else {
        BenchmarkOutcome::Pass
    };
    TrialMeasurement::Changes(TrialComparison {
        benchmark: String::from("sum"),
        seen: vec![TrialMetricChange {
            metric: Metric::Instructions,
            change,
            outcome,
        }],
        moved: change >= 0.05,
        caught,
        verdict: Verdict::Pass,
        right,
    })
}

fn tried() -> Vec<SelftestTrial> {
    use PlantedKind::{CallAddition, LoopAddition};
    let missed = trial(CallAddition, SeedHotness::Hot, changes(0.06, false, true));
    vec![
        trial(CallAddition, SeedHotness::Hot, changes(0.07, true, true)),
        SelftestTrial {
            prepared: true,
            ..missed
        },
        trial(CallAddition, SeedHotness::Hot, changes(0.01, false, false)),
        trial(CallAddition, SeedHotness::Cold, changes(0.0, false, true)),
        trial(
            LoopAddition,
            SeedHotness::Hot,
            TrialMeasurement::NotCompiled(String::from("error: `f`")),
        ),
        trial(
            LoopAddition,
            SeedHotness::Hot,
            TrialMeasurement::Failed(String::from("it hangs")),
        ),
    ]
}

fn sized(share: f64, change: f64) -> SelftestTrial {
    SelftestTrial {
        aim: Some(IntendedEffect {
            benchmark: String::from("sum"),
            share,
            rounds: 300,
            executions: 10,
        }),
        ..trial(
            PlantedKind::LoopAddition,
            SeedHotness::Warm,
            changes(change, true, true),
        )
    }
}

fn selftest() -> SelftestReport {
    let sizes = vec![sized(0.05, 0.051), sized(0.01, 0.011), sized(0.01, 0.001)];
    SelftestReport {
        schema: SCHEMA.to_owned(),
        commit: "0123456789abcdef".to_owned(),
        threshold: 0.05,
        seed: 1,
        identical: vec![IdenticalVersionsResult {
            metric: Metric::Instructions,
            alarms: BinomialProportion::new(0, 300),
            undecided: 1,
            largest: 0.0003,
        }],
        cells: cells(&tried()),
        no_site: missing_sites(
            &tried(),
            &[PlantedKind::CallAddition, PlantedKind::DataFile],
            &[SeedHotness::Hot, SeedHotness::Warm],
        ),
        seeds: tried(),
        power: power(&sizes),
        lengthened: Vec::new(),
        sized: sizes,
        environment: BTreeMap::new(),
        cost_seconds: 61.0,
    }
}

fn counted(rate: BinomialProportion) -> (u32, u32) {
    (rate.hits, rate.of)
}

#[test]
fn each_rate_counts_only_the_trials_that_can_answer_it() {
    let cells = cells(&tried());
    let keys: Vec<_> = cells.iter().map(|cell| (cell.kind, cell.place)).collect();
    let (call, repeat) = (PlantedKind::CallAddition, PlantedKind::LoopAddition);
    let expected = [
        (Some(call), Some(SeedHotness::Hot)),
        (Some(call), Some(SeedHotness::Cold)),
        (Some(repeat), Some(SeedHotness::Hot)),
        (Some(call), None),
        (Some(repeat), None),
        (None, Some(SeedHotness::Hot)),
        (None, Some(SeedHotness::Cold)),
        (None, None),
    ];
    assert_eq!(keys, expected);
    let hot = &cells[0];
    assert_eq!(counted(hot.compiled), (3, 3));
    assert_eq!(counted(hot.moved), (2, 3));
    assert_eq!(counted(hot.recall), (1, 2));
    assert_eq!(
        counted(hot.recall_prepared),
        (0, 1),
        "code that is younger than the sample"
    );
    assert_eq!(counted(hot.flagged_in_vain), (1, 1));
    assert_eq!(counted(hot.right), (2, 3));
    let loops = &cells[2];
    assert_eq!(counted(loops.compiled), (1, 2));
    assert_eq!(
        counted(loops.moved),
        (0, 0),
        "what was not measured neither moved nor did not"
    );
    let calls = &cells[3];
    assert_eq!(counted(calls.recall), (1, 2), "of a kind at all places");
    assert_eq!(counted(calls.compiled), (4, 4));
    assert_eq!(counted(cells[7].compiled), (5, 6));
}

#[test]
fn a_kind_without_a_site_is_told_with_its_places() {
    let missing = selftest().no_site;
    let told: Vec<_> = missing
        .iter()
        .map(|missing| (missing.kind, missing.places.clone(), missing.anywhere))
        .collect();
    let expected = [
        (PlantedKind::CallAddition, vec![SeedHotness::Warm], false),
        (PlantedKind::DataFile, vec![SeedHotness::Hot, SeedHotness::Warm], true),
    ];
    assert_eq!(told, expected);
}

#[test]
fn power_is_by_size_and_by_what_the_benchmark_was_called() {
    let power = power(&selftest().sized);
    let rows: Vec<_> = power
        .iter()
        .map(|power| (power.share, counted(power.found), power.otherwise))
        .collect();
    // One of the two that were meant to cost 1% costs a tenth of it.
    assert_eq!(rows, [(0.01, (1, 1), 1), (0.05, (1, 1), 0)]);
    assert!(power.iter().all(|power| power.metric == Metric::Instructions));
}

#[test]
fn a_rate_without_alarms_is_bounded_by_its_trials() {
    // 1 − 0.025^(1/300): Clopper and Pearson's two-sided bound.
    let none = BinomialProportion::new(0, 300);
    assert!((none.high - 0.012_221).abs() < 1e-5, "{none:?}");
}

#[test]
fn the_document_can_be_read_back() {
    let selftest = selftest();
    let document = json(&selftest);
    assert!(document.ends_with("}\n"));
    let read: SelftestReport = serde_json::from_str(&document).unwrap();
    assert_eq!(read, selftest);
}

#[test]
fn human() {
    let page = PageLayout { width: Some(140) };
    let text = super::human(&selftest(), page);
    insta::assert_snapshot!(anstream_free(&text));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(super::markdown(&selftest()));
}

/// Without escape sequences.
fn anstream_free(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = rest[at..].split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}
