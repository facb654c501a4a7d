//! Predictions → markdown for a comment or a job summary: one table row for each version of a range, a section for a
//! single version.

use analyzer::change::DegradedFile;
use analyzer::score::{BenchmarkEffect, BenchmarkPrediction, ScoredChange, VersionScore};

use super::decision_reason::decision_sentence;
use super::labels;
use super::reach::reach_line;
use crate::markdown::{MarkdownLimits, list, name, sentence};
use crate::number_format;
use crate::text::{markdown_code, markdown_prose, short_id};

/// The limits of each part of a section.
const ROOM: MarkdownLimits = MarkdownLimits {
    rows: 50,
    bytes: 15_000,
};

/// The heading of the table of [`markdown_line`]s.
#[must_use]
pub fn markdown_head() -> &'static str {
    "| version | decision | risk | predicted | benchmark | reason |\n|---|---|---:|---:|---|---|\n"
}

/// One version as a row.
#[must_use]
pub fn markdown_line(version: &VersionScore) -> String {
    let (predicted, name) = labels::foremost(version).map_or_else(
        || (String::from("-"), String::from("-")),
        |b| (number_format::change(b.predicted), markdown_code(&b.name)),
    );
    format!(
        "| {} | {} | {} | {predicted} | {name} | {} |\n",
        markdown_code(&short_id(&version.commit)),
        labels::decision(version.decision),
        number_format::probability(version.probability),
        markdown_prose(&decision_sentence(version))
    )
}

/// One version as a section: decision and reason, predictions, changes.
#[must_use]
pub fn markdown_version(version: &VersionScore) -> String {
    let mut out = format!(
        "### Prediction for {}: {}\n\n{}\n",
        markdown_code(&short_id(&version.commit)),
        labels::decision(version.decision),
        markdown_prose(&decision_sentence(version))
    );
    match &version.sample {
        Some(sample) => out.push_str(&format!(
            "\nPredicted from the profile of {}, {} before{}. Nothing was built or run.\n",
            markdown_code(&short_id(&sample.commit)),
            number_format::counted_noun(sample.distance as usize, "version"),
            markdown_prose(&labels::counted_by(sample))
        )),
        None => out.push_str("\nThere is no sample yet: `lito sample` takes one.\n"),
    }
    if let Some(reach) = version.reach.as_ref().and_then(reach_line) {
        out.push_str(&format!("\n{}\n", markdown_prose(&reach)));
    }
    out.push_str(&predictions(&version.benchmarks, ROOM));
    out.push_str(&changes(most(&version.changes).into_iter(), ROOM));
    let unread = degraded(&version.degraded, ROOM);
    if !unread.is_empty() {
        out.push_str("\nNot fully analysed, and counted as a risk:\n");
        out.push_str(&unread);
    }
    out
}

/// A table of the benchmarks, each with its predicted change.
pub(crate) fn predictions(benchmarks: &[BenchmarkPrediction], room: MarkdownLimits) -> String {
    let rows = benchmarks.iter().map(|b| {
        format!(
            "| {} | {} | {} to {} | {} | {} |\n",
            name(&b.name),
            number_format::change(b.predicted),
            number_format::change(b.low),
            number_format::change(b.high),
            number_format::probability(b.probability),
            if b.selected { "run" } else { "skip" }
        )
    });
    let head = "| benchmark | predicted | range | risk | |\n|---|---:|---:|---:|---|\n";
    list(head, rows, room)
}

/// Each change, with the effect that is the largest.
pub(crate) fn most(changes: &[ScoredChange]) -> Vec<(&ScoredChange, Option<&BenchmarkEffect>)> {
    let by_share = |a: &&BenchmarkEffect, b: &&BenchmarkEffect| a.share.abs().total_cmp(&b.share.abs());
    (changes.iter())
        .map(|change| (change, change.effects.iter().max_by(by_share)))
        .collect()
}

/// The changes, each with one of its effects.
pub(crate) fn changes<'a>(
    changes: impl ExactSizeIterator<Item = (&'a ScoredChange, Option<&'a BenchmarkEffect>)>,
    room: MarkdownLimits,
) -> String {
    let rows = changes.map(|(change, effect)| {
        let callee = change.callee.as_deref().map(|c| format!(": {}", name(c)));
        format!(
            "| {}{} | {} | {} | {} | {} |\n",
            labels::kind(change.kind),
            callee.unwrap_or_default(),
            change.function.as_deref().map_or_else(none, name),
            name(&labels::place(change)),
            effect.map_or_else(|| number_format::change(0.0), |e| number_format::change(e.share)),
            effect.map_or_else(none, |e| name(&e.benchmark)),
        )
    });
    let head = "| change | function | where | predicted | of |\n|---|---|---|---:|---|\n";
    list(head, rows, room)
}

/// A list of the files that could not be analysed, each with the reason.
pub(crate) fn degraded(files: &[DegradedFile], room: MarkdownLimits) -> String {
    let lines = files
        .iter()
        .map(|entry| format!("- {}: {}\n", name(&entry.file), sentence(&entry.why)));
    list("", lines, room)
}

fn none() -> String {
    String::from("-")
}

#[cfg(test)]
mod tests {
    use super::super::human::tests::{below_threshold, skipped, slower};
    use super::*;

    #[test]
    fn a_row_has_as_many_cells_as_the_heading() {
        let mut version = slower();
        version.reason = below_threshold("a | b");
        let cells = |row: &str| row.replace("\\|", "").matches('|').count();
        assert_eq!(
            cells(&markdown_line(&version)),
            cells(markdown_head().lines().next().unwrap_or_default())
        );
        assert_eq!(cells(&markdown_line(&skipped())), cells(&markdown_line(&version)));
    }

    #[test]
    fn names_cannot_inject_markup() {
        let mut version = slower();
        version.reason = below_threshold("@team <b>x</b> [a](b)");
        version.changes[0].function = Some(String::from("f`<i>"));
        let section = markdown_version(&version);
        assert!(
            section.contains("@&#8203;team &lt;b&gt;x&lt;/b&gt; \\[a\\](b)"),
            "{section}"
        );
        assert!(section.contains("``f`<i>``"), "{section}");
    }
}
