//! A verdict into one line of plain text: what happened, to whom.

use std::collections::BTreeSet;

use analyzer::score::ScoreDecision;
use verdict::{BenchmarkOutcome, BenchmarkVerdict, Verdict};

use super::PostingContent;
use crate::number_format;
use crate::text::{cut_end, cut_start, safe};
use crate::verdict::labels;

/// Characters of a check run's title, and of an annotation's.
const TITLE: usize = 255;

/// Columns of a name in it.
const NAME: usize = 100;

/// The line. Plain text: whoever puts it into markdown escapes it.
pub(super) fn title(posting: &PostingContent<'_>) -> String {
    let report = posting.report;
    let said = match report.verdict {
        Verdict::Regression | Verdict::Mixed | Verdict::Improvement => moved(posting),
        Verdict::Skipped => match &posting.score {
            Some(score) if score.decision == ScoreDecision::Skip => {
                format!("skipped: {}", score.reason)
            }
            _ => format!("skipped: {}", report.reason),
        },
        Verdict::Inconclusive => format!("inconclusive: {}", report.reason),
        Verdict::Pass => report.reason.clone(),
    };
    let told = report.verdict != Verdict::Inconclusive || !posting.is_open();
    let accepted = if posting.is_accepted() && told {
        ", accepted"
    } else {
        ""
    };
    let room = TITLE - accepted.len();
    one_line(&said.replace('`', ""), room) + accepted
}

/// A text on one line, cut to a number of characters.
pub(super) fn one_line(text: &str, characters: usize) -> String {
    let line = safe(text.trim());
    let line = cut_end(&line, characters);
    if line.chars().count() <= characters {
        return line.into_owned();
    }
    // Marks take no column.
    line.chars().take(characters).collect()
}

/// `parse/large is 1.10 × slower (instructions)`, `2 benchmarks slower, 1 faster`.
fn moved(posting: &PostingContent<'_>) -> String {
    let all = |outcome| -> Vec<&BenchmarkVerdict> {
        (posting.report.benchmarks.iter())
            .filter(|entry| entry.gating && entry.verdict == outcome)
            .collect()
    };
    let (worse, better) = (all(BenchmarkOutcome::Regression), all(BenchmarkOutcome::Improvement));
    let count = |entries: &[&BenchmarkVerdict]| {
        let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        names.len()
    };
    let slower = labels::worse_or_slower(worse.iter().copied(), ["slower", "worse"]);
    let faster = labels::worse_or_slower(better.iter().copied(), ["faster", "better"]);
    match (count(&worse), count(&better)) {
        (0, 0) => posting.report.reason.clone(),
        (1, 0) => alone(worse[0]),
        (0, 1) => alone(better[0]),
        (0, more) => format!("{more} benchmarks {faster}"),
        (more, 0) => format!("{more} benchmarks {slower}{}", most(&worse)),
        (more, fewer) => format!(
            "{} {slower}, {fewer} {faster}",
            number_format::counted_noun(more, "benchmark")
        ),
    }
}

/// `, up to 1.32 ×`, where all of them moved by a factor of the same metric. The first entry moved most.
fn most(entries: &[&BenchmarkVerdict]) -> String {
    let first = entries[0];
    let alike = entries.iter().all(|entry| entry.metric == first.metric);
    match first.change {
        Some(_) if alike => format!(", up to {}", labels::times(first)),
        _ => String::new(),
    }
}

/// The first entry is the one that moved most.
fn alone(entry: &BenchmarkVerdict) -> String {
    let name = safe(&entry.name).into_owned();
    format!("{} {}", cut_start(&name, NAME), labels::moved(entry))
}
