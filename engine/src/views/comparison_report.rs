//! Comparisons into their report: what it is about, and what a reader learns first.

use std::path::Path;

use profile::call_tree::CostMeasure;
use report::comparison::{ExecutionComparison, main_causes};
use report::number_format;
use report::view::{BetterDirection, CostTrend, EarlierNames, HtmlReport, ReportHeadline, ReportHeadlineLine};
use runner::git::Repository;

use super::{COMPARE, COMPARE_BENCHMARKS, VersionLabels, command_line, project};
use crate::compare::VersionComparison;
use crate::error::EngineError;

/// A report of comparisons alone, without versions and sources.
pub fn html_report_of_comparisons<'a>(
    comparisons: &'a [ExecutionComparison],
    root: &Path,
    unit: &'a str,
    better: BetterDirection,
) -> HtmlReport<'a> {
    let title = match comparisons {
        [only] => only.title(),
        all => all.first().map_or_else(String::new, |first| {
            format!("{} → {}", first.before.label, first.after.label)
        }),
    };
    HtmlReport {
        project: project(root),
        title,
        unit,
        better,
        made_by: command_line(),
        compare_by: COMPARE.to_owned(),
        compare_benchmarks_by: COMPARE_BENCHMARKS.to_owned(),
        versions: Vec::new(),
        headline: headline(comparisons, unit, better),
        track: None,
        matrices: Vec::new(),
        comparisons,
        outlines: Vec::new(),
        earlier_names: earlier_names(comparisons),
    }
}

/// A report of compared versions.
pub fn html_report_of_versions<'a>(
    repository: &Repository,
    root: &Path,
    labels: &VersionLabels,
    compared: &'a VersionComparison,
) -> Result<HtmlReport<'a>, EngineError> {
    Ok(HtmlReport {
        versions: (compared.versions.iter())
            .map(|commit| labels.version(repository, *commit))
            .collect::<Result<_, EngineError>>()?,
        outlines: compared.outlines.iter().cloned().enumerate().collect(),
        ..html_report_of_comparisons(&compared.comparisons, root, compared.unit, BetterDirection::Less)
    })
}

/// The names before of functions that moved or were renamed.
fn earlier_names(comparisons: &[ExecutionComparison]) -> EarlierNames {
    let mut names = EarlierNames::new();
    for (new, old) in comparisons.iter().flat_map(|comparison| &comparison.moved) {
        names.entry(new.clone()).or_default().insert(old.clone());
    }
    names
}

/// The strip of a report of comparisons.
fn headline(comparisons: &[ExecutionComparison], unit: &str, better: BetterDirection) -> ReportHeadline {
    if let [only] = comparisons {
        return ReportHeadline {
            tone: tone(only, better),
            text: line(only, unit, better),
            lines: main_causes(only)
                .map(|cause| cause_line(only, cause, better))
                .into_iter()
                .collect(),
        };
    }
    let lines: Vec<ReportHeadlineLine> = (comparisons.iter().enumerate())
        .map(|(at, comparison)| ReportHeadlineLine {
            tone: tone(comparison, better),
            text: line(comparison, unit, better),
            cause: main_causes(comparison).unwrap_or_default(),
            summary: String::new(),
            benchmark: comparison.after.benchmark.clone(),
            comparison: Some(at),
        })
        .collect();
    let count = |tone: CostTrend| lines.iter().filter(|line| line.tone == tone).count();
    let (slower, faster) = (count(CostTrend::Slower), count(CostTrend::Faster));
    let tone = CostTrend::of_counts(slower, faster);
    let of = number_format::counted_noun(lines.len(), "benchmark");
    let (worse, good) = match better {
        BetterDirection::Less => (format!("{} more", costs(slower)), format!("{} less", costs(faster))),
        BetterDirection::More => ("got worse".to_owned(), "got better".to_owned()),
    };
    let text = match tone {
        CostTrend::Slower => format!("{slower} of {of} {worse}"),
        CostTrend::Faster => format!("{faster} of {of} {good}"),
        CostTrend::Mixed => format!("{slower} of {of} {worse}, {faster} {good}"),
        CostTrend::Same | CostTrend::Unknown => format!("No change beyond noise in {of}"),
    };
    ReportHeadline { tone, text, lines }
}

/// The verb of a headline for so many benchmarks.
pub(super) const fn costs(benchmarks: usize) -> &'static str {
    match benchmarks {
        1 => "costs",
        _ => "cost",
    }
}

/// The one line below a headline that says the change itself.
fn cause_line(comparison: &ExecutionComparison, cause: String, better: BetterDirection) -> ReportHeadlineLine {
    ReportHeadlineLine {
        tone: tone(comparison, better),
        text: "The difference comes".to_owned(),
        cause,
        summary: String::new(),
        benchmark: comparison.after.benchmark.clone(),
        comparison: None,
    }
}

/// The change of the total: slower is worse.
fn tone(comparison: &ExecutionComparison, better: BetterDirection) -> CostTrend {
    let root = (comparison.evolution.nodes.first()).map(|root| root.difference);
    match root {
        None => CostTrend::Unknown,
        Some(root) if root.is_noise(CostMeasure::CostInclusive) => CostTrend::Same,
        Some(root) => {
            let grew = root.height(CostMeasure::CostInclusive) > 0.0;
            match grew == (better == BetterDirection::Less) {
                true => CostTrend::Slower,
                false => CostTrend::Faster,
            }
        }
    }
}

/// Where more is better, a sign alone would be taken the wrong way round.
fn line(comparison: &ExecutionComparison, unit: &str, better: BetterDirection) -> String {
    let evolution = &comparison.evolution;
    let word = match (better, tone(comparison, better)) {
        (BetterDirection::More, CostTrend::Slower) => ", worse",
        (BetterDirection::More, CostTrend::Faster) => ", better",
        _ => "",
    };
    format!(
        "{}: {} → {} {unit} ({}{word})",
        comparison.title(),
        number_format::count(evolution.total_before),
        number_format::count(evolution.total_after),
        number_format::change(comparison.change())
    )
}
