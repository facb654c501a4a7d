//! Benchmarks over versions into one `lito.track/1` document.

use serde::Serialize;

use super::{Benchmark, Change, Method, Point, State, Track, Version};

/// The version of the contract.
pub const SCHEMA: &str = "lito.track/1";

/// The document. `values`, `states` and `reasons` of a benchmark have one entry a version; a reason is an index into the
/// `reasons` of the document.
#[must_use]
pub fn json(track: &Track) -> String {
    let document = Document {
        schema: SCHEMA,
        unit: track.unit,
        versions: track.versions.iter().map(version).collect(),
        benchmarks: (track.benchmarks.iter())
            .map(|one| benchmark(one, track.unit))
            .collect(),
        reasons: &track.reasons,
    };
    let mut out = serde_json::to_string_pretty(&document).expect("strings and numbers are always encoded");
    out.push('\n');
    out
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    unit: &'static str,
    versions: Vec<VersionEntry<'a>>,
    benchmarks: Vec<BenchmarkEntry<'a>>,
    reasons: &'a [String],
}

#[derive(Serialize)]
struct VersionEntry<'a> {
    commit: &'a str,
    summary: &'a str,
    time: i64,
    state: &'static str,
    reason: Option<usize>,
}

#[derive(Serialize)]
struct BenchmarkEntry<'a> {
    name: &'a str,
    unit: &'static str,
    values: Vec<Option<u64>>,
    states: Vec<&'static str>,
    reasons: Vec<Option<usize>>,
    changes: Vec<ChangeEntry>,
    rewritten: &'a [usize],
}

#[derive(Serialize)]
struct ChangeEntry {
    index: usize,
    before: f64,
    after: f64,
    change: f64,
    method: &'static str,
}

fn version(version: &Version) -> VersionEntry<'_> {
    VersionEntry {
        commit: &version.commit,
        summary: &version.summary,
        time: version.time,
        state: match version.state {
            State::Measured => "measured",
            State::Carried => "carried",
            State::Gap => "gap",
        },
        reason: version.reason,
    }
}

fn benchmark<'a>(benchmark: &'a Benchmark, unit: &'static str) -> BenchmarkEntry<'a> {
    let points = || benchmark.points.iter();
    BenchmarkEntry {
        name: &benchmark.name,
        unit,
        values: points().map(|point| point.cost()).collect(),
        states: points().map(|point| point.state()).collect(),
        reasons: points()
            .map(|point| match point {
                Point::Gap(reason) => Some(*reason),
                Point::Measured(_) | Point::Carried(_) => None,
            })
            .collect(),
        changes: benchmark.changes.iter().map(change).collect(),
        rewritten: &benchmark.rewritten,
    }
}

fn change(change: &Change) -> ChangeEntry {
    ChangeEntry {
        index: change.at,
        before: change.before,
        after: change.after,
        change: change.relative(),
        method: match change.method {
            Method::EDivisive => "e_divisive",
            Method::Jump => "jump",
        },
    }
}
