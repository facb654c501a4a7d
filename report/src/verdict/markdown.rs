//! A verdict into markdown, as it stands in a comment on a pull request or in a job's summary: what moved in sight, the
//! rest folded.

use std::collections::BTreeSet;

use analyzer::score::VersionScore;
use profile::verdict::{BenchmarkVerdict, Report};

use super::blame::{Blamed, blamed};
use super::sections::Sections;
use super::words;
use crate::number;
use crate::score::words as score_words;
use crate::text::{cut_end, cut_start, markdown_code, markdown_prose, safe, short_id};

/// Bytes that one part (a table, a list) may take. A comment on GitHub ends at 65,535 characters; there are at most six
/// parts, and what stands between them is short.
const PART: usize = 9_000;

/// Columns of a name or a place, of which the end says the most.
const NAME: usize = 100;

/// Columns of a sentence that somebody else may have written.
const SENTENCE: usize = 240;

/// The comment. `score` is the prediction of the same pair of versions, if there is one.
#[must_use]
pub fn markdown(report: &Report, score: Option<&VersionScore>) -> String {
    let sections = Sections::of(report);
    let mut out = format!(
        "### Performance: {}\n\n{}\n",
        words::verdict(report.verdict),
        sentence(&report.reason)
    );
    moved(&mut out, "Worse", &sections.worse);
    causes(&mut out, &blamed(report, score));
    moved(&mut out, "Better", &sections.better);
    untold(&mut out, &sections.untold);
    out.push_str(&format!(
        "\n<details><summary>{}</summary>\n",
        summary(report)
    ));
    reasons(&mut out, &sections.worse);
    quiet(&mut out, &sections);
    cost(&mut out, report);
    out.push_str("\n</details>\n");
    out
}

fn moved(out: &mut String, heading: &str, entries: &[&BenchmarkVerdict]) {
    if entries.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n**{heading}**\n\n| benchmark | metric | base | head | change | range | ratio | reached |\n\
         |---|---|---:|---:|---:|---:|---:|---|\n"
    ));
    let rows = entries.iter().map(|entry| {
        let (strong, aside) = if entry.gating {
            ("**", "")
        } else {
            ("", " (aside)")
        };
        format!(
            "| {} | {}{aside} | {} | {} | {strong}{}{strong} | {} | {} | {} |\n",
            name(&entry.name),
            entry.metric,
            words::value(entry.metric, entry.base),
            words::value(entry.metric, entry.head),
            words::change(entry),
            words::range(entry),
            words::ratio(entry),
            words::reachable(entry.reachable),
        )
    });
    part(out, rows);
}

/// What the regressions may come from.
fn causes(out: &mut String, blamed: &[Blamed<'_>]) {
    if blamed.is_empty() {
        return;
    }
    out.push_str(
        "\nChanges that the slower benchmarks execute:\n\n| where | change | predicted | of |\n|---|---|---:|---|\n",
    );
    let rows = blamed.iter().map(|blamed| {
        let effect = blamed.effects[0];
        let callee = blamed
            .change
            .callee
            .as_deref()
            .map(|callee| format!(": {}", name(callee)));
        format!(
            "| {} | {}{} | {} | {} |\n",
            name(&score_words::place(blamed.change)),
            score_words::kind(blamed.change.kind),
            callee.unwrap_or_default(),
            number::change(effect.share),
            name(&effect.benchmark),
        )
    });
    part(out, rows);
}

fn untold(out: &mut String, entries: &[&BenchmarkVerdict]) {
    if entries.is_empty() {
        return;
    }
    out.push_str("\n**Not told**\n\n| benchmark | metric | | why |\n|---|---|---|---|\n");
    let rows = entries.iter().map(|entry| {
        format!(
            "| {} | {} | {} | {} |\n",
            name(&entry.name),
            entry.metric,
            words::meaning(entry.verdict),
            sentence(&entry.reason),
        )
    });
    part(out, rows);
}

/// What is folded: `24 benchmarks in 1 min 44 s, aaaaaaaaaa against bbbbbbbbbb`.
fn summary(report: &Report) -> String {
    let benchmarks: BTreeSet<&str> = report.benchmarks.iter().map(|b| b.name.as_str()).collect();
    let id = |id: &str| html(&cut_end(&short_id(id), NAME));
    format!(
        "{} in {}: {} compared with {}",
        number::of(benchmarks.len(), "benchmark"),
        number::duration(report.cost_seconds),
        id(&report.head),
        id(&report.base)
    )
}

/// By what rule each regression is one, and whether the changed code can be why.
fn reasons(out: &mut String, worse: &[&BenchmarkVerdict]) {
    if worse.is_empty() {
        return;
    }
    out.push('\n');
    let lines = worse.iter().map(|entry| {
        let evidence = entry.evidence.as_deref().map(|evidence| {
            let reached = match entry.reachable {
                Some(true) => "Reached: ",
                Some(false) => "Not reached by what changed: ",
                None => "",
            };
            format!(". {reached}{}", sentence(evidence))
        });
        format!(
            "- {}: {}{}\n",
            name(&entry.name),
            sentence(&entry.reason),
            evidence.unwrap_or_default()
        )
    });
    part(out, lines);
}

fn quiet(out: &mut String, sections: &Sections<'_>) {
    if sections.quiet.is_empty() {
        return;
    }
    out.push('\n');
    for (outcome, names) in &sections.quiet {
        out.push_str(&format!("- {} {}: ", names.len(), words::meaning(*outcome)));
        let mut line = String::new();
        let mut shown = 0;
        for next in names.iter().map(|benchmark| name(benchmark)) {
            if line.len() + next.len() > PART / 4 {
                break;
            }
            if shown > 0 {
                line.push_str(", ");
            }
            line.push_str(&next);
            shown += 1;
        }
        if shown < names.len() {
            line.push_str(&format!(" and {} more", names.len() - shown));
        }
        out.push_str(&format!("{line}\n"));
    }
}

fn cost(out: &mut String, report: &Report) {
    if !report.stages.is_empty() {
        out.push_str("\n| stage | benchmarks | left | time |\n|---|---:|---:|---:|\n");
        part(
            out,
            report.stages.iter().map(|stage| {
                format!(
                    "| {} | {} | {} | {} |\n",
                    words::stage(stage.name),
                    stage.benchmarks,
                    stage.selected,
                    number::duration(stage.seconds)
                )
            }),
        );
    }
    if report.audited {
        out.push_str("\nAn audit: the score would have skipped this version.\n");
    }
    if let Some(audit) = &report.audit {
        out.push_str(&format!("\nAudit: {}.\n", words::audit(audit)));
    }
    if !report.environment.is_empty() {
        let environment = cut_end(&words::environment(report), 4 * SENTENCE).into_owned();
        out.push_str(&format!(
            "\nMeasured with {}.\n",
            markdown_prose(&environment)
        ));
    }
}

/// Lines until the part is full, and how many did not fit.
fn part(out: &mut String, lines: impl ExactSizeIterator<Item = String>) {
    let (all, start) = (lines.len(), out.len());
    for (shown, line) in lines.enumerate() {
        if out.len() - start + line.len() > PART {
            out.push_str(&format!(
                "\nand {} more; the JSON report has them all\n",
                all - shown
            ));
            return;
        }
        out.push_str(&line);
    }
}

fn name(text: &str) -> String {
    markdown_code(&cut_start(&safe(text), NAME))
}

fn sentence(text: &str) -> String {
    markdown_prose(&cut_end(&safe(text), SENTENCE))
}

/// Text inside an HTML block, where markdown is not read and backticks protect nothing.
fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            '#' => escaped.push_str("&#35;"),
            ':' => escaped.push_str("&#58;"),
            '`' => escaped.push_str("&#96;"),
            '[' => escaped.push_str("&#91;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use profile::verdict::Outcome;

    use super::super::sample::{entry, hostile, report, score};
    use super::*;

    /// Cells of a row, bars in text left out.
    fn cells(row: &str) -> usize {
        row.replace("\\|", "").matches('|').count()
    }

    /// The text without its code spans: from a run of backticks to the next run of as many.
    fn without_code(text: &str) -> String {
        let mut prose = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('`') {
            let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
            let (before, after) = (&rest[..start], &rest[start + ticks..]);
            prose.push_str(before);
            let closing = after
                .match_indices(&"`".repeat(ticks))
                .map(|(at, _)| at)
                .find(|at| !after[..*at].ends_with('`') && !after[at + ticks..].starts_with('`'))
                .filter(|_| !before.ends_with('\\'));
            rest = closing.map_or(after, |at| &after[at + ticks..]);
        }
        prose + rest
    }

    fn assert_tables_are_whole(comment: &str) {
        let mut expected = None;
        for line in comment.lines() {
            if line.starts_with('|') {
                let columns = *expected.get_or_insert(cells(line));
                assert_eq!(cells(line), columns, "{line}\nin\n{comment}");
            } else {
                expected = None;
            }
        }
    }

    #[test]
    fn a_comment_has_what_moved_in_sight_and_the_rest_folded() {
        let comment = markdown(&report(), Some(&score()));
        assert_tables_are_whole(&comment);
        insta::assert_snapshot!(comment);
    }

    #[test]
    fn names_cannot_get_out_of_their_place() {
        let (report, score) = hostile();
        let comment = markdown(&report, Some(&score));
        assert_tables_are_whole(&comment);
        let prose = without_code(&comment);
        for stolen in ["\x1b", "\u{202e}", "://", "@all", "<script", "[a]("] {
            assert!(!prose.contains(stolen), "{stolen:?} in {prose}");
        }
        assert_eq!(prose.matches("</details>").count(), 1);
    }

    #[test]
    fn a_comment_fits_where_comments_are_posted() {
        let (mut report, mut score) = hostile();
        for n in 0..500 {
            for outcome in [
                Outcome::Regression,
                Outcome::Improvement,
                Outcome::Failed,
                Outcome::Pass,
            ] {
                let mut more = entry(&format!("{n:@>200}"), outcome);
                more.reason = "@<".repeat(400);
                more.evidence = Some("@<".repeat(400));
                report.benchmarks.push(more);
            }
        }
        let changes = vec![score.changes[0].clone(); 400];
        score.changes = changes;
        report.environment = (0..200)
            .map(|n| (format!("{n}@"), "<".repeat(300)))
            .collect();
        let comment = markdown(&report, Some(&score));
        assert!(
            comment.chars().count() < 65_535,
            "{}",
            comment.chars().count()
        );
        assert!(comment.ends_with("\n</details>\n"));
        assert_tables_are_whole(&comment);
    }
}
