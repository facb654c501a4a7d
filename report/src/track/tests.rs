#![allow(clippy::unwrap_used)]

use super::*;

fn track() -> CostTrack {
    let version = |index: u8, state, reason| TrackedVersion {
        commit: format!("{index:x}").repeat(40),
        summary: format!("version {index}\x1b[1m, and what it is about at some length"),
        time: 1_700_000_000 + i64::from(index),
        state,
        reason,
        prediction: None,
    };
    CostTrack {
        unit: "instructions",
        threshold: 0.05,
        versions: vec![
            version(1, TrackedVersionState::Measured, None),
            version(2, TrackedVersionState::Carried, None),
            version(3, TrackedVersionState::Gap, Some(0)),
            version(4, TrackedVersionState::Measured, None),
        ],
        benchmarks: vec![
            TrackedBenchmark {
                name: String::from("parse, large"),
                points: vec![
                    TrackPoint::Measured(1000),
                    TrackPoint::Carried(1000),
                    TrackPoint::Gap(0),
                    TrackPoint::Measured(2000),
                ],
                changes: vec![TrackChange {
                    since: 1,
                    at: 3,
                    before: 1000.0,
                    after: 2000.0,
                    method: ChangeDetectionMethod::Jump,
                }],
                rewritten: Vec::new(),
            },
            TrackedBenchmark {
                name: String::from("print"),
                points: vec![
                    TrackPoint::Measured(500),
                    TrackPoint::Carried(500),
                    TrackPoint::Gap(0),
                    TrackPoint::Gap(1),
                ],
                changes: Vec::new(),
                rewritten: Vec::new(),
            },
        ],
        reasons: vec![
            String::from("it does not build: \x1b[31merror"),
            String::from("it failed: x"),
        ],
    }
}

#[test]
fn the_table_says_what_changed_where_and_what_was_measured() {
    let text = human(&track(), None);
    let plain = text.replace("\x1b[2m", "").replace("\x1b[0m", "");
    assert!(plain.contains("▁▁·█"), "{text}");
    assert!(plain.contains("+100% between 2222222222 and 4444444444"), "{text}");
    assert!(
        plain.contains("measured 2 of 4 versions, 1 carried over, 1 gap (reasons with -v), 1 point missing where"),
        "{text}"
    );
    assert!(
        plain.contains("it is not known which steps stay: 2 benchmarks"),
        "{text}"
    );
    assert_eq!(
        gaps(&track()),
        [
            "3333333333: it does not build: \\u{1b}[31merror",
            "4444444444 print: it failed: x"
        ]
    );
}

#[test]
fn no_control_character_of_a_repository_is_shown() {
    for text in [markdown(&track()), gaps(&track()).concat()] {
        assert!(!text.contains('\x1b'), "{text:?}");
    }
    assert_eq!(
        markdown(&track()).lines().filter(|line| line.starts_with('|')).count(),
        4
    );
}

#[test]
fn the_document_has_an_entry_a_version() {
    let document: serde_json::Value = serde_json::from_str(&json(&track())).unwrap();
    assert_eq!(document["schema"], SCHEMA);
    let parse = &document["benchmarks"][0];
    assert_eq!(parse["values"], serde_json::json!([1000, 1000, null, 2000]));
    assert_eq!(
        parse["states"],
        serde_json::json!(["measured", "carried", "gap", "measured"])
    );
    assert_eq!(parse["reasons"], serde_json::json!([null, null, 0, null]));
    assert_eq!(
        parse["changes"][0],
        serde_json::json!({"index": 3, "since": 1, "before": 1000.0, "after": 2000.0, "change": 1.0, "method": "jump"})
    );
}

#[test]
fn a_row_of_csv_is_a_benchmark_at_a_version() {
    let text = csv(&track());
    let rows: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[0], "benchmark,commit,value,state");
    assert_eq!(rows[2], format!("\"parse, large\",{},1000,carried", "2".repeat(40)));
    assert_eq!(rows[7], format!("print,{},,gap", "3".repeat(40)));
}

#[test]
fn a_change_point_is_told_from_a_jump_and_long_series_are_drawn_short() {
    let mut track = track();
    let change = &mut track.benchmarks[0].changes[0];
    change.method = ChangeDetectionMethod::EDivisive;
    change.since = 2;
    track.benchmarks[0].points = (0..400)
        .map(|i| TrackPoint::Measured(if i < 200 { 1000 } else { 1001 }))
        .collect();
    track.versions = (0..400).map(|_| track.versions[0].clone()).collect();
    let text = human(&track, None);
    assert!(text.contains("+100%* 1111111"), "{text}");
    assert!(text.contains("a change point of the series"), "{text}");
    assert!(
        text.contains(&"▁".repeat(40)) && !text.contains(&"▁".repeat(41)),
        "{text}"
    );
}
