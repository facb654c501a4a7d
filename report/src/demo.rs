//! The outcome of `lito demo` → a table of predictions, decisions and measurements, and the cost compared with
//! measuring everything.

use analyzer::score::{DecisionReason, ScoreDecision, VersionScore};
use anstyle::Style;
use serde::{Serialize, Serializer};

use crate::json_document::json_document;
use crate::number_format;
use crate::score::{PageLayout, ScoreDocument, decision_sentence, labels};
use crate::style::{BAD, FAINT, GOOD, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// One version of the demonstrated library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DemoVersion {
    /// Its release number.
    pub release: String,
    /// The prediction.
    #[serde(serialize_with = "as_document")]
    pub score: VersionScore,
    /// Measured, if it was.
    pub measured: DemoMeasurement,
}

/// Measured difference between a version and its parent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DemoMeasurement {
    /// It was skipped.
    NotRun,
    /// One of the two sides could not be measured.
    Failed(String),
    /// Relative change of each benchmark that both sides have, by name.
    Changes(Vec<(String, f64)>),
}

/// Number and duration of a repeated task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct DemoTaskTotal {
    /// How often.
    pub times: u32,
    /// Seconds in all.
    pub seconds: f64,
}

/// Where the time went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DemoCosts {
    /// Seconds of taking the samples.
    pub sampling: f64,
    /// Seconds of scoring all versions.
    pub scoring: f64,
    /// Building the versions that were flagged, and those before them, and comparing their code.
    pub building: DemoTaskTotal,
    /// Counting benchmarks.
    pub running: DemoTaskTotal,
    /// All versions of the range.
    pub versions: usize,
    /// Benchmarks of a version.
    pub benchmarks: usize,
}

/// The whole outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DemoReport {
    /// The library.
    pub library: String,
    /// A relative change from which a version counts as moved.
    pub threshold: f64,
    /// The versions, oldest first.
    pub versions: Vec<DemoVersion>,
    /// Where the time went.
    pub costs: DemoCosts,
}

impl DemoTaskTotal {
    /// Adds executions of a task and the seconds that they took.
    pub fn add(&mut self, times: u32, seconds: f64) {
        self.times += times;
        self.seconds += seconds;
    }

    fn each(self) -> f64 {
        self.seconds / f64::from(self.times.max(1))
    }
}

impl DemoCosts {
    /// Seconds that building every version once and running every benchmark of it once would take, at the mean cost of
    /// the actual builds and runs; 0 without any.
    #[must_use]
    pub fn everything(&self) -> f64 {
        let runs = (self.versions * self.benchmarks) as f64;
        self.building.each() * self.versions as f64 + self.running.each() * runs
    }

    /// Seconds that lito took.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.sampling + self.scoring + self.building.seconds + self.running.seconds
    }
}

impl DemoMeasurement {
    /// The change of the largest size, if there is one.
    #[must_use]
    pub fn largest(&self) -> Option<&(String, f64)> {
        match self {
            Self::Changes(changes) => changes.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())),
            Self::NotRun | Self::Failed(_) => None,
        }
    }
}

/// The table and the balance for a terminal.
#[must_use]
pub fn human(outcome: &DemoReport, page: PageLayout) -> String {
    let columns = [
        TableColumn::Words("version"),
        TableColumn::Figures("risk"),
        TableColumn::Figures("predicted"),
        TableColumn::Words("decision"),
        TableColumn::Figures("measured"),
        TableColumn::Words("reason"),
    ];
    let rows = outcome.versions.iter().map(|version| {
        let (decision_style, decision) = match version.score.decision {
            ScoreDecision::Benchmark => (STRONG, "benchmark"),
            ScoreDecision::Skip => (FAINT, "skip"),
        };
        let (measured_style, measured) = measured(version, outcome.threshold);
        vec![
            (Style::new(), text::safe(&version.release).into_owned()),
            (Style::new(), number_format::probability(version.score.probability)),
            (Style::new(), predicted(version, outcome.threshold)),
            (decision_style, decision.to_owned()),
            (measured_style, measured),
            (FAINT, fitted(&reason(version), page)),
        ]
    });
    let mut out = table(&columns, rows.collect(), page.width);
    out.push('\n');
    out.push_str(&balance(outcome));
    out
}

/// The table and the balance as markdown.
#[must_use]
pub fn markdown(outcome: &DemoReport) -> String {
    let mut out =
        String::from("| version | risk | predicted | decision | measured | reason |\n|---|---:|---:|---|---:|---|\n");
    for version in &outcome.versions {
        let decision = match version.score.decision {
            ScoreDecision::Benchmark => "benchmark",
            ScoreDecision::Skip => "skip",
        };
        out.push_str(&format!(
            "| {} | {} | {} | {decision} | {} | {} |\n",
            text::markdown_prose(&version.release),
            number_format::probability(version.score.probability),
            predicted(version, outcome.threshold),
            text::markdown_prose(&measured(version, outcome.threshold).1),
            text::markdown_prose(&reason(version))
        ));
    }
    out.push('\n');
    for line in sentences(outcome) {
        out.push_str(&format!("- {line}\n"));
    }
    out
}

/// The outcome as JSON.
#[must_use]
pub fn json(outcome: &DemoReport) -> String {
    json_document(outcome)
}

/// The benchmark that moved most, if one moved by the threshold or more.
fn moved(version: &DemoVersion, threshold: f64) -> Option<&(String, f64)> {
    version
        .measured
        .largest()
        .filter(|(_, change)| change.abs() >= threshold)
}

/// Prediction for the benchmark that moved, so that the two figures are about the same thing; else for
/// the one that the decision was made for.
fn predicted(version: &DemoVersion, threshold: f64) -> String {
    let predictions = &version.score.benchmarks;
    let of_moved =
        moved(version, threshold).and_then(|(name, _)| predictions.iter().find(|prediction| prediction.name == *name));
    of_moved
        .or_else(|| labels::foremost(&version.score))
        .map_or_else(|| String::from("-"), |b| number_format::change(b.predicted))
}

/// The largest change, with its benchmark if that moved.
fn measured(version: &DemoVersion, threshold: f64) -> (Style, String) {
    if let Some((name, change)) = moved(version, threshold) {
        let style = if *change > 0.0 { BAD } else { GOOD };
        let named = format!("{} {}", text::safe(name), number_format::change(*change));
        return (style, named);
    }
    match (&version.measured, version.measured.largest()) {
        (DemoMeasurement::Failed(_), _) => (UNSURE, String::from("failed")),
        (_, Some((_, change))) => (Style::new(), number_format::change(*change)),
        (_, None) => (FAINT, String::from("-")),
    }
}

/// Basis of the decision, and the reason if a due measurement is missing.
fn reason(version: &DemoVersion) -> String {
    let reason = text::safe(&because(&version.score)).into_owned();
    match &version.measured {
        DemoMeasurement::Failed(why) => format!("{reason}; not measured: {}", text::safe(why)),
        DemoMeasurement::NotRun | DemoMeasurement::Changes(_) => reason,
    }
}

/// Writes a score as its contract has it.
fn as_document<S: Serializer>(score: &VersionScore, serializer: S) -> Result<S::Ok, S::Error> {
    ScoreDocument::of(score).serialize(serializer)
}

/// The reason of a score, without a sentence about one benchmark: the table may show another one's figures.
fn because(score: &VersionScore) -> String {
    let of_one = match &score.reason {
        DecisionReason::BelowThreshold { .. }
        | DecisionReason::NewerBenchmarks { .. }
        | DecisionReason::LeftOutBenchmarks { .. }
        | DecisionReason::Selected { .. } => true,
        DecisionReason::FirstVersion
        | DecisionReason::NothingCompiledChanged
        | DecisionReason::NoSample(_)
        | DecisionReason::EmptySample
        | DecisionReason::NotExecuted => false,
    };
    if !of_one {
        return decision_sentence(score);
    }
    let Some(change) = score.changes.iter().find(|change| !change.effects.is_empty()) else {
        return match score.degraded.first() {
            Some(degraded) => format!("the effect of {} is not known", degraded.file),
            None => String::from("no benchmark executes what changed"),
        };
    };
    let what = match &change.callee {
        Some(callee) => format!("{}: {callee}", labels::kind(change.kind)),
        None => labels::kind(change.kind).to_owned(),
    };
    let place = change.function.as_deref().unwrap_or(&change.file);
    let rest = match score.changes.len() {
        1 => String::new(),
        more => format!(", first of {more} changes"),
    };
    match score.decision {
        ScoreDecision::Benchmark => format!("{what} in {place}{rest}"),
        ScoreDecision::Skip => format!("too small: {what} in {place}{rest}"),
    }
}

/// Three lines of a cell at most: the table stays one.
fn fitted(reason: &str, page: PageLayout) -> String {
    match page.width {
        Some(width) => {
            let columns = width.saturating_sub(COLUMNS_BEFORE_REASON).max(20);
            text::cut_end(reason, columns * 3).into_owned()
        }
        None => reason.to_owned(),
    }
}

/// Columns that the table takes before its last one.
const COLUMNS_BEFORE_REASON: usize = 60;

fn balance(outcome: &DemoReport) -> String {
    let mut out = String::new();
    for (index, line) in sentences(outcome).into_iter().enumerate() {
        let line = if index == 0 { paint(STRONG, &line) } else { line };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn sentences(outcome: &DemoReport) -> Vec<String> {
    let DemoReport {
        versions,
        costs,
        threshold,
        ..
    } = outcome;
    let selected = versions
        .iter()
        .filter(|v| v.score.decision == ScoreDecision::Benchmark)
        .count();
    let moved = |v: &&DemoVersion| moved(v, *threshold).is_some();
    let found = versions
        .iter()
        .filter(|v| v.score.decision == ScoreDecision::Benchmark)
        .filter(moved)
        .count();
    let missed = versions
        .iter()
        .filter(|v| v.score.decision == ScoreDecision::Skip)
        .filter(moved)
        .count();
    let everything_run = versions.iter().all(|v| v.measured != DemoMeasurement::NotRun);
    let mut lines = vec![format!(
        "{selected} of {} benchmarked; {found} of these moved by {} or more.",
        number_format::counted_noun(versions.len(), "version"),
        number_format::share(*threshold)
    )];
    if everything_run && !versions.is_empty() {
        lines.push(format!(
            "All versions were measured: {missed} of the skipped ones moved as much."
        ));
    }
    lines.push(format!(
        "Cost: {} (sampling {}, scoring {}, {} in {}, {} in {}).",
        number_format::duration(costs.spent()),
        number_format::duration(costs.sampling),
        number_format::duration(costs.scoring),
        number_format::counted_noun(costs.building.times as usize, "build"),
        number_format::duration(costs.building.seconds),
        number_format::counted_noun(costs.running.times as usize, "run"),
        number_format::duration(costs.running.seconds)
    ));
    let everything = costs.everything();
    if everything > 0.0 {
        let runs = costs.versions * costs.benchmarks;
        lines.push(format!(
            "Running everything: {} ({}, {}, at the mean cost of one here); lito took {} of that.",
            number_format::duration(everything),
            number_format::counted_noun(costs.versions, "build"),
            number_format::counted_noun(runs, "run"),
            number_format::share(costs.spent() / everything)
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use analyzer::change::ChangeKind;
    use analyzer::score::{BenchmarkEffect, BenchmarkPrediction, PredictedMovement, ScoredChange};

    use super::*;

    fn version(decision: ScoreDecision, measured: DemoMeasurement) -> DemoVersion {
        let score = VersionScore {
            commit: "a".repeat(40),
            parent: None,
            sample: None,
            decision,
            reason: DecisionReason::NotExecuted,
            probability: 0.5,
            benchmarks: Vec::new(),
            changes: Vec::new(),
            degraded: Vec::new(),
            unused: Vec::new(),
            newer_benchmarks: Vec::new(),
            changed_benchmarks: Vec::new(),
            reach: None,
        };
        DemoVersion {
            release: String::from("1.0.0"),
            score,
            measured,
        }
    }

    fn outcome(versions: Vec<DemoVersion>) -> DemoReport {
        let costs = DemoCosts {
            sampling: 6.0,
            scoring: 0.1,
            building: DemoTaskTotal { times: 4, seconds: 4.0 },
            running: DemoTaskTotal {
                times: 10,
                seconds: 5.0,
            },
            versions: versions.len(),
            benchmarks: 2,
        };
        DemoReport {
            library: String::from("x"),
            threshold: 0.05,
            versions,
            costs,
        }
    }

    #[test]
    fn running_everything_costs_what_the_builds_and_runs_here_did() {
        let outcome = outcome(vec![version(ScoreDecision::Skip, DemoMeasurement::NotRun); 10]);
        assert!((outcome.costs.everything() - (10.0 + 20.0 * 0.5)).abs() < 1e-9);
        assert!((outcome.costs.spent() - 15.1).abs() < 1e-9);
    }

    #[test]
    fn misses_are_told_only_where_everything_was_measured() {
        let moved = || DemoMeasurement::Changes(vec![(String::from("b"), 0.5), (String::from("c"), 0.1)]);
        let some = outcome(vec![
            version(ScoreDecision::Skip, DemoMeasurement::NotRun),
            version(ScoreDecision::Benchmark, moved()),
        ]);
        assert!(!markdown(&some).contains("All versions were measured"));
        let all = outcome(vec![
            version(ScoreDecision::Skip, moved()),
            version(ScoreDecision::Benchmark, moved()),
        ]);
        let text = markdown(&all);
        assert!(text.contains("1 of the skipped ones moved"), "{text}");
        assert!(
            text.contains("1 of 2 versions benchmarked; 1 of these moved by 5% or more"),
            "{text}"
        );
    }

    fn prediction(name: &str, predicted: f64, probability: f64) -> BenchmarkPrediction {
        BenchmarkPrediction {
            name: String::from(name),
            predicted,
            low: predicted,
            high: predicted,
            probability,
            selected: true,
            ..BenchmarkPrediction::default()
        }
    }

    #[test]
    fn what_moved_is_named_and_stands_beside_its_own_prediction() {
        let changes = vec![(String::from("parse"), 0.0), (String::from("ordering"), -0.177)];
        let mut version = version(ScoreDecision::Benchmark, DemoMeasurement::Changes(changes));
        version.score.benchmarks = vec![prediction("parse", 0.3, 0.9), prediction("ordering", -0.1, 0.5)];
        version.score.reason = DecisionReason::Selected {
            benchmark: String::from("parse"),
            movement: PredictedMovement::Sum { predicted: 0.3 },
            cause: None,
        };
        version.score.changes = vec![ScoredChange {
            kind: ChangeKind::CallSwap,
            function: Some(String::from("krate::cmp")),
            file: String::from("src/lib.rs"),
            line: 3,
            callee: Some(String::from("memcmp")),
            resolved_by: None,
            effects: vec![BenchmarkEffect {
                benchmark: String::from("ordering"),
                executions: 1,
                unit_cost: 1.0,
                terms: vec![analyzer::cost::CostTerm {
                    executions: 1.0,
                    unit_cost: 1.0,
                    believed: 1.0,
                }],
                cost: 1.0,
                share: 0.1,
                low: 0.1,
                high: 0.1,
            }],
            input_of: None,
        }];
        let text = markdown(&outcome(vec![version]));
        let row = text.lines().nth(2).unwrap_or_default();
        assert_eq!(
            row,
            "| 1.0.0 | 50% | -10.0% | benchmark | ordering -17.7% | call swapped: memcmp in krate::cmp |"
        );
    }

    #[test]
    fn where_nothing_moved_no_benchmark_is_named() {
        let changes = vec![(String::from("parse"), 0.001)];
        let mut version = version(ScoreDecision::Benchmark, DemoMeasurement::Changes(changes));
        version.score.benchmarks = vec![prediction("parse", 0.3, 0.9)];
        assert_eq!(measured(&version, 0.05).1, "+0.10%");
        assert_eq!(predicted(&version, 0.05), "+30.0%");
    }

    #[test]
    fn the_largest_change_speaks_whatever_its_sign() {
        let measured = DemoMeasurement::Changes(vec![(String::from("b"), 0.1), (String::from("c"), -0.4)]);
        assert_eq!(measured.largest().map(|(name, _)| name.as_str()), Some("c"));
    }
}
