//! Two executions into their report: what it is about, and what a reader learns first.

use profile::tree::Measure;
use report::comparison::Comparison;
use report::number;
use report::view::{Headline, HeadlineLine, Tone};

/// The strip of a report of comparisons.
pub(crate) fn headline(comparisons: &[Comparison]) -> Headline {
    if let [only] = comparisons {
        return Headline {
            tone: tone(only),
            text: line(only),
            lines: Vec::new(),
        };
    }
    let lines: Vec<HeadlineLine> = (comparisons.iter().enumerate())
        .map(|(at, comparison)| HeadlineLine {
            tone: tone(comparison),
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
        Tone::Slower => format!("{slower} of {of} costs more"),
        Tone::Faster => format!("{faster} of {of} costs less"),
        Tone::Mixed => format!("{slower} of {of} costs more, {faster} less"),
        Tone::Same | Tone::Unknown => format!("no change beyond noise in {of}"),
    };
    Headline { tone, text, lines }
}

/// What became of the total.
pub(crate) fn tone(comparison: &Comparison) -> Tone {
    let root = comparison
        .evolution
        .nodes
        .first()
        .map(|root| root.difference);
    match root {
        None => Tone::Unknown,
        Some(root) if root.is_noise(Measure::CostInclusive) => Tone::Same,
        Some(root) if root.height(Measure::CostInclusive) > 0.0 => Tone::Slower,
        Some(_) => Tone::Faster,
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
