//! Benchmarks over versions → a table, for a terminal and as markdown: one row a benchmark.

use anstyle::Style;

use super::{
    ChangeDetectionMethod, CostTrack, PredictionRecord, TrackChange, TrackPoint, TrackedBenchmark, TrackedVersionState,
};
use crate::number_format;
use crate::style::{BAD, FAINT, GOOD, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// Changes of one benchmark that are listed, the largest ones.
const CHANGES: usize = 3;

/// Columns of a version's summary before it is cut.
const SUMMARY: usize = 36;

/// Characters of a drawn series at most: of more versions, several share one.
const DRAWN: usize = 40;

/// A series is drawn on a scale that spans this share of its least cost or more, so that small noise stays flat.
const LEAST_SPAN: f64 = 0.05;

/// The heights of a drawn series.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Where a drawn series has no point.
const NO_POINT: char = '·';

/// Points from which on the permutation test may find a change point.
const TESTED_FROM: usize = 8;

/// The table, and below it how many versions were measured.
#[must_use]
pub fn human(track: &CostTrack, width: Option<usize>) -> String {
    let columns = [
        TableColumn::Words("benchmark"),
        TableColumn::Figures("first"),
        TableColumn::Figures("last"),
        TableColumn::Figures("change"),
        TableColumn::Figures("measured"),
        TableColumn::Figures("carried"),
        TableColumn::Words("oldest → newest"),
        TableColumn::Words("largest changes"),
    ];
    let rows = track.benchmarks.iter().map(|benchmark| {
        let row = TrackTableRow::of(benchmark, track);
        vec![
            (Style::new(), text::safe(&benchmark.name).into_owned()),
            (Style::new(), row.first),
            (Style::new(), row.last),
            (row.style, row.change),
            (Style::new(), row.measured.to_string()),
            (FAINT, row.carried.to_string()),
            (Style::new(), row.drawn),
            (Style::new(), row.changes.join("\n")),
        ]
    });
    let mut out = table(&columns, rows.collect(), width);
    out.push_str(&format!("\nCosts are {}. {}\n", track.unit, legend(track)));
    let record = PredictionRecord::of(track).map(|record| record.in_words(track));
    for line in [Some(summary(track)), too_short(track), record].into_iter().flatten() {
        out.push_str(&paint(FAINT, &line));
        out.push('\n');
    }
    out
}

/// The same as a markdown table.
#[must_use]
pub fn markdown(track: &CostTrack) -> String {
    let mut out = String::from(
        "| benchmark | first | last | change | measured | carried | oldest → newest | largest changes |\n\
         |---|---:|---:|---:|---:|---:|---|---|\n",
    );
    for benchmark in &track.benchmarks {
        let row = TrackTableRow::of(benchmark, track);
        let changes: Vec<String> = row.changes.iter().map(|change| text::markdown_prose(change)).collect();
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            text::markdown_code(&benchmark.name),
            row.first,
            row.last,
            row.change,
            row.measured,
            row.carried,
            row.drawn,
            changes.join("<br>")
        ));
    }
    out.push_str(&format!("\nCosts are {}. {}\n", track.unit, legend(track)));
    out.push_str(&format!("\n{}\n", summary(track)));
    let record = PredictionRecord::of(track).map(|record| record.in_words(track));
    for line in [too_short(track), record].into_iter().flatten() {
        out.push_str(&format!("\n{}\n", text::markdown_prose(&line)));
    }
    out
}

/// Each gap on a line: a version with the reason, or a benchmark at a version.
#[must_use]
pub fn gaps(track: &CostTrack) -> Vec<String> {
    let line = |at: usize, what: &str, reason: usize| {
        let reason = track.reasons.get(reason).map_or("", String::as_str);
        let first = reason.lines().find(|line| !line.trim().is_empty());
        format!(
            "{}{}: {}",
            text::short_id(&track.versions[at].commit),
            text::safe(what),
            text::safe(first.unwrap_or_default())
        )
    };
    let mut lines = Vec::new();
    for (at, version) in track.versions.iter().enumerate() {
        if let Some(reason) = version.reason {
            lines.push(line(at, "", reason));
            continue;
        }
        for benchmark in &track.benchmarks {
            if let Some(TrackPoint::Gap(reason)) = benchmark.points.get(at) {
                lines.push(line(at, &format!(" {}", benchmark.name), *reason));
            }
        }
    }
    lines
}

/// Columns of a benchmark that both tables show.
struct TrackTableRow {
    first: String,
    last: String,
    change: String,
    style: Style,
    measured: usize,
    carried: usize,
    drawn: String,
    changes: Vec<String>,
}

impl TrackTableRow {
    fn of(benchmark: &TrackedBenchmark, track: &CostTrack) -> Self {
        let ends = benchmark.ends();
        let shown = |cost: Option<u64>| cost.map_or_else(|| String::from("–"), number_format::count);
        let change = benchmark.whole_change();
        let count = |of: fn(&TrackPoint) -> bool| benchmark.points.iter().filter(|&point| of(point)).count();
        Self {
            first: shown(ends.map(|(first, _)| first)),
            last: shown(ends.map(|(_, last)| last)),
            change: change.map_or_else(|| String::from("–"), number_format::change),
            style: match change {
                Some(change) if change > profile::COUNT_NOISE_FLOOR => BAD,
                Some(change) if change < -profile::COUNT_NOISE_FLOOR => GOOD,
                _ => FAINT,
            },
            measured: count(|point| matches!(point, TrackPoint::Measured(_))),
            carried: count(|point| matches!(point, TrackPoint::Carried(_))),
            drawn: drawn(&benchmark.points),
            changes: largest(benchmark, track),
        }
    }
}

/// The largest changes, in the order of the versions; and how many more there are.
fn largest(benchmark: &TrackedBenchmark, track: &CostTrack) -> Vec<String> {
    let mut all: Vec<&TrackChange> = benchmark.changes.iter().collect();
    all.sort_by(|a, b| b.relative().abs().total_cmp(&a.relative().abs()).then(a.at.cmp(&b.at)));
    let more = all.len().saturating_sub(CHANGES);
    all.truncate(CHANGES);
    all.sort_by_key(|change| change.at);
    let mut lines: Vec<String> = all.into_iter().map(|change| event(change, track)).collect();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    if let Some(&at) = benchmark.rewritten.last() {
        let version = &track.versions[at];
        lines.push(format!(
            "its own source changed: compared from {} on",
            text::short_id(&version.commit)
        ));
    }
    lines
}

/// A change with the version that made it, or the two that the ones in question lie between.
fn event(change: &TrackChange, track: &CostTrack) -> String {
    let [since, at] = [change.since, change.at].map(|place| &track.versions[place]);
    let stays = if change.method == ChangeDetectionMethod::EDivisive {
        "*"
    } else {
        ""
    };
    let amount = format!("{}{stays}", number_format::change(change.relative()));
    let [since_id, at_id] = [since, at].map(|version| text::short_id(&version.commit));
    if change.is_across_a_gap() {
        return format!("{amount} between {since_id} and {at_id}");
    }
    format!("{amount} {at_id} {}", text::cut_end(&text::safe(&at.summary), SUMMARY))
}

fn legend(track: &CostTrack) -> &'static str {
    let all = || track.benchmarks.iter().flat_map(|benchmark| &benchmark.changes);
    if all().any(|change| change.method == ChangeDetectionMethod::EDivisive) {
        "A change is the step from one version to the next; with *, the new cost stays (a change point of the series, E-divisive)."
    } else if all().next().is_some() {
        "A change is the step from one version to the next."
    } else {
        "Nothing changed by more than 0.5%."
    }
}

fn summary(track: &CostTrack) -> String {
    let count = |state: TrackedVersionState| track.versions.iter().filter(|version| version.state == state).count();
    let gaps = match count(TrackedVersionState::Gap) {
        0 => String::from("no gaps"),
        gaps => format!("{} (reasons with -v)", number_format::counted_noun(gaps, "gap")),
    };
    let single: usize = (track.benchmarks.iter())
        .flat_map(|benchmark| benchmark.points.iter().zip(&track.versions))
        .filter(|(point, version)| version.state != TrackedVersionState::Gap && matches!(point, TrackPoint::Gap(_)))
        .count();
    let single = match single {
        0 => String::new(),
        single => format!(
            ", {} missing where others are known",
            number_format::counted_noun(single, "point")
        ),
    };
    format!(
        "measured {} of {}, {} carried over, {gaps}{single}",
        count(TrackedVersionState::Measured),
        number_format::counted_noun(track.versions.len(), "version"),
        count(TrackedVersionState::Carried)
    )
}

/// How many benchmarks have too few points for change points.
fn too_short(track: &CostTrack) -> Option<String> {
    let is_short = |benchmark: &&TrackedBenchmark| {
        let known = benchmark.points.iter().filter(|point| point.cost().is_some());
        known.count() < TESTED_FROM
    };
    let short = track.benchmarks.iter().filter(is_short).count();
    (short > 0).then(|| {
        format!(
            "fewer than {TESTED_FROM} points, too few for change points, so that it is not known which steps stay: {}",
            number_format::counted_noun(short, "benchmark")
        )
    })
}

/// The series in block characters; where several versions share one, it is the last known of them.
fn drawn(points: &[TrackPoint]) -> String {
    let costs = || points.iter().filter_map(|point| point.cost());
    let (Some(least), Some(most)) = (costs().min(), costs().max()) else {
        return points.iter().take(DRAWN).map(|_| NO_POINT).collect();
    };
    let least = least as f64;
    let span = (most as f64 - least).max(least * LEAST_SPAN).max(1.0);
    let top = (BLOCKS.len() - 1) as f64;
    points
        .chunks(points.len().div_ceil(DRAWN))
        .map(|shared| {
            let cost = shared.iter().rev().find_map(|point| point.cost());
            cost.map_or(NO_POINT, |cost| {
                BLOCKS[((cost as f64 - least) / span * top).round() as usize]
            })
        })
        .collect()
}
