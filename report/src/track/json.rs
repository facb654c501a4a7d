//! Benchmarks over versions → one `lito.track/1` document.

use crate::json_document::json_document;
use schemars::JsonSchema;
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
        threshold: track.threshold,
        versions: track.versions.iter().map(version).collect(),
        benchmarks: (track.benchmarks.iter())
            .map(|one| benchmark(one, track.unit))
            .collect(),
        reasons: &track.reasons,
    };
    json_document(&document)
}

/// The costs of each benchmark over the versions of a history.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TrackDocument<'a> {
    /// [`SCHEMA`].
    schema: &'static str,
    /// The unit of all costs.
    unit: &'static str,
    /// The relative change that predictions are about.
    threshold: f64,
    /// The versions, oldest first.
    versions: Vec<TrackVersionEntry<'a>>,
    /// The benchmarks, by name.
    benchmarks: Vec<TrackBenchmarkEntry<'a>>,
    /// The texts that indices refer to.
    reasons: &'a [String],
}

/// A version.
#[derive(Serialize, JsonSchema)]
struct TrackVersionEntry<'a> {
    /// The version.
    commit: &'a str,
    /// The first line of its message.
    summary: &'a str,
    /// When it was committed, in seconds since 1970.
    time: i64,
    /// Where its costs come from.
    state: TrackedVersionState,
    /// Why it has none: an index into the document's `reasons`.
    reason: Option<usize>,
    /// Its score; `null` for the oldest.
    prediction: Option<TrackPredictionEntry<'a>>,
}

/// The score of a version against the one before it.
#[derive(Serialize, JsonSchema)]
struct TrackPredictionEntry<'a> {
    /// Whether a gate would run any benchmark for it.
    flagged: bool,
    /// Probability that at least one benchmark moves by the threshold or more.
    risk: f64,
    /// The benchmarks of the sample that it would not run.
    left_out: &'a [String],
}

/// A benchmark over the versions.
#[derive(Serialize, JsonSchema)]
struct TrackBenchmarkEntry<'a> {
    /// The benchmark.
    name: &'a str,
    /// The unit of its costs.
    unit: &'static str,
    /// For each version the cost; `null` where there is none.
    values: Vec<Option<u64>>,
    /// For each version where the cost comes from.
    states: Vec<TrackedVersionState>,
    /// For each version why there is no cost: an index into the document's `reasons`.
    reasons: Vec<Option<usize>>,
    /// The versions where the cost changes, each once.
    changes: Vec<TrackChangeEntry>,
    /// Indices of the versions where the benchmark's own source changed.
    rewritten: &'a [usize],
}

/// A change of the cost.
#[derive(Serialize, JsonSchema)]
struct TrackChangeEntry {
    /// The index of the first version with the new cost.
    index: usize,
    /// The index of the last version with the cost before. Versions between the two have no cost.
    since: usize,
    /// The cost at `since`; where there is no step between the two, as in a slow rise, the median of the segment before.
    before: f64,
    /// The cost at `index`, or the median of the segment after.
    after: f64,
    /// The relative change: 0.1 is ten per cent more.
    change: f64,
    /// The method that found it: "e_divisive" where the new cost stays, "jump" where only the two neighbours differ.
    method: ChangeDetectionMethod,
}

fn version(version: &TrackedVersion) -> TrackVersionEntry<'_> {
    TrackVersionEntry {
        commit: &version.commit,
        summary: &version.summary,
        time: version.time,
        state: version.state,
        reason: version.reason,
        prediction: version.prediction.as_ref().map(|prediction| TrackPredictionEntry {
            flagged: prediction.is_flagged,
            risk: prediction.risk,
            left_out: &prediction.left_out,
        }),
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
        since: change.since,
        before: change.before,
        after: change.after,
        change: change.relative(),
        method: change.method,
    }
}
