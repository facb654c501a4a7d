//! Benchmarks over versions → one `lito.track/1` document.

use crate::json_document::json_document;
use serde::Serialize;

use super::{
    ChangeDetectionMethod, CostTrack, TrackChange, TrackPoint, TrackedBenchmark, TrackedVersion, TrackedVersionState,
};

/// The version of the contract.
pub const SCHEMA: &str = "lito.track/1";

/// The document. `values`, `states` and `reasons` of a benchmark have one entry a version; a reason is an index into the
/// `reasons` of the document.
#[must_use]
pub fn json(track: &CostTrack) -> String {
    let document = TrackDocument {
        schema: SCHEMA,
        unit: track.unit,
        versions: track.versions.iter().map(version).collect(),
        benchmarks: (track.benchmarks.iter())
            .map(|one| benchmark(one, track.unit))
            .collect(),
        reasons: &track.reasons,
    };
    json_document(&document)
}

#[derive(Serialize)]
struct TrackDocument<'a> {
    schema: &'static str,
    unit: &'static str,
    versions: Vec<TrackVersionEntry<'a>>,
    benchmarks: Vec<TrackBenchmarkEntry<'a>>,
    reasons: &'a [String],
}

#[derive(Serialize)]
struct TrackVersionEntry<'a> {
    commit: &'a str,
    summary: &'a str,
    time: i64,
    state: &'static str,
    reason: Option<usize>,
}

#[derive(Serialize)]
struct TrackBenchmarkEntry<'a> {
    name: &'a str,
    unit: &'static str,
    values: Vec<Option<u64>>,
    states: Vec<&'static str>,
    reasons: Vec<Option<usize>>,
    changes: Vec<TrackChangeEntry>,
    rewritten: &'a [usize],
}

#[derive(Serialize)]
struct TrackChangeEntry {
    index: usize,
    before: f64,
    after: f64,
    change: f64,
    method: &'static str,
}

fn version(version: &TrackedVersion) -> TrackVersionEntry<'_> {
    TrackVersionEntry {
        commit: &version.commit,
        summary: &version.summary,
        time: version.time,
        state: match version.state {
            TrackedVersionState::Measured => "measured",
            TrackedVersionState::Carried => "carried",
            TrackedVersionState::Gap => "gap",
        },
        reason: version.reason,
    }
}

fn benchmark<'a>(benchmark: &'a TrackedBenchmark, unit: &'static str) -> TrackBenchmarkEntry<'a> {
    let points = || benchmark.points.iter();
    TrackBenchmarkEntry {
        name: &benchmark.name,
        unit,
        values: points().map(|point| point.cost()).collect(),
        states: points().map(|point| point.state()).collect(),
        reasons: points()
            .map(|point| match point {
                TrackPoint::Gap(reason) => Some(*reason),
                TrackPoint::Measured(_) | TrackPoint::Carried(_) => None,
            })
            .collect(),
        changes: benchmark.changes.iter().map(change).collect(),
        rewritten: &benchmark.rewritten,
    }
}

fn change(change: &TrackChange) -> TrackChangeEntry {
    TrackChangeEntry {
        index: change.at,
        before: change.before,
        after: change.after,
        change: change.relative(),
        method: match change.method {
            ChangeDetectionMethod::EDivisive => "e_divisive",
            ChangeDetectionMethod::Jump => "jump",
        },
    }
}
