//! A report → the data of its page: `lito.view/1`, columns of numbers and a table of strings, deflated.
//!
//! `report/views/src/payload.ts` is generated from these types and their comments: `cargo xtask payload`.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde::Serialize;

use super::comparison_trees;
use super::functions::{self, ViewFunction, ViewFunctionTable};
use super::number_codes::PointState;
use super::safe_json::write_safe_json;
use super::string_table::{NONE, ViewStringTable};
use super::{BetterDirection, CostTrend, HtmlReport, LARGEST, ReportHeadline, matrix, rounded, sources};
use crate::comparison::{CauseRow, ComparedExecution, cause_rows};
use crate::track::{ChangeDetectionMethod, CostTrack, PredictionRecord, TrackPoint, TrackedBenchmark};

/// The data of a report.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Payload"))]
pub(super) struct ViewPayload<'a> {
    schema: PayloadSchema,
    project: &'a str,
    /// One line: the versions or benchmarks that are compared or tracked.
    title: &'a str,
    /// Unit of every cost: "instructions", "operations", "samples", …
    unit: &'a str,
    /// The direction that is good.
    better: BetterDirection,
    commands: CommandsPayload<'a>,
    /// Texts that the fields below refer to by index.
    strings: Vec<String>,
    functions: functions::FunctionsPayload,
    /// Oldest first.
    versions: Vec<VersionPayload<'a>>,
    /// Names; a `benchmark` below is an index.
    benchmarks: Vec<&'a str>,
    headline: HeadlinePayload<'a>,
    /// One series for each benchmark; empty if no versions were tracked.
    chart: Vec<SeriesPayload>,
    /// Which versions a gate would have run, and what it would have missed; null if none was scored.
    predictions: Option<PredictionsPayload>,
    /// At most one for each benchmark.
    matrices: Vec<matrix::MatrixPayload>,
    comparisons: Vec<ComparisonPayload<'a>>,
    sources: sources::SourcesPayload,
}

/// Name and version of the format.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Schema"))]
enum PayloadSchema {
    #[serde(rename = "lito.view/1")]
    View1,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Commands"))]
struct CommandsPayload<'a> {
    /// The command that made this report.
    made: &'a str,
    /// The command that compares two versions: "lito compare {before} {after} --bench {benchmark}".
    compare: &'a str,
    /// The command that compares two benchmarks: "lito compare {version} --bench {before} --against {after}".
    benchmarks: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Version"))]
struct VersionPayload<'a> {
    commit: &'a str,
    /// Label of a column or an axis: the name of a tag, or the short commit.
    label: &'a str,
    summary: &'a str,
    /// Seconds since 1970.
    time: i64,
}

/// The strip on top of the page.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Headline"))]
struct HeadlinePayload<'a> {
    tone: CostTrend,
    text: &'a str,
    lines: Vec<HeadlineLinePayload<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "HeadlineLine"))]
struct HeadlineLinePayload<'a> {
    tone: CostTrend,
    text: &'a str,
    /// "from `parse::next` (source changed, 97%)"; empty if not known.
    cause: &'a str,
    /// First line of the version's message; empty for a line about none.
    summary: &'a str,
    /// -1 if the line is about none.
    benchmark: i64,
    /// -1 if the report has none for the line.
    comparison: i64,
}

/// The cost of one benchmark, one entry for each version.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Series"))]
struct SeriesPayload {
    benchmark: usize,
    /// null in a gap.
    values: Vec<Option<u64>>,
    states: Vec<PointState>,
    /// Reason of a gap, as an index into `strings`; -1 elsewhere.
    reasons: Vec<i64>,
    changes: Vec<SeriesChangePayload>,
    /// Versions from which the benchmark has another source: costs before and after are not compared.
    rewritten: Vec<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SeriesChange"))]
struct SeriesChangePayload {
    /// The last version with the cost before; those between the two are gaps.
    since: usize,
    /// The first version with the new cost.
    version: usize,
    before: f64,
    after: f64,
    /// Relative: 0.1 for +10%.
    change: f64,
    method: ChangeDetectionMethod,
}

/// Two compared executions.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Comparison"))]
struct ComparisonPayload<'a> {
    before: ComparisonSidePayload<'a>,
    after: ComparisonSidePayload<'a>,
    /// Where the difference comes from, largest part first: the parts add up to it. None where it is noise.
    causes: Vec<CausePayload>,
    /// Conditions of the comparison that its reader needs, a sentence each.
    notes: &'a [String],
    /// `ComparisonTrees` as JSON, deflated (zlib, "deflate" for DecompressionStream), base64.
    trees: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Predictions"))]
struct PredictionsPayload {
    /// For each version whether a gate would run any benchmark for it; null where it was not scored.
    flagged: Vec<Option<bool>>,
    /// For each version the probability that a benchmark moves by the threshold or more.
    risk: Vec<Option<f64>>,
    /// Steps of the threshold or more that no flagged version explains: `[benchmark, version]`.
    missed: Vec<[usize; 2]>,
    /// All of it in one sentence.
    record: String,
}

/// A part of a difference.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Cause"))]
struct CausePayload {
    /// -1 for a part that no changed function has.
    function: i64,
    /// Its origin in words: "source changed", and the commits that changed it where these are no versions of the report.
    origin: String,
    /// Number of contexts in which it has a part.
    contexts: usize,
    /// Signed, in the unit of the costs.
    difference: f64,
    /// Of the whole difference; null where that is 0.
    share: Option<f64>,
    /// The versions after the earlier side, up to the later one, that changed its source; none where that is not known.
    versions: Vec<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Side"))]
struct ComparisonSidePayload<'a> {
    benchmark: i64,
    /// -1 if stacks were read from a file.
    version: i64,
    label: &'a str,
    /// Sum of its calling contexts.
    total: u64,
    /// Its cost as the chart has it; null where the version was not tracked. A profiler of contexts runs the benchmark once
    /// more, and may count a little more or less.
    measured: Option<u64>,
}

/// The payload of a page, as it stands in the page.
pub(super) fn encoded(view: &HtmlReport<'_>) -> String {
    deflated(&payload(view))
}

fn payload<'a>(view: &'a HtmlReport<'a>) -> ViewPayload<'a> {
    let mut strings = ViewStringTable::default();
    let functions = ViewFunctionTable::of(known(view));
    let benchmarks = benchmarks(view);
    let number = |name: &str| benchmarks.iter().position(|known| *known == name);
    let sources = sources::sources_payload(&view.outlines, &functions);
    let comparisons = comparisons(view, &functions, &sources, &number);
    let kept = comparisons.len();
    ViewPayload {
        schema: PayloadSchema::View1,
        project: &view.project,
        title: &view.title,
        unit: view.unit,
        better: view.better,
        commands: CommandsPayload {
            made: &view.made_by,
            compare: &view.compare_by,
            benchmarks: &view.compare_benchmarks_by,
        },
        functions: functions.columns(&view.earlier_names, &mut strings),
        versions: (view.versions.iter())
            .map(|version| VersionPayload {
                commit: &version.commit,
                label: &version.label,
                summary: &version.summary,
                time: version.time,
            })
            .collect(),
        headline: strip(&view.headline, &number, kept),
        chart: series(view, &number, &mut strings),
        predictions: view.track.and_then(|track| predictions(track, &number)),
        matrices: (view.matrices.iter())
            .filter_map(|one| Some((one, number(one.benchmark)?)))
            .map(|(one, at)| matrix::matrix_payload(one, at, &view.project, &functions, &mut strings))
            .collect(),
        comparisons,
        sources,
        benchmarks,
        strings: strings.into_all(),
    }
}

/// Every function that the view names.
fn known<'a>(view: &'a HtmlReport<'a>) -> impl Iterator<Item = (&'a str, ViewFunction<'a>)> {
    let of_trees = view.comparisons.iter().flat_map(|comparison| {
        comparison.evolution.functions.table.iter().map(|shared| {
            let function = &shared.function;
            let known = ViewFunction {
                file: function.file.as_deref(),
                line: function.line,
                external: function.external,
            };
            (function.name.as_str(), known)
        })
    });
    let columns = view.matrices.iter().flat_map(|matrix| &matrix.columns);
    let of_profiles = columns.flat_map(|column| {
        column.profile.functions.iter().map(|function| {
            let known = ViewFunction {
                file: function.file.map(|file| column.profile.file(file)),
                line: function.line,
                external: function.external,
            };
            (function.name.as_str(), known)
        })
    });
    of_trees.chain(of_profiles)
}

/// The names of all benchmarks, tracked ones first.
fn benchmarks<'a>(view: &'a HtmlReport<'a>) -> Vec<&'a str> {
    let tracked = view.track.into_iter().flat_map(|track| &track.benchmarks);
    let compared = (view.comparisons.iter()).flat_map(|pair| [&pair.before.benchmark, &pair.after.benchmark]);
    let all = (tracked.map(|benchmark| benchmark.name.as_str()))
        .chain(view.matrices.iter().map(|matrix| matrix.benchmark))
        .chain(compared.map(String::as_str));
    let mut names: Vec<&str> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn strip<'a>(
    headline: &'a ReportHeadline,
    number: &impl Fn(&str) -> Option<usize>,
    comparisons: usize,
) -> HeadlinePayload<'a> {
    let lines = headline.lines.iter().map(|line| HeadlineLinePayload {
        tone: line.tone,
        text: &line.text,
        cause: &line.cause,
        summary: &line.summary,
        benchmark: index(number(&line.benchmark)),
        comparison: index(line.comparison.filter(|at| *at < comparisons)),
    });
    HeadlinePayload {
        tone: headline.tone,
        text: &headline.text,
        lines: lines.collect(),
    }
}

fn series(
    view: &HtmlReport<'_>,
    number: &impl Fn(&str) -> Option<usize>,
    strings: &mut ViewStringTable,
) -> Vec<SeriesPayload> {
    let Some(track) = view.track else {
        return Vec::new();
    };
    let numbered = (track.benchmarks.iter()).filter_map(|benchmark| Some((benchmark, number(&benchmark.name)?)));
    numbered
        .map(|(benchmark, at)| {
            let reason = |point: &TrackPoint| match point {
                TrackPoint::Gap(reason) => strings.number_or_none(track.reasons.get(*reason).map(String::as_str)),
                TrackPoint::Measured(_) | TrackPoint::Carried(_) => NONE,
            };
            SeriesPayload {
                benchmark: at,
                values: benchmark.points.iter().map(|point| point.cost()).collect(),
                states: benchmark.points.iter().map(state).collect(),
                reasons: benchmark.points.iter().map(reason).collect(),
                changes: changes(benchmark),
                rewritten: benchmark.rewritten.clone(),
            }
        })
        .collect()
}

fn state(point: &TrackPoint) -> PointState {
    match point {
        TrackPoint::Measured(_) => PointState::Measured,
        TrackPoint::Carried(_) => PointState::Carried,
        TrackPoint::Gap(_) => PointState::Gap,
    }
}

fn predictions(track: &CostTrack, number: &impl Fn(&str) -> Option<usize>) -> Option<PredictionsPayload> {
    let record = PredictionRecord::of(track)?;
    let predictions = || track.versions.iter().map(|version| version.prediction.as_ref());
    let missed = record.missed.iter();
    Some(PredictionsPayload {
        flagged: predictions()
            .map(|one| one.map(|prediction| prediction.is_flagged))
            .collect(),
        risk: predictions()
            .map(|one| one.map(|prediction| rounded(prediction.risk)))
            .collect(),
        missed: missed
            .filter_map(|(benchmark, change)| Some([number(&benchmark.name)?, change.at]))
            .collect(),
        record: record.in_words(track),
    })
}

fn changes(benchmark: &TrackedBenchmark) -> Vec<SeriesChangePayload> {
    let changes = benchmark.changes.iter().map(|change| SeriesChangePayload {
        since: change.since,
        version: change.at,
        before: change.before,
        after: change.after,
        change: rounded(change.relative()),
        method: change.method,
    });
    changes.collect()
}

/// As many comparisons as there is room for.
fn comparisons<'a>(
    view: &'a HtmlReport<'a>,
    functions: &ViewFunctionTable<'_>,
    sources: &sources::SourcesPayload,
    number: &impl Fn(&str) -> Option<usize>,
) -> Vec<ComparisonPayload<'a>> {
    let mut room = LARGEST;
    let pairs = view.comparisons.iter().map_while(|comparison| {
        let trees = deflated(&comparison_trees::trees_payload(comparison, functions));
        let is_first = room == LARGEST;
        let left = room.checked_sub(trees.len());
        // of a single comparison, nothing is left out
        if left.is_none() && !is_first {
            return None;
        }
        room = left.unwrap_or(0);
        let sides = [&comparison.before, &comparison.after].map(|side| version(view, side));
        let cause = |row: CauseRow| {
            let function = row.function.as_deref().and_then(|name| functions.number(name));
            let versions = match (function, sides) {
                (Some(function), [Some(before), Some(after)]) => sources.changes_of(function, before, after),
                _ => Vec::new(),
            };
            CausePayload {
                function: function.map_or(NONE, i64::from),
                origin: match versions.as_slice() {
                    [] => row.words(),
                    _ => row.kind.words().to_owned(),
                },
                contexts: row.contexts,
                difference: rounded(row.difference),
                share: row.share.map(rounded),
                versions,
            }
        };
        let side = |execution: &'a ComparedExecution, total: u64| ComparisonSidePayload {
            benchmark: index(number(&execution.benchmark)),
            version: index(version(view, execution)),
            label: &execution.label,
            total,
            measured: measured(view, execution),
        };
        Some(ComparisonPayload {
            before: side(&comparison.before, comparison.evolution.total_before),
            after: side(&comparison.after, comparison.evolution.total_after),
            causes: cause_rows(comparison).into_iter().map(cause).collect(),
            notes: &comparison.notes,
            trees,
        })
    });
    pairs.collect()
}

/// The cost of a benchmark at a version of the track.
fn measured(view: &HtmlReport<'_>, execution: &ComparedExecution) -> Option<u64> {
    let track = view.track?;
    let benchmark = (track.benchmarks.iter()).find(|benchmark| benchmark.name == execution.benchmark)?;
    benchmark.points.get(version(view, execution)?)?.cost()
}

fn version(view: &HtmlReport<'_>, execution: &ComparedExecution) -> Option<usize> {
    let commit = execution.commit.as_ref()?;
    view.versions.iter().position(|version| version.commit == *commit)
}

fn index(at: Option<usize>) -> i64 {
    at.and_then(|at| i64::try_from(at).ok()).unwrap_or(NONE)
}

/// A value as JSON, deflated, in letters.
fn deflated(value: &impl Serialize) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let written = write_safe_json(value, &mut encoder).map_err(std::io::Error::from);
    let bytes = written
        .and_then(|()| encoder.flush())
        .and_then(|()| encoder.finish())
        .expect("numbers and strings are JSON, and memory can be written to");
    STANDARD.encode(bytes)
}
