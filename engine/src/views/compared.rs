//! Comparisons into their report: what it is about, and what a reader learns first.

use std::path::Path;

use profile::call_tree::Measure;
use report::comparison::Comparison;
use report::number;
use report::view::{Better, Headline, HeadlineLine, Tone, View};
use runner::git::Repository;

use super::{COMPARE, Labels, command_line, project};
use crate::compare::Compared;
use crate::error::EngineError;

/// A report of comparisons alone, without versions and sources.
pub fn of_comparisons<'a>(comparisons: &'a [Comparison], root: &Path, unit: &'a str, better: Better) -> View<'a> {
    let title = match comparisons {
        [only] => only.title(),
        all => all.first().map_or_else(String::new, |first| {
            format!("{} → {}", first.before.label, first.after.label)
        }),
    };
    View {
        project: project(root),
        title,
        unit,
        better,
        made_by: command_line(),
        compare_by: COMPARE.to_owned(),
        versions: Vec::new(),
        headline: headline(comparisons, better),
        track: None,
        matrices: Vec::new(),
        comparisons,
        outlines: Vec::new(),
    }
}

/// A report of compared versions.
pub fn of_versions<'a>(
    repository: &Repository,
    root: &Path,
    labels: &Labels,
    compared: &'a Compared,
) -> Result<View<'a>, EngineError> {
    Ok(View {
        versions: (compared.versions.iter())
            .map(|commit| labels.version(repository, *commit))
            .collect::<Result<_, EngineError>>()?,
        outlines: compared.outlines.iter().cloned().enumerate().collect(),
        ..of_comparisons(&compared.comparisons, root, compared.unit, Better::Less)
    })
}

/// The strip of a report of comparisons.
fn headline(comparisons: &[Comparison], better: Better) -> Headline {
    if let [only] = comparisons {
        return Headline {
            tone: tone(only, better),
            text: line(only),
            lines: Vec::new(),
        };
    }
    let lines: Vec<HeadlineLine> = (comparisons.iter().enumerate())
        .map(|(at, comparison)| HeadlineLine {
            tone: tone(comparison, better),
            text: line(comparison),
            benchmark: comparison.after.benchmark.clone(),
            comparison: Some(at),
        })
        .collect();
    let count = |tone: Tone| lines.iter().filter(|line| line.tone == tone).count();
    let (slower, faster) = (count(Tone::Slower), count(Tone::Faster));
    let tone = match (slower, faster) {
        (0, 0) => Tone::Same,
        (_, 0) => Tone::Slower,
        (0, _) => Tone::Faster,
        _ => Tone::Mixed,
    };
    let of = number::of(lines.len(), "benchmark");
    let text = match tone {
        Tone::Slower => format!("{slower} of {of} came to cost more"),
        Tone::Faster => format!("{faster} of {of} came to cost less"),
        Tone::Mixed => format!("{slower} of {of} came to cost more, {faster} less"),
        Tone::Same | Tone::Unknown => format!("no change beyond noise in {of}"),
    };
    Headline { tone, text, lines }
}

/// What became of the total: slower is worse.
fn tone(comparison: &Comparison, better: Better) -> Tone {
    let root = (comparison.evolution.nodes.first()).map(|root| root.difference);
    match root {
        None => Tone::Unknown,
        Some(root) if root.is_noise(Measure::CostInclusive) => Tone::Same,
        Some(root) => {
            let grew = root.height(Measure::CostInclusive) > 0.0;
            match grew == (better == Better::Less) {
                true => Tone::Slower,
                false => Tone::Faster,
            }
        }
    }
}

fn line(comparison: &Comparison) -> String {
    let evolution = &comparison.evolution;
    format!(
        "{}: {} → {} ({})",
        comparison.title(),
        number::count(evolution.total_before),
        number::count(evolution.total_after),
        number::change(comparison.change())
    )
}
