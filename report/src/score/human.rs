//! Predictions → lines for a terminal: one line for each version of a range, a page for a single version.

use std::collections::BTreeSet;

use analyzer::score::{BenchmarkPrediction, ScoreDecision, VersionScore};
use anstyle::Style;

use super::decision_reason::decision_sentence;
use super::labels;
use super::reach::reach_sentences;
use crate::number_format;
use crate::style::{BAD, FAINT, GOOD, PLACE, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// The most entries of `degraded` that a page lists; the rest is only counted.
const DEGRADED_SHOWN: usize = 5;

/// The layout of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLayout {
    /// Columns; `None` where the width is not limited (a pipe, a file).
    pub width: Option<usize>,
}

/// The heading over [`human_line`]s.
#[must_use]
pub fn line_heading() -> String {
    let heading = format!(
        "{:10}  {:9}  {:>5}  {:>9}  {}",
        "version", "decision", "risk", "predicted", "reason"
    );
    format!("{}\n", paint(STRONG, &heading))
}

/// One version on one line: id, decision, probability, predicted change of its leading benchmark, reason.
#[must_use]
pub fn human_line(version: &VersionScore, page: PageLayout) -> String {
    let decision = labels::decision(version.decision);
    let style = decision_style(version.decision);
    let predicted = labels::foremost(version).map_or_else(|| String::from("-"), |b| number_format::change(b.predicted));
    let head = format!(
        "{:10}  {style}{decision:9}{style:#}  {:>5}  {predicted:>9}  ",
        text::short_id(&version.commit),
        number_format::probability(version.probability),
    );
    // Width of the columns before the reason, including separators.
    const REASON_AT: usize = 10 + 2 + 9 + 2 + 5 + 2 + 9 + 2;
    let reason = decision_sentence(version);
    let reason = text::safe(&reason);
    let reason = match page.width {
        Some(width) => text::cut_end(&reason, width.saturating_sub(REASON_AT).max(20)),
        None => reason,
    };
    format!("{head}{reason}\n")
}

/// One version on a page: its base, the decision, the predictions.
#[must_use]
pub fn human_version(version: &VersionScore, threshold: f64, page: PageLayout) -> String {
    let mut out = String::new();
    let parent = match &version.parent {
        Some(parent) => format!("after {}", text::short_id(parent)),
        None => String::from("without a parent"),
    };
    line(
        &mut out,
        "version",
        &format!("{} {}", text::short_id(&version.commit), paint(FAINT, &parent)),
    );
    let sample = match &version.sample {
        Some(sample) => {
            let distance = number_format::counted_noun(sample.distance as usize, "version");
            format!(
                "{} {}",
                text::short_id(&sample.commit),
                paint(FAINT, &format!("{distance} before{}", labels::counted_by(sample)))
            )
        }
        None => format!("{}: `{}` takes one", paint(UNSURE, "none"), paint(PLACE, "lito sample")),
    };
    line(&mut out, "sample", &sample);
    let decision = paint(decision_style(version.decision), labels::decision(version.decision));
    let risk = format!("risk {}", number_format::probability(version.probability));
    line(
        &mut out,
        "decision",
        &format!(
            "{decision}, {risk} of a change of {} or more",
            number_format::share(threshold)
        ),
    );
    let indent = 10;
    let columns = page
        .width
        .map_or(usize::MAX, |width| width.saturating_sub(indent).max(20));
    let reason = decision_sentence(version);
    for (index, reason) in text::wrapped(&text::safe(&reason), columns).iter().enumerate() {
        line(&mut out, if index == 0 { "reason" } else { "" }, reason);
    }
    let reach = version.reach.iter().flat_map(reach_sentences);
    for (index, sentence) in reach.enumerate() {
        for (part, text) in text::wrapped(&text::safe(&sentence), columns).iter().enumerate() {
            line(&mut out, if index + part == 0 { "reach" } else { "" }, text);
        }
    }
    if !version.benchmarks.is_empty() {
        out.push('\n');
        out.push_str(&predictions(version, page));
    }
    out.push_str(&degraded(version, columns));
    out
}

/// The summary of a range: the number of versions, and how many of them are selected.
#[must_use]
pub fn human_summary(versions: usize, selected: usize) -> String {
    let share = if versions == 0 {
        0.0
    } else {
        selected as f64 / versions as f64
    };
    let text = format!(
        "{}: {} worth a benchmark ({}), {} skipped\n",
        number_format::counted_noun(versions, "version"),
        selected,
        number_format::share(share),
        versions - selected
    );
    paint(STRONG, &text)
}

/// The command that explains the numbers of a page.
#[must_use]
pub fn explain_hint(changes: usize) -> String {
    let text = format!(
        "\n{} behind this: --explain lists them\n",
        number_format::counted_noun(changes, "change")
    );
    paint(FAINT, &text)
}

fn predictions(version: &VersionScore, page: PageLayout) -> String {
    let columns = [
        TableColumn::Words("benchmark"),
        TableColumn::Figures("predicted"),
        TableColumn::Figures("from"),
        TableColumn::Figures("to"),
        TableColumn::Figures("risk"),
        TableColumn::Words(""),
    ];
    let (told, quiet): (Vec<_>, Vec<_>) = (version.benchmarks.iter()).partition(|b| is_worth_a_row(b));
    let rows = told.iter().map(|b| {
        let style = change_style(b.predicted, b.selected);
        vec![
            (Style::new(), text::safe(&b.name).into_owned()),
            (style, number_format::change(b.predicted)),
            (FAINT, number_format::change(b.low)),
            (FAINT, number_format::change(b.high)),
            (Style::new(), number_format::probability(b.probability)),
            if b.selected {
                (BAD, String::from("run"))
            } else {
                (FAINT, String::from("skip"))
            },
        ]
    });
    let mut out = match told.as_slice() {
        [] => String::new(),
        [..] => table(&columns, rows.collect(), page.width),
    };
    if !quiet.is_empty() {
        let all = if told.is_empty() { "" } else { "other " };
        let counted = number_format::counted_noun(quiet.len(), &format!("{all}benchmark"));
        out.push_str(&format!(
            "{}\n",
            paint(FAINT, &format!("{counted}: no change predicted"))
        ));
    }
    out
}

/// Whether anything is predicted for a benchmark.
fn is_worth_a_row(benchmark: &BenchmarkPrediction) -> bool {
    benchmark.selected || benchmark.probability > 0.0 || [benchmark.low, benchmark.high] != [0.0, 0.0]
}

fn degraded(version: &VersionScore, columns: usize) -> String {
    let mut out = String::new();
    if version.degraded.is_empty() {
        return out;
    }
    let files: BTreeSet<&str> = version.degraded.iter().map(|entry| entry.file.as_str()).collect();
    let heading = format!(
        "not fully analysed: {}",
        number_format::counted_noun(files.len(), "file")
    );
    out.push_str(&format!("\n{}\n", paint(UNSURE, &heading)));
    for entry in version.degraded.iter().take(DEGRADED_SHOWN) {
        let shown = format!("{}: {}", text::safe(&entry.file), text::safe(&entry.why));
        out.push_str(&format!("  {}\n", text::cut_end(&shown, columns)));
    }
    if version.degraded.len() > DEGRADED_SHOWN {
        out.push_str(&format!("  and {} more\n", version.degraded.len() - DEGRADED_SHOWN));
    }
    out
}

fn line(out: &mut String, label: &str, value: &str) {
    out.push_str(&format!("{FAINT}{label:8}{FAINT:#}  {value}\n"));
}

fn decision_style(decision: ScoreDecision) -> Style {
    match decision {
        ScoreDecision::Benchmark => BAD,
        ScoreDecision::Skip => FAINT,
    }
}

/// Red for a predicted regression, green for an improvement, faint for a benchmark that is not selected.
pub(super) fn change_style(predicted: f64, matters: bool) -> Style {
    match () {
        () if !matters => FAINT,
        () if predicted < 0.0 => GOOD,
        () => BAD,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use analyzer::change::{ChangeKind, DegradedFile};
    use analyzer::score::{
        BenchmarkEffect, BenchmarkPrediction, DecisionReason, PredictedMovement, SampleReference, ScoredChange,
    };

    use super::*;

    /// A reason that begins with a name.
    pub(in crate::score) fn below_threshold(benchmark: &str) -> DecisionReason {
        DecisionReason::BelowThreshold {
            benchmark: benchmark.to_owned(),
            movement: PredictedMovement::Sum { predicted: 0.01 },
            threshold: 0.05,
        }
    }

    pub(in crate::score) fn slower() -> VersionScore {
        VersionScore {
            commit: "a".repeat(40),
            parent: Some("b".repeat(40)),
            sample: Some(SampleReference {
                commit: "c".repeat(40),
                distance: 7,
                profiler: None,
            }),
            decision: ScoreDecision::Benchmark,
            reason: below_threshold("krate::parse"),
            probability: 0.87,
            benchmarks: vec![BenchmarkPrediction {
                name: String::from("parse/large"),
                predicted: 0.123,
                low: 0.02,
                high: 0.31,
                probability: 0.87,
                selected: true,
                ..BenchmarkPrediction::default()
            }],
            changes: vec![ScoredChange {
                kind: ChangeKind::CallAddition,
                function: Some(String::from("krate::parse")),
                file: String::from("src/x.rs"),
                line: 120,
                callee: Some(String::from("krate::check")),
                resolved_by: Some(analyzer::resolve::CalleeEvidence::SameSite),
                effects: vec![BenchmarkEffect {
                    benchmark: String::from("parse/large"),
                    executions: 120_000,
                    unit_cost: 35.2,
                    terms: vec![analyzer::cost::CostTerm {
                        executions: 120_000.0,
                        unit_cost: 35.2,
                        believed: 1.0,
                    }],
                    cost: 4_224_000.0,
                    share: 0.123,
                    low: 0.02,
                    high: 0.31,
                }],
                input_of: None,
            }],
            degraded: vec![DegradedFile {
                file: String::from("src/y.rs"),
                why: String::from("syntax error at 12:4"),
            }],
            unused: Vec::new(),
            newer_benchmarks: Vec::new(),
            changed_benchmarks: Vec::new(),
            reach: None,
        }
    }

    pub(in crate::score) fn skipped() -> VersionScore {
        VersionScore {
            commit: "d".repeat(40),
            parent: None,
            sample: None,
            decision: ScoreDecision::Skip,
            reason: DecisionReason::NothingCompiledChanged,
            probability: 0.0,
            benchmarks: Vec::new(),
            changes: Vec::new(),
            degraded: Vec::new(),
            unused: Vec::new(),
            newer_benchmarks: Vec::new(),
            changed_benchmarks: Vec::new(),
            reach: None,
        }
    }

    /// Removes escape sequences.
    pub(in crate::score) fn plain(styled: &str) -> String {
        let mut plain = String::new();
        let mut rest = styled;
        while let Some(start) = rest.find('\x1b') {
            plain.push_str(&rest[..start]);
            let end = rest[start..].find('m').map_or(rest.len(), |end| start + end + 1);
            rest = &rest[end..];
        }
        plain + rest
    }

    #[test]
    fn a_line_fits_the_page() {
        let mut version = slower();
        version.reason = below_threshold(&"long ".repeat(40));
        let line = human_line(&version, PageLayout { width: Some(80) });
        assert!(text::width(plain(&line).trim_end()) <= 80);
        let whole = human_line(&version, PageLayout { width: None });
        assert!(plain(&whole).contains(decision_sentence(&version).trim_end()));
    }

    #[test]
    fn lines_stand_under_their_heading() {
        let heading = plain(&line_heading());
        let line = plain(&human_line(&slower(), PageLayout { width: None }));
        assert_eq!(heading.find("reason"), line.find("the calls"));
        assert!(line.starts_with("aaaaaaaaaa  benchmark    87%     +12.3%  "), "{line}");
    }

    #[test]
    fn a_page_names_the_command_that_takes_a_sample() {
        let page = plain(&human_version(&skipped(), 0.05, PageLayout { width: Some(80) }));
        assert!(page.contains("sample    none: `lito sample` takes one"), "{page}");
        assert!(page.contains("version   dddddddddd without a parent"), "{page}");
    }

    #[test]
    fn a_page_lists_what_was_not_analysed() {
        let page = plain(&human_version(&slower(), 0.05, PageLayout { width: Some(80) }));
        assert!(
            page.contains("not fully analysed: 1 file\n  src/y.rs: syntax error at 12:4"),
            "{page}"
        );
    }

    #[test]
    fn hostile_names_do_not_reach_the_terminal() {
        let mut version = slower();
        version.reason = below_threshold("a\x1b[2Jb\u{202e}c");
        version.benchmarks[0].name = String::from("x\u{202e}\x07");
        version.degraded[0].file = String::from("\x1b]0;t\x07.rs");
        for text in [
            human_line(&version, PageLayout { width: None }),
            human_version(&version, 0.05, PageLayout { width: Some(100) }),
        ] {
            assert!(
                !plain(&text)
                    .chars()
                    .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'),
                "{text:?}"
            );
        }
    }
}
