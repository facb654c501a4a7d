//! Predictions into markdown, fit for a comment or a job summary: one table row a version in a range, a
//! section for a single version.

use analyzer::score::VersionScore;

use super::words;
use crate::number;
use crate::text::{markdown_code, markdown_prose, short_id};

/// How many changes a section lists; a comment on GitHub ends at 65,535 characters.
const CHANGES_SHOWN: usize = 25;

/// The heading of the table of [`markdown_line`]s.
#[must_use]
pub fn markdown_head() -> &'static str {
    "| version | decision | risk | predicted | benchmark | reason |\n|---|---|---:|---:|---|---|\n"
}

/// One version as a row.
#[must_use]
pub fn markdown_line(version: &VersionScore) -> String {
    let (predicted, name) = words::foremost(version).map_or_else(
        || (String::from("-"), String::from("-")),
        |b| (number::change(b.predicted), markdown_code(&b.name)),
    );
    format!(
        "| {} | {} | {} | {predicted} | {name} | {} |\n",
        markdown_code(&short_id(&version.commit)),
        words::decision(version.decision),
        number::probability(version.probability),
        markdown_prose(&version.reason)
    )
}

/// One version as a section: decision and reason, predictions, changes.
#[must_use]
pub fn markdown_version(version: &VersionScore) -> String {
    let mut out = format!(
        "### Prediction for {}: {}\n\n{}\n",
        markdown_code(&short_id(&version.commit)),
        words::decision(version.decision),
        markdown_prose(&version.reason)
    );
    match &version.sample {
        Some(sample) => out.push_str(&format!(
            "\nPredicted from the profile of {}, {} before{}. Nothing was built or run.\n",
            markdown_code(&short_id(&sample.commit)),
            number::of(sample.distance as usize, "version"),
            markdown_prose(&words::counted_by(sample))
        )),
        None => out.push_str("\nThere is no sample yet: `lito sample` takes one.\n"),
    }
    if !version.benchmarks.is_empty() {
        out.push_str("\n| benchmark | predicted | range | risk | |\n|---|---:|---:|---:|---|\n");
        for b in &version.benchmarks {
            out.push_str(&format!(
                "| {} | {} | {} to {} | {} | {} |\n",
                markdown_code(&b.name),
                number::change(b.predicted),
                number::change(b.low),
                number::change(b.high),
                number::probability(b.probability),
                if b.selected { "run" } else { "skip" }
            ));
        }
    }
    changes(&mut out, version);
    if !version.degraded.is_empty() {
        out.push_str("\nNot fully analysed, and counted as a risk:\n");
        for entry in version.degraded.iter().take(CHANGES_SHOWN) {
            out.push_str(&format!(
                "- {}: {}\n",
                markdown_code(&entry.file),
                markdown_prose(&entry.why)
            ));
        }
        more(&mut out, version.degraded.len());
    }
    out
}

fn changes(out: &mut String, version: &VersionScore) {
    if version.changes.is_empty() {
        return;
    }
    out.push_str("\n| change | function | where | largest share | of |\n|---|---|---|---:|---|\n");
    for change in version.changes.iter().take(CHANGES_SHOWN) {
        let what = match &change.callee {
            Some(callee) => format!("{}: {}", words::kind(change.kind), markdown_code(callee)),
            None => words::kind(change.kind).to_owned(),
        };
        let place = if change.line == 0 {
            change.file.clone()
        } else {
            format!("{}:{}", change.file, change.line)
        };
        let largest = change
            .effects
            .iter()
            .max_by(|a, b| a.share.abs().total_cmp(&b.share.abs()));
        out.push_str(&format!(
            "| {what} | {} | {} | {} | {} |\n",
            change
                .function
                .as_deref()
                .map_or_else(|| String::from("-"), markdown_code),
            markdown_code(&place),
            largest.map_or_else(|| String::from("0%"), |effect| number::change(effect.share)),
            largest.map_or_else(
                || String::from("-"),
                |effect| markdown_code(&effect.benchmark)
            ),
        ));
    }
    more(out, version.changes.len());
}

fn more(out: &mut String, listed: usize) {
    if listed > CHANGES_SHOWN {
        out.push_str(&format!("\nand {} more\n", listed - CHANGES_SHOWN));
    }
}

#[cfg(test)]
mod tests {
    use super::super::human::tests::{skipped, slower};
    use super::*;

    #[test]
    fn a_row_has_as_many_cells_as_the_heading() {
        let mut version = slower();
        version.reason = String::from("a | b");
        let cells = |row: &str| row.replace("\\|", "").matches('|').count();
        assert_eq!(
            cells(&markdown_line(&version)),
            cells(markdown_head().lines().next().unwrap_or_default())
        );
        assert_eq!(
            cells(&markdown_line(&skipped())),
            cells(&markdown_line(&version))
        );
    }

    #[test]
    fn names_cannot_inject_markup() {
        let mut version = slower();
        version.reason = String::from("@team <b>x</b> [a](b)");
        version.changes[0].function = Some(String::from("f`<i>"));
        let section = markdown_version(&version);
        assert!(
            section.contains("&#64;team &lt;b&gt;x&lt;/b&gt; \\[a\\](b)"),
            "{section}"
        );
        assert!(section.contains("``f`<i>``"), "{section}");
    }
}
